import type { Page, PageRequest } from '#kernel/page.ts'
import { type Cursors, pageByCursor } from './cursor.ts'
import { strongly } from './db.ts'

type Run<Item> = {
  go: (options: {
    order: 'desc'
    limit: number
    consistent: true
    originalErr: true
  }) => Promise<{ data: Item[]; cursor: string | null }>
}

/** An ElectroDB query of a partition whose sort key is the id. */
type PartitionQuery<Item> = Run<Item> & { lt: (key: { id: string }) => Run<Item> }

/**
 * A page of a partition that holds one list, newest first (G7). It reads one item more than the page needs, to know
 * whether more follow. DynamoDB reads up to one mebibyte, so a page of large items may be shorter and fits into an
 * answer.
 *
 * @param binding what a cursor of this list is valid for: workspace, list, filters
 */
export async function newestFirst<Item extends { id: string }>(
  cursors: Cursors,
  binding: readonly unknown[],
  request: PageRequest,
  query: PartitionQuery<Item>,
): Promise<Page<Item>> {
  return pageByCursor(cursors, binding, request, async (below, limit) => {
    const older = below === undefined ? query : query.lt({ id: below })
    const { data, cursor } = await older.go({ order: 'desc', limit: limit + 1, ...strongly })
    const items = data.slice(0, limit)
    const follows = data.length > items.length || cursor !== null
    return { items, next: follows ? items.at(-1)?.id : undefined }
  })
}

/** A page with the result of `show` for each item. */
export function mapPage<Item, Shown>(page: Page<Item>, show: (item: Item) => Shown): Page<Shown> {
  return { data: page.data.map(show), pagination: page.pagination }
}
