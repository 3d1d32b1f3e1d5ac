import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A mail that is being written (M2). Its body lies in the bucket. A deleted one stays for the audit (G13). */
export function draftEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'draft', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        to: { type: 'any', required: true },
        cc: { type: 'any', required: true },
        bcc: { type: 'any', required: true },
        subject: { type: 'string', required: true },
        attachments: { type: 'any', required: true },
        attachments_as: { type: ['files', 'links'] as const, required: true },
        case_id: { type: 'string' },
        in_reply_to: { type: 'string' },
        warnings: { type: 'any' },
        status: { type: ['draft', 'sending', 'sent', 'failed'] as const, required: true },
        correspondence_id: { type: 'string' },
        sending_since: { type: 'string' },
        body_key: { type: 'string' },
        references: { type: 'any', required: true },
        created_at: { type: 'string', required: true },
        updated_at: { type: 'string', required: true },
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
        deleted_at: { type: 'string' },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#draft#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
