import { describe, expect, test } from 'vitest'
import { calculate, type PeriodChoice } from '#deadlines/calculate.ts'
import { type PresetKey, presets } from '#deadlines/presets.ts'
import type { Place } from '#german-time/holidays.ts'

type Request = PeriodChoice & Partial<Place> & { event_date: string }

/** The answer in Berlin, unless the request names another place. */
function due(request: Request) {
  return calculate({ region: 'DE-BE', region_source: 'request', time_zone: 'Europe/Berlin', ...request })
}

/**
 * Decided cases. If a decision is older than the holiday table, the same constellation of weekdays and holidays
 * is taken from a later year, and the test says so.
 */
describe('as the courts count', () => {
  test('a decision that counts as made known on a Saturday starts the period there (BSG, 06.05.2010 – B 14 AS 12/09 R; 2018 for 2007)', () => {
    // Posted on Wednesday 26 September; the third day after it is Saturday the 29th.
    const answer = due({ event_date: '2018-09-29', preset: 'sgg_klage', region: 'DE-BW' })

    expect(answer).toMatchObject({ calculated_date: '2018-10-29', due_date: '2018-10-29', shifted: false })
  })

  test('the end of one period does not move the start of the other (BAG, 25.04.2013 – 8 AZR 287/08; 2018 for 2007)', () => {
    // Served on 30 November; 30 December is a Sunday.
    const served = { event_date: '2018-11-30', region: 'DE-TH' } as const

    const revision = due({ ...served, preset: 'arbgg_revision' })
    const reasons = due({ ...served, preset: 'arbgg_revisionsbegruendung' })

    expect(revision).toMatchObject({
      calculated_date: '2018-12-30',
      due_date: '2018-12-31',
      due_at: '2018-12-31T23:59:59+01:00',
      shifted: true,
      shift_reason: 'Sonntag, 30.12.2018',
    })
    expect(reasons).toMatchObject({ due_date: '2019-01-30', shifted: false, shift_reason: null })
  })

  test('the same before the social courts (BSG, 28.11.1957 – 7 RAr 111/57; 2019 for 1957)', () => {
    // Served on 15 August; 15 September is a Sunday, 15 October a Tuesday.
    const served = { event_date: '2019-08-15', region: 'DE-HE' } as const

    expect(due({ ...served, preset: 'sgg_revision' }).due_date).toBe('2019-09-16')
    expect(due({ ...served, preset: 'sgg_revisionsbegruendung' }).due_date).toBe('2019-10-15')
  })

  test('the holiday counts at the seat of the court: Fronleichnam (BAG, 24.08.2011 – 8 AZN 808/11; 2022 for 2011)', () => {
    const served = { event_date: '2022-05-16', preset: 'arbgg_nichtzulassungsbeschwerde' } as const

    expect(due({ ...served, region: 'DE-TH' }).due_date).toBe('2022-06-16')
    expect(due({ ...served, region: 'DE-NW' }).due_date).toBe('2022-06-17')
  })

  test('the same with Allerheiligen (BSG, 08.11.1994 – 2 BU 184/94; 2022 for 1994)', () => {
    const served = {
      event_date: '2022-09-01',
      preset: 'sgg_nichtzulassungsbeschwerde_bsg_begruendung',
    } as const

    expect(due({ ...served, region: 'DE-HE' }).due_date).toBe('2022-11-01')
    expect(due({ ...served, region: 'DE-NW' }).due_date).toBe('2022-11-02')
  })

  test.each([
    ['Heiligabend', '2021-11-24', '2021-12-24'],
    ['Silvester', '2026-12-17', '2026-12-31'],
  ])('%s is a working day (OLG Frankfurt, 17.03.2022 – 5 UF 184/21)', (name, event_date, due_date) => {
    const preset = name === 'Silvester' ? 'famfg_beschwerde_einstweilige_anordnung' : 'famfg_beschwerde'

    const answer = due({ event_date, preset, region: 'DE-HE' })

    expect(answer).toMatchObject({ due_date, shifted: false })
    expect(answer.warnings.join()).toContain(name)
  })

  test('two months from service (BGH, 13.02.2020 – V ZB 99/19)', () => {
    expect(
      due({ event_date: '2018-02-16', preset: 'zpo_berufungsbegruendung', region: 'DE-NW' }).due_date,
    ).toBe('2018-04-16')
  })

  test('two months from service before the BFH (BFH, 15.12.2008 – VII B 171/08; 2018 for 2008)', () => {
    const reasons = due({
      event_date: '2018-07-17',
      preset: 'fgo_nichtzulassungsbeschwerde_begruendung',
      region: 'DE-BY',
    })

    expect(reasons.due_date).toBe('2018-09-17')
  })

  test('the fourth day counts for letters from 2025 on, the third for the last ones of 2024', () => {
    const received = (event_date: string) => due({ event_date, preset: 'ao_bekanntgabe_post' })

    expect(received('2024-12-31')).toMatchObject({ calculated_date: '2025-01-03', due_date: '2025-01-03' })
    expect(received('2024-12-31').warnings.join()).toContain('am dritten Tag')
    expect(received('2025-01-01')).toMatchObject({ calculated_date: '2025-01-05', due_date: '2025-01-06' })
    expect(received('2025-01-01').warnings.join()).not.toContain('am dritten Tag')
  })

  test('the fourth day after posting moves from a Saturday to Monday (§ 108 Abs. 3 AO; BFH, 14.10.2003 – IX R 68/98)', () => {
    expect(due({ event_date: '2025-06-10', preset: 'ao_bekanntgabe_post' })).toMatchObject({
      calculated_date: '2025-06-14',
      due_date: '2025-06-16',
    })
  })
})

