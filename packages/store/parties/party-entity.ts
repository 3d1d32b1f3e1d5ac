import { notedSides } from '#parties/side-schema.ts'
import { entity, listKey, nullable, number, oneOf, optional, recordKey, text } from '../entity.ts'

/** A party. A deleted one stays for the audit (G13). */
export const partyEntity = entity('party', recordKey('${workspace_id}#party#${id}'), {
  type: oneOf(['person', 'organization']),
  name: text,
  email: nullable(text),
  phone: nullable(text),
  address: nullable(text),
  created_at: text,
  updated_at: text,
  /** When the newest change was written, for `updated_since` (G16). */
  changed_at: text,
  /** Counts changes and reservations. Every write is conditional on the version that it was decided for. */
  version: number,
  deleted_at: optional(text),
})

/** A case, document or invoice that names a party, or did so earlier. Its own record says whether it still does. */
export const partyUse = entity(
  'partyuse',
  listKey('users', '${workspace_id}#party_use#${party_id}', '${named_by}'),
  {},
)

/**
 * A case in which a party is on a side, or once was. The case's own record says whether it still is. Cases of older releases
 * may have none: only clients and opponents were noted, by few words for roles.
 */
export const partySide = entity(
  'partyside',
  listKey('cases', '${workspace_id}#party_side#${party_id}#${side}', '${case_id}'),
  { side: oneOf(notedSides) },
)

/**
 * A request that is about to name a party. The request removes it at its end, by its own id; after a crash it lapses.
 */
export const partyReservation = entity(
  'partyreservation',
  listKey('reservations', '${workspace_id}#party_reservation#${party_id}', '${id}'),
  {
    reserved_at: text,
    /** Epoch seconds after which DynamoDB may remove it. */
    ttl: number,
  },
)
