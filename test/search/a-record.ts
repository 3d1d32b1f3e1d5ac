import type { IndexedRecord } from '#search/types.ts'

/** A record with one page. */
export function aRecord(
  id: string,
  text: string | string[],
  rest: Partial<IndexedRecord> = {},
): IndexedRecord {
  const pages = typeof text === 'string' ? [text] : text
  const given = {
    sequence: 1,
    kind: 'document',
    access: 'documents',
    case_id: null,
    date: '2026-11-27',
    titles: [],
  }
  return { id, pages, ...given, ...rest }
}
