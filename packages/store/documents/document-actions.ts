import * as z from 'zod'
import type { DocumentChange, DocumentRecord } from '#documents/ports.ts'
import { defineFollowUp, type Job, type JobHandler } from '#jobs/job.ts'
import { notFound } from '#kernel/failure.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { caseActions } from '../cases/case-actions.ts'
import { stamped } from '../change-log.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { arrivalActions } from '../inbox/arrival-actions.ts'
import { triages } from '../inbox/triages.ts'
import type { Outbox } from '../outbox.ts'
import { asRead } from '../records.ts'
import { type Action, change, demand, put, retryStale, transact } from '../transact.ts'
import { documentEntity } from './document-entity.ts'
import { arrivedDocument, documentItem, documentList, documentRecord } from './document-record.ts'
import { watchActions } from './document-watches.ts'

/** The case of documents was changed without their list entries: these follow. */
const listDocuments = defineFollowUp({
  name: 'document.list',
  version: 1,
  payload: z.lazy(() => z.object({ workspace_id: z.string(), ids: z.array(z.string()) })),
})

/** Documents were added without their list entries: these follow, and what a search finds them by. */
const listNewDocuments = defineFollowUp({
  name: 'document.added',
  version: 1,
  payload: z.lazy(() => z.object({ workspace_id: z.string(), ids: z.array(z.string()) })),
})

