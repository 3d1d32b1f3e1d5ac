import * as z from 'zod'

/** One page of a list (G7). `cursor` is null exactly when nothing follows. */
export type Page<Item> = { data: Item[]; pagination: { cursor: string | null; has_more: boolean } }

/** Which page is asked for: at most `limit` items after the `cursor` of an earlier page. */
export type PageRequest = { limit: number; cursor?: string | undefined }

export const Pagination = z
  .object({
    cursor: z.string().nullable().meta({
      description: 'Send it as `cursor` to get the next page; null on the last.',
    }),
    has_more: z.boolean(),
  })
  .meta({ id: 'Pagination' })

/** How many items a page is to hold at most. */
export const pageLimit = z
  .string()
  .regex(/^\d{1,3}$/, 'A whole number from 1 to 100.')
  .transform(Number)
  .pipe(z.int().gte(1).lte(100))

/** The query parameters of every list, to be spread into a list's own (G7). */
export const pageQuery = {
  limit: pageLimit.default(50).meta({ description: 'How many items a page holds at most, 1 to 100.' }),
  cursor: z.string().min(1).max(2000).optional().meta({ description: 'The `cursor` of the page before.' }),
}

/** The query of a list that takes nothing else. */
export const pageOnly = z.object(pageQuery)

/** The `pagination` of a list that is all on one page, for examples. */
export const onePage = { cursor: null, has_more: false }

/** The schema of a page of items. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), pagination: Pagination })
}

/**
 * Takes the page that is asked for out of a list that is at hand whole, in its order (G7).
 *
 * @param binding what its cursors are good for: workspace, list, filters
 * @param nameOf what tells an item from every other of the list
 * @throws Failure 400 for a cursor that this list did not give out
 */
export type PageOut = <Item>(
  binding: readonly unknown[],
  items: readonly Item[],
  request: PageRequest,
  nameOf: (item: Item) => string,
) => Promise<Page<Item>>

/** The whole of what a change leaves or makes, such as the parties of a case (C4, C5, D7). */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item) })
}
