import { describe, expect, test } from 'vitest'
import { calculate } from '#deadlines/calculate.ts'
import { maxCounts, PresetAnswer } from '#deadlines/calculation-schema.ts'
import { areas } from '#deadlines/preset.ts'
import { type PresetKey, presetKeys, presetOf, presets } from '#deadlines/presets.ts'
import type { Region } from '#german-time/regions.ts'

test('keys are unique and say what is found under them', () => {
  expect(new Set(presetKeys).size).toBe(presets.length)
  for (const key of presetKeys) {
    expect(key).toMatch(/^[a-z]+(_[a-z]+)+$/)
    expect(presetOf(key).key).toBe(key)
  }
})

describe.each(presets.map((preset) => [preset.key, preset] as const))('%s', (_, preset) => {
  test('is well formed', () => {
    expect(PresetAnswer.parse(preset).name).toBe(preset.name)
    expect(preset.statute).toMatch(/^§§? \d+[a-z]?( |,)/)
    expect(preset.statute).toMatch(
      /(ZPO|FamFG|WEG|BGB|BVerfGG|RPflG|RVG|GKG|ZVG|KSchG|TzBfG|AGG|BetrVG|ArbGG|VwGO|AsylG|SGG|AO|FGO|StPO|StGB|OWiG)$/,
    )
    expect(preset.period.count).toBeGreaterThan(0)
    expect(preset.period.count).toBeLessThanOrEqual(maxCounts[preset.period.unit])
    for (const text of [preset.name, preset.event, ...(preset.note ? [preset.note] : [])])
      expect(text).toBe(text.trim())
  })

  test('says who extends it exactly where it can be extended, and leads to presets that exist', () => {
    expect(preset.extension !== undefined).toBe(preset.extendable)
    if (preset.related) expect(presetKeys).toContain(preset.related)
    expect(preset.checked_until).toMatch(/^2026-/)
    if (preset.notfrist) expect(preset.category).not.toBe('other')
  })

  test('is no Notfrist that could be extended', () => {
    expect(preset.notfrist && preset.extendable).toBe(false)
  })
})

test('each procedure is there', () => {
  for (const area of areas) expect(presets.filter((preset) => preset.area === area).length).toBeGreaterThan(5)
})

test('the periods that the law calls Notfristen are exactly these', () => {
  expect(presets.filter(({ notfrist }) => notfrist).map(({ key }) => key)).toEqual([
    'zpo_berufung',
    'zpo_revision',
    'zpo_nichtzulassungsbeschwerde',
    'zpo_sofortige_beschwerde',
    'zpo_rechtsbeschwerde',
    'zpo_einspruch_versaeumnisurteil',
    'zpo_einspruch_vollstreckungsbescheid',
    'zpo_verteidigungsanzeige',
    'zpo_anhoerungsruege',
    'zpo_wiederaufnahme',
    'zpo_beschwerde_prozesskostenhilfe',
    'zpo_erinnerung',
    'zvg_einstellung',
    'arbgg_einspruch_versaeumnisurteil',
    'arbgg_einspruch_vollstreckungsbescheid',
    'arbgg_berufung',
    'arbgg_revision',
    'arbgg_nichtzulassungsbeschwerde',
    'arbgg_nichtzulassungsbeschwerde_begruendung',
    'arbgg_anhoerungsruege',
    'arbgg_sofortige_beschwerde_verspaetetes_urteil',
  ])
})

