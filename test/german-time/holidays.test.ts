import Holidays from 'date-holidays'
import * as feiertage from 'feiertagejs'
import { describe, expect, test } from 'vitest'
import { calendarDateOf, dayNumber } from '#german-time/calendar-date.ts'
import {
  type Holiday,
  holidayOn,
  holidayYears,
  isDayOff,
  laender,
  type Place,
  partialHolidayOn,
} from '#german-time/holidays.ts'
import { type Region, regions } from '#german-time/regions.ts'

const years = Array.from(
  { length: holidayYears.last - holidayYears.first + 1 },
  (_, index) => holidayYears.first + index,
)

/** The holidays of a place in a year, by date. */
function holidaysOf(place: Place, year: number): (Holiday & { date: string })[] {
  const [first, next] = [dayNumber(year, 1, 1), dayNumber(year + 1, 1, 1)]
  const dates = Array.from({ length: next - first }, (_, index) => calendarDateOf(first + index))
  return dates.flatMap((date) => {
    const holiday = holidayOn(date, place)
    return holiday ? [{ date, ...holiday }] : []
  })
}

/** The dates of all holidays of a place in the years of the table. */
function ours(place: Place): string[] {
  return years.flatMap((year) => holidaysOf(place, year).map(({ date }) => date))
}

function dateHolidays(region: Region, part?: string): string[] {
  const calendar = part ? new Holidays('DE', region.slice(3), part) : new Holidays('DE', region.slice(3))
  const dates = years.flatMap((year) =>
    calendar
      .getHolidays(year)
      .filter(({ type }) => type === 'public')
      .map(({ date }) => date.slice(0, 10)),
  )
  return [...new Set(dates)].sort()
}

function feiertagejs(region: feiertage.Region): string[] {
  return [
    ...new Set(
      years.flatMap((year) => feiertage.getHolidays(year, region).map(({ dateString }) => dateString)),
    ),
  ].sort()
}

function difference(one: string[], other: string[]): string[] {
  const known = new Set(other)
  return one.filter((date) => !known.has(date))
}

describe('the table agrees with date-holidays for', () => {
  test.each(regions)('%s', (region) => {
    expect(ours({ region })).toEqual(dateHolidays(region))
  })

  test('Augsburg (Art. 1 Abs. 1 Nr. 2, Abs. 2 BayFTG)', () => {
    expect(ours({ region: 'DE-BY', municipality: 'Augsburg' })).toEqual(dateHolidays('DE-BY', 'A'))
  })

  test('municipalities of Bayern with Mariä Himmelfahrt (Art. 1 Abs. 1 Nr. 2 BayFTG)', () => {
    expect(ours({ region: 'DE-BY', mariae_himmelfahrt: true })).toEqual(dateHolidays('DE-BY', 'KATH'))
  })
})

describe('apart from known differences, the table agrees with feiertagejs for', () => {
  /** The differences in both directions, each with the law that explains it. */
  const onlyOurs: Partial<Record<Region, string[]>> = {
    // Holidays of a single year in Berlin, by laws that amended the FeiertG.
    'DE-BE': ['2020-05-08', '2025-05-08', '2028-06-17'],
  }
  const onlyTheirs: Partial<Record<Region, string[]>> = {
    // Art. 1 Abs. 1 Nr. 2 BayFTG: only in municipalities with more Catholic than Protestant inhabitants.
    'DE-BY': years.map((year) => `${year}-08-15`),
  }

  test.each(regions)('%s', (region) => {
    const theirs = feiertagejs(region.slice(3) as feiertage.Region)

    expect(difference(ours({ region }), theirs)).toEqual(onlyOurs[region] ?? [])
    expect(difference(theirs, ours({ region }))).toEqual(onlyTheirs[region] ?? [])
  })

  test('the Friedensfest of Augsburg (feiertagejs has a region for this city)', () => {
    const friedensfest = difference(
      ours({ region: 'DE-BY', municipality: 'Augsburg' }),
      ours({ region: 'DE-BY', mariae_himmelfahrt: true }),
    )

    expect(friedensfest).toEqual(feiertagejs('AUGSBURG').filter((date) => date.endsWith('-08-08')))
    expect(friedensfest).toHaveLength(years.length)
  })
})

