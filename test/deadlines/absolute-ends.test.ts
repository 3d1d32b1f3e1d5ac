import { describe, expect, test } from 'vitest'
import { CalculationBody } from '#deadlines/calculation-schema.ts'
import type { PresetKey } from '#deadlines/presets.ts'
import { calculationWithRelated } from '#deadlines/related.ts'
import type { Region } from '#german-time/regions.ts'

/** The answer of the interface to a firm in this Land. */
function answer(body: Record<string, unknown>, holiday_region: Region = 'DE-BE') {
  return calculationWithRelated(CalculationBody.parse(body), { time_zone: 'Europe/Berlin', holiday_region })
}

const due = (body: Record<string, unknown>, region?: Region) => answer(body, region).due_date

describe('five months after pronouncement (F19)', () => {
  // Pronounced on 30 September 2025: five months end on Saturday 28 February 2026, which stays (Haufe, § 66 ArbGG Rz 30).
  const late = { pronounced_on: '2025-09-30' }

  test.each<[PresetKey, string]>([
    // A month after 28 February is Saturday 28 March: Monday the 30th. Chained from a moved end it would be 2 April.
    ['arbgg_berufung', '2026-03-30'],
    ['zpo_berufung', '2026-03-30'],
    // Two months after it is Tuesday 28 April; chained from a moved end it would be 4 May.
    ['arbgg_berufungsbegruendung', '2026-04-28'],
    ['zpo_berufungsbegruendung', '2026-04-28'],
  ])('%s ends on %s though the judgment was served later, or never', (preset, expected) => {
    expect(due({ ...late, preset, event_date: '2026-03-20' })).toBe(expected)
    expect(due({ ...late, preset })).toBe(expected)
  })

  // The years of BGH, 11.03.2015 – XII ZB 571/13, moved by five: pronounced on 29 August, served in July after it.
  test.each<[PresetKey, string]>([
    // Five months end on 29 January 2018; 29 February is missing: Wednesday the 28th.
    ['famfg_beschwerde', '2018-02-28'],
    // Two weeks after 29 January.
    ['famfg_beschwerde_einstweilige_anordnung', '2018-02-12'],
    // Two months after it: Thursday 29 March.
    ['famfg_beschwerdebegruendung', '2018-03-29'],
  ])('%s ends on %s though the order was never made known in writing', (preset, expected) => {
    expect(due({ preset, pronounced_on: '2017-08-29', event_date: '2018-07-19' })).toBe(expected)
  })

  test('leave an earlier end from service as it is', () => {
    const served = answer({ ...late, preset: 'zpo_berufung', event_date: '2025-10-06' })

    expect(served).toMatchObject({
      due_date: '2025-11-06',
      absolute: { due_date: '2026-03-30', decisive: false },
    })
    expect(served.steps.at(-1)?.date).toBe('2025-11-06')
  })

  test('are explained, with both ends', () => {
    const found = answer({ ...late, preset: 'zpo_berufung', event_date: '2026-03-20' })

    expect(found.absolute).toEqual({ statute: '§ 517 ZPO', due_date: '2026-03-30', decisive: true })
    expect(found.steps.map(({ date }) => date)).toContain('2026-04-20')
    expect(found.steps.map(({ text }) => text).join()).toContain('Samstag, 28.02.2026')
  })

  test('only begin the complaint of § 72b ArbGG', () => {
    expect(due({ preset: 'arbgg_sofortige_beschwerde_verspaetetes_urteil', event_date: '2025-09-30' })).toBe(
      '2026-03-30',
    )
  })
})