/** Every event is Monday 2 November 2026 but where a column says otherwise; counted with a calendar on paper. */
test.each<[PresetKey, string, string, Region?]>([
  ['zpo_berufung', '2026-11-02', '2026-12-02'],
  ['zpo_berufungsbegruendung', '2026-11-02', '2027-01-04'],
  ['zpo_revision', '2026-11-02', '2026-12-02'],
  ['zpo_revisionsbegruendung', '2026-11-02', '2027-01-04'],
  ['zpo_nichtzulassungsbeschwerde', '2026-11-02', '2026-12-02'],
  ['zpo_nichtzulassungsbeschwerde_begruendung', '2026-11-02', '2027-01-04'],
  ['zpo_sofortige_beschwerde', '2026-11-02', '2026-11-16'],
  ['zpo_rechtsbeschwerde', '2026-11-02', '2026-12-02'],
  ['zpo_einspruch_versaeumnisurteil', '2026-11-02', '2026-11-16'],
  ['zpo_einspruch_vollstreckungsbescheid', '2026-11-04', '2026-11-19', 'DE-SN'],
  ['zpo_widerspruch_mahnbescheid', '2026-11-02', '2026-11-16'],
  ['zpo_verteidigungsanzeige', '2026-12-11', '2026-12-28'],
  ['zpo_wiedereinsetzung', '2026-11-02', '2026-11-16'],
  ['zpo_wiedereinsetzung_begruendungsfrist', '2026-11-02', '2026-12-02'],
  ['zpo_schriftsatz_vor_termin', '2026-11-02', '2026-10-23'],
  ['famfg_beschwerde_einstweilige_anordnung', '2026-11-02', '2026-11-16'],
  ['weg_anfechtungsklage', '2026-11-02', '2026-12-02'],
  ['weg_anfechtungsbegruendung', '2026-11-02', '2027-01-04'],
  ['bgb_widerruf', '2026-11-02', '2026-11-16'],
  ['bgb_erbausschlagung', '2026-11-02', '2026-12-14'],
  ['bverfgg_verfassungsbeschwerde', '2026-11-02', '2026-12-02'],
  // In force on 1 January 2026: the year ends with 31 December 2026.
  ['bverfgg_verfassungsbeschwerde_gesetz', '2026-01-01', '2026-12-31'],
  ['kschg_klage', '2026-11-02', '2026-11-23'],
  ['kschg_klage', '2026-04-17', '2026-05-08'],
  ['arbgg_einspruch_versaeumnisurteil', '2026-11-02', '2026-11-09'],
  ['arbgg_berufung', '2026-11-02', '2026-12-02'],
  ['arbgg_berufungsbeantwortung', '2026-11-02', '2026-12-02'],
  ['arbgg_entschaedigungsklage', '2026-11-02', '2027-02-02'],
  ['agg_geltendmachung', '2026-11-02', '2027-01-04'],
  ['vwgo_widerspruch', '2026-11-02', '2026-12-02'],
  ['vwgo_klage', '2026-11-30', '2026-12-30'],
  ['vwgo_jahresfrist', '2026-11-02', '2027-11-02'],
  ['vwgo_zulassung_berufung_begruendung', '2026-11-02', '2027-01-04'],
  ['vwgo_beschwerde', '2026-11-02', '2026-11-16'],
  ['vwgo_beschwerdebegruendung_eilverfahren', '2026-11-02', '2026-12-02'],
  ['sgg_widerspruch', '2026-11-02', '2026-12-02'],
  ['sgg_berufung', '2026-11-02', '2026-12-02'],
  ['ao_einspruch', '2026-11-06', '2026-12-07'],
  ['fgo_klage', '2026-11-02', '2026-12-02'],
  ['stpo_einspruch_strafbefehl', '2026-11-02', '2026-11-16'],
  ['stpo_berufung', '2026-11-02', '2026-11-09'],
  ['stpo_revision', '2026-12-18', '2026-12-28'],
  ['stpo_revisionsbegruendung', '2026-11-02', '2026-12-02'],
  ['stgb_strafantrag', '2026-11-02', '2027-02-02'],
  ['owig_einspruch', '2026-11-02', '2026-11-16'],
  ['owig_rechtsbeschwerde', '2026-11-02', '2026-11-09'],
])('%s from %s is due on %s', (preset, event_date, due_date, region = 'DE-BE') => {
  expect(
    calculate({ preset, event_date, region, region_source: 'request', time_zone: 'Europe/Berlin' }).due_date,
  ).toBe(due_date)
})
