import { Entity } from 'electrodb'
import { notedSides } from '#parties/side-schema.ts'
import type { Db } from '../db.ts'

/** A party. A deleted one stays for the audit (G13). */
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
        /** When the newest change was written, for `updated_since` (G16). */
        changed_at: { type: 'string', required: true },
        /** Counts changes and reservations. Every write is conditional on the version that it was decided for. */
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

/** A case, document or invoice that names a party, or did so earlier. Its own record says whether it still does. */
export function partyUse(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'partyuse', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        party_id: { type: 'string', required: true },
        /** The id of the case, document or invoice. */
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

/**
 * A case in which a party is on a side, or once was. The case's own record says whether it still is. Cases of older releases
 * may have none: only clients and opponents were noted, by few words for roles.
 */
export function partySide(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'partyside', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        party_id: { type: 'string', required: true },
        side: { type: notedSides, required: true },
        case_id: { type: 'string', required: true },
      },
      indexes: {
        cases: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'party_id', 'side'],
            template: '${workspace_id}#party_side#${party_id}#${side}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['case_id'], template: '${case_id}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A request that is about to name a party. The request removes it at its end; after a crash it lapses. */
export function partyReservation(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'partyreservation', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        party_id: { type: 'string', required: true },
        /** The id of the request, so that no request removes the reservation of another. */
        id: { type: 'string', required: true },
        reserved_at: { type: 'string', required: true },
        /** Epoch seconds after which DynamoDB may remove it. */
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
