import { describe, expect, it, test } from 'vitest'
import { dayOrMoment, dueInstant, rangeOf } from '#german-time/time-range.ts'

const read = (text: string) => dayOrMoment.parse(text)
const range = (from: string | undefined, to: string | undefined, zone = 'Europe/Berlin') =>
  rangeOf(
    { from: from === undefined ? undefined : read(from), to: to === undefined ? undefined : read(to) },
    zone,
  )

describe('a range of days', () => {
  it('includes the whole first and last day, also if they have 23 or 25 hours', () => {
    expect(range('2026-03-29', '2026-03-29')).toEqual({
      from: '2026-03-28T23:00:00.000Z',
      until: '2026-03-29T22:00:00.000Z',
    })
    expect(range('2026-10-25', '2026-10-25')).toEqual({
      from: '2026-10-24T22:00:00.000Z',
      until: '2026-10-25T23:00:00.000Z',
    })
  })

  it('begins with the first moment of a day that has no midnight because summer time begins', () => {
    expect(range('2026-04-24', undefined, 'Africa/Cairo')).toEqual({ from: '2026-04-23T22:00:00.000Z' })
  })

  it('has an open end if no date is given', () => {
    expect(range(undefined, undefined)).toEqual({})
    expect(range(undefined, '2026-01-01')).toEqual({ until: '2026-01-01T23:00:00.000Z' })
  })
})

test('an unescaped plus sign in a query is accepted, a time without an offset is not', () => {
  expect(read('2026-01-01T10:00:00 01:00')).toEqual({ moment: '2026-01-01T09:00:00.000Z' })
  for (const text of ['2026-01-01T10:00:00', '2026-01-01 10:00', '2026-01-01 01:00', '2026-01-01T10:00 1:00'])
    expect(dayOrMoment.safeParse(text).success).toBe(false)
})

test('a range of moments includes its last moment', () => {
  expect(range('2026-01-01T10:00:00Z', '2026-01-01T13:00:00+01:00')).toEqual({
    from: '2026-01-01T10:00:00.000Z',
    until: '2026-01-01T12:00:00.001Z',
  })
})

test('the first valid day is 1900-01-01 and the last is 9998-12-31', () => {
  for (const date of ['1900-01-01', '9998-12-31']) expect(read(date)).toEqual({ date })
  for (const date of ['1899-12-31', '9999-01-01']) expect(dayOrMoment.safeParse(date).success).toBe(false)
})

test('a range that ends before it begins, or at the same moment, is refused', () => {
  for (const to of ['2026-01-01T11:00:00+01:00', '2026-01-01T09:59:59Z'])
    expect(() => range('2026-01-01T10:00:00Z', to)).toThrow('`from` must be before `to`.')
})

test('a date is due in the last second of its day; a moment loses its milliseconds', () => {
  expect(dueInstant(read('2026-07-01'), 'Europe/Berlin')).toBe('2026-07-01T21:59:59.000Z')
  expect(dueInstant(read('2026-07-01T12:00:00.250+02:00'), 'Europe/Berlin')).toBe('2026-07-01T10:00:00.000Z')
})
