import { entity, number, recordKey, text } from '../entity.ts'

/** A key under which a user, or the service, began a send: its existence makes the send unique until it expires (M1, M5). */
export const sendKey = entity('sendkey', recordKey('${workspace_id}#send_key#${user_id}#${key}'), {
  /** The owner of the key: `serviceSender` for service mails. No user has this id. */
  user_id: text,
  /** Of the content, so that a key with other content is refused. */
  digest: text,
  correspondence_id: text,
  expires_at: text,
  ttl: number,
})
