import { dueAttributes, dueKeys } from '../due-entity.ts'
import { entity, number, text } from '../entity.ts'

/** The pending removal of an event from a connected calendar. Its place is `<due_at>#<event_id>#<account_id>`. */
export const dueWithdrawal = entity('duewithdrawal', dueKeys('withdrawals#due'), {
  ...dueAttributes,
  event_id: text,
  user_id: text,
  account_id: text,
  requested_at: text,
  due_at: text,
  attempts: number,
})
