import type { FolderRecord, FolderStore } from '#folders/ports.ts'
import type { Folder } from '#folders/schema.ts'
import { bookkeeping } from '#kernel/changes.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { conflict, required, unknownAt } from '#kernel/failure.ts'
import { caseActions } from '../cases/case-actions.ts'
import { changesOf } from '../changes.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import { records } from '../records.ts'
import { noteRemoved } from '../retention/removed-in-case.ts'
import { type Listed, recordList, searchableList } from '../search.ts'
import type { StoreDeps } from '../store-deps.ts'
import { type Action, isMade, retryStale, Stale, transact } from '../transact.ts'
import { folderEntity } from './folder-entity.ts'

/** The longest time for which a folder is closed while a request checks whether it is empty. */
const closedSeconds = 20

/** Folders in the table. */
export function folderStore(deps: StoreDeps & { clock: Clock }): FolderStore {
  const { db, cursors, outbox, clock } = deps
  const folders = folderRecords(db)
  const ofCase = caseActions(db)
  const list = folderList(db, cursors)
  const documents = searchableList(db, cursors, 'documents')
  const places = folderPlaces(deps)

  /** A folder that is not closed. @throws Failure FOLDER_NOT_FOUND; Stale if it is closed */
  const found = async (workspaceId: string, id: string): Promise<FolderRecord> => {
    const folder = await folders.found(workspaceId, id)
    if (isClosed(folder, clock)) throw new Stale()
    return folder
  }

  const changes = changesOf<FolderRecord, { above?: FolderRecord[] }>(
    deps,
    { ...folders, found },
    {
      events: 'none',
      follow: async (before, after, { above: [parent, ...others] = [] }) => ({
        actions: [
          ...list.changes(before, after),
          // Two moves at once could create a circle.
          ...others.map((folder) => folders.unchanged(folder)),
          ...(after === undefined ? [] : await inPlaces(after, before, parent)),
        ],
        jobs: list.follow(before, after),
      }),
    },
  )

  /** Requires that the new case and the new parent of a folder exist at the time of the write. */
  const inPlaces = async (
    record: FolderRecord,
    before?: FolderRecord,
    parent?: FolderRecord,
  ): Promise<Action[]> => [
    ...(record.parent_id !== null && record.parent_id !== before?.parent_id
      ? [await places.open(record.workspace_id, record.parent_id, 'body.parent_id', parent?.version)]
      : []),
    ...ofCase.inCase(record, before),
  ]

  const isEmpty = async (workspaceId: string, id: string): Promise<boolean> => {
    const first = { limit: 1 }
    const [files, children] = await Promise.all([
      documents.page(workspaceId, { filters: { folder_id: id } }, first),
      list.page(workspaceId, { filters: { parent_id: id } }, first),
    ])
    return files.data.length === 0 && children.data.length === 0
  }

  return {
    find: folders.find,

    page: (workspaceId, { limit, cursor, parent_id, case_id, search }) =>
      list.page<Folder>(workspaceId, { filters: { parent_id, case_id }, search }, { limit, cursor }),

    add: (added) => retryStale(() => changes.add(added)),
    change: changes.change,

    remove: (workspaceId, id, deletedAt) =>
      retryStale(async () => {
        const before = await found(workspaceId, id)
        const closed_until = new Date(clock.now().getTime() + closedSeconds * 1_000).toISOString()
        const closed = { ...before, closed_until }
        await bookkeeping(() => transact(db, [folders.replace(before, closed)]))
        // From now on nothing can be put into the folder.
        if (!(await isEmpty(workspaceId, id))) {
          await isMade(transact(db, [folders.replace(closed, opened(closed))]))
          throw conflict(
            'FOLDER_NOT_EMPTY',
            'The folder holds documents or folders. Move or delete them first.',
          )
        }
        await outbox.commit(
          [folders.remove(closed, deletedAt), ...noteRemoved(db, before), ...list.changes(before, undefined)],
          list.follow(before, undefined),
        )
      }),
  }
}

/** The searchable list of folders. */
export function folderList(db: Db, cursors: Cursors) {
  return recordList(db, cursors, 'folders', listed)
}

/** Folders as the places of documents and other folders. */
export function folderPlaces({ db, clock }: { db: Db; clock: Clock }) {
  const folders = folderRecords(db)
  return {
    /**
     * The action for the transaction that puts something into a folder. The transaction fails as Stale if the folder
     * was changed, closed or deleted meanwhile.
     *
     * @param path the place of the id in the request
     * @param expected the version that the folder must have
     * @throws Failure FOLDER_NOT_FOUND; Stale if the folder is closed or has another version
     */
    async open(workspaceId: string, id: string, path: string, expected?: number): Promise<Action> {
      const found = await folders.find(workspaceId, id)
      const folder = required(found, 'FOLDER_NOT_FOUND', unknownAt(path, id))
      if (isClosed(folder, clock) || (expected !== undefined && folder.version !== expected))
        throw new Stale()
      if (folder.closed_until === null) return folders.unchanged(folder)
      // The request that closed it has crashed or is late. This opens the folder, so that a late deletion fails.
      return folders.replace(folder, opened(folder))
    },
  }
}

/** The records of folders. A folder is closed and opened without a new version. */
export function folderRecords(db: Db) {
  return records<FolderRecord>(db, folderEntity, { missing: 'FOLDER_NOT_FOUND', alike: ['closed_until'] })
}

function isClosed({ closed_until }: FolderRecord, clock: Clock): boolean {
  return closed_until !== null && closed_until > timestamp(clock)
}

function opened(folder: FolderRecord): FolderRecord {
  return { ...folder, closed_until: null }
}

function listed(record: FolderRecord): Listed {
  const { workspace_id: _, version: __, closed_until: ___, ...summary } = record
  const { parent_id, case_id } = record
  return { id: record.id, summary, filters: { parent_id, case_id }, texts: [record.name] }
}
