import type { CalendarDate } from '#german-time/calendar-date.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { type Cursors, pageByCursor } from '../cursor.ts'
import { withNulls } from '../nulls.ts'
import type { Range, Source, sortedList } from '../sorted-list.ts'
import type { FilterPlan } from './filter-plan.ts'

/** The place (sort key) of a record in a list by day. */
export function placeOn(day: CalendarDate, id: string): string {
  return `${day}#${id}`
}

/** The range of a list by day from one day to another, both included. */
export function rangeOfDays(days: {
  date_from?: CalendarDate | undefined
  date_to?: CalendarDate | undefined
}): Range {
  // `~` sorts after `#`, so this is after every place of that day and before every place of the next day.
  return { from: days.date_from, until: days.date_to && `${days.date_to}~` }
}

/** Reads the list of the first term that `plan` returns for the filters, and applies the others while reading. */
export function daySource<Shown extends { [Name in Field]?: unknown }, Field extends string>(
  list: { source: ReturnType<typeof sortedList<object>>['source'] },
  plan: FilterPlan<Field>,
  workspaceId: string,
  filters: Parameters<typeof rangeOfDays>[0] & { [Name in Field]?: unknown },
  nullable: { readonly [field: string]: true },
): Source<Shown> {
  const [term = 'all'] = plan.termsOf(filters)
  return list.source(workspaceId, term, rangeOfDays(filters), ({ data }) => {
    const shown = withNulls<object, never>(data, nullable) as Shown
    return plan.passes(shown, filters) ? shown : undefined
  })
}

/**
 * A page of one source. If only few of very many records pass the filters, the page may have fewer records than
 * requested, or none, and still have a cursor.
 */
export function pageOfSource<Item>(
  cursors: Cursors,
  binding: readonly unknown[],
  request: PageRequest,
  source: Source<Item>,
): Promise<Page<Item>> {
  return pageByCursor(cursors, binding, request, async (after, limit) => {
    const { items, upTo } = await source(after, limit + 1)
    const page = items.slice(0, limit)
    return {
      items: page.map(({ item }) => item),
      next: items.length > limit ? page.at(-1)?.place : upTo,
    }
  })
}
