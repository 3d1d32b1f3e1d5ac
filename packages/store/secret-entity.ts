import { Entity } from 'electrodb'
import type { Db } from './db.ts'

/** A secret of the deployment: one that the service created for itself, or one of a service that calls it. */
export function secretEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'secret', version: '1' },
      attributes: {
        name: { type: 'string', required: true },
        value: { type: 'string', required: true },
      },
      indexes: {
        record: {
          pk: { field: 'pk', composite: ['name'], template: 'secret#${name}', casing: 'none' },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
