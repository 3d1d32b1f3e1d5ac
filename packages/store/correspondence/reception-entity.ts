import type { MessageIdentity } from '#correspondence/reception-ports.ts'
import { entity, jsonOf, listKey, number, oneOf, recordKey, text } from '../entity.ts'

/**
 * The mails with a message id. They show that a mail arrives a second time, and to which mail a reply belongs. Received
 * mails and sent mails have separate items.
 */
export const messageIdEntity = entity(
  'messageid',
  listKey('record', '${workspace_id}#message_id#${message_id}', '${direction}'),
  {
    /** The id with angle brackets, or the digest of one that is too long for a key. */
    message_id: text,
    direction: oneOf(['inbound', 'outbound']),
    /** The oldest first. */
    messages: jsonOf<MessageNote[]>(),
    version: number,
  },
)

/**
 * A mail with a message id, and the facts that distinguish it from another mail with the same id. Of our own mail only
 * its id is known.
 */
export type MessageNote = { correspondence_id: string } & Omit<MessageIdentity, 'message_id'>

/** A call of the mail service: its token is accepted once (I1). The call names no workspace, so the key has none. */
export const receptionToken = entity('receptiontoken', recordKey('reception_token#${token_sha256}'), {
  /** Of the whole content of the call, so that the token is refused with other content. */
  digest: text,
  /** The mail in the answer to the call. */
  workspace_id: text,
  correspondence_id: text,
  expires_at: text,
  ttl: number,
})

/** The workspace to which mail to an address belongs. A mail that arrives names no workspace, so the key has none. */
export const inboundAddress = entity('inboundaddress', recordKey('inbound_address#${mailbox}'), {
  /** As `mailboxOf` writes it. */
  mailbox: text,
  workspace_id: text,
})
