import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A user of a workspace, in the order in which they joined. */
export function userEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'user', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        name: { type: 'string', required: true },
        email: { type: 'string', required: true },
        signature_html: { type: 'string' },
        active: { type: 'boolean', required: true },
        created_at: { type: 'string', required: true },
        version: { type: 'number', required: true },
      },
      indexes: {
        newest: {
          pk: { field: 'pk', composite: ['workspace_id'], template: '${workspace_id}#users', casing: 'none' },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
