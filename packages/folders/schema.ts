import * as z from 'zod/mini'
import { idFilter, idOf } from '#kernel/id.ts'
import { pageQuery } from '#kernel/page.ts'
import { NullableText, nameText, Text, Timestamp, text } from '#kernel/text.ts'

/** A place for documents, in another one or at the top, of a case or of the office (W6). */
export const Folder = z
  .object({
    id: Text,
    name: Text,
    parent_id: NullableText,
    case_id: z.nullable(z.uuid()),
    created_at: Timestamp,
  })
  .register(z.globalRegistry, { id: 'Folder' })

export type Folder = z.infer<typeof Folder>

export const FolderInput = z
  .object({
    name: nameText(),
    parent_id: z.nullish(idOf('folder')),
    case_id: z.nullish(idOf('case')),
  })
  .register(z.globalRegistry, { id: 'FolderInput' })

export type FolderInput = z.output<typeof FolderInput>

/** Only what is included changes; `null` clears. */
export const FolderChanges = z
  .object({
    name: z.optional(nameText()),
    parent_id: z.nullish(idOf('folder')),
    case_id: z.nullish(idOf('case')),
  })
  .register(z.globalRegistry, { id: 'FolderChanges' })

export type FolderChanges = z.output<typeof FolderChanges>

export const FolderQuery = z.object({
  ...pageQuery,
  parent_id: z.optional(idFilter('folder')),
  case_id: z.optional(idFilter('case')),
  search: z
    .optional(text(200))
    .register(z.globalRegistry, { description: 'Words that all stand in the name.' }),
})

export type FolderQuery = z.infer<typeof FolderQuery>
