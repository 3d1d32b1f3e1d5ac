import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A document; a deleted one stays for the audit (G13). Its bytes and text lie in the bucket. */
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
        parties: {
          type: 'list',
          required: true,
          items: {
            type: 'map',
            properties: {
              id: { type: 'string', required: true },
              /** What the party was called then, shown only if it is not found. */
              name: { type: 'string', required: true },
              is_primary: { type: 'boolean', required: true },
            },
          },
        },
        extracted_text_length: { type: 'number' },
        page_count: { type: 'number' },
        sha256: { type: 'string' },
        /** JSON text: a map could hold neither every number nor every depth that JSON knows. */
        metadata: { type: 'string' },
        source: {
          type: ['upload', 'inbox', 'email', 'webhook', 'bea', 'signing'] as const,
          required: true,
        },
        created_at: { type: 'string', required: true },
        updated_at: { type: 'string', required: true },
        /** Another document had the same bytes at some time. */
        has_twins: { type: 'boolean', required: true },
        /** Until when the bytes of an announced upload may come; absent once they are here. */
        upload_expires_at: { type: 'string' },
        /** How often reading it was begun and neither finished nor given back. */
        attempts: { type: 'number', required: true },
        attempted_at: { type: 'string' },
        /** When each of these was last assigned by somebody. */
        assigned_at: {
          type: 'map',
          properties: {
            case_id: { type: 'string' },
            folder_id: { type: 'string' },
            parties: { type: 'string' },
          },
        },
        /** Counts changes and attempts; every write names the one it was made for. */
        version: { type: 'number', required: true },
        deleted_at: { type: 'string' },
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

/** A document under the digest of its bytes: those of one digest are duplicates of each other. */
export function documentTwin(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'documenttwin', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        sha256: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        /** The document's `has_twins` is set. */
        told: { type: 'boolean', required: true },
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
 * A document that something is still to happen to: it is to be read, or its bytes are to arrive. The sweeper
 * looks through these, so they belong to the service and the key has no workspace.
 */
export function documentWatch(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'documentwatch', version: '1' },
      attributes: {
        awaited: { type: ['reading', 'bytes'] as const, required: true },
        /** The last hexadecimal digit of the id, so that no partition takes all documents. */
        shard: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        /** When the message that has it read was last sent. */
        sent_at: { type: 'string' },
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