describe('§§ 187, 188 BGB', () => {
  const month = { unit: 'month', count: 1 } as const

  test.each([
    ['2026-01-30', '2026-02-28', true],
    ['2026-01-31', '2026-02-28', true],
    ['2028-01-31', '2028-02-29', true],
    ['2026-01-28', '2026-02-28', false],
    ['2026-02-28', '2026-03-28', false],
    ['2026-03-31', '2026-04-30', true],
    ['2026-12-31', '2027-01-31', false],
  ])('a month from %s ends on %s', (event_date, calculated_date, missing) => {
    const answer = due({ event_date, period: month })

    expect(answer.calculated_date).toBe(calculated_date)
    expect(answer.steps.some(({ rule }) => rule === '§ 188 Abs. 3 BGB')).toBe(missing)
  })

  test.each([
    ['2026-01-31', '2026-02-28'],
    ['2026-02-01', '2026-02-28'],
    ['2026-03-01', '2026-03-31'],
    ['2026-03-31', '2026-04-30'],
    ['2026-04-15', '2026-05-14'],
  ])('a month whose first day is %s ends on %s', (event_date, calculated_date) => {
    expect(due({ event_date, period: month, start: 'start_of_day' }).calculated_date).toBe(calculated_date)
  })

  test('days and weeks count from the day after the event, or with it', () => {
    const answers = (['after_event', 'start_of_day'] as const).flatMap((start) => [
      due({ event_date: '2026-11-02', period: { unit: 'day', count: 3 }, start }).calculated_date,
      due({ event_date: '2026-11-02', period: { unit: 'week', count: 2 }, start }).calculated_date,
    ])

    expect(answers).toEqual(['2026-11-05', '2026-11-16', '2026-11-04', '2026-11-15'])
  })

  test('a year from a leap day ends on 28 February', () => {
    expect(due({ event_date: '2024-02-29', period: { unit: 'year', count: 1 } }).calculated_date).toBe(
      '2025-02-28',
    )
  })

  test('the start may be a day off', () => {
    expect(due({ event_date: '2026-12-25', period: { unit: 'week', count: 2 } }).due_date).toBe('2027-01-08')
  })
})

describe('the end moves', () => {
  test('over a weekend between two holidays, to the first working day', () => {
    // Karfreitag to Ostermontag 2026.
    expect(due({ event_date: '2026-03-20', period: { unit: 'week', count: 2 } })).toMatchObject({
      calculated_date: '2026-04-03',
      due_date: '2026-04-07',
      shift_reason:
        'Karfreitag (Freitag, 03.04.2026); Samstag, 04.04.2026; Sonntag, 05.04.2026; Ostermontag (Montag, 06.04.2026)',
    })
  })

  test('from Sunday 5 September 2027 to Monday', () => {
    expect(due({ event_date: '2027-08-05', preset: 'zpo_berufung' }).due_date).toBe('2027-09-06')
  })

  test('in Augsburg from the Friedensfest, elsewhere in Bayern not', () => {
    const request = {
      event_date: '2025-07-08',
      period: { unit: 'month', count: 1 },
      region: 'DE-BY',
    } as const

    expect(due({ ...request, municipality: 'Augsburg' }).due_date).toBe('2025-08-11')
    expect(due(request).due_date).toBe('2025-08-08')
  })

  test('from Mariä Himmelfahrt only if it is a holiday in the municipality', () => {
    const request = {
      event_date: '2025-07-15',
      period: { unit: 'month', count: 1 },
      region: 'DE-BY',
    } as const

    expect(due({ ...request, mariae_himmelfahrt: true }).due_date).toBe('2025-08-18')
    expect(due({ ...request, municipality: 'Augsburg' }).due_date).toBe('2025-08-18')
    expect(due(request)).toMatchObject({
      due_date: '2025-08-15',
      warnings: [expect.stringContaining('in Gemeinden mit überwiegend katholischer Bevölkerung')],
    })
  })
})

