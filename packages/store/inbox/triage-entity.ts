import { entity, recordKey, text } from '../entity.ts'

/** The triage result of a record. It is an item of its own because its evidence may be larger than the record. */
export const triageEntity = entity('triage', recordKey('${workspace_id}#triage#${id}'), {
  /** `Triage` as JSON text. */
  triage: text,
})