/** Actions on documents that the transactions of several stores use. */
export function documentActions({ db, cursors }: { db: Db; cursors: Cursors }) {
  const documents = documentEntity(db)
  const ofCase = caseActions(db)
  const list = documentList(db, cursors)
  const watches = watchActions(db)
  const arrivals = arrivalActions({ db, cursors })
  const judged = triages(db)

  /** Adds a document with its timeline entries, but without its list entries. */
  const recordAddition = ({
    record,
    timelineEntries,
    triage,
  }: DocumentChange & { record: { changed_at: string } }): Action[] => [
    put(documents.create(documentItem(record))),
    ...ofCase.recordTimelines(record.workspace_id, timelineEntries),
    ...(record.upload_expires_at === null ? [] : [watches.add('bytes', record)]),
    ...arrivals.watchChanges(undefined, arrivedDocument(record)),
    ...(triage === undefined ? [] : [judged.write(record, triage)]),
  ]

  /** The list entries of a new document, and that it has changed. */
  const entries = (record: DocumentRecord): Action[] => [
    ...list.changes(undefined, record),
    ...arrivals.entries(arrivedDocument(record)),
  ]

  return {
    /** The jobs that follow a change of a document's name. */
    words: list.follow,

    /** Adds a document with its timeline entries. Its list entries follow by `newListJobs`. */
    bareAddition: (change: DocumentChange): Action[] =>
      recordAddition({ ...change, record: stamped(change.record) }),

    /** Adds a document with its list entries and timeline entries. Its case and folder are not checked. */
    addition: (change: DocumentChange): Action[] => {
      const record = stamped(change.record)
      return [...recordAddition({ ...change, record }), ...entries(record)]
    },

    /** The jobs that follow an addition. */
    additionJobs: ({ record, jobs = [] }: DocumentChange): Job[] => [
      ...jobs,
      ...list.follow(undefined, record),
    ],

    /**
     * Requires that a document is not deleted and in this case, in one action. It also records `note`: the case, if the
     * document was in none; and the envelope that uses it from now on (D10). The transaction fails with
     * DOCUMENT_NOT_FOUND if the document was deleted or is in another case.
     *
     * The list entries of a document that is put into the case are not part of it: five actions for each of twenty
     * documents are more than a transaction has. They follow by `listJobs`.
     */
    inCase(
      { workspace_id, id, case_id }: { workspace_id: string; id: string; case_id: string },
      note: { assignedAt?: string | undefined; envelopeId?: string | undefined },
    ): Action {
      const key = { workspace_id, id }
      const { assignedAt, envelopeId } = note
      const isGone = () => notFound('DOCUMENT_NOT_FOUND')
      if (assignedAt === undefined && envelopeId === undefined)
        return demand(
          documents
            .remove(key)
            .where(
              (attributes, { eq, notExists }) =>
                `${notExists(attributes.deleted_at)} AND ${eq(attributes.case_id, case_id)}`,
            ),
          isGone,
        )
      const patched = documents.patch(key).add({ version: 1 })
      const changed = envelopeId === undefined ? patched : patched.append({ envelope_ids: [envelopeId] })
      if (assignedAt === undefined)
        return change(
          changed.where(
            (attributes, { eq, notExists }) =>
              `${notExists(attributes.deleted_at)} AND ${eq(attributes.case_id, case_id)}`,
          ),
          isGone,
        )
      return change(
        changed
          .set({ case_id, updated_at: assignedAt })
          .data((attributes, { set }) => set(attributes.assigned_at.case_id, assignedAt))
          .where(
            (attributes, { eq, notExists }) =>
              `${notExists(attributes.deleted_at)} AND (${notExists(attributes.case_id)} OR ${eq(attributes.case_id, case_id)})`,
          ),
        isGone,
      )
    },

    /**
     * Records that an envelope of a case uses a document from now on (D10). The transaction fails with
     * DOCUMENT_NOT_FOUND if the document was deleted or is in another case by now: another client must not be shown it
     * (S1).
     */
    use: (
      { workspace_id, id, case_id }: { workspace_id: string; id: string; case_id: string },
      envelopeId: string,
    ): Action =>
      change(
        documents
          .patch({ workspace_id, id })
          .add({ version: 1 })
          .append({ envelope_ids: [envelopeId] })
          .where(
            (attributes, { eq, notExists }) =>
              `${notExists(attributes.deleted_at)} AND (${notExists(attributes.case_id)} OR ${eq(attributes.case_id, case_id)})`,
          ),
        () => notFound('DOCUMENT_NOT_FOUND'),
      ),

    /** The jobs that bring the list entries of these documents in line with their records. */
    listJobs: (workspace_id: string, ids: string[]): Job[] =>
      ids.length === 0 ? [] : [listDocuments.of({ workspace_id, ids })],

    /** The jobs that write the list entries of these documents, which were added without. */
    newListJobs: (workspace_id: string, ids: string[]): Job[] => [listNewDocuments.of({ workspace_id, ids })],

    /** Writes the list entries of documents as the records say now. @param commit runs it, with jobs for their words */
    listAll: (
      workspaceId: string,
      ids: string[],
      commit: (actions: Action[], record: DocumentRecord) => Promise<void> = (actions) =>
        transact(db, actions),
    ): Promise<void> =>
      inParallel(ids, (id) =>
        retryStale(async () => {
          const { data } = await documents.get({ workspace_id: workspaceId, id }).go(strongly)
          // The transaction that deletes a document removes the entries.
          if (data === null || data.deleted_at !== undefined) return
          // It is seen as changed now: what asked for changes before its lists were in line has not been shown it.
          const record = stamped(documentRecord(data), data)
          const noted = documents
            .patch({ workspace_id: workspaceId, id })
            .set({ changed_at: record.changed_at })
            .where(asRead(data))
          await commit([change(noted), ...entries(record)], record)
        }),
      ),
  }
}

/** The handler that writes the list entries of documents which a transaction left out. */
export function documentListsFollowUp(deps: { db: Db; cursors: Cursors }): JobHandler {
  const { listAll } = documentActions(deps)
  return listDocuments.handledBy(({ workspace_id, ids }) => listAll(workspace_id, ids))
}

/** The handler that writes the list entries of documents that were added without. */
export function newDocumentListsFollowUp(deps: { db: Db; cursors: Cursors; outbox: Outbox }): JobHandler {
  const { listAll, words } = documentActions(deps)
  return listNewDocuments.handledBy(({ workspace_id, ids }) =>
    listAll(workspace_id, ids, (actions, record) => deps.outbox.commit(actions, words(undefined, record))),
  )
}
