import { expect, it } from 'vitest'
import { bookingPeriod } from '#exports/booking-period.ts'
import type { ExportConfigRecord } from '#exports/config-ports.ts'
import { exportQuery } from '#exports/export-query.ts'
import type { Schedule } from '#exports/schedule-schema.ts'
import { Failure } from '#kernel/failure.ts'

const today = '2026-11-22'

it.each([
  [{}, '2026-01-01', '2026-12-31'],
  [{ date_from: '2025-04-01' }, '2025-04-01', '2025-12-31'],
  [{ date_to: '2025-03-31' }, '2025-01-01', '2025-03-31'],
  [{ date_from: '1900-01-01' }, '1900-01-01', '1900-12-31'],
  [{ date_from: '2024-02-01', date_to: '2024-02-29' }, '2024-02-01', '2024-02-29'],
])('a batch of bookings with the filters %j goes from %s to %s', (filters, from, to) => {
  expect(bookingPeriod(filters, today)).toEqual({ from, to })
})

it.each([
  [{ date_to: '9999-12-31' }, 'date_to'],
  [{ date_from: '9999-01-01' }, 'date_from'],
  [{ date_from: '0001-01-02' }, 'date_from'],
  [{ date_to: '1899-12-31' }, 'date_to'],
])('a batch of bookings is refused where it would be of a year that no invoice has: %j', (filters, filter) => {
  expect(() => bookingPeriod(filters, today)).toThrow(
    expect.objectContaining({
      code: 'INVALID_FILTER',
      details: [{ path: `body.filters.${filter}`, message: expect.any(String) }],
    }),
  )
})

it('a batch of bookings is refused where its days lie in two years', () => {
  const attempt = () => bookingPeriod({ date_from: '2025-12-31', date_to: '2026-01-01' }, today)

  expect(attempt).toThrow(Failure)
  expect(attempt).toThrow(expect.objectContaining({ kind: 'invalid', code: 'INVALID_FILTER' }))
})

/** The first and the last day of a scheduled batch that is due at six o'clock on this day. */
async function daysOfRun(schedule: Schedule, dueOn: string, filters: object = {}) {
  const config = { source: 'invoices', csv_dialect: 'datev', filters, columns: null, schedule }
  const workspaces = { find: async () => ({ time_zone: 'Europe/Berlin' }) }
  const dueAt = new Date(`${dueOn}T05:00:00.000Z`)
  const { query } = await exportQuery(workspaces, config as unknown as ExportConfigRecord, dueAt, {
    dueAt,
    before: undefined,
  })
  return [query.filters.date_from, query.filters.date_to]
}

it.each<[Schedule, lastOfYear: string, first: string, second: string]>([
  [{ frequency: 'daily', time: '06:00' }, '2026-12-31', '2027-01-01', '2027-01-02'],
  [{ frequency: 'weekly', time: '06:00', weekday: 5 }, '2026-12-25', '2027-01-01', '2027-01-08'],
  [{ frequency: 'monthly', time: '06:00', day: 5 }, '2026-12-05', '2027-01-05', '2027-02-05'],
])('the first run of a year with %j has the bookings of the whole old year', async (schedule, ...dueOn) => {
  const oldYear = ['2026-01-01', '2026-12-31']

  const days = await Promise.all(dueOn.map((day) => daysOfRun(schedule, day)))

  expect(days).toEqual([oldYear, oldYear, ['2027-01-01', '2027-12-31']])
})

it('a schedule with a first day alone goes on after the year of that day; with a last day it does not', async () => {
  const monthly = { frequency: 'monthly', time: '06:00', day: 5 } as const
  const runs = (filters: object) =>
    Promise.all(['2027-01-05', '2027-02-05', '2028-02-05'].map((day) => daysOfRun(monthly, day, filters)))

  expect(await runs({ date_from: '2026-10-01' })).toEqual([
    ['2026-10-01', '2026-12-31'],
    ['2027-01-01', '2027-12-31'],
    ['2028-01-01', '2028-12-31'],
  ])
  expect(await runs({ date_to: '2026-12-31' })).toEqual(Array(3).fill(['2026-01-01', '2026-12-31']))
})
