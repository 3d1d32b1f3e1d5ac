import * as z from 'zod'

/** One page of a list (G7). `cursor` is null exactly when nothing follows. */
export type Page<Item> = { data: Item[]; pagination: { cursor: string | null; has_more: boolean } }

/** Which page is asked for: at most `limit` items after the `cursor` of an earlier page. */
export type PageRequest = { limit: number; cursor?: string | undefined }

export const Pagination = z
  .object({
    cursor: z
      .string()
      .nullable()
      .meta({ description: 'Send it as `cursor` to get the next page; null on the last.' }),
    has_more: z.boolean(),
  })
  .meta({ id: 'Pagination' })

/** The query parameters of every list, to be spread into a list's own (G7). */
export const pageQuery = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'A whole number from 1 to 100.')
    .transform(Number)
    .pipe(z.number().int().min(1).max(100))
    .default(50)
    .meta({ description: 'How many items a page holds at most, 1 to 100.' }),
  cursor: z.string().min(1).max(2000).optional().meta({ description: 'The `cursor` of the page before.' }),
}

/** The schema of a page of items. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), pagination: Pagination })
}

/** A list that is always complete, such as the parties of a case. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item) })
}
