import { CustomAttributeType, Entity } from 'electrodb'
import type { DocumentRecord } from '#documents/ports.ts'
import type { Db } from '../db.ts'

/** A document. A deleted one stays for the audit (G13). Its bytes and its text are in the bucket. */
export function documentEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'document', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        filename: { type: 'string', required: true },
        mime_type: { type: 'string', required: true },
        size_bytes: { type: 'number', required: true },
        status: { type: ['pending', 'processed', 'failed'] as const, required: true },
        status_reason: { type: 'string' },
        case_id: { type: 'string' },
        folder_id: { type: 'string' },
        /** The names are those of that time, shown only for parties that do not exist. */
        parties: { type: CustomAttributeType<DocumentRecord['parties']>('any'), required: true },
        extracted_text_length: { type: 'number' },
        page_count: { type: 'number' },
        sha256: { type: 'string' },
        /** JSON text: a DynamoDB map cannot hold every number and every depth of JSON. */
        metadata: { type: 'string' },
        source: {
          type: ['upload', 'inbox', 'email', 'webhook', 'bea', 'signing'] as const,
          required: true,
        },
        created_at: { type: 'string', required: true },
        updated_at: { type: 'string', required: true },
        /** When the newest change was written, for `updated_since` (G16). */
        changed_at: { type: 'string', required: true },
        /** Another document has or had the same bytes. */
        has_twins: { type: 'boolean', required: true },
        /** When an announced upload expires. Absent once the bytes have arrived. */
        upload_expires_at: { type: 'string' },
        /** How many times reading was begun without an end: without a result, and without being given back. */
        attempts: { type: 'number', required: true },
        attempted_at: { type: 'string' },
        /** When a user last assigned each of these. */
        assigned_at: { type: CustomAttributeType<DocumentRecord['assigned_at']>('any') },
        /** The mail that it came with. */
        correspondence_id: { type: 'string' },
        /** `InboxState`; absent for documents that never come into the inbox. */
        inbox: { type: 'any' },
        /** The envelopes that were sent with it. Which of them still need it, the envelopes say (D10). */
        envelope_ids: { type: 'list', items: { type: 'string' } },
        /** Counts changes and attempts. Every write is conditional on the version that it was decided for. */
        version: { type: 'number', required: true },
        deleted_at: { type: 'string' },
        left_case_at: { type: 'string' },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#document#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A document filed under the digest of its bytes. Documents with the same digest are duplicates of each other. */
export function documentTwin(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'documenttwin', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        sha256: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        /** Whether `has_twins` of the document is set. */
        is_marked: { type: 'boolean', required: true },
      },
      indexes: {
        oldest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'sha256'],
            template: '${workspace_id}#document_twins#${sha256}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/**
 * A document that waits to be read, for its bytes, or for its record. The sweeper lists these items of all workspaces, so the key has
 * no workspace.
 */
export function documentWatch(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'documentwatch', version: '1' },
      attributes: {
        awaited: { type: ['reading', 'bytes', 'record'] as const, required: true },
        /** The last hexadecimal digit of the id. It spreads the documents over 16 partitions. */
        shard: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        /** When the message to read it was sent first, and when again, last. */
        sent_at: { type: 'string' },
        sent_again_at: { type: 'string' },
        /** Of a document whose record is about to be written: the digest in the key of its bytes. */
        sha256: { type: 'string' },
      },
      indexes: {
        oldest: {
          pk: {
            field: 'pk',
            composite: ['awaited', 'shard'],
            template: 'documents#${awaited}#${shard}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
