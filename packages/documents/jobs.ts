import * as z from 'zod'
import { defineFollowUp, defineHandOver, type JobHandler } from '#jobs/job.ts'
import { Failure, unlessGone } from '#kernel/failure.ts'
import type { Files } from '#kernel/files.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import { applyRule, TimelineEntry } from '#timeline/schema.ts'
import { applyAssignment } from './apply-assignment.ts'
import type { DocumentRecord, DocumentStore } from './ports.ts'
import { documentQueue } from './read-queue.ts'
import { Assignment } from './schema.ts'

/** Enqueues documents for the worker that reads them, once their bytes are stored. */
export const readDocuments = defineHandOver({
  name: 'document.read',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), ids: z.array(z.string()) })),
  queue: documentQueue,
  messagesOf: ({ workspace_id, ids }) => ids.map((document_id) => ({ workspace_id, document_id })),
})

/** Indexes documents by their digests, once their bytes are stored, and marks duplicates. */
export const indexDigests = defineFollowUp({
  name: 'document.accepted',
  version: 1,
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    documents: z.array(z.object({ id: z.string(), sha256: z.string() })),
  })),
})

/** Assigns the documents of a bulk assignment (D7). */
export const assignDocuments = defineFollowUp({
  name: 'document.assign',
  version: 1,
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    document_ids: z.array(z.string()),
    assignment: Assignment,
    party_names: z.record(z.string(), z.string()),
    actor: TimelineEntry.unwrap().shape.actor,
    at: z.string(),
  })),
  without: ({ document_ids, assignment, party_names, ...rest }, isGone) => {
    const left = document_ids.filter((id) => !isGone(id))
    if (left.length === 0) return undefined
    const names = Object.entries(party_names).filter(([id]) => !isGone(id))
    return {
      ...rest,
      document_ids: left,
      assignment: assignmentWithout(assignment, isGone),
      party_names: Object.fromEntries(names),
    }
  },
})

/** Removes the bytes and the text of a deleted document. */
export const eraseFiles = defineFollowUp({
  name: 'document.erase',
  version: 1,
  payload: lazyObject(() => ({ keys: z.array(z.string()) })),
})

/** The handlers of the jobs that follow a change of a document. */
export function documentJobs(deps: {
  documents: Pick<DocumentStore, 'change' | 'indexDigests' | 'markDuplicates'>
  files: Pick<Files, 'remove'>
}): JobHandler[] {
  const { documents, files } = deps
  return [
    indexDigests.handledBy(async ({ workspace_id, documents: accepted }) => {
      await documents.indexDigests(workspace_id, accepted)
      for (const sha256 of new Set(accepted.map((document) => document.sha256)))
        await documents.markDuplicates(workspace_id, sha256)
    }),

    assignDocuments.handledBy(async ({ workspace_id, document_ids, ...order }) => {
      const assign = async (id: string, assignment: Assignment): Promise<void> => {
        const rule = (current: DocumentRecord) => applyAssignment(current, { ...order, assignment })
        await applyRule(documents, workspace_id, id, rule).catch((error: unknown) => {
          const omitted = error instanceof Failure ? omittedParts[error.code] : undefined
          if (omitted === undefined) throw error
          return assign(id, { ...assignment, ...omitted })
        })
      }
      await inParallel(document_ids, (id) =>
        assign(id, order.assignment).catch(unlessGone('DOCUMENT_NOT_FOUND')),
      )
    }),

    eraseFiles.handledBy(({ keys }) => files.remove(keys)),
  ]
}

function assignmentWithout(
  { party_ids, primary_party_id, ...rest }: Assignment,
  isGone: (id: string) => boolean,
): Assignment {
  return {
    ...rest,
    ...(party_ids !== undefined && { party_ids: party_ids?.filter((id) => !isGone(id)) ?? null }),
    ...(primary_party_id !== undefined && !isGone(primary_party_id ?? '') && { primary_party_id }),
  }
}

/** By error code: the part of an order to omit, because it became impossible after the order was recorded. */
const omittedParts: Record<string, Assignment> = {
  CASE_NOT_FOUND: { case_id: undefined },
  // A hold was set on the current case of the document.
  LEGAL_HOLD: { case_id: undefined },
  FOLDER_NOT_FOUND: { folder_id: undefined },
  // The intended primary party is no longer a party of the document.
  VALIDATION_ERROR: { primary_party_id: undefined },
}
