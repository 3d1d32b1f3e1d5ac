import { dueAttributes, dueKeys } from '../due-entity.ts'
import { entity, text } from '../entity.ts'

/** A configuration whose schedule is due. */
export const dueExport = entity('dueexport', dueKeys('exports#due'), {
  ...dueAttributes,
  config_id: text,
  due_at: text,
})