test.each<[string, Region, string | undefined]>([
  ['2017-10-31', 'DE-BW', 'Reformationstag'],
  ['2018-10-31', 'DE-BW', undefined],
  ['2018-10-31', 'DE-HH', 'Reformationstag'],
  ['2018-03-08', 'DE-BE', undefined],
  ['2019-03-08', 'DE-BE', 'Frauentag'],
  ['2022-03-08', 'DE-MV', undefined],
  ['2023-03-08', 'DE-MV', 'Frauentag'],
  ['2018-09-20', 'DE-TH', undefined],
  ['2019-09-20', 'DE-TH', 'Weltkindertag'],
  ['2025-05-08', 'DE-BE', 'Tag der Befreiung'],
  ['2026-05-08', 'DE-BE', undefined],
  ['2026-06-04', 'DE-HE', 'Fronleichnam'],
  ['2026-06-04', 'DE-NI', undefined],
  ['2026-11-18', 'DE-SN', 'Buß- und Bettag'],
  ['2026-11-18', 'DE-BY', undefined],
  ['2026-08-15', 'DE-SL', 'Mariä Himmelfahrt'],
  ['2026-12-24', 'DE-BY', undefined],
  ['2026-12-31', 'DE-BY', undefined],
])('%s in %s is %s', (date, region, name) => {
  expect(holidayOn(date, { region })?.name).toBe(name)
})

test('a day that is a holiday for two reasons has the name of the first rule', () => {
  // 1 May 2008 was also Christi Himmelfahrt. The year is outside the table, and the rules still apply.
  expect(holidayOn('2008-05-01', { region: 'DE-BE' })?.name).toBe('Tag der Arbeit')
})

test('the fields for municipalities of Bayern are ignored in other Länder', () => {
  for (const region of regions.filter((region) => region !== 'DE-BY')) {
    expect(ours({ region, municipality: 'Augsburg', mariae_himmelfahrt: true })).toEqual(ours({ region }))
  }
})

test('a holiday that not all sixteen Länder have is regional', () => {
  const everywhere = years.map(
    (year) =>
      holidaysOf({ region: 'DE-BY', municipality: 'Augsburg' }, year).filter(({ regional }) => !regional)
        .length,
  )

  // Nine days are holidays in every Land; in 2017 also the Reformationstag.
  expect(everywhere).toEqual(years.map((year) => (year === 2017 ? 10 : 9)))
})

test('every holiday has a source', () => {
  for (const region of regions) {
    for (const { source } of holidaysOf({ region }, 2026)) expect(source).not.toBe('')
    expect(laender[region].statute).toMatch(/^(§|Art\.) \d/)
  }
})

describe('a holiday of only some municipalities is reported if it may apply', () => {
  test.each<[string, Place, string | undefined]>([
    ['2025-08-15', { region: 'DE-BY' }, 'Mariä Himmelfahrt'],
    ['2025-08-15', { region: 'DE-BY', mariae_himmelfahrt: true }, undefined],
    ['2025-08-15', { region: 'DE-BY', mariae_himmelfahrt: false }, undefined],
    ['2025-08-15', { region: 'DE-BY', municipality: 'Augsburg' }, undefined],
    ['2025-08-08', { region: 'DE-BY', mariae_himmelfahrt: true }, 'Augsburger Friedensfest'],
    ['2025-08-15', { region: 'DE-BW' }, undefined],
    ['2026-06-04', { region: 'DE-SN' }, 'Fronleichnam'],
    ['2026-06-04', { region: 'DE-TH' }, 'Fronleichnam'],
    ['2026-06-04', { region: 'DE-NW' }, undefined],
  ])('%s %o: %s', (date, place, name) => {
    expect(partialHolidayOn(date, place)?.name).toBe(name)
  })
})

test('Saturdays and Sundays are days off; 24 and 31 December on working days are not', () => {
  expect(isDayOff('2026-11-21', { region: 'DE-BE' })).toBe(true)
  expect(isDayOff('2026-11-22', { region: 'DE-BE' })).toBe(true)
  expect(isDayOff('2026-12-24', { region: 'DE-BE' })).toBe(false)
  expect(isDayOff('2026-12-31', { region: 'DE-BE' })).toBe(false)
})
