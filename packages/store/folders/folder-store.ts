import type { FolderRecord, FolderStore } from '#folders/ports.ts'
import type { Folder } from '#folders/schema.ts'
import { bookkeeping } from '#kernel/changes.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { caseActions } from '../cases/case-actions.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import type { Outbox } from '../outbox.ts'
import { asRead } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import { type Listed, recordList, searchableList } from '../search.ts'
import { type Action, change, demand, isMade, put, retryStale, Stale, transact } from '../transact.ts'
import { folderEntity } from './folder-entity.ts'

/** The longest time for which a folder is closed while a request checks whether it is empty. */
const closedSeconds = 20

/** Folders in the table. */
export function folderStore(deps: { db: Db; cursors: Cursors; outbox: Outbox; clock: Clock }): FolderStore {
  const { db, cursors, outbox, clock } = deps
  const folders = folderEntity(db)
  const ofCase = caseActions(db)
  const list = recordList(db, cursors, 'folders', listed)
  const documents = searchableList(db, cursors, 'documents')
  const places = folderPlaces(deps)

  const find = async (
    workspaceId: string,
    id: string,
  ): Promise<{ record: FolderRecord; closedUntil: string | undefined } | undefined> => {
    const { data } = await folders.get({ workspace_id: workspaceId, id }).go(strongly)
    if (data === null || data.deleted_at !== undefined) return undefined
    const { closed_until: closedUntil, ...record } = data
    return { record: withNulls(record, folderEntity.nullable), closedUntil }
  }

  /** Finds a folder that is not closed. @throws Failure FOLDER_NOT_FOUND; Stale if it is closed */
  const found = async (workspaceId: string, id: string) => {
    const folder = await find(workspaceId, id)
    if (folder === undefined) throw notFound('FOLDER_NOT_FOUND')
    if (folder.closedUntil !== undefined && folder.closedUntil > timestamp(clock)) throw new Stale()
    return folder
  }

  /** Requires that the new case and the new parent of a folder exist at the time of the write. */
  const inPlaces = async (
    record: FolderRecord,
    before?: FolderRecord,
    parent?: FolderRecord,
  ): Promise<Action[]> => [
    ...(record.parent_id !== null && record.parent_id !== before?.parent_id
      ? [await places.open(record.workspace_id, record.parent_id, parent?.version)]
      : []),
    ...ofCase.inCase(record, before),
  ]

  /** Requires that none of these folders changed since it was read: two moves at once could create a circle. */
  const unmoved = (records: FolderRecord[]): Action[] =>
    records.map(({ workspace_id, id, ...record }) =>
      demand(folders.remove({ workspace_id, id }).where(asRead(record))),
    )

  const isEmpty = async (workspaceId: string, id: string): Promise<boolean> => {
    const first = { limit: 1 }
    const [files, children] = await Promise.all([
      documents.page(workspaceId, { filters: { folder_id: id } }, first),
      list.page(workspaceId, { filters: { parent_id: id } }, first),
    ])
    return files.data.length === 0 && children.data.length === 0
  }

  /** Replaces the folder on the condition that it has the version and the `closed_until` that were read. */
  const write = (
    before: FolderRecord,
    closedBefore: string | undefined,
    after: FolderRecord,
    marks: { closed_until?: string; deleted_at?: string } = {},
  ): Action =>
    rewrite(
      folders,
      folders
        .put({ ...withoutNulls(after), ...marks })
        .where(({ version, deleted_at, closed_until }, { eq, notExists }) =>
          [
            eq(version, before.version),
            notExists(deleted_at),
            closedBefore === undefined ? notExists(closed_until) : eq(closed_until, closedBefore),
          ].join(' AND '),
        ),
      before,
    )

  return {
    find: async (workspaceId, id) => (await find(workspaceId, id))?.record,

    page: (workspaceId, { limit, cursor, parent_id, case_id, search }) =>
      list.page<Folder>(workspaceId, { filters: { parent_id, case_id }, search }, { limit, cursor }),

    add: (added) =>
      retryStale(async () => {
        const { record, jobs = [] } = added
        return outbox.commit(
          [
            put(folders.create(withoutNulls(record))),
            ...list.changes(undefined, record),
            ...(await inPlaces(record)),
          ],
          [...jobs, ...list.follow(undefined, record)],
          added,
        )
      }),

    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const { record: before, closedUntil } = await found(workspaceId, id)
        const decided = await decide(before)
        if (decided.record === undefined) return unchanged(decided.answer)
        const { record, jobs = [], above = [] } = decided
        const [parent, ...others] = above
        return outbox.commit(
          [
            write(before, closedUntil, record),
            ...list.changes(before, record),
            ...unmoved(others),
            ...(await inPlaces(record, before, parent)),
          ],
          [...jobs, ...list.follow(before, record)],
          decided,
        )
      }),

    remove: (workspaceId, id, deletedAt) =>
      retryStale(async () => {
        const { record: before, closedUntil: closedBefore } = await found(workspaceId, id)
        const closedUntil = new Date(clock.now().getTime() + closedSeconds * 1_000).toISOString()
        const closed = write(before, closedBefore, before, { closed_until: closedUntil })
        await bookkeeping(() => transact(db, [closed]))
        // From now on nothing can be put into the folder.
        if (!(await isEmpty(workspaceId, id))) {
          await isMade(transact(db, [write(before, closedUntil, before)]))
          throw new Failure(
            'conflict',
            'FOLDER_NOT_EMPTY',
            'The folder holds documents or folders. Move or delete them first.',
          )
        }
        await outbox.commit(
          [write(before, closedUntil, before, { deleted_at: deletedAt }), ...list.changes(before, undefined)],
          list.follow(before, undefined),
        )
      }),
  }
}

/** Folders as the places of documents and other folders. */
export function folderPlaces({ db, clock }: { db: Db; clock: Clock }) {
  const folders = folderEntity(db)
  return {
    /**
     * The action for the transaction that puts something into a folder. The transaction fails as Stale if the folder
     * was deleted, closed or (with `expected`, a version) changed meanwhile.
     *
     * @throws Failure FOLDER_NOT_FOUND; Stale if the folder is closed
     */
    async open(workspaceId: string, id: string, expected?: number): Promise<Action> {
      const { data } = await folders.get({ workspace_id: workspaceId, id }).go(strongly)
      if (data === null || data.deleted_at !== undefined) throw notFound('FOLDER_NOT_FOUND')
      if (expected !== undefined && data.version !== expected) throw new Stale()
      const closedUntil = data.closed_until
      if (closedUntil === undefined) {
        return demand(
          folders
            .remove({ workspace_id: workspaceId, id })
            .where(
              ({ version, deleted_at, closed_until }, { eq, notExists }) =>
                `${notExists(deleted_at)} AND ${notExists(closed_until)}${expected === undefined ? '' : ` AND ${eq(version, expected)}`}`,
            ),
          () => new Stale(),
        )
      }
      if (closedUntil > clock.now().toISOString()) throw new Stale()
      // The request that closed it has crashed or is late. This opens the folder, so that a late deletion fails.
      return change(
        folders
          .patch({ workspace_id: workspaceId, id })
          .remove(['closed_until'])
          .where(
            ({ deleted_at, closed_until }, { eq, notExists }) =>
              `${notExists(deleted_at)} AND ${eq(closed_until, closedUntil)}`,
          ),
      )
    },
  }
}

function listed(record: FolderRecord): Listed {
  const { workspace_id: _, version: __, ...summary } = record
  const { parent_id, case_id } = record
  return { id: record.id, summary, filters: { parent_id, case_id }, texts: [record.name] }
}
