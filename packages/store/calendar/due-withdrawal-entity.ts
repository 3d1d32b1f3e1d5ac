import { Entity } from 'electrodb'
import type { Db } from '../db.ts'
import { dueAttributes, dueKeys } from '../due-entity.ts'

/** A pushed event to be removed from its calendar. Its place is `<due_at>#<event_id>#<account_id>`. */
export function dueWithdrawal(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'duewithdrawal', version: '1' },
      attributes: {
        ...dueAttributes,
        event_id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        requested_at: { type: 'string', required: true },
        due_at: { type: 'string', required: true },
        attempts: { type: 'number', required: true },
      },
      indexes: dueKeys('withdrawals#due'),
    },
    db,
  )
}
