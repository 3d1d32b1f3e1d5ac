import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A party; a deleted one stays for the audit (G13). */
export function partyEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'party', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        type: { type: ['person', 'organization'] as const, required: true },
        name: { type: 'string', required: true },
        email: { type: 'string' },
        phone: { type: 'string' },
        address: { type: 'string' },
        created_at: { type: 'string', required: true },
        updated_at: { type: 'string', required: true },
        /** Counts changes and reservations; what writes names the one it was made for. */
        version: { type: 'number', required: true },
        deleted_at: { type: 'string' },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#party#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A case or document that names a party, or once did. Whether it does now, it tells itself. */
export function partyUse(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'partyuse', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        party_id: { type: 'string', required: true },
        /** The id of the case or document. */
        named_by: { type: 'string', required: true },
      },
      indexes: {
        users: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'party_id'],
            template: '${workspace_id}#party_use#${party_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['named_by'], template: '${named_by}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A request that is about to name a party. It is removed with the request's end; one that died lets it lapse. */
export function partyReservation(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'partyreservation', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        party_id: { type: 'string', required: true },
        /** Of the request, so that none removes another's. */
        id: { type: 'string', required: true },
        reserved_at: { type: 'string', required: true },
        /** Epoch seconds after which the table removes it. */
        ttl: { type: 'number', required: true },
      },
      indexes: {
        reservations: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'party_id'],
            template: '${workspace_id}#party_reservation#${party_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
