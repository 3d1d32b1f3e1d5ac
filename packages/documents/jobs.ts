import * as z from 'zod'
import { defineFollowUp, type JobHandler, type SendMessage } from '#jobs/job.ts'
import { Failure } from '#kernel/failure.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { TimelineEntry } from '#timeline/schema.ts'
import { assigned } from './assign.ts'
import type { DocumentRecord, DocumentStore, Files } from './ports.ts'
import { Assignment, type DocumentToRead } from './schema.ts'

/** Documents whose bytes are stored are read, and told from their duplicates. */
export const documentsAccepted = defineFollowUp({
  name: 'document.accepted',
  version: 1,
  payload: z.object({ workspace_id: z.string(), ids: z.array(z.string()) }),
})

/** Documents are assigned, all of them (D7). */
export const assignDocuments = defineFollowUp({
  name: 'document.assign',
  version: 1,
  payload: z.object({
    workspace_id: z.string(),
    document_ids: z.array(z.string()),
    assignment: Assignment,
    party_names: z.record(z.string(), z.string()),
    actor: TimelineEntry.shape.actor,
    at: z.string(),
  }),
})

/** A document was deleted: its bytes and its text are removed. */
export const eraseFiles = defineFollowUp({
  name: 'document.erase',
  version: 1,
  payload: z.object({ keys: z.array(z.string()) }),
})

/** The handlers of the jobs that follow a change of a document. */
export function documentJobs({
  documents,
  files,
  send,
}: {
  documents: Pick<DocumentStore, 'change' | 'recordAccepted' | 'markDuplicates'>
  files: Pick<Files, 'remove'>
  send: SendMessage<DocumentToRead>
}): JobHandler[] {
  return [
    documentsAccepted.handledBy(async ({ workspace_id, ids }) => {
      const accepted: DocumentRecord[] = []
      await inParallel(ids, async (id) => {
        const record = await documents.recordAccepted(workspace_id, id)
        if (record === undefined) return
        accepted.push(record)
        await send({ workspace_id, document_id: id })
      })
      for (const sha256 of new Set(accepted.map((record) => record.sha256 ?? '')))
        await documents.markDuplicates(workspace_id, sha256)
    }),

    assignDocuments.handledBy(async ({ workspace_id, document_ids, ...order }) => {
      const assign = async (id: string, assignment: Assignment): Promise<void> => {
        await documents
          .change(workspace_id, id, (current) => assigned(current, { ...order, assignment }))
          .catch((error: unknown) => {
            const without = error instanceof Failure ? leftOut[error.code] : undefined
            if (without === undefined) throw error
            return assign(id, { ...assignment, ...without })
          })
      }
      await inParallel(document_ids, (id) => assign(id, order.assignment).catch(unlessGone))
    }),

    eraseFiles.handledBy(({ keys }) => files.remove(keys)),
  ]
}

/** What was deleted after an order was given is left out of it; the rest holds. */
const leftOut: Record<string, Assignment> = {
  CASE_NOT_FOUND: { case_id: undefined },
  FOLDER_NOT_FOUND: { folder_id: undefined },
  // The party that was to be the primary one is none of the document's any more.
  VALIDATION_ERROR: { primary_party_id: undefined },
}

function unlessGone(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'DOCUMENT_NOT_FOUND') throw error
}
