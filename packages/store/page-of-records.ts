import type { Page, PageRequest } from '#kernel/page.ts'
import { chunks } from './batch.ts'
import { type Cursors, pageByCursor } from './cursor.ts'

/**
 * The most bytes of JSON on a page. The answer of a Lambda has at most 6 MB and contains the body as a string, in which
 * every quotation mark and backslash takes another byte.
 */
const maxPageBytes = 3_000_000

/** How many records are read at once. Each may have half a megabyte. */
const readAtOnce = 50

/**
 * A page of a list, with the records of its entries. If the records would be too large for an answer, the page has fewer
 * than requested, at least one, and a cursor. An entry without a record is left out: the record may have been deleted
 * since the list was read.
 *
 * @param pageOfEntries returns a page of the list; called again with a smaller limit if not all records fit
 * @param read returns the records of these entries, in any order
 */
export async function pageOfRecords<Entry extends { id: string }, Item extends { id: string }>(
  request: PageRequest,
  pageOfEntries: (request: PageRequest) => Promise<Page<Entry>>,
  read: (entries: Entry[]) => Promise<Item[]>,
): Promise<Page<Item>> {
  const known = new Map<string, Item>()

  /** How many records fit, from the first on. Afterwards these are in `known`. */
  const fitting = async (entries: Entry[]): Promise<number> => {
    let bytes = 0
    let fit = 0
    for (const group of chunks(entries, readAtOnce)) {
      for (const item of await read(group.filter(({ id }) => !known.has(id)))) known.set(item.id, item)
      for (const { id } of group) {
        bytes += Buffer.byteLength(JSON.stringify(known.get(id) ?? null))
        if (bytes > maxPageBytes && fit > 0) return fit
        fit += 1
      }
    }
    return fit
  }

  for (let { limit } = request; ; ) {
    const { data, pagination } = await pageOfEntries({ ...request, limit })
    const fit = await fitting(data)
    if (fit === data.length) return { data: data.flatMap(({ id }) => known.get(id) ?? []), pagination }
    limit = fit
  }
}

/**
 * Like `pageOfRecords`, for a list whose places are ids, greatest first.
 *
 * @param binding what a cursor of this list is valid for: workspace, list, filters
 * @param idsAfter returns up to `limit` ids after an id
 */
export function pageOfIds<Item extends { id: string }>(
  cursors: Cursors,
  binding: readonly unknown[],
  request: PageRequest,
  idsAfter: (after: string | undefined, limit: number) => Promise<string[]>,
  read: (ids: string[]) => Promise<Item[]>,
): Promise<Page<Item>> {
  const pageAfter = (part: PageRequest) =>
    pageByCursor(cursors, binding, part, async (after, limit) => {
      const ids = await idsAfter(after, limit + 1)
      const items = ids.slice(0, limit).map((id) => ({ id }))
      return { items, next: ids.length > limit ? items.at(-1)?.id : undefined }
    })
  return pageOfRecords(request, pageAfter, (entries) => read(entries.map(({ id }) => id)))
}