describe('backwards', () => {
  const backward = { direction: 'backward' } as const

  test('a week before Friday the 20th is Thursday the 12th', () => {
    expect(due({ event_date: '2026-11-20', period: { unit: 'week', count: 1 }, ...backward })).toMatchObject({
      calculated_date: '2026-11-12',
      due_date: '2026-11-12',
      shifted: false,
    })
  })

  test('a day off moves the day to the working day before', () => {
    // A week before Monday 2 November 2026: Sunday 25 October.
    expect(due({ event_date: '2026-11-02', period: { unit: 'week', count: 1 }, ...backward })).toMatchObject({
      calculated_date: '2026-10-25',
      due_date: '2026-10-23',
      shift_reason: 'Sonntag, 25.10.2026; Samstag, 24.10.2026',
    })
  })

  test.each([
    ['after_event', '2026-04-01', '2026-02-28'],
    ['after_event', '2026-03-31', '2026-02-27'],
    ['start_of_day', '2026-02-28', '2026-01-31'],
    ['start_of_day', '2026-12-31', '2026-11-30'],
  ] as const)('a month, %s %s, must be begun after %s', (start, event_date, calculated_date) => {
    expect(due({ event_date, period: { unit: 'month', count: 1 }, start, ...backward }).calculated_date).toBe(
      calculated_date,
    )
  })

  test('three days before the hearing', () => {
    expect(due({ event_date: '2026-11-20', preset: 'zpo_gegenerklaerung_vor_termin' }).calculated_date).toBe(
      '2026-11-16',
    )
  })
})

describe('the reasoning', () => {
  test('names each provision, with the day it leads to', () => {
    const { steps } = due({ event_date: '2026-01-31', preset: 'vwgo_widerspruch', region: 'DE-BY' })

    expect(steps.map(({ rule, date }) => [rule, date])).toEqual([
      ['§ 187 Abs. 1 BGB', '2026-02-01'],
      ['§ 188 Abs. 2 BGB', '2026-02-28'],
      ['§ 188 Abs. 3 BGB', '2026-02-28'],
      ['§ 222 Abs. 2 ZPO', '2026-03-02'],
    ])
    expect(steps[0]?.text).toBe(
      'Der Tag des Ereignisses (Samstag, 31.01.2026) zählt nicht mit; die Frist beginnt am Sonntag, 01.02.2026 (anwendbar nach § 57 Abs. 2 VwGO).',
    )
  })

  test.each<[PresetKey, string[]]>([
    ['stpo_revision', ['§§ 42, 43 Abs. 1 StPO', '§ 43 Abs. 1 StPO', '§ 43 Abs. 2 StPO']],
    ['sgg_klage', ['§ 64 Abs. 1 SGG', '§ 64 Abs. 2 SGG', '§ 64 Abs. 3 SGG']],
    ['ao_einspruch', ['§ 187 Abs. 1 BGB', '§ 188 Abs. 2 BGB', '§ 108 Abs. 3 AO']],
    ['stgb_strafantrag', ['§ 77b Abs. 2 StGB', '§ 188 Abs. 2 BGB', '§ 77b Abs. 1 StGB']],
    ['bgb_widerruf', ['§ 187 Abs. 1 BGB', '§ 188 Abs. 1 BGB', '§ 193 BGB']],
  ])('%s is counted by its own law', (preset, rules) => {
    expect(due({ event_date: '2026-11-02', preset }).steps.map(({ rule }) => rule)).toEqual(rules)
  })
})

