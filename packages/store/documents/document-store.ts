import type { DocumentChange, DocumentRecord, DocumentStore } from '#documents/ports.ts'
import { bookkeeping } from '#kernel/changes.ts'
import type { Clock } from '#kernel/clock.ts'
import { failureOf, notFound, unknownAt } from '#kernel/failure.ts'
import { type Answered, unchanged } from '#kernel/idempotency.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { writeAll } from '../batch.ts'
import { caseActions } from '../cases/case-actions.ts'
import { caseTitles } from '../cases/case-titles.ts'
import { heldCases } from '../cases/held-cases.ts'
import type { Consequences } from '../changes.ts'
import { folderPlaces } from '../folders/folder-store.ts'
import { pageOfRecords } from '../page-of-records.ts'
import { asRead } from '../records.ts'
import { noteLeft } from '../retention/removed-in-case.ts'
import type { RequireUnused } from '../signing/envelope-uses.ts'
import type { StoreDeps } from '../store-deps.ts'
import { type Action, change, isMade, maxActions, retryStale, transact } from '../transact.ts'
import { newListJob } from './document-actions.ts'
import { documentChanges } from './document-changes.ts'
import { documentEntity, documentWatch } from './document-entity.ts'
import {
  type DocumentSummary,
  documentList,
  documentRecords,
  isOver,
  listedDocument,
  storedDocuments,
} from './document-record.ts'
import { documentTwins, twinActions } from './document-twins.ts'

/**
 * Documents in the table.
 *
 * @param deps.requireUnused refuses to delete a document that envelopes need (D10)
 */