describe('absolute ends that close a period (F19)', () => {
  test.each<[PresetKey, Record<string, string>, string]>([
    // Six and seven months, § 544 Abs. 3, 4 ZPO: 28 February 2026 is a Saturday and stays.
    [
      'zpo_nichtzulassungsbeschwerde',
      { pronounced_on: '2025-08-31', event_date: '2026-02-20' },
      '2026-02-28',
    ],
    [
      'zpo_nichtzulassungsbeschwerde_begruendung',
      { pronounced_on: '2025-08-31', event_date: '2026-02-20' },
      '2026-03-31',
    ],
    // A year after the missed end, § 234 Abs. 3 ZPO: Sunday 1 March 2026 stays.
    ['zpo_wiedereinsetzung', { missed_on: '2025-03-01', event_date: '2026-02-20' }, '2026-03-01'],
    ['zpo_wiedereinsetzung', { missed_on: '2025-03-01', event_date: '2025-05-02' }, '2025-05-16'],
    ['vwgo_wiedereinsetzung', { missed_on: '2025-03-03', event_date: '2026-02-25' }, '2026-03-03'],
    ['sgg_wiedereinsetzung', { missed_on: '2025-03-03', event_date: '2026-02-25' }, '2026-03-03'],
    ['kschg_nachtraegliche_zulassung', { missed_on: '2025-09-03', event_date: '2026-02-25' }, '2026-03-03'],
    // A year after the announcement, § 321a Abs. 2 Satz 2 ZPO.
    ['zpo_anhoerungsruege', { announced_on: '2025-03-03', event_date: '2026-02-25' }, '2026-03-03'],
    // Three months after pronouncement, § 320 Abs. 2 Satz 3 ZPO.
    ['zpo_tatbestandsberichtigung', { pronounced_on: '2025-12-03', event_date: '2026-02-25' }, '2026-03-03'],
  ])('%s with %j ends on %s', (preset, dates, expected) => {
    expect(due({ preset, ...dates })).toBe(expected)
  })

  test.each([
    // A year after Saturday 1 March 2025 is Sunday 1 March 2026.
    [{ preset: 'zpo_wiedereinsetzung', missed_on: '2025-03-01', event_date: '2026-02-20' }],
    [{ preset: 'zpo_wiedereinsetzung', missed_on: '2025-03-01' }],
  ])('are warned of on a day off: %j', (body) => {
    expect(answer(body).warnings.join()).toContain('vorsorglich nicht verschoben')
  })

  test('are neither named nor warned of if their date is not given, though the end stays on a day off', () => {
    // Two weeks after Saturday 28 February 2026.
    const found = answer({ preset: 'zpo_wiedereinsetzung', event_date: '2026-02-28', shift: 'none' })

    expect(found).toMatchObject({ due_date: '2026-03-14', absolute: null })
    expect(found.warnings.join()).not.toContain('absolute Ende')
  })

  test('are not called the earlier end if both are on the same day', () => {
    const dates = { missed_on: '2025-03-03', event_date: '2026-02-17' }

    const { due_date, absolute } = answer({ preset: 'zpo_wiedereinsetzung', ...dates })

    expect([due_date, absolute?.due_date, absolute?.decisive]).toEqual(['2026-03-03', '2026-03-03', false])
  })

  test('say that they are only the last end if the event is not known yet', () => {
    const pronounced = { preset: 'zpo_berufung', pronounced_on: '2026-09-30' }

    const { warnings, related } = answer(pronounced)

    const alone = 'Gerechnet ist nur das späteste Ende'
    expect(warnings.join()).toContain(`${alone} (§ 517 ZPO). Mit dem Ereignis (Zustellung des Urteils)`)
    expect(related[0]?.warnings.join()).toContain(alone)
    expect(answer({ ...pronounced, event_date: '2026-10-12' }).warnings.join()).not.toContain(alone)
  })
})

describe('presumed delivery (F19)', () => {
  test.each<[PresetKey, string, string, string]>([
    // Posted on 3 March 2026: the fourth day is Saturday the 7th. The month ends on 7 April, after Easter.
    ['vwgo_widerspruch', '2026-03-03', '2026-03-07', '2026-04-07'],
    ['sgg_widerspruch', '2026-03-03', '2026-03-07', '2026-04-07'],
    ['vwgo_klage', '2026-03-03', '2026-03-07', '2026-04-07'],
    ['famfg_beschwerde', '2026-03-03', '2026-03-07', '2026-04-07'],
    // In tax law Saturday moves to Monday the 9th (§ 108 Abs. 3 AO).
    ['ao_einspruch', '2026-03-03', '2026-03-09', '2026-04-09'],
    // Posted before 2025 the third day counts: Thursday 2 January, the month after it ends on Monday 3 February.
    ['vwgo_widerspruch', '2024-12-30', '2025-01-02', '2025-02-03'],
    // The last letter of 2024, and the first of 2025, for which the fourth day counts: Sunday 5 January stays.
    ['vwgo_widerspruch', '2024-12-31', '2025-01-03', '2025-02-03'],
    ['vwgo_widerspruch', '2025-01-01', '2025-01-05', '2025-02-05'],
  ])('%s posted on %s counts as received on %s and ends on %s', (preset, posted_on, delivered_on, due_date) => {
    const found = answer({ preset, posted_on })

    expect(found).toMatchObject({ delivered_on, due_date })
    expect(due({ preset, event_date: delivered_on })).toBe(due_date)
  })
})

