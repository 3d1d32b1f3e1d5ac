import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** Time that somebody worked on a case. A deleted entry stays for the audit (G13). */
export function timeEntryEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'timeentry', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        case_id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        date: { type: 'string', required: true },
        minutes: { type: 'number', required: true },
        activity: { type: 'string', required: true },
        billable: { type: 'boolean', required: true },
        /** A decimal, euros per hour. */
        rate: { type: 'string' },
        /** Euros with two places. */
        amount: { type: 'string' },
        /** The invoice that holds it. */
        invoice_id: { type: 'string' },
        created_at: { type: 'string', required: true },
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
        deleted_at: { type: 'string' },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#time_entry#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
