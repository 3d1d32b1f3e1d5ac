import type { DocumentRecord } from '#documents/ports.ts'
import type { NewEvent } from '#webhooks/catalogue-schema.ts'

/**
 * The event of a change of a document (E1); none if nothing changes that its answer shows of itself. `before` is
 * undefined of a new one, `after` of a deleted one.
 */
export function documentEvents(
  before: DocumentRecord | undefined,
  after: DocumentRecord | undefined,
): NewEvent[] {
  const record = after ?? before
  if (record === undefined) return []
  const { id, case_id } = record
  const verb = verbOf(before, after)
  return verb === undefined ? [] : [{ type: `document.${verb}`, data: { id, case_id } }]
}

function verbOf(before: DocumentRecord | undefined, after: DocumentRecord | undefined) {
  if (before === undefined) return 'created'
  if (after === undefined) return 'deleted'
  if (after.status !== before.status && after.status !== 'pending') return after.status
  return shownFields.some((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    ? 'updated'
    : undefined
}

const shownFields = [
  'filename',
  'mime_type',
  'size_bytes',
  'status',
  'status_reason',
  'case_id',
  'folder_id',
  'parties',
  'extracted_text_length',
  'page_count',
  'sha256',
  'metadata',
] as const satisfies (keyof DocumentRecord)[]