describe('the presumed delivery of the VwVfG', () => {
  // The Länder have laws of their own, and some replaced the third day by the fourth later than the Bund.
  test.each([
    { posted_on: '2026-03-03' },
    { event_date: '2026-03-07' },
  ])('says that the law of the Land may differ: %j', (event) => {
    for (const preset of ['vwgo_widerspruch', 'vwgo_klage_ohne_vorverfahren'])
      expect(answer({ preset, ...event }).warnings.join()).toContain('Landesrecht kann abweichen')
  })
})

describe('service by post in insolvency proceedings', () => {
  // A period from the day on which the letter came would end too late: its arrival does not matter.
  test('is named with the day on which it counts as served', () => {
    const { warnings } = answer({ preset: 'inso_sofortige_beschwerde', event_date: '2026-03-09' })

    expect(warnings.join()).toContain('am vierten Tag danach als zugestellt')
    expect(warnings.join()).toContain('§ 8 Abs. 1 Satz 3 InsO')
  })
})

describe('other beginnings and ends (F19)', () => {
  test.each<[PresetKey, string, string]>([
    // § 199 Abs. 1 BGB: with the end of 2026; three years later is Monday 31 December 2029.
    ['bgb_verjaehrung', '2026-05-12', '2029-12-31'],
    // Saturday 31 December 2033 stays.
    ['bgb_verjaehrung', '2030-01-02', '2033-12-31'],
    // Received in January: the end of the second calendar month after it, and three further months.
    ['bgb_mieterhoehung_zustimmung', '2026-01-15', '2026-03-31'],
    ['bgb_mieterhoehung_zustimmung', '2026-02-28', '2026-04-30'],
    ['bgb_mieterhoehung_klage', '2026-01-15', '2026-06-30'],
    ['bgb_verjaehrung_mietsache_vermieter', '2026-03-31', '2026-09-30'],
    ['bgb_betriebskosten_abrechnung', '2025-12-31', '2026-12-31'],
    // Full two months before the last day: 30 June for 31 August.
    ['bgb_widerspruch_kuendigung', '2026-08-31', '2026-06-30'],
    // The third Werktag: April 2027 begins on a Thursday; Saturday the 3rd counts.
    ['bgb_kuendigung_wohnraum', '2027-04-01', '2027-04-03'],
    // May Day and a Sunday do not count: Saturday 2 May, Monday and Tuesday.
    ['bgb_kuendigung_wohnraum', '2026-05-01', '2026-05-05'],
    ['bgb_kuendigung_wichtiger_grund', '2026-11-02', '2026-11-16'],
    ['zpo_beschwerde_prozesskostenhilfe', '2026-11-02', '2026-12-02'],
    ['zpo_vollziehung', '2026-11-02', '2026-12-02'],
    // Two weeks before the period for leaving ends on 31 August: 17 August.
    ['zpo_raeumungsfrist_verlaengerung', '2026-08-31', '2026-08-17'],
    // Two full weeks lie between the act and Monday 31 August: Sunday the 16th moves to Friday the 14th.
    ['zpo_raeumungsschutz', '2026-08-31', '2026-08-14'],
    ['sgg_wiedereinsetzung', '2026-11-02', '2026-12-02'],
    ['ao_wiedereinsetzung', '2026-11-02', '2026-12-02'],
    ['fgo_wiedereinsetzung', '2026-11-02', '2026-11-16'],
    ['famfg_wiedereinsetzung', '2026-11-02', '2026-11-16'],
    ['vwgo_wiedereinsetzung_begruendungsfrist', '2026-11-02', '2026-12-02'],
    ['asylg_klage', '2026-11-02', '2026-11-16'],
    ['asylg_eilantrag', '2026-11-02', '2026-11-09'],
    ['asylg_zulassung_berufung', '2026-11-02', '2026-12-02'],
    ['vwgo_gerichtsbescheid', '2026-11-02', '2026-12-02'],
    ['gkg_streitwertbeschwerde', '2026-11-02', '2027-05-03'],
    ['rvg_beschwerde_wertfestsetzung', '2026-11-02', '2026-11-16'],
    ['rpflg_erinnerung', '2026-11-02', '2026-11-16'],
    ['zvg_einstellung', '2026-11-02', '2026-11-16'],
    ['betrvg_wahlanfechtung', '2026-11-02', '2026-11-16'],
    ['betrvg_anhoerung_ordentliche_kuendigung', '2026-11-02', '2026-11-09'],
    ['betrvg_anhoerung_ausserordentliche_kuendigung', '2026-11-02', '2026-11-05'],
    ['stpo_berufungsbegruendung', '2026-11-02', '2026-11-09'],
    ['stpo_wiedereinsetzung_ausbleiben', '2026-11-02', '2026-11-09'],
    ['stpo_entscheidung_revisionsgericht', '2026-11-02', '2026-11-09'],
    ['stpo_gegenerklaerung', '2026-11-02', '2026-11-16'],
    ['stpo_anhoerungsruege_revision', '2026-11-02', '2026-11-09'],
    ['stpo_kostenbeschwerde', '2026-11-02', '2026-11-09'],
  ])('%s from %s ends on %s', (preset, event_date, expected) => {
    expect(due({ preset, event_date })).toBe(expected)
  })

  test('a notice period stays on a day off (BGH, 17.02.2005 – III ZR 172/04)', () => {
    const period = { unit: 'week', count: 2 }

    const moved = answer({ event_date: '2026-02-28', period })
    const stays = answer({ event_date: '2026-02-28', period, shift: 'none' })

    expect([moved.due_date, stays.due_date]).toEqual(['2026-03-16', '2026-03-14'])
    expect(stays.shifted).toBe(false)
    expect(moved.steps.at(-1)?.text).toContain('Kündigungsfristen')
  })

  test('asylum periods warn that the law has changed since they were read', () => {
    expect(answer({ preset: 'asylg_klage', event_date: '2026-11-02' }).warnings[0]).toContain('29.04.2026')
  })

  // § 74 Abs. 2 Satz 1 AsylG: a month from the same service, whichever of the two periods the action has.
  test.each(['asylg_klage', 'asylg_klage_eine_woche'])('%s is followed by its reasons', (preset) => {
    expect(answer({ preset, event_date: '2026-11-02' }).related).toMatchObject([
      { preset: 'asylg_klagebegruendung', due_date: '2026-12-02' },
    ])
  })
})

