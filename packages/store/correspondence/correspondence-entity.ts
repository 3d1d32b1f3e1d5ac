import { Entity } from 'electrodb'
import { senderFaults } from '#correspondence/schema.ts'
import type { Db } from '../db.ts'

/** A mail that was sent or received. Its bodies and its message lie in the bucket, its attachments in an item beside it. */
export function correspondenceEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'correspondence', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        direction: { type: ['outbound', 'inbound'] as const, required: true },
        status: {
          type: ['sending', 'sent', 'failed', 'received', 'processed'] as const,
          required: true,
        },
        from: { type: 'any', required: true },
        to: { type: 'any', required: true },
        cc: { type: 'any', required: true },
        bcc: { type: 'any', required: true },
        subject: { type: 'string', required: true },
        case_id: { type: 'string' },
        party_id: { type: 'string' },
        assigned_to: { type: 'string' },
        message_id: { type: 'string' },
        in_reply_to: { type: 'string' },
        sent_at: { type: 'string' },
        received_at: { type: 'string' },
        delivery: { type: 'any', required: true },
        created_at: { type: 'string', required: true },
        user_id: { type: 'string' },
        draft_id: { type: 'string' },
        about: { type: 'any' },
        header_message_id: { type: 'string', required: true },
        references: { type: 'any', required: true },
        sending_since: { type: 'string' },
        attempts: { type: 'number', required: true },
        refusal: { type: 'any' },
        status_reason: { type: 'string' },
        verdicts: { type: 'any' },
        sender_verified: { type: 'boolean' },
        sender_verified_reason: { type: senderFaults },
        protection: { type: ['none', 'signed', 'encrypted'] as const, required: true },
        reply_to: { type: 'any', required: true },
        /** `InboxState`; absent for what never came into the inbox. */
        inbox: { type: 'any' },
        teaches: { type: 'any', required: true },
        /** How many items beside it hold its attachments. */
        attachment_parts: { type: 'number', required: true },
        /** Whether an item beside it says what the triage says of it. */
        has_triage: { type: 'boolean', required: true },
        /** When the newest change was written, for `updated_since` (G16). */
        changed_at: { type: 'string', required: true },
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#correspondence#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}

/**
 * Attachments of a mail. They are items of their own because a hundred long names beside fifty recipients and what became
 * of the mail at each would be more than the 400 KB that an item may have; the hundreds of a received mail may need
 * several.
 */
export function correspondenceAttachments(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'correspondenceattachments', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        correspondence_id: { type: 'string', required: true },
        /** Counts from 0. */
        part: { type: 'number', required: true },
        attachments: { type: 'any', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'correspondence_id'],
            template: '${workspace_id}#attachments#${correspondence_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['part'], template: 'part_${part}', casing: 'none' },
        },
      },
    },
    db,
  )
}
