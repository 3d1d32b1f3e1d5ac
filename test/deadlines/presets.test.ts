import { describe, expect, test } from 'vitest'
import { maxCounts, PresetAnswer } from '#deadlines/calculation-schema.ts'
import { areas } from '#deadlines/preset.ts'
import { type PresetKey, presetKeys, presetOf, presets } from '#deadlines/presets.ts'

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
      /(ZPO|FamFG|WEG|BGB|BVerfGG|InsO|RPflG|RVG|GKG|ZVG|KSchG|TzBfG|AGG|BetrVG|ArbGG|VwGO|AsylG|SGG|AO|FGO|StPO|StGB|OWiG)$/,
    )
    expect(preset.period.count).toBeGreaterThan(0)
    expect(preset.period.count).toBeLessThanOrEqual(maxCounts[preset.period.unit])
    for (const text of [preset.name, preset.event, ...(preset.note ? [preset.note] : [])])
      expect(text).toBe(text.trim())
  })

  test('says who extends it exactly if it can be extended, and refers to presets that exist', () => {
    expect(preset.extension !== undefined).toBe(preset.extendable)
    if (preset.related) {
      expect(presetKeys).toContain(preset.related)
      // The second stage must accept the same start of its period as the first.
      const second = presets.find(({ key }) => key === preset.related)
      expect(second?.delivery).toBe(preset.delivery)
      if (preset.absolute) expect(second?.absolute?.field).toBe(preset.absolute.field)
    }
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
    'inso_sofortige_beschwerde',
    'inso_sofortige_beschwerde_bekanntmachung',
    'zpo_kostenfestsetzung',
    'zvg_einstellung',
    'arbgg_einspruch_versaeumnisurteil',
    'arbgg_einspruch_vollstreckungsbescheid',
    'arbgg_berufung',
    'arbgg_revision',
    'arbgg_nichtzulassungsbeschwerde',
    'arbgg_nichtzulassungsbeschwerde_begruendung',
    'arbgg_anhoerungsruege',
    'arbgg_sofortige_beschwerde_verspaetetes_urteil',
    'arbgg_beschwerde_beschlussverfahren',
    'arbgg_rechtsbeschwerde_beschlussverfahren',
    'arbgg_nichtzulassungsbeschwerde_beschlussverfahren',
    'arbgg_nichtzulassungsbeschwerdebegruendung_beschlussverfahren',
    'arbgg_sofortige_beschwerde',
  ])
})

test('of the laws that know Notfristen, exactly these remedies have another period', () => {
  const laws = new Set(presets.filter(({ notfrist }) => notfrist).map(({ law }) => law))
  const others = presets.filter(
    (one) => laws.has(one.law) && one.category === 'rechtsmittel' && !one.notfrist,
  )
  expect(others.map(({ key }) => key)).toEqual([
    'zpo_widerspruch_mahnbescheid',
    'zpo_wiedereinsetzung',
    'zpo_wiedereinsetzung_begruendungsfrist',
    'zpo_anschlussberufung',
    'rpflg_erinnerung',
    'arbgg_entschaedigungsklage',
    'arbgg_widerspruch_mahnbescheid',
    'arbgg_beschwerde_einigungsstelle',
  ])
})

test('the periods for reasons that no court extends are exactly these', () => {
  const fixed = presets.filter(({ category, extendable }) => category === 'begruendung' && !extendable)
  expect(fixed.map(({ key }) => key)).toEqual([
    'weg_anfechtungsbegruendung',
    'arbgg_nichtzulassungsbeschwerde_begruendung',
    'arbgg_nichtzulassungsbeschwerdebegruendung_beschlussverfahren',
    'vwgo_zulassung_berufung_begruendung',
    'vwgo_nichtzulassungsbeschwerde_begruendung',
    'vwgo_beschwerdebegruendung_eilverfahren',
    'asylg_klagebegruendung',
    'stpo_revisionsbegruendung',
    'owig_rechtsbeschwerde_begruendung',
    'stpo_berufungsbegruendung',
    'stpo_gegenerklaerung',
  ])
})

describe('the warnings that a lawyer must get', () => {
  const texts = (key: PresetKey) => {
    const { statute, event, note = '', caution = '' } = presetOf(key)
    return [statute, event, note, caution].join(' ')
  }

  test('a section without paragraphs is cited without one', () => {
    expect(presetOf('stpo_berufungsbegruendung').statute).toBe('§ 317 StPO')
  })

  test('the withdrawal from financial services is marked with the day since which other law applies', () => {
    const { caution = '', note } = presetOf('bgb_widerruf')

    expect(caution).toMatch(/19\.06\.2026.*2023\/2673.*nicht geprüft/)
    expect(note).toMatch(/Finanzdienstleistungen aus der Zeit vor dem 19\.06\.2026/)
  })

  test.each([
    ['zpo_einlassungsfrist', /Ausland.*einen Monat.*§ 274 Abs\. 3 ZPO/],
    ['zpo_klageerwiderung', /rechnerischen Ende.*arbeitsfreien Tag/],
    ['vwgo_widerspruch', /Einschreiben.*Rückschein.*vierten Tag.*§ 4 Abs\. 2 VwZG/],
  ] as const)('%s says it', (key, said) => {
    expect(texts(key)).toMatch(said)
  })
})
