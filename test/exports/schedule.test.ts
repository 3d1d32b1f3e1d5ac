import { describe, expect, test } from 'vitest'
import { nextRunAt } from '#exports/schedule.ts'
import { Schedule } from '#exports/schedule-schema.ts'
import fc from '#test/support/properties.ts'

const berlin = 'Europe/Berlin'

const next = (schedule: Schedule, after: string, timeZone = berlin) =>
  nextRunAt(schedule, new Date(after), timeZone).toISOString()

/** The local time, by the runtime's own calendar and not by the code under test: `2026-03-29 03:30`. */
function clock(instant: Date, timeZone: string): string {
  return instant.toLocaleString('sv-SE', { timeZone }).slice(0, 16)
}

describe('the next time of a schedule', () => {
  test.each([
    ['today, where its time is still to come', '2026-11-20T04:59:59.999Z', '2026-11-20T05:00:00.000Z'],
    ['tomorrow, at the very time', '2026-11-20T05:00:00.000Z', '2026-11-21T05:00:00.000Z'],
    ['an hour earlier in UTC in summer', '2026-07-01T12:00:00.000Z', '2026-07-02T04:00:00.000Z'],
    ['in the next year', '2026-12-31T22:59:00.000Z', '2027-01-01T05:00:00.000Z'],
  ])('of every day is %s', (_, after, expected) => {
    expect(next({ frequency: 'daily', time: '06:00' }, after)).toBe(expected)
  })

  test.each([
    [1, '2026-11-23T05:00:00.000Z'],
    [5, '2026-11-20T05:00:00.000Z'],
    [7, '2026-11-22T05:00:00.000Z'],
  ])('of weekday %i after a Thursday is on that day: 1 is Monday, 7 is Sunday', (weekday, expected) => {
    expect(next({ frequency: 'weekly', time: '06:00', weekday }, '2026-11-19T12:00:00.000Z')).toBe(expected)
  })

  test.each([
    [19, '2026-12-19T05:00:00.000Z'],
    [20, '2026-11-20T05:00:00.000Z'],
    [28, '2026-11-28T05:00:00.000Z'],
    [1, '2026-12-01T05:00:00.000Z'],
  ])('of day %i of the month, after the 19th, comes in this month or the next', (day, expected) => {
    expect(next({ frequency: 'monthly', time: '06:00', day }, '2026-11-19T12:00:00.000Z')).toBe(expected)
  })

  test('moves forward by the gap where the time does not exist, and is back on the day after', () => {
    const daily = { frequency: 'daily', time: '02:30' } as const

    expect(next(daily, '2026-03-28T12:00:00.000Z')).toBe('2026-03-29T01:30:00.000Z')
    expect(next(daily, '2026-03-29T01:30:00.000Z')).toBe('2026-03-30T00:30:00.000Z')
  })

  test('is the first of two where the time occurs twice, and the second is no other run', () => {
    const daily = { frequency: 'daily', time: '02:30' } as const

    expect(next(daily, '2026-10-24T12:00:00.000Z')).toBe('2026-10-25T00:30:00.000Z')
    expect(next(daily, '2026-10-25T00:30:00.000Z')).toBe('2026-10-26T01:30:00.000Z')
  })

  test('is found where the gap moves it into the day after', () => {
    // In Nuuk, summer time began on 29 March 2025 at 23:00, an hour before midnight.
    const daily = { frequency: 'daily', time: '23:30' } as const

    expect(next(daily, '2025-03-30T01:10:00.000Z', 'America/Nuuk')).toBe('2025-03-30T01:30:00.000Z')
  })

  const zones = [
    berlin,
    'UTC',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'America/Nuuk',
  ] as const
  const time = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
  const schedule = fc.oneof(
    fc.record({ frequency: fc.constant('daily' as const), time }),
    fc.record({ frequency: fc.constant('weekly' as const), time, weekday: fc.integer({ min: 1, max: 7 }) }),
    fc.record({ frequency: fc.constant('monthly' as const), time, day: fc.integer({ min: 1, max: 28 }) }),
  )
  const moment = fc.date({
    min: new Date('2024-01-01T00:00:00Z'),
    max: new Date('2030-01-01T00:00:00Z'),
    noInvalidDate: true,
  })

  test('is after the moment, and clocks show its time on its day, unless they skip that time', () => {
    fc.assert(
      fc.property(schedule, moment, fc.constantFrom(...zones), (one, after, zone) => {
        const at = nextRunAt(one, after, zone)

        expect(at.getTime()).toBeGreaterThan(after.getTime())
        const shown = clock(at, zone)
        const [date = '', hour] = shown.split(' ')
        const skipped = shown !== clock(new Date(at.getTime() - 3 * 3_600_000), zone) && hour !== one.time
        if (skipped) {
          // Three hours of real time pass, but clocks show more.
          const before = clock(new Date(at.getTime() - 3 * 3_600_000), zone)
          const passed =
            Date.parse(`${shown.replace(' ', 'T')}Z`) - Date.parse(`${before.replace(' ', 'T')}Z`)
          expect(passed).toBeGreaterThan(3 * 3_600_000)
          return
        }
        expect(hour).toBe(one.time)
        if (one.frequency === 'weekly')
          expect(((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7) + 1).toBe(one.weekday)
        if (one.frequency === 'monthly') expect(Number(date.slice(8))).toBe(one.day)
      }),
    )
  })

  test('from run to run, every day of the schedule has exactly one', () => {
    const year = fc.integer({ min: 2024, max: 2029 })
    fc.assert(
      fc.property(schedule, year, fc.constantFrom(...zones), (one, start, zone) => {
        const end = Date.UTC(start + 1, 0, 10)
        const days: string[] = []
        for (let at = new Date(Date.UTC(start, 0, 10)); at.getTime() < end; at = nextRunAt(one, at, zone))
          days.push(clock(at, zone).slice(0, 10))

        const runs = days.slice(1)
        expect(new Set(runs).size).toBe(runs.length)
        const expected = { daily: 365, weekly: 52, monthly: 12 }[one.frequency]
        expect(Math.abs(runs.length - expected)).toBeLessThanOrEqual(1)
      }),
      { numRuns: 30 },
    )
  })
})

describe('a schedule', () => {
  test.each([
    [{ frequency: 'daily', time: '24:00' }],
    [{ frequency: 'daily', time: '6:00' }],
    [{ frequency: 'daily' }],
    [{ frequency: 'weekly', time: '06:00' }],
    [{ frequency: 'weekly', time: '06:00', weekday: 0 }],
    [{ frequency: 'weekly', time: '06:00', weekday: 8 }],
    [{ frequency: 'monthly', time: '06:00' }],
    [{ frequency: 'monthly', time: '06:00', day: 29 }],
    [{ frequency: 'monthly', time: '06:00', day: 1.5 }],
    [{ frequency: 'yearly', time: '06:00' }],
    ['daily'],
  ])('of the form %j is refused', (input) => {
    expect(Schedule.safeParse(input).success).toBe(false)
  })

  test('keeps only what its frequency has', () => {
    const parsed = Schedule.parse({ frequency: 'daily', time: '06:00', weekday: 3, day: null })

    expect(parsed).toEqual({ frequency: 'daily', time: '06:00' })
  })
})
