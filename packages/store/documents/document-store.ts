import type { DocumentChange, DocumentRecord, DocumentRemoval, DocumentStore } from '#documents/ports.ts'
import { bookkeeping } from '#kernel/changes.ts'
import type { Clock } from '#kernel/clock.ts'
import { notFound } from '#kernel/failure.ts'
import { writeAll } from '../batch.ts'
import { caseActions } from '../cases/case-actions.ts'
import { caseTitles } from '../cases/case-titles.ts'
import { stamped } from '../change-log.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { folderPlaces } from '../folders/folder-store.ts'
import { arrivalActions } from '../inbox/arrival-actions.ts'
import { triages } from '../inbox/triages.ts'
import type { Outbox } from '../outbox.ts'
import { asRead } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import type { RequireUnused } from '../signing/envelope-uses.ts'
import { type Action, change, isMade, maxActions, retryStale, transact } from '../transact.ts'
import { documentActions } from './document-actions.ts'
import { documentEntity, documentWatch } from './document-entity.ts'
import {
  arrivedDocument,
  type DocumentSummary,
  documentItem,
  documentList,
  documentRecord,
  listedDocument,
} from './document-record.ts'
import { documentRecords, isOver } from './document-records.ts'
import { documentTwins } from './document-twins.ts'
import { watchActions } from './document-watches.ts'

/**
 * Documents in the table.
 *
 * @param deps.requireUnused refuses to delete a document that envelopes need (D10)
 */
