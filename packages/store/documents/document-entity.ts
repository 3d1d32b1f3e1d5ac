import type { DocumentRecord } from '#documents/ports.ts'
import {
  boolean,
  entity,
  jsonOf,
  listKey,
  nullable,
  number,
  oneOf,
  optional,
  recordKey,
  text,
} from '../entity.ts'

/** A document. A deleted one stays for the audit (G13). Its bytes and its text are in the bucket. */
export const documentEntity = entity('document', recordKey('${workspace_id}#document#${id}'), {
  filename: text,
  mime_type: text,
  size_bytes: number,
  status: oneOf(['pending', 'processed', 'failed']),
  status_reason: nullable(text),
  /** Why the search does not find its text. */
  search_error: optional(text),
  case_id: nullable(text),
  folder_id: nullable(text),
  /** The names at that time; they are shown only for parties that do not exist. */
  parties: jsonOf<DocumentRecord['parties']>(),
  extracted_text_length: nullable(number),
  page_count: nullable(number),
  sha256: nullable(text),
  /** JSON text: a DynamoDB map cannot hold every number and every depth of JSON. */
  metadata: nullable(text),
  source: oneOf(['upload', 'inbox', 'email', 'webhook', 'bea', 'signing']),
  created_at: text,
  updated_at: text,
  /** When the newest change was written, for `updated_since` (G16). */
  changed_at: text,
  /** Another document has or had the same bytes. */
  has_twins: boolean,
  /** When an announced upload expires. Absent once the bytes have arrived. */
  upload_expires_at: nullable(text),
  /** How many times reading was begun without an end: without a result, and without being given back. */
  attempts: number,
  attempted_at: nullable(text),
  /** When a user last assigned each of these. */
  assigned_at: optional(jsonOf<DocumentRecord['assigned_at']>()),
  /** The mail that it came with. */
  correspondence_id: nullable(text),
  /** `InboxState`; absent for documents that never come into the inbox. */
  inbox: nullable(jsonOf<DocumentRecord['inbox'] & object>()),
  /** The envelopes that were sent with it. Which of them still need it, the envelopes say (D10). */
  envelope_ids: { type: 'list', items: { type: 'string' } },
  /** Counts changes and attempts. Every write is conditional on the version that it was decided for. */
  version: number,
  deleted_at: optional(text),
  left_case_at: optional(text),
})

/** A document filed under the digest of its bytes. Documents with the same digest are duplicates of each other. */
export const documentTwin = entity(
  'documenttwin',
  listKey('oldest', '${workspace_id}#document_twins#${sha256}', '${id}'),
  {
    /** Whether `has_twins` of the document is set. */
    is_marked: boolean,
  },
)

/**
 * A document that waits to be read, for its bytes, or for its record. The sweeper lists these items of all workspaces, so the key has
 * no workspace.
 */
export const documentWatch = entity(
  'documentwatch',
  listKey('oldest', 'documents#${awaited}#${shard}', '${id}'),
  {
    awaited: oneOf(['reading', 'bytes', 'record']),
    workspace_id: text,
    /** When the message to read it was sent first, and when again, last. */
    sent_at: optional(text),
    sent_again_at: optional(text),
    /** Of a document whose record is about to be written: the digest in the key of its bytes. */
    sha256: optional(text),
  },
)
