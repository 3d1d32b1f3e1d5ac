import { entity, listKey, nullable, recordKey, text } from '../entity.ts'

/** A subscription token. Its key has no workspace, because a subscriber's request contains only the token. */
export const icalToken = entity('icaltoken', recordKey('ical_token#${id}'), {
  workspace_id: text,
  user_id: text,
  /** SHA-256 of the secret, hexadecimal. */
  secret_hash: text,
  created_at: text,
  last_used_at: nullable(text),
  revoked_at: nullable(text),
})

/** An entry in a user's list of tokens. Revoking removes it. */
export const icalTokenListing = entity(
  'icaltokenlisting',
  listKey('newest', '${workspace_id}#ical_tokens#${user_id}', '${id}'),
  {},
)
