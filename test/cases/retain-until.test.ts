import moment from 'moment-timezone'
import { expect, it } from 'vitest'
import { activeHolds, closedAtAfter, retainUntil } from '#cases/retention-schema.ts'
import { keptReason } from '#parties/erasing.ts'
import { keptReasonOf } from '#retention/disposals.ts'
import { closedBefore } from '#retention/retention.ts'
import fc from '#test/support/properties.ts'

/** Time zones near and far from UTC, with and without summer time. */
const timeZones = [
  'Europe/Berlin',
  'Europe/Lisbon',
  'America/New_York',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kolkata',
]

/** Any moment, and moments around the turn of a year. */
const moments = fc.oneof(
  fc.date({
    min: new Date('1990-01-01T00:00:00Z'),
    max: new Date('2060-12-31T23:59:59Z'),
    noInvalidDate: true,
  }),
  fc
    .tuple(fc.integer({ min: 1990, max: 2060 }), fc.integer({ min: -16 * 3_600, max: 16 * 3_600 }))
    .map(([year, seconds]) => new Date(Date.UTC(year, 0, 1) + seconds * 1_000)),
)

it('a case is kept until the end of the sixth calendar year after its closing, as moment computes it', () => {
  fc.assert(
    fc.property(moments, fc.constantFrom(...timeZones), (closed, timeZone) => {
      const expected = moment(closed).tz(timeZone).add(6, 'years').endOf('year').format('YYYY-MM-DD')

      expect(retainUntil(closed.toISOString(), timeZone)).toBe(expected)
    }),
    { numRuns: 500 },
  )
})

it('the year of the closing is the year in the time zone of the firm', () => {
  const closed = '2026-12-31T23:30:00.000Z'

  expect(retainUntil(closed, 'Europe/Berlin')).toBe('2033-12-31')
  expect(retainUntil(closed, 'Europe/Lisbon')).toBe('2032-12-31')
})

it.each<[string | null, string, string, string | null]>([
  [null, 'active', 'closed', 'now'],
  ['before', 'closed', 'archived', 'before'],
  ['before', 'archived', 'closed', 'before'],
  ['before', 'closed', 'active', null],
  [null, 'active', 'archived', null],
  [null, 'archived', 'closed', 'now'],
  // An older release has reopened it.
  ['before', 'active', 'closed', 'now'],
])('a case with closed_at %s that changes from %s to %s then has closed_at %s', (closed_at, status, next, expected) => {
  expect(closedAtAfter({ status, closed_at }, next, 'now')).toBe(expected)
})

it.each([
  ['2033-01-01', '2026-12-31T23:00:00.000Z'],
  ['2032-12-31', '2025-12-31T23:00:00.000Z'],
  // DynamoDB refuses an empty text in a condition on a key.
  ['0003-01-01', '0'],
])('on %s, the cases that were closed before %s are due', (day, before) => {
  expect(closedBefore(day, 'Europe/Berlin')).toBe(before)
})

it.each([
  // Closed in the last millisecond of 2026 in Berlin, or in the first of 2027.
  ['2026-12-31T22:59:59.999Z', '2032-12-31', true],
  ['2026-12-31T22:59:59.999Z', '2033-01-01', false],
  ['2026-12-31T23:00:00.000Z', '2033-01-01', true],
  ['2026-12-31T23:00:00.000Z', '2033-12-31', true],
  ['2026-12-31T23:00:00.000Z', '2034-01-01', false],
])('a case that was closed at %s must still be kept on %s: %s', (closed_at, today, isKept) => {
  const one = {
    id: 'x',
    file_number: '0001/26',
    status: 'closed' as const,
    closed_at,
    deleted_at: null,
    holds: null,
  }
  const noon = new Date(`${today}T12:00:00+01:00`)

  expect(keptReasonOf(one, 'Europe/Berlin', noon)).toBe(isKept ? 'not_due' : null)
  expect(keptReason(one, 'Europe/Berlin', today)?.code).toBe(isKept ? 'RETENTION_APPLIES' : undefined)
})

it('a hold is active until the end of its last day', () => {
  const hold = (until: string | null) => ({
    id: 'hld_1',
    reason: 'Regress',
    until,
    created_at: '2026-01-01T00:00:00.000Z',
    created_by: 'usr_1',
  })

  expect(activeHolds([hold('2026-05-01'), hold(null), hold('2026-04-30')], '2026-05-01')).toEqual([
    hold('2026-05-01'),
    hold(null),
  ])
})
