import type { Page, PageRequest } from '#kernel/page.ts'
import type { Cursors } from './cursor.ts'
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
 * A page of a partition that is a list by itself, newest first (G7). It reads one item more than asked for, to
 * know whether more follow. DynamoDB reads a mebibyte at most, so a page of large items may hold fewer than
 * asked for, and still fits into an answer.
 *
 * @param binding what a cursor of this list is good for: workspace, list, filters
 */
export async function newestFirst<Item extends { id: string }>(
  cursors: Cursors,
  binding: readonly unknown[],
  request: PageRequest,
  query: PartitionQuery<Item>,
): Promise<Page<Item>> {
  const below = request.cursor === undefined ? undefined : await cursors.open(binding, request.cursor)
  const older = below === undefined ? query : query.lt({ id: below })
  const { data: items, cursor: unread } = await older.go({
    order: 'desc',
    limit: request.limit + 1,
    ...strongly,
  })
  const data = items.slice(0, request.limit)
  const last = data.at(-1)
  const follows = items.length > data.length || unread !== null
  const cursor = follows && last ? await cursors.seal(binding, last.id) : null
  return { data, pagination: { cursor, has_more: cursor !== null } }
}

/** The page with each item shown in another form. */
export function mapPage<Item, Shown>(page: Page<Item>, show: (item: Item) => Shown): Page<Shown> {
  return { data: page.data.map(show), pagination: page.pagination }
}
