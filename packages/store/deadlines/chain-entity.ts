import { entity, nullableText, number, recordKey, text } from '../entity.ts'

/** Which deadlines belong together: at most one of each kind. A struck one has left its place (F3). */
export const chainEntity = entity('chain', recordKey('${workspace_id}#chain#${id}'), {
  workspace_id: text,
  id: text,
  case_id: text,
  vorfrist: nullableText,
  hauptfrist: nullableText,
  nachfrist: nullableText,
  version: number,
})
