import type { Page, PageRequest } from '#kernel/page.ts'
import { chunks } from './batch.ts'
import { type Cursors, pageByCursor } from './cursor.ts'

/**
 * How many bytes of JSON a page holds at most. The answer of a Lambda has 6 MB, and its body stands in it as a string,
 * in which every quotation mark and backslash takes another byte.
 */
const maxPageBytes = 3_000_000

/** How many records are read at once; each may have half a megabyte. */
const readAtOnce = 50

/**
 * A page of a list whose entries hold no more than ids, with the records that they name. If the records together would
 * be too large for an answer, the page holds fewer than requested, at least one, and has a cursor. A record that was
 * deleted since the list was read is left out.
 *
 * @param pageOfIds gives a page of the list; asked again with a smaller limit if not all records fit
 * @param read gives the records of these ids, in any order
 */
export async function pageOfRecords<Item extends { id: string }>(
  request: PageRequest,
  pageOfIds: (request: PageRequest) => Promise<Page<string>>,
  read: (ids: string[]) => Promise<Item[]>,
): Promise<Page<Item>> {
  const known = new Map<string, Item>()

  /** How many records fit, from the first on. Those are known afterwards. */
  const fitting = async (ids: string[]): Promise<number> => {
    let bytes = 0
    let fit = 0
    for (const group of chunks(ids, readAtOnce)) {
      for (const item of await read(group.filter((id) => !known.has(id)))) known.set(item.id, item)
      for (const id of group) {
        bytes += Buffer.byteLength(JSON.stringify(known.get(id) ?? null))
        if (bytes > maxPageBytes && fit > 0) return fit
        fit += 1
      }
    }
    return fit
  }

  for (let { limit } = request; ; ) {
    const { data: ids, pagination } = await pageOfIds({ ...request, limit })
    const fit = await fitting(ids)
    if (fit === ids.length) return { data: ids.flatMap((id) => known.get(id) ?? []), pagination }
    limit = fit
  }
}

/**
 * The same of a list whose places are ids, the greatest first.
 *
 * @param binding what a cursor of this list is valid for: workspace, list, filters
 * @param idsAfter gives up to `limit` ids after one
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
      const items = ids.slice(0, limit)
      return { items, next: ids.length > limit ? items.at(-1) : undefined }
    })
  return pageOfRecords(request, pageAfter, read)
}
