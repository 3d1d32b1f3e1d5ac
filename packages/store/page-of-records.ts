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
 * A page of a list whose entries hold only ids, with their records. If the records would be too large for an answer,
 * the page has fewer than requested, at least one, and a cursor. A record that was deleted since the list was read is
 * left out.
 *
 * @param pageOfIds returns a page of the list; called again with a smaller limit if not all records fit
 * @param read returns the records with these ids, in any order
 */
export async function pageOfRecords<Item extends { id: string }>(
  request: PageRequest,
  pageOfIds: (request: PageRequest) => Promise<Page<{ id: string }>>,
  read: (ids: string[]) => Promise<Item[]>,
): Promise<Page<Item>> {
  const known = new Map<string, Item>()

  /** How many records fit, from the first on. Afterwards these are in `known`. */
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
    const { data, pagination } = await pageOfIds({ ...request, limit })
    const ids = data.map(({ id }) => id)
    const fit = await fitting(ids)
    if (fit === ids.length) return { data: ids.flatMap((id) => known.get(id) ?? []), pagination }
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
  return pageOfRecords(request, pageAfter, read)
}
