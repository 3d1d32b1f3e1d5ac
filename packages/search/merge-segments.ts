import { randomUUID } from 'node:crypto'
import { copyFile } from 'node:fs/promises'
import { inflateRawSync } from 'node:zlib'
import { regularYield } from './regular-yield.ts'
import { type SegmentWriter, writeSegment } from './segment-file.ts'
import type { Deleted, Segment, SegmentFacts } from './types.ts'
import { deletedRows } from './visible-records.ts'
import { type WordList, wordsIn } from './words.ts'

/** If a firm has more segments than this, its small ones are merged. */
const maxSegments = 8

/** A merged segment with more records does not keep its analysed texts, because they are as large as its index. */
const maxRecordsWithTerms = 500

/** A segment of this size is full. A merge into a smaller one takes about two minutes at most. */
const fullBytes = 400_000_000

/**
 * The segments that may be merged with each other: all that are not full, but only the smallest of those without
 * analysed texts. So the time of a merge does not grow with the index.
 */
export function mergeable<Facts extends SegmentFacts>(segments: readonly Facts[]): Facts[] {
  const open = segments.filter(({ bytes }) => bytes < fullBytes)
  const [large] = open
    .filter(({ keepsTerms }) => !keepsTerms)
    .toSorted((one, other) => one.records - other.records)
  return open.filter((one) => one.keepsTerms || one === large)
}

/** Whether a segment has an entry of a deleted record. */
export function hasDeleted(segment: Segment, deleted: Deleted): boolean {
  return deletedRows(segment, deleted).length > 0
}

/**
 * Chooses the mergeable segments to merge now; undefined if there are none. Small segments of similar size are merged
 * with each other. If all small segments together have more than 500 records, and more than a tenth of the records of
 * the large segment, they are merged into it. So each record is rewritten only a few times.
 *
 * @param isPurge merges all, so that no deleted or superseded entry is left in the files
 * @returns the names of the segments, and `keepsTerms` for `mergeSegments`
 */
export function planMerge(
  segments: readonly (SegmentFacts & { name: string })[],
  isPurge = false,
): { names: string[]; keepsTerms: boolean } | undefined {
  if (segments.length === 0) return undefined
  const small = segments
    .filter(({ keepsTerms }) => keepsTerms)
    .toSorted((one, other) => one.records - other.records)
  const recordsOf = (some: readonly SegmentFacts[]) => some.reduce((sum, { records }) => sum + records, 0)
  const ofSmall = recordsOf(small)
  const ofLarge = recordsOf(segments) - ofSmall
  if (isPurge || (segments.length > 1 && ofSmall > maxRecordsWithTerms && ofSmall > ofLarge / 10))
    return {
      names: segments.map(({ name }) => name),
      keepsTerms: small.length === segments.length && ofSmall <= maxRecordsWithTerms,
    }
  if (segments.length <= maxSegments) return undefined
  const alike = small.filter((one, at) => at < 2 || one.records <= 2 * recordsOf(small.slice(0, at)))
  return { names: alike.map(({ name }) => name), keepsTerms: true }
}

/**
 * Merges segments into one at `path`: a complete file, or none. It contains no deleted or superseded entries and
 * nothing of their texts. At most one of the segments may be without analysed texts, and none with `keepsTerms`.
 */
export async function mergeSegments(
  segments: Segment[],
  deleted: Deleted,
  path: string,
  keepsTerms: boolean,
): Promise<SegmentFacts> {
  const [first, ...others] = segments.toSorted(
    (one, other) =>
      Number(one.facts.keepsTerms) - Number(other.facts.keepsTerms) ||
      other.facts.records - one.facts.records,
  )
  if (first === undefined) throw new Error('There is no segment to merge.')
  if ((keepsTerms ? segments : others).some(({ facts }) => !facts.keepsTerms))
    throw new Error('At most one segment without analysed texts can be merged, and the result then has none.')
  const copy = `${path}.${randomUUID()}.draft`
  await copyFile(first.db.location() ?? '', copy)
  const base = { copy, columns: first.columns, words: wordsOf(first) }
  return writeSegment(path, { keepsTerms, base }, async (writer) => {
    for (const row of deletedRows(first, deleted)) writer.remove(row)
    for (const segment of others) await addAll(writer, segment, new Set(deletedRows(segment, deleted)))
  })
}

/** The word lists of a segment, by `access`. */
function wordsOf({ columns, vocabularies }: Segment): Map<string, WordList> {
  return new Map(columns.accessNames.map((access, at) => [access, vocabularies[at]?.().words ?? '']))
}

async function addAll(writer: SegmentWriter, segment: Segment, without: ReadonlySet<number>): Promise<void> {
  const { db, columns } = segment
  const yieldIfDue = regularYield()
  const entries = db.prepare(
    'SELECT row, id, sequence, case_id, value FROM records JOIN terms USING (row) ORDER BY row',
  )
  for (const entry of entries.iterate()) {
    await yieldIfDue()
    const row = Number(entry.row)
    if (without.has(row) || !(entry.value instanceof Uint8Array)) {
      writer.checkWords()
      continue
    }
    const [body = '', titles = ''] = inflateRawSync(entry.value).toString('utf8').split('\n')
    const isAdded = writer.add({
      id: String(entry.id),
      sequence: Number(entry.sequence),
      case_id: typeof entry.case_id === 'string' ? entry.case_id : null,
      kind: columns.kindNames[columns.kinds[row] ?? 0] ?? '',
      access: columns.accessNames[columns.accesses[row] ?? 0] ?? '',
      date: columns.days[row] ?? 0,
      length: columns.lengths[row] ?? 0,
      body,
      titles,
    })
    if (!isAdded) writer.checkWords()
  }
  for (const [access, list] of wordsOf(segment)) {
    const words = writer.wordsOf(access)
    for (const word of wordsIn(list)) words.add(word)
  }
}
