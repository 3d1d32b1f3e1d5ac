import type { DocumentRecord } from '#documents/ports.ts'
import type { FolderRecord } from '#folders/ports.ts'
import { newInboxState } from '#inbox/state-schema.ts'
import { epochMilliseconds, timestamp } from '#kernel/clock.ts'
import { unlessGone } from '#kernel/failure.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { documentChanges } from '../documents/document-changes.ts'
import { storedDocuments } from '../documents/document-record.ts'
import { itemsOf } from '../pages-of.ts'
import { filterTerm } from '../search.ts'
import type { StoreDeps } from '../store-deps.ts'
import { retryStale, transact } from '../transact.ts'
import { folderList, folderRecords } from './folder-store.ts'

/** Longer than the function may run that removes the folder: to empty a large one takes minutes. */
const closedMilliseconds = 16 * 60_000

/**
 * Empties a folder before it is removed with its case. Folders in it that are in another case or in none come to the top
 * level, such documents into no folder. The others are removed with the case.
 */
export function emptyingFolders(deps: StoreDeps) {
  const { db, cursors } = deps
  const folders = folderRecords(db)
  const lists = folderList(db, cursors)
  const stored = storedDocuments(db)
  const documents = documentChanges(deps)

  /** From now on nothing can be put into the folder. */
  const close = (workspaceId: string, id: string): Promise<void> =>
    retryStale(async () => {
      const before = await folders.find(workspaceId, id)
      if (before === undefined) return
      const closed_until = new Date(epochMilliseconds() + closedMilliseconds).toISOString()
      await transact(db, [folders.replace(before, { ...before, closed_until })])
    })

  return async ({ workspace_id, id: gone, case_id }: FolderRecord): Promise<void> => {
    const lift = (id: string): Promise<void> =>
      retryStale(async () => {
        const before = await folders.find(workspace_id, id)
        if (before?.parent_id !== gone || before.case_id === case_id) return
        const after = { ...before, parent_id: null, version: before.version + 1 }
        await transact(db, [folders.replace(before, after), ...lists.changes(before, after)])
      })
    const isOther = (one: DocumentRecord | undefined) => one?.folder_id === gone && one.case_id !== case_id
    const takeOut = async (id: string): Promise<void> => {
      if (!isOther(await stored.find(workspace_id, id))) return
      await documents
        .change(workspace_id, id, (current) => ({
          ...(isOther(current) && { record: withoutFolder(current, timestamp()) }),
          answer: undefined,
        }))
        // A document that a user deletes meanwhile needs nothing any more.
        .catch(unlessGone('DOCUMENT_NOT_FOUND'))
    }
    const eachIn = async (list: string, field: string, work: (id: string) => Promise<void>) => {
      const partition = `${workspace_id}#${list}#${filterTerm(field, gone)}`
      for await (const items of itemsOf(db, partition, [])) await inParallel(items, ({ sk }) => work(sk))
    }
    await close(workspace_id, gone)
    await eachIn('folders', 'parent_id', lift)
    await eachIn('documents', 'folder_id', takeOut)
  }
}

function withoutFolder(current: DocumentRecord, at: string): DocumentRecord {
  return {
    ...current,
    folder_id: null,
    inbox: current.case_id === null ? openAgain(current) : current.inbox,
    assigned_at: { ...current.assigned_at, folder_id: at },
    updated_at: at,
    version: current.version + 1,
  }
}

/**
 * A document of the inbox comes back into it, at its old place. One that was pushed into the folder comes into it for the
 * first time (I6), and an announced one when its bytes have come.
 */
function openAgain(document: DocumentRecord): DocumentRecord['inbox'] {
  const { inbox, source, created_at: at, upload_expires_at } = document
  if (inbox !== null) return { ...inbox, state: 'open', is_decided: true }
  if (source !== 'webhook' || upload_expires_at !== null) return null
  return { ...newInboxState(at), is_decided: true, is_judged: true }
}
