import { entity, nullable, number, recordKey, text } from '../entity.ts'

/** Which deadlines belong together: at most one of each kind. A struck one has left its place (F3). */
export const chainEntity = entity('chain', recordKey('${workspace_id}#chain#${id}'), {
  case_id: text,
  vorfrist: nullable(text),
  hauptfrist: nullable(text),
  nachfrist: nullable(text),
  version: number,
})
