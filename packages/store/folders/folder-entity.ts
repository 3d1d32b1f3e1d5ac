import { entity, nullable, number, optional, recordKey, text } from '../entity.ts'

/** A folder for documents. A deleted one stays for the audit (G13). */
export const folderEntity = entity('folder', recordKey('${workspace_id}#folder#${id}'), {
  name: text,
  parent_id: nullable(text),
  case_id: nullable(text),
  created_at: text,
  /** Counts the changes. Every write is conditional on the version that it was decided for. */
  version: number,
  /** Until this time nothing can be put into the folder, because a request checks whether it is empty. */
  closed_until: nullable(text),
  deleted_at: optional(text),
})
