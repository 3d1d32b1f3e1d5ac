import { entity, listKey, nullable, optional, recordKey, text } from '../entity.ts'

/** To retrieve an export, only the token is needed, so the key has no workspace (X4). */
export const exportToken = entity('exporttoken', recordKey('export_token#${token_sha256}'), {
  id: text,
  workspace_id: text,
  config_id: text,
  created_by: text,
  created_at: text,
  expires_at: text,
  last_used_at: nullable(text),
  revoked_at: optional(text),
})

/** A token that is not revoked, as an item of its configuration's list. */
export const exportTokenListing = entity(
  'exporttokenlisting',
  listKey('newest', '${workspace_id}#export_tokens#${config_id}', '${id}'),
  { token_sha256: text },
)
