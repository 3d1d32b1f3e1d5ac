import { entity, listKey, nullableText, oneOf, text } from '../entity.ts'

/** An external calendar that a user has connected, its credentials sealed (K9). */
export const syncAccountEntity = entity(
  'syncaccount',
  listKey('newest', '${workspace_id}#sync_accounts#${user_id}', '${id}'),
  {
    workspace_id: text,
    user_id: text,
    /** Sorts by age. */
    id: text,
    provider: oneOf(['caldav']),
    url: text,
    calendar_url: text,
    sealed_credentials: text,
    status: oneOf(['connected', 'error']),
    last_synced_at: nullableText,
    last_error: nullableText,
    created_at: text,
  },
)
