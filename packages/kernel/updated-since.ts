import * as z from 'zod'
import { systemClock, timestamp } from './clock.ts'
import { lazyObject } from './lazy-object.ts'
import { once } from './once.ts'
import { type Page, Pagination } from './page.ts'
import { instantText, Text, Timestamp } from './text.ts'

/** A record that was deleted, or that the filters of the list no longer find. */
export const DeletedRecord = z.lazy(() =>
  z.strictObject({ id: Text, deleted_at: Timestamp }).meta({
    id: 'DeletedRecord',
    description: 'A record that was deleted, or no longer matches the filters of the list.',
  }),
)

export type DeletedRecord = z.infer<typeof DeletedRecord>

/** A change of a record: the record as it is now, or its deletion. */
export type Change<Item> = { id: string; record: Item } | DeletedRecord

/** A page of changes. `as_of`: send it as `updated_since` next time. It is the same on all pages of one listing. */
export type Changes<Item> = Page<Change<Item>> & { as_of: string }

/** A page of changes in an answer. */
export type ShownChanges<Item> = Page<Item | DeletedRecord> & { as_of: string }

/** The query parameter of lists that can return changes (G16). */
export const updatedSince = once(() =>
  instantText()
    .refine((at) => at <= timestamp(), 'This is in the future. Send the `as_of` of the last answer.')
    .refine((at) => at >= aYearAgo(), 'Changes are kept for a year. Read the whole list instead.')
    .optional()
    .meta({
      format: 'date-time',
      description:
        'Only what was created, changed or deleted since this time, the oldest change first. What was deleted or no longer matches the other filters is shown as `{id,deleted_at}`. If something differs only because time has passed, such as a deadline that is overdue now, that is not a change. Send the `as_of` of the last answer. At most a year ago.',
    }),
)

/** The schema of a page of a list that can also return changes. */
export function pageOrChangesOf<Item extends z.ZodType>(item: Item) {
  return lazyObject(() => ({
    data: z.array(z.union([item, DeletedRecord])),
    pagination: Pagination,
    as_of: Timestamp.optional().meta({
      description: 'Only with `updated_since`: what to send as `updated_since` next time.',
    }),
  }))
}

/** The page in an answer. @param show returns the views of records, in their order */
export async function shownChanges<Stored, View>(
  { data, ...page }: Changes<Stored>,
  show: (records: Stored[]) => Promise<View[]> | View[],
): Promise<ShownChanges<View>> {
  const views = await show(data.flatMap((change) => ('record' in change ? [change.record] : [])))
  let next = 0
  const shown = data.map((change) => ('record' in change ? (views[next++] as View) : change))
  return { data: shown, ...page }
}

/** The same moment of the year before. */
function aYearAgo(): string {
  const at = systemClock.now()
  at.setUTCFullYear(at.getUTCFullYear() - 1)
  return at.toISOString()
}
