import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** The rights that a user was given at an account of beA (B8). */
export function beaPermissionEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'beapermission', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        /** The time at which each right ends, or null. */
        rights: { type: 'any', required: true },
        version: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'account_id'],
            template: '${workspace_id}#bea_permissions#${account_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['user_id'], template: '${user_id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
