import { Entity } from 'electrodb'
import type { Db } from './db.ts'

/** A random secret that the service created for itself, such as the one that signs cursors. */
export function secretEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'secret', version: '1' },
      attributes: {
        name: { type: 'string', required: true },
        /** 256 random bits, base64url. */
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