describe('hours (§ 222 Abs. 3 ZPO)', () => {
  const hours = (event_at: string, count: number, more = {}) =>
    answer({ event_at, period: { unit: 'hour', count }, ...more })

  test('skip Saturdays, Sundays and holidays, to the minute', () => {
    // Friday 6 March 2026, 15:30: nine hours until midnight are eight and a half; the rest is on Monday.
    expect(hours('2026-03-06T15:30:00+01:00', 24).due_at).toBe('2026-03-09T15:30:00+01:00')
    // Thursday 2 April 2026 before Good Friday: goes on after Easter Monday.
    expect(hours('2026-04-02T10:15:00+02:00', 24)).toMatchObject({
      due_at: '2026-04-07T10:15:00+02:00',
      due_date: '2026-04-07',
      calculated_date: '2026-04-03',
      shifted: true,
    })
  })

  test('end with the day whose last hour is theirs, never with the day off after it', () => {
    // Friday 6 March 2026, from 00:00: 24 hours are that day, which ends at 24:00, and Saturday is no part of it.
    expect(hours('2026-03-06T00:00:00+01:00', 24)).toMatchObject({
      due_at: '2026-03-06T23:59:59+01:00',
      due_date: '2026-03-06',
      calculated_date: '2026-03-06',
      shifted: false,
    })
    // Three hours from Friday 21:00.
    expect(hours('2026-03-06T21:00:00+01:00', 3)).toMatchObject({ due_date: '2026-03-06', shifted: false })
  })

  test('begin with the first hour that counts if the event is on a day off', () => {
    expect(hours('2026-03-07T12:00:00+01:00', 3).due_at).toBe('2026-03-09T03:00:00+01:00')
  })

  test('count all days without a shift, and real hours when summer time begins', () => {
    expect(hours('2026-03-28T20:00:00+01:00', 24, { shift: 'none' }).due_at).toBe('2026-03-29T21:00:00+02:00')
  })
})

