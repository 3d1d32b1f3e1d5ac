import { describe, expect, test } from 'vitest'
import { calculate } from '#deadlines/calculate.ts'
import {
  CalculationAnswer,
  CalculationBody,
  calculationInput,
  PresetAnswer,
} from '#deadlines/calculation-schema.ts'
import { type PresetKey, presets } from '#deadlines/presets.ts'
import { calculationWithRelated } from '#deadlines/related.ts'
import { calculateDeadline } from '#functions/deadlines/endpoints.ts'
import type { Region } from '#german-time/regions.ts'
import { Failure } from '#kernel/failure.ts'

/** The answer of the interface to a firm in this Land. */
function answerIn(holiday_region: Region, body: Record<string, unknown>) {
  const workspace = { time_zone: 'Europe/Berlin', holiday_region }
  return CalculationAnswer.parse(calculate(calculationInput(CalculationBody.parse(body), workspace)))
}

/** By law the writing is due at the federal court itself. */
const duePresets: Record<string, PresetKey[]> = {
  // §§ 549, 551 Abs. 2, 544 Abs. 3, 575 Abs. 1 ZPO, § 71 Abs. 1 FamFG
  Bundesgerichtshof: [
    'zpo_revision',
    'zpo_revisionsbegruendung',
    'zpo_nichtzulassungsbeschwerde',
    'zpo_nichtzulassungsbeschwerde_begruendung',
    'zpo_rechtsbeschwerde',
    'zpo_rechtsbeschwerde_begruendung',
    'famfg_rechtsbeschwerde',
    'famfg_rechtsbeschwerde_begruendung',
  ],
  // § 23 Abs. 1 BVerfGG
  Bundesverfassungsgericht: [
    'bverfgg_verfassungsbeschwerde',
    'bverfgg_verfassungsbeschwerde_gesetz',
    'bverfgg_wiedereinsetzung',
  ],
  // § 72 Abs. 5 ArbGG with § 549 ZPO, § 72a Abs. 2 ArbGG
  Bundesarbeitsgericht: [
    'arbgg_revision',
    'arbgg_revisionsbegruendung',
    'arbgg_nichtzulassungsbeschwerde',
    'arbgg_nichtzulassungsbeschwerde_begruendung',
    // § 72b Abs. 2 ArbGG
    'arbgg_sofortige_beschwerde_verspaetetes_urteil',
    // § 92 Abs. 2 Satz 1, § 92a ArbGG
    'arbgg_rechtsbeschwerde_beschlussverfahren',
    'arbgg_rechtsbeschwerdebegruendung_beschlussverfahren',
    'arbgg_nichtzulassungsbeschwerde_beschlussverfahren',
    'arbgg_nichtzulassungsbeschwerdebegruendung_beschlussverfahren',
  ],
  // § 139 Abs. 3 Satz 2 VwGO; the Revision itself and the Nichtzulassungsbeschwerde are due at the court below
  Bundesverwaltungsgericht: ['vwgo_revisionsbegruendung'],
  // § 160a Abs. 1, § 164 Abs. 1 SGG
  Bundessozialgericht: [
    'sgg_nichtzulassungsbeschwerde_bsg',
    'sgg_nichtzulassungsbeschwerde_bsg_begruendung',
    'sgg_revision',
    'sgg_revisionsbegruendung',
  ],
  // § 116 Abs. 2, § 120 Abs. 1 FGO
  Bundesfinanzhof: [
    'fgo_nichtzulassungsbeschwerde',
    'fgo_nichtzulassungsbeschwerde_begruendung',
    'fgo_revision',
    'fgo_revisionsbegruendung',
  ],
}

test('exactly the presets whose act is due at a federal court name it', () => {
  const named = Object.groupBy(presets, ({ court }) => court?.name ?? 'none')

  for (const [name, keys] of Object.entries(duePresets))
    expect(named[name]?.map(({ key }) => key)).toEqual(keys)
  expect(Object.keys(named).toSorted()).toEqual([...Object.keys(duePresets), 'none'].toSorted())
})

test('the list of presets shows each court with its seat and region', () => {
  const seats = new Set(
    presets.flatMap((preset) => {
      const { court } = PresetAnswer.parse(preset)
      return court ? [`${court.name}, ${court.seat}, ${court.region}`] : []
    }),
  )

  expect([...seats].toSorted()).toEqual([
    'Bundesarbeitsgericht, Erfurt, DE-TH',
    'Bundesfinanzhof, München, DE-BY',
    'Bundesgerichtshof, Karlsruhe, DE-BW',
    'Bundessozialgericht, Kassel, DE-HE',
    'Bundesverfassungsgericht, Karlsruhe, DE-BW',
    'Bundesverwaltungsgericht, Leipzig, DE-SN',
  ])
})

