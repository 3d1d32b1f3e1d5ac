import { isDeepStrictEqual } from 'node:util'
import type { DocumentRecord } from '#documents/ports.ts'
import { eventsAbout, type NewEvent } from '#webhooks/catalogue-schema.ts'

/**
 * The events of a change of a document (E1); none if nothing changes that its answer shows of itself. A new document
 * whose reading has ended already has two. `before` is undefined of a new one, `after` of a deleted one.
 */
export function documentEvents(
  before: DocumentRecord | undefined,
  after: DocumentRecord | undefined,
): NewEvent[] {
  const record = after ?? before
  if (record === undefined) return []
  return eventsAbout(record, ...verbsOf(before, after).map((verb) => `document.${verb}` as const))
}

function verbsOf(before: DocumentRecord | undefined, after: DocumentRecord | undefined) {
  if (after === undefined) return ['deleted'] as const
  const ended = after.status === before?.status || after.status === 'pending' ? [] : [after.status]
  if (before === undefined) return ['created', ...ended] as const
  if (ended.length > 0) return ended
  return shownFields.some((field) => !isDeepStrictEqual(before[field], after[field]))
    ? (['updated'] as const)
    : []
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
