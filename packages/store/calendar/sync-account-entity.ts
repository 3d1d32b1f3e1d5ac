import { entity, listKey, nullable, oneOf, text } from '../entity.ts'

/** An external calendar that a user has connected, its credentials sealed (K9). */
export const syncAccountEntity = entity(
  'syncaccount',
  listKey('newest', '${workspace_id}#sync_accounts#${user_id}', '${id}'),
  {
    provider: oneOf(['caldav']),
    url: text,
    calendar_url: text,
    sealed_credentials: text,
    status: oneOf(['connected', 'error']),
    last_synced_at: nullable(text),
    last_error: nullable(text),
    created_at: text,
  },
)
