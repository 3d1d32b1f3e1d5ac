import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/**
 * The mails with a message id: by it a mail that arrives twice is known, and an answer finds what it answers. Mails that
 * arrived and mails that we sent are items of their own.
 */
export function messageIdEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'messageid', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** The id with angle brackets, or the digest of one that is too long for a key. */
        message_id: { type: 'string', required: true },
        direction: { type: ['inbound', 'outbound'] as const, required: true },
        /** `MessageNote`s, the oldest first. */
        messages: { type: 'any', required: true },
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'message_id'],
            template: '${workspace_id}#message_id#${message_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['direction'], template: '${direction}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A call of the mail service: its token is taken once (I1). The call names no workspace, so the key has none. */
export function receptionToken(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'receptiontoken', version: '1' },
      attributes: {
        /** SHA-256 of the token, hexadecimal. */
        token_sha256: { type: 'string', required: true },
        /** Of all that the call sent, so that the token with other content is refused. */
        digest: { type: 'string', required: true },
        /** Of the mail that the call was answered with. */
        workspace_id: { type: 'string', required: true },
        correspondence_id: { type: 'string', required: true },
        expires_at: { type: 'string', required: true },
        /** Epoch seconds after which the table may remove it. */
        ttl: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['token_sha256'],
            template: 'reception_token#${token_sha256}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}

/** The workspace to which mail to an address belongs. A mail that arrives names no workspace, so the key has none. */
export function inboundAddress(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'inboundaddress', version: '1' },
      attributes: {
        /** As `mailboxOf` writes it. */
        mailbox: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['mailbox'],
            template: 'inbound_address#${mailbox}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
