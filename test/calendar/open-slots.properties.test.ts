import { describe, expect, it } from 'vitest'
import { mergeIntervals, openSlots } from '#calendar/open-slots.ts'
import { isDayOff } from '#german-time/holidays.ts'
import { withOffset } from '#german-time/local-time.ts'
import { regions } from '#german-time/regions.ts'
import fc from '#test/support/properties.ts'

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Africa/Cairo',
  'Pacific/Auckland',
] as const
const firstMinute = Date.UTC(2026, 0, 1) / 60_000
const minute = fc.integer({ min: 0, max: 2 * 366 * 1_440 }).map((offset) => firstMinute + offset)
const iso = (at: number) => new Date(at * 60_000).toISOString()
const interval = fc
  .tuple(minute, fc.integer({ min: 1, max: 4_000 }))
  .map(([start, length]) => ({ start: iso(start), end: iso(start + length) }))

const search = fc
  .record({
    start: minute,
    minutes: fc.integer({ min: 1, max: 20 * 1_440 }),
    offsets: fc.array(fc.tuple(fc.integer({ min: -2_000, max: 29_000 }), fc.integer({ min: 1, max: 900 })), {
      maxLength: 40,
    }),
    duration_minutes: fc.integer({ min: 5, max: 480 }),
    step_minutes: fc.integer({ min: 1, max: 240 }),
    opens: fc.integer({ min: 0, max: 22 }),
    hours: fc.integer({ min: 1, max: 23 }),
    time_zone: fc.constantFrom(...zones),
    region: fc.constantFrom(...regions),
    limit: fc.integer({ min: 1, max: 200 }),
  })
  .map(({ start, minutes, offsets, opens, hours, ...rest }) => ({
    ...rest,
    range: { start: iso(start), end: iso(start + minutes) },
    busy: mergeIntervals(
      offsets.map(([offset, length]) => ({ start: iso(start + offset), end: iso(start + offset + length) })),
    ),
    working_hours: {
      start: `${String(opens).padStart(2, '0')}:00`,
      end: `${String(Math.min(24, opens + hours)).padStart(2, '0')}:00`,
    },
  }))

describe('whatever is searched, open slots', () => {
  it('do not overlap busy time, and are in the range, the working hours, on working days and on the step', () => {
    fc.assert(
      fc.property(search, (wanted) => {
        const { range, busy, duration_minutes, step_minutes, working_hours, time_zone, region } = wanted
        for (const { start, end } of openSlots(wanted)) {
          const local = withOffset(new Date(start), time_zone)
          const [hours = 0, minutes = 0] = local.slice(11, 16).split(':').map(Number)
          const closes = withOffset(new Date(Date.parse(end) - 1_000), time_zone)
          expect(busy.filter((one) => one.start < end && one.end > start)).toEqual([])
          expect(start >= range.start && end <= range.end).toBe(true)
          expect(Date.parse(end) - Date.parse(start)).toBe(duration_minutes * 60_000)
          expect((hours * 60 + minutes) % step_minutes).toBe(0)
          expect(local.slice(11, 16) >= working_hours.start).toBe(true)
          expect(closes.slice(11, 16) < working_hours.end).toBe(true)
          expect(closes.slice(0, 10)).toBe(local.slice(0, 10))
          expect(isDayOff(local.slice(0, 10), { region })).toBe(false)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('are in order, without repetition, and the first ones up to the limit', () => {
    fc.assert(
      fc.property(search, (wanted) => {
        const some = openSlots(wanted)
        const all = openSlots({ ...wanted, limit: 10_000 })
        expect(some).toEqual(all.slice(0, wanted.limit))
        expect(all.map(({ start }) => start)).toEqual([...new Set(all.map(({ start }) => start))].toSorted())
      }),
      { numRuns: 100 },
    )
  })
})

describe('joined intervals', () => {
  it('cover the same minutes, in order, apart from each other', () => {
    fc.assert(
      fc.property(
        fc.array(interval, { maxLength: 30 }),
        fc.array(minute, { maxLength: 50 }),
        (given, probes) => {
          const merged = mergeIntervals(given)
          const covers = (list: typeof given, at: string) =>
            list.some(({ start, end }) => start <= at && at < end)
          for (const probe of [...probes.map(iso), ...given.flatMap(({ start, end }) => [start, end])])
            expect(covers(merged, probe)).toBe(covers(given, probe))
          for (const [index, { start }] of merged.entries())
            if (index > 0) expect(start > (merged[index - 1]?.end ?? '')).toBe(true)
        },
      ),
    )
  })
})
