import { entity, listKey, nullableText, recordKey, text } from '../entity.ts'

/** A subscription token under its own id, since a subscriber shows nothing else; the key has no workspace. */
export const icalToken = entity('icaltoken', recordKey('ical_token#${id}'), {
  id: text,
  workspace_id: text,
  user_id: text,
  /** SHA-256 of the secret, hexadecimal. */
  secret_hash: text,
  created_at: text,
  last_used_at: nullableText,
  revoked_at: nullableText,
})

/** A token that is not revoked, as an item of its user's list. */
export const icalTokenListing = entity(
  'icaltokenlisting',
  listKey('newest', '${workspace_id}#ical_tokens#${user_id}', '${id}'),
  {
    workspace_id: text,
    user_id: text,
    /** Sorts by age. */
    id: text,
  },
)
