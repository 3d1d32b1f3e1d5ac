import * as z from 'zod'
import { idFilter, idOf, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { pageQuery } from '#kernel/page.ts'
import { nameText, Text, Timestamp, text } from '#kernel/text.ts'

/** A folder for documents (W6). It is at the top or in another folder, and belongs to a case or to the workspace. */
export const Folder = namedObject('Folder', () => ({
  id: shownId('folder'),
  name: Text,
  parent_id: shownId('folder').nullable(),
  case_id: z.uuid().nullable(),
  created_at: Timestamp,
}))

export type Folder = z.infer<typeof Folder>

export const FolderInput = namedObject('FolderInput', () => ({
  name: nameText(),
  parent_id: idOf('folder').nullish(),
  case_id: idOf('case').nullish(),
}))

export type FolderInput = z.output<typeof FolderInput>

/** Only included fields change. Null clears `parent_id` or `case_id`. */
export const FolderChanges = namedObject('FolderChanges', () => ({
  name: nameText().optional(),
  parent_id: idOf('folder').nullish(),
  case_id: idOf('case').nullish(),
}))

export type FolderChanges = z.output<typeof FolderChanges>

export const FolderQuery = lazyObject(() => ({
  ...pageQuery,
  parent_id: idFilter('folder').optional(),
  case_id: idFilter('case').optional(),
  search: text(200).optional().meta({ description: 'All words must be in the name.' }),
}))

export type FolderQuery = z.infer<typeof FolderQuery>
