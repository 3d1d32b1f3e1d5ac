import { dueAttributes, dueKeys } from '../due-entity.ts'
import { entity, listKey, text } from '../entity.ts'

/** An open deadline, until its time has passed. The sweeper lists these items of all workspaces, so the key has none. */
export const dueDeadline = entity('duedeadline', dueKeys('deadlines#due'), { ...dueAttributes, id: text })

/** That the log of events says that a deadline is overdue, once for each of its due times (E10). */
export const deadlineOverdue = entity(
  'deadlineoverdue',
  listKey('record', '${workspace_id}#deadlines_overdue#${id}', '${due_at}'),
  {},
)
