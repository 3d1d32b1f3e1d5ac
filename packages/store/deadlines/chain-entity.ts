import { entity, number, optionalText, recordKey, text } from '../entity.ts'

/** Which deadlines belong together: at most one of each kind. A struck one has left its place (F3). */
export const chainEntity = entity('chain', recordKey('${workspace_id}#chain#${id}'), {
  workspace_id: text,
  id: text,
  case_id: text,
  vorfrist: optionalText,
  hauptfrist: optionalText,
  nachfrist: optionalText,
  version: number,
})
