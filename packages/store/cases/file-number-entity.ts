import { entity, recordKey, text } from '../entity.ts'

/** A file number that is in use. Its key makes the number unique in the workspace (C1). */
export const fileNumberEntity = entity(
  'filenumber',
  recordKey('${workspace_id}#file_number#${file_number}'),
  { case_id: text },
)
