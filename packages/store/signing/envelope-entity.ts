import { Entity } from 'electrodb'
import { envelopeStatuses, signingOrders, statusReasons } from '#signing/status-schema.ts'
import type { Db } from '../db.ts'

/** An envelope with its documents and signers: one item, changed under its version. */
export function envelopeEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'envelope', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        case_id: { type: 'string', required: true },
        title: { type: 'string', required: true },
        status: { type: envelopeStatuses, required: true },
        status_reason: { type: statusReasons },
        signing_order: { type: signingOrders, required: true },
        message: { type: 'string' },
        documents: { type: 'any', required: true },
        signers: { type: 'any', required: true },
        reminders: { type: 'any' },
        sends_emails: { type: 'boolean', required: true },
        expires_at: { type: 'string' },
        created_by: { type: 'string', required: true },
        created_at: { type: 'string', required: true },
        sent_at: { type: 'string' },
        completed_at: { type: 'string' },
        declined_at: { type: 'string' },
        voided_at: { type: 'string' },
        void_reason: { type: 'string' },
        expired_at: { type: 'string' },
        next_reminder_at: { type: 'string' },
        sealing_since: { type: 'string' },
        seal_again_at: { type: 'string' },
        mails_again_at: { type: 'string' },
        audit_seq: { type: 'number', required: true },
        audit_hash: { type: 'string', required: true },
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#envelope#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}

/** One entry of an envelope's audit trail, created with the change that it describes and never written again (S8). */
export function envelopeAuditEntry(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'envelopeaudit', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        envelope_id: { type: 'string', required: true },
        /** The entry's `seq` with leading zeros. */
        position: { type: 'string', required: true },
        /** The entry as it is answered, word for word: its hash is over it. */
        entry: { type: 'any', required: true },
      },
      indexes: {
        oldest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'envelope_id'],
            template: '${workspace_id}#envelope_audit#${envelope_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['position'], template: '${position}', casing: 'none' },
        },
      },
    },
    db,
  )
}