export function documentStore(deps: {
  db: Db
  cursors: Cursors
  outbox: Outbox
  clock: Clock
  requireUnused: RequireUnused
}): DocumentStore {
  const { db, cursors, outbox, clock, requireUnused } = deps
  const documents = documentEntity(db)
  const cases = caseTitles(db)
  const ofCase = caseActions(db)
  const list = documentList(db, cursors)
  const folders = folderPlaces(deps)
  const watches = watchActions(db)
  const noted = documentWatch(db)
  const arrivals = arrivalActions(deps)
  const judged = triages(db)
  const { addition, additionJobs, bareAddition, newListJobs, words } = documentActions(deps)

  const { find, findAll, known } = documentRecords(deps)

  const found = async (workspaceId: string, id: string): Promise<DocumentRecord> => {
    const record = await find(workspaceId, id)
    if (record === undefined) throw notFound('DOCUMENT_NOT_FOUND')
    return record
  }

  /** Requires that the case and folder of a document exist at the time of the write. */
  const inPlaces = async (record: DocumentRecord, before?: DocumentRecord): Promise<Action[]> => [
    ...ofCase.inCase(record, before),
    ...(record.folder_id !== null && record.folder_id !== before?.folder_id
      ? [await folders.open(record.workspace_id, record.folder_id)]
      : []),
  ]

  /** Writes a document on the condition that it has the version that was read, and is not deleted. */
  const write = (record: DocumentRecord & { changed_at: string }, before: DocumentRecord): Action =>
    rewrite(
      documents,
      documents.put(documentItem(record)).where(asRead(before)),
      { ...before, metadata: null },
      { mayLack: optional },
    )

  const changed = (
    workspaceId: string,
    id: string,
    decide: (current: DocumentRecord) => (DocumentChange & { with?: Action[] }) | undefined,
  ): Promise<DocumentRecord> =>
    retryStale(async () => {
      const before = await found(workspaceId, id)
      const decided = decide(before)
      if (decided === undefined) return before
      const { timelineEntries, jobs = [], triage, with: more = [] } = decided
      const places = await inPlaces(decided.record, before)
      const record = leavingCase(stamped(decided.record, before), before)
      await outbox.commit(
        [
          write(record, before),
          ...list.changes(before, record),
          ...ofCase.recordTimelines(workspaceId, timelineEntries),
          ...places,
          ...watches.remove(before, record),
          ...arrivals.changes(arrivedDocument(before), arrivedDocument(record)),
          ...(triage === undefined ? [] : [judged.write(record, triage)]),
          ...more,
        ],
        [...jobs, ...words(before, record)],
      )
      return record
    })

  const twins = documentTwins(deps, { find, change: changed })

  const removed = (
    before: DocumentRecord,
    { deleted_at: deletedAt, timelineEntries, jobs = [] }: DocumentRemoval,
    conditions: Action[] = [],
  ) => {
    const { workspace_id, id } = before
    return outbox.commit(
      [
        change(documents.patch({ workspace_id, id }).set({ deleted_at: deletedAt }).where(asRead(before))),
        ...list.changes(before, undefined),
        ...ofCase.recordTimelines(workspace_id, timelineEntries),
        ...twins.remove(before),
        ...watches.remove(before),
        ...arrivals.changes(arrivedDocument(before), undefined),
        ...conditions,
      ],
      [...jobs, ...words(before, undefined), ...twins.removalJobs(before)],
    )
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
      const page = await list.page<DocumentSummary>(workspaceId, wanted, { limit, cursor })
      const data = page.data.filter((summary) => !isOver(summary.upload_expires_at ?? undefined, clock))
      return {
        data: data.map((summary) => listedDocument(workspaceId, summary)),
        pagination: page.pagination,
      }
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
        folder_id === null || retryStale(() => folders.open(workspaceId, folder_id)),
      ])
      if (!caseExists) throw notFound('CASE_NOT_FOUND')
    },

    add: (changes) =>
      retryStale(async () => {
        const [first] = changes
        if (first === undefined) return
        const places = await inPlaces(first.record)
        const [actions, jobs] = [changes.flatMap(addition), changes.flatMap(additionJobs)]
        if (actions.length + places.length + jobs.length <= maxActions)
          return outbox.commit([...actions, ...places], jobs)
        const ids = changes.map(({ record }) => record.id)
        return outbox.commit(
          [...changes.flatMap(bareAddition), ...places],
          [...changes.flatMap((change) => change.jobs ?? []), ...newListJobs(first.record.workspace_id, ids)],
        )
      }),

    addMissing: (workspaceId, changes) =>
      retryStale(async () => {
        const before = await known(
          workspaceId,
          changes.map(({ record }) => record.id),
        )
        const missing = changes.filter(({ record }) => !before.has(record.id))
        const [first] = missing
        if (first !== undefined)
          await outbox.commit(
            [...missing.flatMap(addition), ...(await inPlaces(first.record))],
            missing.flatMap(additionJobs),
          )
        return new Set(missing.map(({ record }) => record.id))
      }),

    change: changed,

    remove: (workspaceId, id, decide) =>
      retryStale(async () => {
        const before = await found(workspaceId, id)
        const unused = await requireUnused(workspaceId, before.envelope_ids)
        await removed(before, decide(before), unused)
      }),

    removeExpired: (workspaceId, id, at, decide) =>
      retryStale(async () => {
        const { data } = await documents.get({ workspace_id: workspaceId, id }).go(strongly)
        if (
          data === null ||
          data.deleted_at !== undefined ||
          !isOver(data.upload_expires_at, { now: () => at })
        )
          return false
        const before = documentRecord(data)
        await removed(before, decide(before))
        return true
      }),

    duplicates: twins.list,
    file: twins.file,
    markDuplicates: twins.mark,

    beginAttempt: async (record, at) => {
      const { workspace_id, id } = record
      const attempted = {
        ...record,
        attempts: record.attempts + 1,
        attempted_at: at,
        version: record.version + 1,
      }
      const begun = documents
        .patch({ workspace_id, id })
        .set({ attempts: attempted.attempts, attempted_at: at, version: attempted.version })
        .where(asRead(record))
      return (await isMade(transact(db, [change(begun)]))) ? attempted : undefined
    },

    cancelAttempt: async ({ workspace_id, id }) => {
      const cancelled = documents
        .patch({ workspace_id, id })
        .subtract({ attempts: 1 })
        .add({ version: 1 })
        .where(({ attempts, status }, { gt, eq }) => `${gt(attempts, 0)} AND ${eq(status, 'pending')}`)
      await isMade(transact(db, [change(cancelled)]))
    },
  }
}

/** The nested members that a document may lack. */
const optional = {
  'assigned_at.case_id': true,
  'assigned_at.folder_id': true,
  'assigned_at.mail': true,
  'assigned_at.parties': true,
} as const

/** Notes when a document leaves its case: links to it from before open nothing any more, also when it is back. */
function leavingCase<Stored extends DocumentRecord & { changed_at: string }>(
  after: Stored,
  { case_id }: DocumentRecord,
): Stored {
  return case_id === null || case_id === after.case_id ? after : { ...after, left_case_at: after.changed_at }
}
