import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A law firm with its settings and the token of its ingestion webhook. */
export function workspaceEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'workspace', version: '1' },
      attributes: {
        id: { type: 'string', required: true },
        name: { type: 'string', required: true },
        time_zone: { type: 'string', required: true },
        /** ISO 3166-2 */
        holiday_region: { type: 'string', required: true },
        inbound_address: { type: 'string', required: true },
        auto_file: { type: ['certain', 'off'] as const, required: true },
        /** The firm as it appears on invoices. */
        seller: { type: 'any' },
        /** The numbers under which DATEV books invoices. */
        datev: { type: 'any' },
        webhook_token: { type: 'string', required: true },
        webhook_token_created_at: { type: 'string', required: true },
        created_at: { type: 'string', required: true },
        version: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: { field: 'pk', composite: ['id'], template: '${id}#workspace', casing: 'none' },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
