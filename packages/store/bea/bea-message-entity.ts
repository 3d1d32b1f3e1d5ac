import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A message of beA. Its body lies in the bucket; of many attachments, items beside it hold what is known. */
export function beaMessageEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'beamessage', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        postbox_safe_id: { type: 'string', required: true },
        remote_id: { type: 'string', required: true },
        is_missing: { type: 'boolean', required: true },
        folder: { type: 'string', required: true },
        direction: { type: ['inbound', 'outbound'] as const, required: true },
        subject: { type: 'string', required: true },
        sender: { type: 'any', required: true },
        recipients: { type: 'any', required: true },
        received_at: { type: 'string' },
        sent_at: { type: 'string' },
        reference_sender: { type: 'string' },
        reference_recipient: { type: 'string' },
        confidential: { type: 'boolean', required: true },
        eeb_requested: { type: 'boolean', required: true },
        eeb: { type: 'any' },
        eeb_foreign_id: { type: 'string' },
        eeb_given: { type: 'any' },
        size_bytes: { type: 'number', required: true },
        case_id: { type: 'string' },
        party_id: { type: 'string' },
        purge_at: { type: 'string' },
        imported_at: { type: 'string', required: true },
        receipt: { type: 'any' },
        /** `InboxState`; absent for what never came into the inbox. */
        inbox: { type: 'any' },
        /** Absent unless many attachments are yet to follow their message. */
        filing: { type: 'any' },
        teaches: { type: 'any', required: true },
        /** Where they are few; absent where items beside it hold them. */
        attachments: { type: 'any' },
        /** How many items beside it hold its attachments. */
        attachment_parts: { type: 'number', required: true },
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#bea_message#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}

/** Attachments of a message that has many: it may have a thousand, which is more than an item holds. */
export function beaAttachmentEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'beaattachments', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        message_id: { type: 'string', required: true },
        /** Counts from 0. */
        part: { type: 'number', required: true },
        attachments: { type: 'any', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'message_id'],
            template: '${workspace_id}#bea_attachments#${message_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['part'], template: 'part_${part}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A message of the network that is imported, with what a sync compares: so it need not read the message. */
export function beaImportEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'beaimport', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        postbox_safe_id: { type: 'string', required: true },
        /** The digest of the gateway's id, which may have any characters and any length. */
        remote_key: { type: 'string', required: true },
        remote_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        folder: { type: 'string', required: true },
        direction: { type: ['inbound', 'outbound'] as const, required: true },
        receipt: { type: 'any' },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'postbox_safe_id'],
            template: '${workspace_id}#bea_imports#${postbox_safe_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['remote_key'], template: '${remote_key}', casing: 'none' },
        },
      },
    },
    db,
  )
}
