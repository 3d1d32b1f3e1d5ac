import type { Page, PageRequest } from '#kernel/page.ts'
import type { Cursors } from './cursor.ts'

/** An entry of a hash chain as it is stored: under its number with leading zeros. */
type Stored<Entry> = { position: string; entry: Entry }

/** A number, such as the number of an entry in a hash chain, as a sort key. */
export function positionOf(seq: number): string {
  return String(seq).padStart(8, '0')
}

/**
 * A page of a hash chain, oldest first, with the entry before the page, whose hash is in the first entry.
 *
 * @param binding what a cursor of this chain is valid for: workspace, kind, id
 * @param read returns up to `limit` entries from a position on, and a cursor if there may be more
 */
export async function chainPage<Entry>(
  cursors: Cursors,
  binding: readonly unknown[],
  { limit, cursor }: PageRequest,
  read: (from: string, limit: number) => Promise<{ data: Stored<Entry>[]; cursor: string | null }>,
): Promise<Page<Entry> & { previous: Entry | undefined }> {
  const seen = cursor === undefined ? undefined : await cursors.open(binding, cursor)
  // The last entry of the page before, this page, and one more to know whether others follow.
  const wanted = (seen === undefined ? 0 : 1) + limit + 1
  const found: Stored<Entry>[] = []
  let lowest: string | undefined = seen ?? positionOf(0)
  while (lowest !== undefined) {
    const { data, cursor: more } = await read(lowest, wanted - found.length)
    found.push(...data)
    const last = found.at(-1)
    lowest = more === null || found.length >= wanted || !last ? undefined : `${last.position}!`
  }
  const previous = seen === undefined ? undefined : found.shift()?.entry
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const next = found.length > limit && last ? await cursors.seal(binding, last.position) : null
  return {
    data: page.map(({ entry }) => entry),
    pagination: { cursor: next, has_more: next !== null },
    previous,
  }
}
