import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { type Failure, invalid, required, unknownAt } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page } from '#kernel/page.ts'
import type { FolderRecord, FolderStore } from './ports.ts'
import type { Folder, FolderChanges, FolderInput, FolderQuery } from './schema.ts'

export type FolderService = ReturnType<typeof folderService>

/** The maximum number of folders above a folder that is added or moved. Folders inside it are not checked. */
const maxDepth = 50

/** The folders of a workspace (W6). */
export function folderService({ store, clock }: { store: FolderStore; clock: Clock }) {
  /**
   * The folder with the id `parentId` and the folders above it, from the nearest one to the top.
   *
   * @param moved the id of the folder that is moved into the folder `parentId`; undefined for a new folder
   * @throws Failure FOLDER_NOT_FOUND; VALIDATION_ERROR if there are too many folders, or `moved` is one of them
   */
  const pathTo = async (
    workspaceId: string,
    parentId: string | null,
    moved?: string,
  ): Promise<FolderRecord[]> => {
    const folders: FolderRecord[] = []
    for (let id = parentId; id !== null; ) {
      if (id === moved) throw misplaced('A folder cannot be moved into itself or into a folder inside it.')
      if (folders.length === maxDepth) throw misplaced(`A folder has at most ${maxDepth} folders above it.`)
      const found = await store.find(workspaceId, id)
      const folder = required(found, 'FOLDER_NOT_FOUND', unknownAt('body.parent_id', id))
      folders.push(folder)
      id = folder.parent_id
    }
    return folders
  }

  return {
    /** A page of folders, newest first. */
    list: (actor: Actor, query: FolderQuery): Promise<Page<Folder>> => store.page(actor.workspace_id, query),

    /** @throws Failure FOLDER_NOT_FOUND, CASE_NOT_FOUND, VALIDATION_ERROR */
    async add(actor: Actor, input: FolderInput): Promise<Answered<Folder>> {
      const parent_id = input.parent_id ?? null
      await pathTo(actor.workspace_id, parent_id)
      const record = {
        workspace_id: actor.workspace_id,
        id: newId('folder'),
        name: input.name,
        parent_id,
        case_id: input.case_id ?? null,
        created_at: timestamp(clock),
        version: 1,
        closed_until: null,
      }
      return store.add({ record, answer: record })
    },

    /**
     * Changes the name, the parent or the case of a folder.
     *
     * @throws Failure FOLDER_NOT_FOUND, CASE_NOT_FOUND, VALIDATION_ERROR
     */
    change: (actor: Actor, id: string, changes: FolderChanges): Promise<Folder> =>
      store.change(actor.workspace_id, id, async (current) => {
        const differing = fields.filter(
          (field) => changes[field] !== undefined && changes[field] !== current[field],
        )
        if (differing.length === 0) return { answer: current }
        const record: FolderRecord = {
          ...current,
          ...Object.fromEntries(differing.map((field) => [field, changes[field]])),
          version: current.version + 1,
          closed_until: null,
        }
        const isMoved = differing.includes('parent_id')
        const above = isMoved ? await pathTo(actor.workspace_id, record.parent_id, id) : []
        return { record, above, answer: record }
      }),

    /** Deletes an empty folder. @throws Failure FOLDER_NOT_FOUND, FOLDER_NOT_EMPTY */
    remove: (actor: Actor, id: string): Promise<void> =>
      store.remove(actor.workspace_id, id, timestamp(clock)),
  }
}

const fields = ['name', 'parent_id', 'case_id'] as const

function misplaced(message: string): Failure {
  return invalid(message, [{ path: 'body.parent_id', message: 'Choose another folder.' }])
}
