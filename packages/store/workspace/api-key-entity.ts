import {
  boolean,
  entity,
  json,
  listKey,
  nullableText,
  number,
  optionalText,
  recordKey,
  text,
} from '../entity.ts'

/**
 * An API key, found by its id, since a request contains nothing else. One read gives whether it is valid and whose it
 * is. Therefore the key of the item has no workspace.
 */
export const apiKeyEntity = entity('apikey', recordKey('api_key#${id}'), {
  id: text,
  workspace_id: text,
  user_id: text,
  name: text,
  scopes: json,
  /** SHA-256 of the secret, hexadecimal. */
  secret_hash: text,
  expires_at: nullableText,
  last_used_at: nullableText,
  created_at: text,
  revoked_at: optionalText,
  /** Copies of the user's fields. A change of the user updates them. */
  user_name: text,
  user_active: boolean,
  user_version: number,
})

/** A key that is not revoked, as an item of the workspace's list. */
export const apiKeyListing = entity('apikeylisting', listKey('newest', '${workspace_id}#api_keys', '${id}'), {
  workspace_id: text,
  /** Sorts by age. */
  id: text,
  user_id: text,
})
