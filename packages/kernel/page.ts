import * as z from 'zod'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { once } from './once.ts'

/** One page of a list (G7). `cursor` is null exactly when nothing follows. */
export type Page<Item> = { data: Item[]; pagination: { cursor: string | null; has_more: boolean } }

/** The page to return: at most `limit` items that follow the `cursor` of an earlier page. */
export type PageRequest = { limit: number; cursor?: string | undefined }

export const Pagination = namedObject('Pagination', () => ({
  cursor: z.string().nullable().meta({
    description:
      'Send it as `cursor` to get the next page; null on the last. A page that holds fewer than `limit` items, or none, may have one.',
  }),
  has_more: z.boolean(),
}))

/** The maximum number of items on a page. */
export const pageLimit = once(() =>
  z
    .string()
    .regex(/^\d{1,3}$/, 'A whole number from 1 to 100.')
    .transform(Number)
    .pipe(z.int().gte(1).lte(100)),
)

/** The maximum number of characters in a cursor. API Gateway accepts 10,240 bytes of an address and its headers. */
const maxCursor = 8_000

/** The query parameters of every list, to be spread into a list's own (G7). */
export const pageQuery = {
  get limit() {
    return pageLimit().default(50).meta({ description: 'The maximum number of items on a page, 1 to 100.' })
  },
  get cursor() {
    return z
      .string()
      .min(1)
      .max(maxCursor)
      .optional()
      .meta({ description: 'The `cursor` of the previous page.' })
  },
}

/** The query of a list without other parameters. */
export const pageOnly = lazyObject(() => pageQuery)

/** The `pagination` of a list that fits on one page, for examples. */
export const onePage = { cursor: null, has_more: false }

/** The schema of a page of items. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return lazyObject(() => ({ data: z.array(item), pagination: Pagination }))
}

/** The declaration of an endpoint that answers a page of items and has no other query parameters. */
export function pagesOf<Item extends z.ZodType>(item: Item) {
  return { query: pageOnly, output: pageOf(item) }
}

/**
 * Returns one page of a list that is in memory as a whole, in its order (G7).
 *
 * @param binding workspace, list and filters: a cursor is valid only for the same values
 * @param nameOf returns a name that is unique in the list
 * @throws Failure 400 for a cursor of another list
 */
export type PageOut = <Item>(
  binding: readonly unknown[],
  items: readonly Item[],
  request: PageRequest,
  nameOf: (item: Item) => string,
) => Promise<Page<Item>>

/** The schema of a list without pages: all items that a change results in, such as the parties of a case (C4, C5, D7). */
export function listOf<Item extends z.ZodType>(item: Item) {
  return lazyObject(() => ({ data: z.array(item) }))
}