describe('a warning', () => {
  function warnings(request: Request): string {
    return due(request).warnings.join('\n')
  }

  test('is not given for an ordinary period', () => {
    expect(due({ event_date: '2026-11-02', period: { unit: 'week', count: 2 } }).warnings).toEqual([])
  })

  test('says that a Notfrist cannot be extended', () => {
    expect(warnings({ event_date: '2026-11-02', preset: 'zpo_berufung' })).toContain('Notfrist')
    expect(warnings({ event_date: '2026-11-02', preset: 'vwgo_zulassung_berufung_begruendung' })).toContain(
      'nicht verlängern',
    )
    // Nobody asks for more time before a hearing: the summons must come a week earlier.
    for (const preset of ['zpo_berufungsbegruendung', 'zpo_ladungsfrist'] as const)
      expect(warnings({ event_date: '2026-11-02', preset })).not.toMatch(/Notfrist|nicht verlängern/)
  })

  test('says when a decision sent by post counts as made known', () => {
    expect(warnings({ event_date: '2026-11-02', preset: 'ao_einspruch' })).toContain('am vierten Tag')
    expect(warnings({ event_date: '2026-11-02', preset: 'vwgo_klage' })).not.toContain('einfachem Brief')
    expect(warnings({ event_date: '2026-11-02', preset: 'sgg_klage' })).toContain('im Sozialrecht nicht (BSG')
    expect(warnings({ event_date: '2024-11-04', preset: 'ao_bekanntgabe_post' })).toContain('am dritten Tag')
    expect(warnings({ event_date: '2026-11-03', preset: 'ao_bekanntgabe_post' })).not.toContain('am dritten')
  })

  test('names the cases in which another period applies, after everything else', () => {
    expect(due({ event_date: '2026-11-02', preset: 'vwgo_klage' }).warnings.at(-1)).toContain(
      'Nicht in Asylsachen: Dort gelten kürzere Fristen (§§ 36, 74, 78 AsylG).',
    )
    for (const { key, note } of presets.filter((preset) => preset.note !== undefined))
      expect(due({ event_date: '2026-11-02', preset: key as PresetKey }).warnings.at(-1)).toBe(note)
  })

  test('says that the day ends earlier in Germany than at the firm', () => {
    const request = { event_date: '2026-03-02', period: { unit: 'week', count: 3 } } as const
    const inZone = (time_zone: string) =>
      calculate({ ...request, region: 'DE-BE', region_source: 'request', time_zone }).warnings.join()

    // 23:59:59 in New York on 23 March is 04:59:59 on the 24th in Berlin.
    expect(inZone('America/New_York')).toContain('(America/New_York) schon um 18:59 Uhr')
    expect(inZone('UTC')).toContain('(UTC) schon um 22:59 Uhr')
    for (const zone of ['Europe/Berlin', 'Europe/Vienna', 'Europe/Athens']) expect(inZone(zone)).toBe('')
  })

  test('points at the seat of the court when a holiday of some Länder moved the end', () => {
    const toAllerheiligen = { event_date: '2022-10-01', period: { unit: 'month', count: 1 } } as const

    expect(warnings({ ...toAllerheiligen, region: 'DE-BY' })).toContain('Sitz des Gerichts')
    expect(warnings({ event_date: '2026-04-01', period: { unit: 'month', count: 1 } })).toBe('')
  })

  test('names the seats of courts that Länder share', () => {
    // Frauentag, Monday 8 March 2027, is a holiday in Berlin but not in Cottbus, the seat of the Finanzgericht.
    expect(warnings({ event_date: '2027-02-08', preset: 'fgo_klage', region: 'DE-BE' })).toContain(
      'das Finanzgericht in Cottbus',
    )
    // Reformationstag, Tuesday 31 October 2028.
    for (const region of ['DE-NI', 'DE-HB'] as const)
      expect(warnings({ event_date: '2028-10-17', preset: 'sgg_anhoerungsruege', region })).toContain(
        'in Celle',
      )
  })

  test('is silent about a holiday that fell on a weekend', () => {
    // 1 November 2026 is a Sunday.
    expect(warnings({ event_date: '2026-10-01', period: { unit: 'month', count: 1 }, region: 'DE-BY' })).toBe(
      '',
    )
  })

  test('points at Fronleichnam in parts of Sachsen and Thüringen', () => {
    const request = { event_date: '2026-05-28', period: { unit: 'week', count: 1 } } as const

    expect(warnings({ ...request, region: 'DE-SN' })).toContain('Bautzen')
    expect(warnings({ ...request, region: 'DE-TH' })).toContain('Eichsfeld')
  })

  test('says what § 193 BGB does not do backwards', () => {
    const request = { event_date: '2026-11-02', period: { unit: 'week', count: 1 } } as const

    expect(warnings({ ...request, direction: 'backward' })).toContain('III ZR 172/04')
    expect(warnings({ ...request, direction: 'forward' })).toBe('')
  })

  test('says that holidays after 2040 must be checked', () => {
    expect(warnings({ event_date: '2026-11-02', period: { unit: 'year', count: 30 } })).toContain(
      '2017 bis 2040',
    )
    expect(warnings({ event_date: '2026-11-02', period: { unit: 'year', count: 14 } })).toBe('')
  })
})

test('the due time is the end of the day in the time zone, in summer and in winter', () => {
  const request = {
    event_date: '2026-03-02',
    period: { unit: 'week', count: 3 },
    region: 'DE-BE',
    region_source: 'request',
  } as const

  expect(calculate({ ...request, time_zone: 'Europe/Berlin' }).due_at).toBe('2026-03-23T23:59:59+01:00')
  expect(calculate({ ...request, event_date: '2026-03-09', time_zone: 'Europe/Berlin' }).due_at).toBe(
    '2026-03-30T23:59:59+02:00',
  )
  expect(calculate({ ...request, time_zone: 'America/New_York' }).due_at).toBe('2026-03-23T23:59:59-04:00')
})
