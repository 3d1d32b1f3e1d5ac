import { entity, nullableText, number, optionalText, recordKey, text } from '../entity.ts'

/** A folder for documents. A deleted one stays for the audit (G13). */
export const folderEntity = entity('folder', recordKey('${workspace_id}#folder#${id}'), {
  workspace_id: text,
  id: text,
  name: text,
  parent_id: nullableText,
  case_id: nullableText,
  created_at: text,
  /** Counts the changes. Every write is conditional on the version that it was decided for. */
  version: number,
  /** Until this time nothing can be put into the folder, because a request checks whether it is empty. */
  closed_until: optionalText,
  deleted_at: optionalText,
})
