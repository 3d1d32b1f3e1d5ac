import { expect, test } from 'vitest'
import { calendarDateOf, dayNumberOf, germanDate } from '#german-time/calendar-date.ts'

test.each([
  ['1900-01-01', 'Montag, 01.01.1900'],
  ['1969-12-27', 'Samstag, 27.12.1969'],
  ['1969-12-31', 'Mittwoch, 31.12.1969'],
  ['1970-01-01', 'Donnerstag, 01.01.1970'],
  ['2000-02-29', 'Dienstag, 29.02.2000'],
  ['2026-11-29', 'Sonntag, 29.11.2026'],
])('the day %s is %s', (date, text) => {
  expect(germanDate(dayNumberOf(date))).toBe(text)
  expect(calendarDateOf(dayNumberOf(date))).toBe(date)
})
