import type { SourceFilters } from '#exports/ports.ts'
import type { Row } from '#exports/table-schema.ts'
import fc from '#test/support/properties.ts'

export const berlin = 'Europe/Berlin'

/** The day of a time, computed by the runtime's own calendar instead of the code under test. */
const dayOf = (moment: string, zone: string) =>
  new Date(moment).toLocaleString('sv-SE', { timeZone: zone }).slice(0, 10)

/** Times around the ends of days: ordinary days, changes of summer time, and ends of years. */
export const moments = [
  '2025-12-31T22:59:59.999Z',
  '2025-12-31T23:00:00.000Z',
  '2026-01-01T11:00:00.000Z',
  '2026-01-01T22:59:59.999Z',
  '2026-03-28T22:59:59.999Z',
  '2026-03-28T23:00:00.000Z',
  '2026-03-29T00:59:59.999Z',
  '2026-03-29T01:00:00.000Z',
  '2026-03-29T21:59:59.999Z',
  '2026-03-29T22:00:00.000Z',
  '2026-10-24T21:59:59.999Z',
  '2026-10-24T22:00:00.000Z',
  '2026-10-25T22:59:59.999Z',
  '2026-10-25T23:00:00.000Z',
  '2026-12-31T23:00:00.000Z',
  '2026-12-31T23:59:59.999Z',
]

const days = [...new Set(moments.flatMap((at) => [berlin, 'UTC'].map((zone) => dayOf(at, zone))))].toSorted()

export const zones = fc.constantFrom(berlin, 'UTC', 'America/New_York', 'Pacific/Kiritimati')

/** A first and a last day, or one of them, or none. */
export const someDays = fc
  .tuple(fc.option(fc.constantFrom(...days)), fc.option(fc.constantFrom(...days)))
  .map(([one, other]): Pick<SourceFilters, 'date_from' | 'date_to'> => {
    const [date_from, date_to] = one !== null && other !== null && one > other ? [other, one] : [one, other]
    return { ...(date_from !== null && { date_from }), ...(date_to !== null && { date_to }) }
  })

export const optional = <Value extends string>(...values: Value[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined })

/** The filters that are set. */
export const set = (filters: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))

/** The ids of the expected rows, selected from all records, in the order of date and id. */
export function expectedIds(
  records: (Record<string, unknown> & { id: string })[],
  { date_from, date_to, ...values }: SourceFilters,
  zone: string,
  date: 'created_at' | 'due_at' | 'invoice_date' | 'date' = 'created_at',
): string[] {
  return records
    .filter((record) => {
      const day = date.endsWith('_at') ? dayOf(record[date] as string, zone) : (record[date] as string)
      return (
        (date_from === undefined || day >= date_from) &&
        (date_to === undefined || day <= date_to) &&
        Object.entries(values).every(([name, value]) => record[name] === value)
      )
    })
    .toSorted((one, other) => {
      const [a, b] = [one, other].map((record) => `${record[date]} ${record.id}`) as [string, string]
      return a < b ? -1 : 1
    })
    .map(({ id }) => id)
}

export const ids = (rows: Row[]) => rows.map(({ id }) => id)
