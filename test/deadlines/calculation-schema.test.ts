import { describe, expect, test } from 'vitest'
import { calculate } from '#deadlines/calculate.ts'
import { CalculationBody, calculationInput } from '#deadlines/calculation-schema.ts'
import { Failure } from '#kernel/failure.ts'

const workspace = { time_zone: 'Europe/Berlin', holiday_region: 'DE-BW' } as const
const month = { unit: 'month', count: 1 } as const

/** The paths of what is wrong with a body; empty if it is taken. */
function faults(body: unknown): string[] {
  return CalculationBody.safeParse(body).error?.issues.map(({ path }) => path.join('.')) ?? []
}

describe('is taken:', () => {
  test.each([
    ['a preset', { event_date: '2026-11-02', preset: 'zpo_berufung' }],
    ['a period', { event_date: '2026-11-02', period: month }],
    ['the first and last day', { event_date: '2017-01-01', period: month }],
    ['the last day', { event_date: '2040-12-31', period: month }],
    ['the longest of each unit', { event_date: '2026-11-02', period: { unit: 'day', count: 36_500 } }],
    [
      'null for what is optional',
      { event_date: '2026-11-02', preset: null, period: month, start: null, region: null },
    ],
    [
      'a preset with its own direction',
      { event_date: '2026-11-02', preset: 'zpo_ladungsfrist', direction: 'backward' },
    ],
    [
      'a judgment that is served on the day of its pronouncement',
      { event_date: '2026-11-02', pronounced_on: '2026-11-02', preset: 'zpo_berufung' },
    ],
    ['unknown fields', { event_date: '2026-11-02', period: month, colour: 'red' }],
  ])('%s', (_, body) => {
    expect(faults(body)).toEqual([])
  })
})

describe('is refused, with the place of the fault:', () => {
  test.each([
    ['31 February', { event_date: '2026-02-31', period: month }, 'event_date'],
    ['a timestamp', { event_date: '2026-02-01T00:00:00Z', period: month }, 'event_date'],
    ['the day before the table', { event_date: '2016-12-31', period: month }, 'event_date'],
    ['the day after the table', { event_date: '2041-01-01', period: month }, 'event_date'],
    ['the year 10000', { event_date: '10000-01-01', period: month }, 'event_date'],
    ['no date', { period: month }, 'event_date'],
    ['no period', { event_date: '2026-11-02' }, 'preset'],
    ['both', { event_date: '2026-11-02', preset: 'zpo_berufung', period: month }, 'period'],
    ['an unknown preset', { event_date: '2026-11-02', preset: 'zpo_unknown' }, 'preset'],
    ['no days', { event_date: '2026-11-02', period: { unit: 'day', count: 0 } }, 'period.count'],
    ['half a day', { event_date: '2026-11-02', period: { unit: 'day', count: 0.5 } }, 'period.count'],
    ['36 501 days', { event_date: '2026-11-02', period: { unit: 'day', count: 36_501 } }, 'period.count'],
    ['5 201 weeks', { event_date: '2026-11-02', period: { unit: 'week', count: 5_201 } }, 'period.count'],
    ['1 201 months', { event_date: '2026-11-02', period: { unit: 'month', count: 1_201 } }, 'period.count'],
    ['a billion years', { event_date: '2026-11-02', period: { unit: 'year', count: 1e9 } }, 'period.count'],
    [
      'hours without the moment at which they begin',
      { event_date: '2026-11-02', period: { unit: 'hour', count: 1 } },
      'event_at',
    ],
    ...['2016-12-31T12:00:00Z', '2041-01-01T12:00:00Z', '9999-12-31T22:30:00Z'].map(
      (event_at): [string, object, string] => [
        `an event at ${event_at}, for whose year there are no holidays`,
        { event_at, period: { unit: 'hour', count: 24 } },
        'event_at',
      ],
    ),
    ['an unknown region', { event_date: '2026-11-02', period: month, region: 'DE-XX' }, 'region'],
    [
      'an unknown municipality',
      { event_date: '2026-11-02', period: month, municipality: 'Passau' },
      'municipality',
    ],
    [
      'another direction than the preset',
      { event_date: '2026-11-02', preset: 'zpo_berufung', direction: 'backward' },
      'direction',
    ],
    [
      'another start than the preset',
      { event_date: '2026-11-02', preset: 'zpo_berufung', start: 'start_of_day' },
      'start',
    ],
  ])('%s', (_, body, path) => {
    expect(faults(body)).toEqual([path])
  })
})

test('the region of the workspace applies if the body names none', () => {
  const body = CalculationBody.parse({ event_date: '2026-11-02', period: month })

  expect(calculationInput(body, workspace)).toMatchObject({ region: 'DE-BW', time_zone: 'Europe/Berlin' })
  expect(calculationInput({ ...body, region: 'DE-HH' }, workspace)).toMatchObject({ region: 'DE-HH' })
})

test('a municipality of Bayern with another region is refused rather than ignored', () => {
  const body = CalculationBody.parse({
    event_date: '2026-11-02',
    period: month,
    municipality: 'Augsburg',
    mariae_himmelfahrt: true,
  })

  expect(calculationInput({ ...body, region: 'DE-BY' }, workspace)).toMatchObject({
    municipality: 'Augsburg',
  })
  expect(() => calculationInput(body, workspace)).toThrow(Failure)
})

test.each([
  ['2040-12-31', { unit: 'year', count: 100 }, 'forward', '2140'],
  ['2040-12-31', { unit: 'day', count: 36_500 }, 'forward', '2140'],
  ['2017-01-01', { unit: 'month', count: 1_200 }, 'backward', '1916'],
] as const)('the widest request has an answer: %s, %o, %s', (event_date, period, direction, year) => {
  const body = CalculationBody.parse({ event_date, period, direction })

  const answer = calculate(calculationInput(body, workspace))

  expect(answer.calculated_date.slice(0, 4)).toBe(year)
  expect(answer.warnings.join()).toContain('2017 bis 2040')
})
