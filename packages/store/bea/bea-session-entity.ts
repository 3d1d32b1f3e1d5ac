import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** The session of a login account, and the lease of whoever uses it (B3). Both may be absent. */
export function beaSessionEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'beasession', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        sealed: { type: 'string' },
        since: { type: 'string' },
        last_used_at: { type: 'string' },
        holder: { type: 'string' },
        /** Until when the holder has the lease, in milliseconds since 1970. */
        leased_until: { type: 'number' },
        /** Until when somebody waits for the lease whom a synchronisation lets go first, in milliseconds since 1970. */
        wanted_until: { type: 'number' },
        /** Epoch seconds. */
        ttl: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'account_id'],
            template: '${workspace_id}#bea_session#${account_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A login with a card, as far as it has come (B4). */
export function beaLoginEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'bealogin', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        step: { type: ['sign', 'decrypt'] as const, required: true },
        sealed: { type: 'string', required: true },
        expires_at: { type: 'string', required: true },
        /** Epoch seconds. */
        ttl: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#bea_login#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