export function documentStore(
  deps: StoreDeps & { clock: Clock; requireUnused: RequireUnused },
): DocumentStore {
  const { db, cursors, outbox, clock, requireUnused } = deps
  const requireUnheld = heldCases(deps)
  const documents = documentRecords(deps)
  const { find, findAll, known } = documents
  const items = documentEntity(db)
  const noted = documentWatch(db)
  const cases = caseTitles(db)
  const ofCase = caseActions(db)
  const list = documentList(db, cursors)
  const folders = folderPlaces(deps)
  const { list: duplicates, removal } = twinActions(db)

  /** Requires that the case and folder of a document exist at the time of the write. */
  const inPlaces = async (record: DocumentRecord, before?: DocumentRecord): Promise<Action[]> => [
    // `requireUnheldBy` judges the case that it leaves.
    ...(record.case_id === before?.case_id ? [] : ofCase.inCase(record)),
    ...(record.folder_id !== null && record.folder_id !== before?.folder_id
      ? [await folders.open(record.workspace_id, record.folder_id, 'body.folder_id')]
      : []),
  ]

  /** A document that leaves a case could be deleted there: that is refused like its deletion (R2). */
  const requireUnheldBy = (before: DocumentRecord, after: DocumentRecord): Promise<Action[]> =>
    requireUnheld(before.workspace_id, before.case_id === after.case_id ? null : before.case_id)

  const followers = async (
    before: DocumentRecord | undefined,
    after: DocumentRecord | undefined,
  ): Promise<Consequences> => {
    // New documents of one transaction are in the same places, which are required once.
    if (before === undefined) return { actions: [] }
    if (after !== undefined) {
      const [places, unheld] = await Promise.all([inPlaces(after, before), requireUnheldBy(before, after)])
      return { actions: [...places, ...unheld, ...noteLeft(db, after, before)] }
    }
    const [unused, unheld] = await Promise.all([
      requireUnused(before.workspace_id, before.envelope_ids),
      // An upload that never came has nothing to keep.
      isOver(before, clock) ? [] : requireUnheld(before.workspace_id, before.case_id),
    ])
    const { actions, jobs } = removal(before)
    return { actions: [...actions, ...unused, ...unheld], jobs }
  }

  const changes = documentChanges(deps, documents, followers)
  const twins = documentTwins(deps, { find, change: changes.change })

  /** Adds documents in one transaction. If they have too many list entries for it, a job writes these. */
  const addTogether = async <Answer = undefined>(
    added: DocumentChange[],
    placesOf: (record: DocumentRecord) => Action[] | Promise<Action[]>,
    change?: { answer: Answer },
  ): Promise<Answered<Answer>> => {
    const [first] = added
    if (first === undefined) return unchanged(change?.answer as Answer)
    const places = await placesOf(first.record)
    const { actions, jobs } = await changes.additions(added)
    if (actions.length + places.length + jobs.length <= maxActions)
      return outbox.commit([...actions, ...places], jobs, change)
    const bare = await changes.additions(added.map((one) => ({ ...one, isListedLater: true })))
    const ids = added.map(({ record }) => record.id)
    const listing = newListJob(first.record.workspace_id, ids)
    return outbox.commit([...bare.actions, ...places], [...bare.jobs, listing], change)
  }

  return {
    find,
    findAll,
    known,

    noteBytes: (stored) => {
      const notes = stored.map(({ workspace_id, id, sha256 }) =>
        noted.put({ awaited: 'record', shard: id.slice(-1), id, workspace_id, sha256 }),
      )
      return bookkeeping(() => writeAll(db, notes))
    },

    page: async (workspaceId, { limit, cursor, search, case_id, folder_id, status }) => {
      const wanted = { filters: { case_id, folder_id, status }, search }
      return pageOfRecords(
        { limit, cursor },
        (request) => list.page<DocumentSummary>(workspaceId, wanted, request),
        async (summaries) =>
          summaries
            .filter((summary) => !isOver(summary, clock))
            .map((summary) => listedDocument(workspaceId, summary)),
      )
    },

    changes: (workspaceId, { limit, cursor, search, case_id, folder_id, status }, since) =>
      list.pageOfChanges(
        workspaceId,
        { filters: { case_id, folder_id, status }, search },
        { limit, cursor, since },
        findAll,
      ),

    requireAll: async (workspaceId, { case_id, folder_id }) => {
      const [caseExists] = await Promise.all([
        case_id === null || cases.exists(workspaceId, case_id),
        folder_id === null || retryStale(() => folders.open(workspaceId, folder_id, 'body.folder_id')),
      ])
      if (!caseExists) throw notFound('CASE_NOT_FOUND', unknownAt('body.case_id', case_id ?? ''))
    },

    requireUnheld: (workspaceId, caseIds) =>
      inParallel(caseIds, async (id) => {
        await requireUnheld(workspaceId, id)
      }),

    add: (added, answer) => retryStale(() => addTogether(added, inPlaces, { answer })),

    addMissing: (workspaceId, added) =>
      retryStale(async () => {
        const ids = added.map(({ record }) => record.id)
        const before = await known(workspaceId, ids)
        const missing = added.filter(({ record }) => !before.has(record.id))
        await addTogether(missing, ofCase.withCase)
        return new Set(missing.map(({ record }) => record.id))
      }),

    change: changes.change,

    remove: changes.remove,

    removeExpired: (workspaceId, id, at, decide) => {
      const expired = storedDocuments(db, (record) => !isOver(record, { now: () => at }))
      return documentChanges(deps, expired, followers)
        .remove(workspaceId, id, (record) => ({ ...decide(record), answer: true }))
        .catch((error: unknown) => {
          if (failureOf(error)?.code === 'DOCUMENT_NOT_FOUND') return false
          throw error
        })
    },

    duplicates,
    indexDigests: twins.index,
    markDuplicates: twins.mark,

    beginAttempt: async (record, at) => {
      const { workspace_id, id } = record
      const attempted = {
        ...record,
        attempts: record.attempts + 1,
        attempted_at: at,
        version: record.version + 1,
      }
      const begun = items
        .patch({ workspace_id, id })
        .set({ attempts: attempted.attempts, attempted_at: at, version: attempted.version })
        .where(asRead(record))
      return (await isMade(transact(db, [change(begun)]))) ? attempted : undefined
    },

    cancelAttempt: async ({ workspace_id, id }) => {
      const cancelled = items
        .patch({ workspace_id, id })
        .subtract({ attempts: 1 })
        .add({ version: 1 })
        .where(({ attempts, status }, { gt, eq }) => `${gt(attempts, 0)} AND ${eq(status, 'pending')}`)
      await isMade(transact(db, [change(cancelled)]))
    },
  }
}