describe('related periods (F19)', () => {
  test('are what the second stage would be alone, at its own court', () => {
    const served = { event_date: '2026-09-18', pronounced_on: '2026-08-04' }

    const both = answer({ ...served, preset: 'zpo_berufung', region: 'DE-BY' })
    const alone = answer({ ...served, preset: 'zpo_berufungsbegruendung', region: 'DE-BY' })
    const revision = answer({ event_date: '2026-09-18', preset: 'vwgo_revision' })

    const { related: _, ...second } = alone
    expect(both.related).toEqual([
      {
        preset: 'zpo_berufungsbegruendung',
        name: 'Berufungsbegründung',
        statute: '§ 520 Abs. 2 ZPO',
        ...second,
      },
    ])
    // Buß- und Bettag at the Bundesverwaltungsgericht, not at the court below.
    expect(revision.related[0]).toMatchObject({ region: 'DE-SN', due_date: '2026-11-19' })
    expect(alone.related).toEqual([])
  })
})

describe('a place in the request belongs to the first stage', () => {
  test('and not of reasons that are due at another court', () => {
    // Judgment of the VGH München, served on 6 November 2026: the Revision is filed there, Sunday 6 December moves to
    // Monday the 7th. Its reasons go to Leipzig (§ 139 Abs. 3 Satz 2 VwGO): Wednesday 6 January 2027 is Heilige Drei Könige in
    // Bayern and a working day in Sachsen.
    const served = {
      event_date: '2026-11-06',
      preset: 'vwgo_revision',
      region: 'DE-BY',
      mariae_himmelfahrt: true,
    }

    const found = answer(served)

    expect(found).toMatchObject({ due_date: '2026-12-07', region: 'DE-BY', region_source: 'request' })
    expect(found.related).toMatchObject([
      { due_date: '2027-01-06', region: 'DE-SN', region_source: 'court', shifted: false },
    ])
  })

  test('but to both if both are due at the same court', () => {
    // A Revision that the Bayerisches Oberstes Landesgericht decides (§ 7 Abs. 1 EGZPO).
    const found = answer({ event_date: '2026-11-06', preset: 'zpo_revision', region: 'DE-BY' })

    expect(found.related).toMatchObject([
      { due_date: '2027-01-07', region: 'DE-BY', region_source: 'request' },
    ])
  })
})

describe('contradictions are refused, with their place:', () => {
  test.each([
    [{ preset: 'zpo_berufung', posted_on: '2026-03-03' }, 'posted_on'],
    [{ period: { unit: 'month', count: 1 }, posted_on: '2026-03-03' }, 'posted_on'],
    [{ preset: 'zpo_berufung', event_date: '2026-03-03', missed_on: '2026-03-01' }, 'missed_on'],
    [{ preset: 'vwgo_klage', event_date: '2026-03-03', pronounced_on: '2026-03-01' }, 'pronounced_on'],
    [{ preset: 'zpo_berufung', event_date: '2026-03-03', pronounced_on: '2026-03-04' }, 'event_date'],
    [{ preset: 'ao_einspruch', event_date: '2026-03-03', posted_on: '2026-03-01' }, 'posted_on'],
    [{ preset: 'zpo_berufung' }, 'event_date'],
    // The third Werktag of a month is not three Werktage from any day (§ 573c Abs. 1 Satz 1 BGB).
    [{ preset: 'bgb_kuendigung_wohnraum', event_date: '2026-11-20' }, 'event_date'],
    [{ period: { unit: 'hour', count: 1 }, event_date: '2026-03-03' }, 'event_at'],
    [{ period: { unit: 'day', count: 1 }, event_at: '2026-03-03T10:00:00Z' }, 'event_at'],
    [
      { period: { unit: 'hour', count: 1 }, event_at: '2026-03-03T10:00:00Z', direction: 'backward' },
      'direction',
    ],
    [{ preset: 'bgb_verjaehrung', event_date: '2026-03-03', shift: 'auto' }, 'shift'],
    [{ period: { unit: 'working_day', count: 1_001 }, event_date: '2026-03-03' }, 'period.count'],
    [{ period: { unit: 'hour', count: 8_761 }, event_at: '2026-03-03T10:00:00Z' }, 'period.count'],
  ])('%j', (body, path) => {
    const { error } = CalculationBody.safeParse(body)

    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
  })
})
