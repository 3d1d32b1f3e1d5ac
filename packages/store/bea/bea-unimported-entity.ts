import { boolean, entity, listKey, number, optional, text } from '../entity.ts'

/** A message of the network that a synchronisation saw and could not import. */
export const beaUnimportedEntity = entity(
  'beaunimported',
  listKey('record', '${workspace_id}#bea_unimported#${postbox_safe_id}', '${remote_key}'),
  {
    remote_id: text,
    first_seen_at: text,
    is_too_large: boolean,
    is_told: boolean,
    tried_at: optional(text),
    ttl: number,
  },
)
