import { entity, json, listKey, number, oneOf, recordKey, text } from '../entity.ts'

/**
 * The mails with a message id: by it a mail that arrives twice is known, and an answer finds what it answers. Mails that
 * arrived and mails that we sent are items of their own.
 */
export const messageIdEntity = entity(
  'messageid',
  listKey('record', '${workspace_id}#message_id#${message_id}', '${direction}'),
  {
    workspace_id: text,
    /** The id with angle brackets, or the digest of one that is too long for a key. */
    message_id: text,
    direction: oneOf(['inbound', 'outbound']),
    /** `MessageNote`s, the oldest first. */
    messages: json,
    /** Counts the changes; every write names the one it was made for. */
    version: number,
  },
)

/** A call of the mail service: its token is taken once (I1). The call names no workspace, so the key has none. */
export const receptionToken = entity('receptiontoken', recordKey('reception_token#${token_sha256}'), {
  /** SHA-256 of the token, hexadecimal. */
  token_sha256: text,
  /** Of all that the call sent, so that the token with other content is refused. */
  digest: text,
  /** Of the mail that the call was answered with. */
  workspace_id: text,
  correspondence_id: text,
  expires_at: text,
  /** Epoch seconds after which the table may remove it. */
  ttl: number,
})

/** The workspace to which mail to an address belongs. A mail that arrives names no workspace, so the key has none. */
export const inboundAddress = entity('inboundaddress', recordKey('inbound_address#${mailbox}'), {
  /** As `mailboxOf` writes it. */
  mailbox: text,
  workspace_id: text,
})
