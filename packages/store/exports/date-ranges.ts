import type { SourceQuery } from '#exports/ports.ts'
import { dayAfter, startOfLocalDay } from '#german-time/time-range.ts'
import { type IdKind, idPrefixes, uuidv7At } from '#kernel/id.ts'
import type { Range } from '../sorted-list.ts'

type Dated = Pick<SourceQuery, 'filters' | 'time_zone'>

/** Nothing is later than this day. The day after it has a year of five digits. */
const lastDay = '9999-12-31'

/** The moments of the days of a query, as UTC with milliseconds: from the first to before the one after the last (X1). */
export function momentRange({ filters: { date_from, date_to }, time_zone }: Dated): Range {
  return {
    from: date_from && startOfLocalDay(date_from, time_zone),
    until: date_to && date_to < lastDay ? startOfLocalDay(dayAfter(date_to), time_zone) : undefined,
  }
}

/** The ids of records that were created in the days of a query: an id begins with the time of creation. */
export function idRange(kind: IdKind, query: Dated): Range {
  const { from, until } = momentRange(query)
  return { from: from && idsFrom(kind, from), until: until && idsFrom(kind, until) }
}

/** The beginning of the ids of a moment, after all earlier ones. */
function idsFrom(kind: IdKind, moment: string): string {
  const milliseconds = Math.max(0, Date.parse(moment))
  return idPrefixes[kind] + uuidv7At(milliseconds).slice(0, '00000000-0000-7'.length)
}