describe('the holidays at the seat of the court apply, not the holidays of the firm:', () => {
  test.each<[PresetKey, Region, string, string, Region]>([
    // Fronleichnam, Thursday 4 June 2026: BAG, 24.08.2011 – 8 AZN 808/11.
    ['arbgg_nichtzulassungsbeschwerde', 'DE-BY', '2026-05-04', '2026-06-04', 'DE-TH'],
    ['arbgg_nichtzulassungsbeschwerde_begruendung', 'DE-BY', '2026-04-04', '2026-06-04', 'DE-TH'],
    ['arbgg_revision', 'DE-NW', '2026-05-04', '2026-06-04', 'DE-TH'],
    ['arbgg_revisionsbegruendung', 'DE-SL', '2026-04-04', '2026-06-04', 'DE-TH'],
    ['vwgo_revisionsbegruendung', 'DE-BY', '2026-04-04', '2026-06-04', 'DE-SN'],
    ['zpo_revision', 'DE-BE', '2026-05-04', '2026-06-05', 'DE-BW'],
    ['sgg_revision', 'DE-BE', '2026-05-04', '2026-06-05', 'DE-HE'],
    // Weltkindertag, Monday 20 September 2027, in Thüringen alone.
    ['arbgg_revision', 'DE-BY', '2027-08-20', '2027-09-21', 'DE-TH'],
    ['zpo_revision', 'DE-TH', '2027-08-20', '2027-09-20', 'DE-BW'],
    // Buß- und Bettag, Wednesday 18 November 2026, in Sachsen alone.
    ['vwgo_revisionsbegruendung', 'DE-BE', '2026-09-18', '2026-11-19', 'DE-SN'],
    ['sgg_revision', 'DE-SN', '2026-10-18', '2026-11-18', 'DE-HE'],
    // Allerheiligen, Wednesday 1 November 2028, not in Hessen: BSG, 08.11.1994 – 2 BU 184/94.
    ['sgg_nichtzulassungsbeschwerde_bsg', 'DE-NW', '2028-10-01', '2028-11-01', 'DE-HE'],
    ['zpo_nichtzulassungsbeschwerde', 'DE-HE', '2028-10-01', '2028-11-02', 'DE-BW'],
    ['zpo_rechtsbeschwerde', 'DE-HE', '2028-10-01', '2028-11-02', 'DE-BW'],
    // Reformationstag, Tuesday 31 October 2028.
    ['famfg_rechtsbeschwerde', 'DE-HH', '2028-09-30', '2028-10-30', 'DE-BW'],
    ['zpo_revisionsbegruendung', 'DE-HH', '2028-08-31', '2028-10-31', 'DE-BW'],
    // Heilige Drei Könige, Wednesday 6 January 2027.
    ['bverfgg_verfassungsbeschwerde', 'DE-BE', '2026-12-06', '2027-01-07', 'DE-BW'],
    ['bverfgg_verfassungsbeschwerde_gesetz', 'DE-BE', '2026-01-07', '2027-01-07', 'DE-BW'],
    // Mariä Himmelfahrt, Tuesday 15 August 2028: München keeps it, whether the firm's town does or not.
    ['fgo_nichtzulassungsbeschwerde', 'DE-BW', '2028-07-15', '2028-08-16', 'DE-BY'],
    ['fgo_revision', 'DE-BY', '2028-07-15', '2028-08-16', 'DE-BY'],
    ['zpo_revision', 'DE-SL', '2028-07-15', '2028-08-15', 'DE-BW'],
  ])('%s in a firm in %s from %s ends on %s', (preset, firm, event_date, due_date, region) => {
    expect(answerIn(firm, { preset, event_date })).toMatchObject({ due_date, region, region_source: 'court' })
  })
})

describe('elsewhere the firm counts:', () => {
  test.each<[PresetKey, string]>([
    // Due at the court whose judgment is challenged: § 133 Abs. 2 and 3, § 139 Abs. 1 VwGO, §§ 341, 345 StPO.
    ['vwgo_nichtzulassungsbeschwerde', '2026-05-04'],
    ['vwgo_nichtzulassungsbeschwerde_begruendung', '2026-04-04'],
    ['vwgo_revision', '2026-05-04'],
    ['stpo_revision', '2026-05-28'],
    ['stpo_revisionsbegruendung', '2026-05-04'],
    ['owig_rechtsbeschwerde', '2026-05-28'],
    ['zpo_berufung', '2026-05-04'],
  ])('%s from %s ends after Fronleichnam in Bayern', (preset, event_date) => {
    expect(answerIn('DE-BY', { preset, event_date })).toMatchObject({
      due_date: '2026-06-05',
      region: 'DE-BY',
      region_source: 'workspace',
    })
  })

  test('a period without preset', () => {
    const period = { unit: 'month', count: 1 }

    expect(answerIn('DE-BY', { period, event_date: '2026-05-04' })).toMatchObject({
      due_date: '2026-06-05',
      region_source: 'workspace',
    })
  })
})

