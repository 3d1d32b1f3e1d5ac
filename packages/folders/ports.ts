import type { Answered } from '#kernel/idempotency.ts'
import type { Page } from '#kernel/page.ts'
import type { Change, ChangingAsync, UnansweredChange } from '#timeline/schema.ts'
import type { Folder, FolderQuery } from './schema.ts'

/** A folder as it is stored. `version` counts its changes. */
export type FolderRecord = Folder & {
  workspace_id: string
  version: number
  /**
   * Until this time, nothing can be added to the folder: a request checks whether it is empty, or a disposal empties
   * it. Null: the folder is open.
   */
  closed_until: string | null
}

export type FolderStore = {
  /** The folder of this workspace. Undefined if it does not exist or was deleted. */
  find: (workspaceId: string, id: string) => Promise<FolderRecord | undefined>
  page: (workspaceId: string, query: FolderQuery) => Promise<Page<Folder>>
  /** @throws Failure FOLDER_NOT_FOUND for its parent, CASE_NOT_FOUND */
  add: <Answer>(change: Change<FolderRecord, Answer>) => Promise<Answered<Answer>>
  /**
   * Replaces the folder with the result of `decide`. If in between somebody else changed it, or changed one of the
   * folders `above` it, reads it and calls `decide` again.
   *
   * @throws Failure FOLDER_NOT_FOUND, CASE_NOT_FOUND, and what `decide` throws
   */
  change: ChangingAsync<FolderRecord, UnansweredChange<FolderRecord> & { above?: FolderRecord[] }>['change']
  /** Deletes the folder if it is empty. @throws Failure FOLDER_NOT_FOUND, FOLDER_NOT_EMPTY */
  remove: (workspaceId: string, id: string, deletedAt: string) => Promise<void>
}
