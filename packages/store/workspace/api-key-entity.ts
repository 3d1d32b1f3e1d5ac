import type { KeyRecord } from '#workspace/ports.ts'
import { boolean, entity, jsonOf, listKey, nullable, number, recordKey, text } from '../entity.ts'

/**
 * An API key, found by its id, since a request contains nothing else. One read gives whether it is valid and whose it
 * is. Therefore the key of the item has no workspace.
 */
export const apiKeyEntity = entity('apikey', recordKey('api_key#${id}'), {
  workspace_id: text,
  user_id: text,
  name: text,
  scopes: jsonOf<KeyRecord['scopes']>(),
  /** SHA-256 of the secret, hexadecimal. */
  secret_hash: text,
  expires_at: nullable(text),
  last_used_at: nullable(text),
  refused_at: nullable(text),
  created_at: text,
  revoked_at: nullable(text),
  /** Copies of the user's fields. A change of the user updates them. */
  user_name: text,
  user_active: boolean,
  user_version: number,
})

/** A key that is not revoked, as an item of the workspace's list. */
export const apiKeyListing = entity('apikeylisting', listKey('newest', '${workspace_id}#api_keys', '${id}'), {
  user_id: text,
})