describe('a region in the request', () => {
  const served = { preset: 'arbgg_nichtzulassungsbeschwerde', event_date: '2026-05-04' }

  test('beats the seat of the court', () => {
    expect(answerIn('DE-BE', { ...served, region: 'DE-BY' })).toMatchObject({
      due_date: '2026-06-05',
      region: 'DE-BY',
      region_source: 'request',
    })
  })

  test('that differs from the region of the court gets a warning', () => {
    // Reformationstag, Tuesday 31 October 2028: a holiday at the OLG Celle, none at the BGH.
    const reasons = { preset: 'zpo_revisionsbegruendung', event_date: '2028-08-31' }

    const wrong = answerIn('DE-NI', { ...reasons, region: 'DE-NI' })

    expect(wrong.due_date).toBe('2028-11-01')
    expect(wrong.warnings.join()).toContain(
      'beim Bundesgerichtshof in Karlsruhe (Baden-Württemberg) zu wahren',
    )
    for (const right of [reasons, { ...reasons, region: 'DE-BW' }])
      expect(answerIn('DE-NI', right).warnings.join()).not.toContain('zu wahren, gerechnet ist')
  })

  test('beats the workspace', () => {
    expect(answerIn('DE-BY', { ...served, preset: 'zpo_berufung', region: 'DE-TH' })).toMatchObject({
      due_date: '2026-06-04',
      region_source: 'request',
    })
  })

  test('left null or out leaves it to the court', () => {
    expect(answerIn('DE-BY', { ...served, region: null })).toEqual(answerIn('DE-BY', served))
  })

  test('comes with its own municipal holidays', () => {
    const tax = { preset: 'fgo_revision', event_date: '2028-07-15', region: 'DE-BY' }

    expect(answerIn('DE-BE', tax).due_date).toBe('2028-08-15')
    expect(answerIn('DE-BE', { ...tax, mariae_himmelfahrt: true }).due_date).toBe('2028-08-16')
  })
})

describe('a municipality of Bayern beside a court that sits elsewhere is refused:', () => {
  test.each([
    ['arbgg_revision', { municipality: 'Augsburg' }, ['body.municipality']],
    ['arbgg_revision', { mariae_himmelfahrt: true }, ['body.mariae_himmelfahrt']],
    ['fgo_revision', { municipality: 'Augsburg' }, ['body.municipality']],
  ])('%s with %o', (preset, more, paths) => {
    const failure = caught(() => answerIn('DE-BY', { preset, event_date: '2026-05-04', ...more }))

    expect(failure).toBeInstanceOf(Failure)
    expect((failure as Failure).details?.map(({ path }) => path)).toEqual(paths)
  })

  test('but Mariä Himmelfahrt beside the BFH says what is so', () => {
    const tax = { preset: 'fgo_revision', event_date: '2028-07-15' }

    expect(answerIn('DE-BE', { ...tax, mariae_himmelfahrt: true })).toEqual(answerIn('DE-BE', tax))
  })
})

describe('the answer explains the place:', () => {
  test('the last step names the court and its seat', () => {
    const { steps } = answerIn('DE-BY', { preset: 'arbgg_revision', event_date: '2026-05-04' })

    expect(steps.at(-1)?.text).toContain('in Thüringen (Bundesarbeitsgericht, Erfurt)')
  })

  test('a holiday of the firm that does not count at the court is warned of', () => {
    const { warnings } = answerIn('DE-BY', { preset: 'arbgg_revisionsbegruendung', event_date: '2026-04-04' })

    expect(warnings[0]).toBe(
      'Fronleichnam ist in Bayern, wo die Kanzlei ist, gesetzlicher Feiertag, nicht aber in Thüringen, wo die Frist zu wahren ist: Dieser Tag zählt als Werktag.',
    )
  })

  test('a holiday of the firm that is one at the court, too, is no working day there', () => {
    const friday = { event_date: '2026-04-30', period: { unit: 'day', count: 1 }, shift: 'none' }
    const { due_date, warnings } = answerIn('DE-BY', { ...friday, region: 'DE-TH' })

    expect(due_date).toBe('2026-05-01')
    expect(warnings.join()).not.toContain('wo die Kanzlei ist')
  })

  test('a holiday that the court keeps and others do not is warned of with the court', () => {
    const { warnings } = answerIn('DE-BE', { preset: 'sgg_revisionsbegruendung', event_date: '2026-04-04' })

    expect(warnings[0]).toContain('gerechnet ist mit Hessen (Bundessozialgericht, Kassel).')
  })
})

test('the example in the OpenAPI document is the real answer for a firm in Bayern', () => {
  const { body, answer } = calculateDeadline.example

  const workspace = { time_zone: 'Europe/Berlin', holiday_region: 'DE-BY' } as const
  expect(answer).toEqual(calculationWithRelated(CalculationBody.parse(body), workspace))
})

function caught(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
