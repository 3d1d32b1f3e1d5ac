import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { buildSegment } from '#search/build-segment.ts'
import { mergeSegments } from '#search/merge-segments.ts'
import { openSegment } from '#search/open-segment.ts'
import { parseQuery } from '#search/parse-query.ts'
import { searchSegments } from '#search/search-segments.ts'
import type { Deleted, IndexedRecord, Query, SearchFilter, SearchResult, Segment } from '#search/types.ts'

/** A folder for the test, which is removed after it. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'search-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export { aRecord } from './a-record.ts'

let made = 0

/** An open segment of these records. */
export async function segmentOf(...records: IndexedRecord[]): Promise<Segment> {
  made += 1
  const path = join(aFolder(), `${made}.segment`)
  return opened(path, await buildSegment(records, path))
}

/** An open segment that was merged from others. */
export async function merged(
  segments: Segment[],
  deleted: Deleted = none,
  keepsTerms = true,
): Promise<Segment> {
  made += 1
  const path = join(aFolder(), `${made}.segment`)
  return opened(path, await mergeSegments(segments, deleted, path, keepsTerms))
}

async function opened(path: string, facts: Segment['facts']): Promise<Segment> {
  const segment = await openSegment(path, facts)
  onTestFinished(segment.close)
  return segment
}

export function search(
  segments: Segment[],
  text: string,
  options: Partial<SearchFilter> & { deleted?: Deleted; offset?: number; limit?: number } = {},
): SearchResult {
  return searchWith(segments, parseQuery(text), options)
}

export function searchWith(
  segments: Segment[],
  query: Query,
  { deleted = none, offset = 0, limit = 50, ...filter }: Parameters<typeof search>[2] = {},
): SearchResult {
  return searchSegments(segments, query, {
    filter: { mayRead: () => true, ...filter },
    deleted,
    offset,
    limit,
  })
}

/** The ids of the records that a query finds, in their order. */
export function found(
  segments: Segment[],
  text: string,
  options: Parameters<typeof search>[2] = {},
): string[] {
  return search(segments, text, options).hits.map(({ id }) => id)
}

const none: Deleted = new Map()
