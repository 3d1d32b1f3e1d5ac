import { describe, expect, test } from 'vitest'
import {
  endOfLocalDay,
  instantOfLocalTime,
  localDateOf,
  sameLocalTimeDaysBefore,
  withOffset,
} from '#german-time/local-time.ts'
import fc from '#test/support/properties.ts'

const berlin = 'Europe/Berlin'

/** The local time, computed by the runtime instead of the code under test. */
function clock(instant: Date, timeZone: string): string {
  return instant.toLocaleString('sv-SE', { timeZone })
}

test.each([
  ['2026-01-15', berlin, '2026-01-15T23:59:59+01:00'],
  ['2026-07-15', berlin, '2026-07-15T23:59:59+02:00'],
  ['2026-03-28', berlin, '2026-03-28T23:59:59+01:00'],
  ['2026-03-29', berlin, '2026-03-29T23:59:59+02:00'],
  ['2026-10-24', berlin, '2026-10-24T23:59:59+02:00'],
  ['2026-10-25', berlin, '2026-10-25T23:59:59+01:00'],
  ['2026-07-15', 'UTC', '2026-07-15T23:59:59+00:00'],
  ['2026-07-15', 'America/St_Johns', '2026-07-15T23:59:59-02:30'],
  ['2026-07-15', 'Asia/Kathmandu', '2026-07-15T23:59:59+05:45'],
])('%s in %s ends at %s', (date, timeZone, end) => {
  expect(endOfLocalDay(date, timeZone)).toBe(end)
})

describe('the same local time some days earlier', () => {
  test('is 167 hours away for seven days if summer time begins in between', () => {
    const due = new Date('2026-04-02T23:59:59+02:00')

    expect(withOffset(sameLocalTimeDaysBefore(due, 7, berlin), berlin)).toBe('2026-03-26T23:59:59+01:00')
  })

  test('is 169 hours away for seven days if summer time ends in between', () => {
    const due = new Date('2026-10-28T10:15:00+01:00')

    expect(withOffset(sameLocalTimeDaysBefore(due, 7, berlin), berlin)).toBe('2026-10-21T10:15:00+02:00')
  })

  test('moves forward by the skipped time if that time does not exist', () => {
    const due = new Date('2026-04-05T02:30:00+02:00')

    expect(withOffset(sameLocalTimeDaysBefore(due, 7, berlin), berlin)).toBe('2026-03-29T03:30:00+02:00')
  })

  test('is the earlier moment if that time occurs twice', () => {
    const due = new Date('2026-11-01T02:30:00+01:00')

    expect(withOffset(sameLocalTimeDaysBefore(due, 7, berlin), berlin)).toBe('2026-10-25T02:30:00+02:00')
  })

  test('keeps milliseconds', () => {
    expect(sameLocalTimeDaysBefore(new Date('2026-06-08T10:00:00.123Z'), 1, berlin).toISOString()).toBe(
      '2026-06-07T10:00:00.123Z',
    )
  })

  test.each([
    berlin,
    'America/New_York',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'UTC',
  ])('is right in %s on any day', (timeZone) => {
    const minute = fc.integer({ min: Date.UTC(2017, 0, 1) / 60_000, max: Date.UTC(2040, 11, 31) / 60_000 })
    fc.assert(
      fc.property(minute, fc.integer({ min: 1, max: 90 }), (minute, days) => {
        const due = new Date(minute * 60_000)

        const before = sameLocalTimeDaysBefore(due, days, timeZone)

        const [dueDate = '', dueTime = ''] = clock(due, timeZone).split(' ')
        const [date = '', time = ''] = clock(before, timeZone).split(' ')
        expect((Date.parse(dueDate) - Date.parse(date)) / 86_400_000).toBe(days)
        const exists = clock(instantOfLocalTime(date, dueTime, timeZone), timeZone) === `${date} ${dueTime}`
        expect(exists ? time === dueTime : time > dueTime).toBe(true)
      }),
    )
  })
})

test.each([
  ['2026-03-29', '02:00', '2026-03-29T03:00:00+02:00'],
  ['2026-03-29', '02:59:59', '2026-03-29T03:59:59+02:00'],
  ['2026-03-29', '03:00', '2026-03-29T03:00:00+02:00'],
  ['2026-10-25', '02:00', '2026-10-25T02:00:00+02:00'],
  ['2026-10-25', '03:00', '2026-10-25T03:00:00+01:00'],
])('the local time %s %s in Berlin is the moment %s', (date, time, moment) => {
  expect(withOffset(instantOfLocalTime(date, time, berlin), berlin)).toBe(moment)
})

test('the date of a moment depends on the time zone', () => {
  const moment = new Date('2026-11-20T23:30:00Z')

  expect(localDateOf(moment, berlin)).toBe('2026-11-21')
  expect(localDateOf(moment, 'America/New_York')).toBe('2026-11-20')
})

test('German summer time agrees with the time zone data of the runtime in every year', () => {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: berlin,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  const hour = 3_600_000
  for (const year of [...Array.from({ length: 500 }, (_, index) => 1900 + index), 9998]) {
    const days = [1, 24, 25, 26, 27, 28, 29, 30, 31].flatMap((day) => [
      Date.UTC(year, 2, day, 1),
      Date.UTC(year, 9, day, 1),
    ])
    const middles = Array.from({ length: 12 }, (_, month) => Date.UTC(year, month, 15))
    for (const time of [...days.flatMap((at) => [at - hour, at - 1, at, at + hour]), ...middles]) {
      const shown = withOffset(new Date(time), berlin).slice(0, 19).replace('T', ' ')
      if (shown !== format.format(time)) expect(shown).toBe(format.format(time))
    }
  }
})
