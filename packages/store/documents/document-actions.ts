import type { CollectionWhereOperations } from 'electrodb'
import * as z from 'zod'
import { defineFollowUp, type Job, type JobHandler } from '#jobs/job.ts'
import { notFound } from '#kernel/failure.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import { stamped } from '../change-log.ts'
import type { Db } from '../db.ts'
import { arrivalActions } from '../inbox/arrival-actions.ts'
import { asRead } from '../records.ts'
import type { StoreDeps } from '../store-deps.ts'
import { markOf, searchMarks } from '../text-search/search-marks.ts'
import { type Action, change, demand, retryStale } from '../transact.ts'
import { documentEntity } from './document-entity.ts'
import { arrivedDocument, documentList, storedDocuments } from './document-record.ts'

const payload = lazyObject(() => ({ workspace_id: z.string(), ids: z.array(z.string()) }))

/** The case of documents was changed without their list entries: these follow. */
const listDocuments = defineFollowUp({ name: 'document.list', version: 1, payload })

/** Documents were added without their list entries: these follow, and what a search finds them by. */
const listNewDocuments = defineFollowUp({ name: 'document.added', version: 1, payload })

type InCase = { workspace_id: string; id: string; case_id: string }

/** Actions on documents that the transactions of several stores use. */
export function documentActions(db: Db) {
  const documents = documentEntity(db)

  return {
    /**
     * Requires that a document is not deleted and in this case, in one action. It also records `note`: the case, if the
     * document was in none; and the envelope that uses it from now on (D10). The transaction fails with
     * DOCUMENT_NOT_FOUND if the document was deleted or is in another case.
     *
     * The list entries of a document that is put into the case are not part of it: five actions for each of twenty
     * documents are more than a transaction has. They follow by `listJobs`.
     */
    inCase(
      { workspace_id, id, case_id }: InCase,
      { assignedAt, envelopeId }: { assignedAt?: string | undefined; envelopeId?: string | undefined },
    ): Action {
      const key = { workspace_id, id }
      if (assignedAt === undefined && envelopeId === undefined)
        return demand(documents.remove(key).where(isIn(case_id)), isGone)
      const patched = documents.patch(key).add({ version: 1 })
      const changed = envelopeId === undefined ? patched : patched.append({ envelope_ids: [envelopeId] })
      if (assignedAt === undefined) return change(changed.where(isIn(case_id)), isGone)
      return change(
        changed
          .set({ case_id, updated_at: assignedAt })
          .data((attributes, { set }) => set(attributes.assigned_at.case_id, assignedAt))
          .where(isIn(case_id, 'or in none')),
        isGone,
      )
    },

    /**
     * Records that an envelope of a case uses a document from now on (D10). The transaction fails with
     * DOCUMENT_NOT_FOUND if the document was deleted or is in another case by now: another client must not be shown it
     * (S1).
     */
    use: ({ workspace_id, id, case_id }: InCase, envelopeId: string): Action =>
      change(
        documents
          .patch({ workspace_id, id })
          .add({ version: 1 })
          .append({ envelope_ids: [envelopeId] })
          .where(isIn(case_id, 'or in none')),
        isGone,
      ),
  }
}

/** The condition that a document is not deleted, and in this case. */
function isIn(case_id: string, orInNone?: 'or in none') {
  return (
    attributes: { deleted_at: string; case_id: string },
    { eq, notExists }: Pick<CollectionWhereOperations, 'eq' | 'notExists'>,
  ): string => {
    const isHere = eq(attributes.case_id, case_id)
    const isAllowed = orInNone ? `(${notExists(attributes.case_id)} OR ${isHere})` : isHere
    return `${notExists(attributes.deleted_at)} AND ${isAllowed}`
  }
}

const isGone = () => notFound('DOCUMENT_NOT_FOUND')

/** The jobs that bring the list entries of these documents in line with their records. */
export function listJobs(workspace_id: string, ids: string[]): Job[] {
  return ids.length === 0 ? [] : [listDocuments.of({ workspace_id, ids })]
}

/** The job that writes the list entries of these documents, which were added without. */
export function newListJob(workspace_id: string, ids: string[]): Job {
  return listNewDocuments.of({ workspace_id, ids })
}

/** The handler that writes the list entries of documents which a transaction left out. */
export function documentListsFollowUp(deps: StoreDeps): JobHandler {
  return listDocuments.handledBy(({ workspace_id, ids }) => listAll(deps, workspace_id, ids))
}

/** The handler that writes the list entries of documents that were added without. */
export function newDocumentListsFollowUp(deps: StoreDeps): JobHandler {
  return listNewDocuments.handledBy(({ workspace_id, ids }) => listAll(deps, workspace_id, ids, 'new'))
}

/** Writes the list entries of documents as the records say now, and marks them for the search index. */
function listAll(
  { db, cursors, outbox }: StoreDeps,
  workspaceId: string,
  ids: string[],
  areNew?: 'new',
): Promise<void> {
  const items = documentEntity(db)
  const documents = storedDocuments(db)
  const list = documentList(db, cursors)
  const arrivals = arrivalActions({ db, cursors })
  const marks = searchMarks(db)
  return inParallel(ids, (id) =>
    retryStale(async () => {
      const before = await documents.find(workspaceId, id)
      // The transaction that deletes a document removes the entries.
      if (before === undefined) return
      // It is seen as changed now: what asked for changes before its lists were in line has not been shown it.
      const record = stamped(before, before)
      const noted = items
        .patch({ workspace_id: workspaceId, id })
        .set({ changed_at: record.changed_at })
        .where(asRead(before))
      const entries = [...list.changes(undefined, record), ...arrivals.entries(arrivedDocument(record))]
      const marked = marks.mark(workspaceId, markOf('changed', id))
      const words = areNew ? list.follow(undefined, record) : []
      await outbox.commit([change(noted), ...entries, ...marked.actions], [...words, ...marked.jobs])
    }),
  )
}
