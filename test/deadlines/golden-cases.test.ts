import { expect, test } from 'vitest'
import { calculate } from '#deadlines/calculate.ts'
import type { PresetKey } from '#deadlines/presets.ts'
import type { Region } from '#german-time/regions.ts'

/** The day of the event, the day on which the period ends, and where, unless in Berlin. */
type GoldenCase = readonly [event_date: string, due_date: string, region?: Region]

/**
 * At least one case for every preset, counted with a calendar on paper. Most events are on Monday 2 November 2026. A
 * week ends on the 9th, two weeks on the 16th, and a month on Wednesday 2 December. Two months end on Saturday 2
 * January 2027, which moves to Monday the 4th. A preset without a case does not compile.
 */
const goldenCases: Record<PresetKey, readonly GoldenCase[]> = {
  zpo_berufung: [['2026-11-02', '2026-12-02']],
  zpo_berufungsbegruendung: [['2026-11-02', '2027-01-04']],
  zpo_revision: [['2026-11-02', '2026-12-02']],
  zpo_revisionsbegruendung: [['2026-11-02', '2027-01-04']],
  zpo_nichtzulassungsbeschwerde: [['2026-11-02', '2026-12-02']],
  zpo_nichtzulassungsbeschwerde_begruendung: [['2026-11-02', '2027-01-04']],
  zpo_sofortige_beschwerde: [['2026-11-02', '2026-11-16']],
  zpo_rechtsbeschwerde: [['2026-11-02', '2026-12-02']],
  zpo_rechtsbeschwerde_begruendung: [['2026-11-02', '2026-12-02']],
  zpo_einspruch_versaeumnisurteil: [['2026-11-02', '2026-11-16']],
  zpo_einspruch_vollstreckungsbescheid: [['2026-11-04', '2026-11-19', 'DE-SN']],
  zpo_widerspruch_mahnbescheid: [['2026-11-02', '2026-11-16']],
  zpo_verteidigungsanzeige: [['2026-12-11', '2026-12-28']],
  zpo_klageerwiderung: [
    // Two further weeks after the first two.
    ['2026-11-16', '2026-11-30'],
  ],
  zpo_wiedereinsetzung: [['2026-11-02', '2026-11-16']],
  zpo_wiedereinsetzung_begruendungsfrist: [['2026-11-02', '2026-12-02']],
  zpo_anhoerungsruege: [['2026-11-02', '2026-11-16']],
  zpo_tatbestandsberichtigung: [['2026-11-02', '2026-11-16']],
  zpo_urteilsergaenzung: [['2026-11-02', '2026-11-16']],
  zpo_wiederaufnahme: [['2026-11-02', '2026-12-02']],
  zpo_schriftsatz_vor_termin: [['2026-11-02', '2026-10-23']],
  zpo_gegenerklaerung_vor_termin: [
    // 17 to 19 November are the three days.
    ['2026-11-20', '2026-11-16'],
  ],
  zpo_ladungsfrist: [
    // 13 to 19 November are the week before Friday the 20th.
    ['2026-11-20', '2026-11-12'],
  ],
  zpo_einlassungsfrist: [
    // 6 to 19 November are the two weeks.
    ['2026-11-20', '2026-11-05'],
  ],
  zpo_beschwerde_prozesskostenhilfe: [['2026-11-02', '2026-12-02']],
  zpo_vollziehung: [['2026-11-02', '2026-12-02']],
  zpo_vollziehung_zustellung: [['2026-11-02', '2026-11-09']],
  zpo_erinnerung: [['2026-11-02', '2026-11-16']],
  zpo_anschlussberufung: [['2026-11-02', '2026-11-16']],
  zpo_berufungserwiderung: [['2026-11-02', '2026-11-16']],
  zpo_raeumungsfrist_verlaengerung: [
    // 18 to 31 August are the last two weeks of the period.
    ['2026-08-31', '2026-08-17'],
  ],
  zpo_raeumungsfrist_kuenftige: [
    // 17 to 30 December are the two weeks before the day.
    ['2026-12-31', '2026-12-16'],
  ],
  zpo_raeumungsschutz: [
    // 17 to 30 August; Sunday the 16th moves to Friday.
    ['2026-08-31', '2026-08-14'],
  ],
  famfg_beschwerde: [['2026-11-02', '2026-12-02']],
  famfg_beschwerde_einstweilige_anordnung: [['2026-11-02', '2026-11-16']],
  famfg_beschwerdebegruendung: [['2026-11-02', '2027-01-04']],
  famfg_rechtsbeschwerde: [['2026-11-02', '2026-12-02']],
  famfg_rechtsbeschwerde_begruendung: [['2026-11-02', '2026-12-02']],
  famfg_wiedereinsetzung: [['2026-11-02', '2026-11-16']],
  famfg_wiedereinsetzung_begruendungsfrist: [['2026-11-02', '2026-12-02']],
  famfg_anhoerungsruege: [['2026-11-02', '2026-11-16']],
  weg_anfechtungsklage: [['2026-11-02', '2026-12-02']],
  weg_anfechtungsbegruendung: [['2026-11-02', '2027-01-04']],
  bgb_widerruf: [['2026-11-02', '2026-11-16']],
  bgb_erbausschlagung: [['2026-11-02', '2026-12-14']],
  bgb_verjaehrung: [
    // With the end of 2026, and three years.
    ['2026-05-12', '2029-12-31'],
  ],
  bgb_verjaehrung_hoechstfrist: [['2026-11-02', '2036-11-02']],
  bgb_verjaehrung_mietsache_vermieter: [
    // 31 September is missing.
    ['2026-03-31', '2026-09-30'],
  ],
  bgb_verjaehrung_mietsache_mieter: [
    // 31 June is missing.
    ['2026-12-31', '2027-06-30'],
  ],
  bgb_hemmung_ende: [
    // Sunday 2 May 2027 stays.
    ['2026-11-02', '2027-05-02'],
  ],
  bgb_kuendigung_wichtiger_grund: [['2026-11-02', '2026-11-16']],
  bgb_mieterhoehung_zustimmung: [['2026-01-15', '2026-03-31']],
  bgb_mieterhoehung_klage: [['2026-01-15', '2026-06-30']],
  bgb_betriebskosten_abrechnung: [
    ['2025-12-31', '2026-12-31'],
    // Twelve whole months: to the end of February, also if it has a day more or less than the one before.
    ['2027-02-28', '2028-02-29'],
    ['2031-02-28', '2032-02-29'],
    ['2028-02-29', '2029-02-28'],
    ['2026-04-30', '2027-04-30'],
    ['2026-06-15', '2027-06-15'],
  ],
  bgb_betriebskosten_einwendungen: [['2026-11-02', '2027-11-02']],
  bgb_kuendigung_wohnraum: [
    // Thursday, Friday, and Saturday, which counts.
    ['2027-04-01', '2027-04-03'],
  ],
  bgb_widerspruch_kuendigung: [
    // July and August lie between.
    ['2026-08-31', '2026-06-30'],
  ],
  bverfgg_verfassungsbeschwerde: [['2026-11-02', '2026-12-02']],
  bverfgg_verfassungsbeschwerde_gesetz: [
    // In force on 1 January 2026: the year ends with 31 December 2026.
    ['2026-01-01', '2026-12-31'],
  ],
  bverfgg_wiedereinsetzung: [['2026-11-02', '2026-11-16']],
  inso_sofortige_beschwerde: [['2026-11-02', '2026-11-16']],
  inso_sofortige_beschwerde_bekanntmachung: [
    // Two further days: Wednesday 4 November. Two weeks later is Wednesday the 18th.
    ['2026-11-02', '2026-11-18'],
    // BGH, 05.12.2013 – IX ZB 291/11, of 28 April 2011, in 2022: Thursday, two further days are Saturday 30 April. Two weeks
    // later is Saturday 14 May: Monday the 16th, as there.
    ['2022-04-28', '2022-05-16'],
  ],
  rpflg_erinnerung: [['2026-11-02', '2026-11-16']],
  rvg_beschwerde_wertfestsetzung: [['2026-11-02', '2026-11-16']],
  gkg_streitwertbeschwerde: [
    // Sunday 2 May 2027 moves.
    ['2026-11-02', '2027-05-03'],
  ],
  zvg_einstellung: [['2026-11-02', '2026-11-16']],
  kschg_klage: [
    ['2026-11-02', '2026-11-23'],
    ['2026-04-17', '2026-05-08'],
  ],
  kschg_nachtraegliche_zulassung: [['2026-11-02', '2026-11-16']],
  tzbfg_befristungskontrolle: [
    // Thursday to Thursday.
    ['2026-12-31', '2027-01-21'],
  ],
  agg_geltendmachung: [['2026-11-02', '2027-01-04']],
  betrvg_wahlanfechtung: [['2026-11-02', '2026-11-16']],
  betrvg_anhoerung_ordentliche_kuendigung: [['2026-11-02', '2026-11-09']],
  betrvg_anhoerung_ausserordentliche_kuendigung: [['2026-11-02', '2026-11-05']],
  arbgg_entschaedigungsklage: [['2026-11-02', '2027-02-02']],
  arbgg_einspruch_versaeumnisurteil: [['2026-11-02', '2026-11-09']],
  arbgg_widerspruch_mahnbescheid: [['2026-11-02', '2026-11-09']],
  arbgg_einspruch_vollstreckungsbescheid: [['2026-11-02', '2026-11-09']],
  arbgg_berufung: [['2026-11-02', '2026-12-02']],
  arbgg_berufungsbegruendung: [['2026-11-02', '2027-01-04']],
  arbgg_berufungsbeantwortung: [['2026-11-02', '2026-12-02']],
  arbgg_revision: [['2026-11-02', '2026-12-02']],
  arbgg_revisionsbegruendung: [['2026-11-02', '2027-01-04']],
  arbgg_nichtzulassungsbeschwerde: [['2026-11-02', '2026-12-02']],
  arbgg_nichtzulassungsbeschwerde_begruendung: [['2026-11-02', '2027-01-04']],
  arbgg_anhoerungsruege: [['2026-11-02', '2026-11-16']],
  arbgg_sofortige_beschwerde_verspaetetes_urteil: [
    // Five months end on 2 November; a month.
    ['2026-06-02', '2026-12-02'],
  ],
  arbgg_beschwerde_beschlussverfahren: [['2026-11-02', '2026-12-02']],
  arbgg_beschwerdebegruendung_beschlussverfahren: [['2026-11-02', '2027-01-04']],
  arbgg_beschwerde_einigungsstelle: [['2026-11-02', '2026-11-16']],
  arbgg_rechtsbeschwerde_beschlussverfahren: [['2026-11-02', '2026-12-02']],
  arbgg_rechtsbeschwerdebegruendung_beschlussverfahren: [['2026-11-02', '2027-01-04']],
  arbgg_nichtzulassungsbeschwerde_beschlussverfahren: [['2026-11-02', '2026-12-02']],
  arbgg_nichtzulassungsbeschwerdebegruendung_beschlussverfahren: [['2026-11-02', '2027-01-04']],
  arbgg_sofortige_beschwerde: [['2026-11-02', '2026-11-16']],
  vwgo_widerspruch: [['2026-11-02', '2026-12-02']],
  vwgo_klage: [['2026-11-30', '2026-12-30']],
  vwgo_klage_ohne_vorverfahren: [['2026-11-02', '2026-12-02']],
  vwgo_jahresfrist: [['2026-11-02', '2027-11-02']],
  vwgo_zulassung_berufung: [['2026-11-02', '2026-12-02']],
  vwgo_zulassung_berufung_begruendung: [['2026-11-02', '2027-01-04']],
  vwgo_berufung: [['2026-11-02', '2026-12-02']],
  vwgo_berufungsbegruendung: [['2026-11-02', '2027-01-04']],
  vwgo_berufungsbegruendung_nach_zulassung: [['2026-11-02', '2026-12-02']],
  vwgo_nichtzulassungsbeschwerde: [['2026-11-02', '2026-12-02']],
  vwgo_nichtzulassungsbeschwerde_begruendung: [['2026-11-02', '2027-01-04']],
  vwgo_revision: [['2026-11-02', '2026-12-02']],
  vwgo_revisionsbegruendung: [['2026-11-02', '2027-01-04']],
  vwgo_beschwerde: [['2026-11-02', '2026-11-16']],
  vwgo_beschwerdebegruendung_eilverfahren: [['2026-11-02', '2026-12-02']],
  vwgo_wiedereinsetzung: [['2026-11-02', '2026-11-16']],
  vwgo_anhoerungsruege: [['2026-11-02', '2026-11-16']],
  vwgo_wiedereinsetzung_begruendungsfrist: [['2026-11-02', '2026-12-02']],
  vwgo_normenkontrolle: [['2026-11-02', '2027-11-02']],
  vwgo_gerichtsbescheid: [['2026-11-02', '2026-12-02']],
  asylg_klage: [['2026-11-02', '2026-11-16']],
  asylg_klage_eine_woche: [['2026-11-02', '2026-11-09']],
  asylg_klagebegruendung: [['2026-11-02', '2026-12-02']],
  asylg_eilantrag: [['2026-11-02', '2026-11-09']],
  asylg_zulassung_berufung: [['2026-11-02', '2026-12-02']],
  asylg_gerichtsbescheid: [['2026-11-02', '2026-11-16']],
  sgg_widerspruch: [['2026-11-02', '2026-12-02']],
  sgg_klage: [['2026-11-02', '2026-12-02']],
  sgg_berufung: [['2026-11-02', '2026-12-02']],
  sgg_nichtzulassungsbeschwerde_lsg: [['2026-11-02', '2026-12-02']],
  sgg_nichtzulassungsbeschwerde_bsg: [['2026-11-02', '2026-12-02']],
  sgg_nichtzulassungsbeschwerde_bsg_begruendung: [['2026-11-02', '2027-01-04']],
  sgg_revision: [['2026-11-02', '2026-12-02']],
  sgg_revisionsbegruendung: [['2026-11-02', '2027-01-04']],
  sgg_beschwerde: [['2026-11-02', '2026-12-02']],
  sgg_wiedereinsetzung: [['2026-11-02', '2026-12-02']],
  sgg_gerichtsbescheid: [['2026-11-02', '2026-12-02']],
  sgg_anhoerungsruege: [['2026-11-02', '2026-11-16']],
  ao_bekanntgabe_post: [['2026-11-02', '2026-11-06']],
  ao_einspruch: [['2026-11-06', '2026-12-07']],
  fgo_klage: [['2026-11-02', '2026-12-02']],
  fgo_nichtzulassungsbeschwerde: [['2026-11-02', '2026-12-02']],
  fgo_nichtzulassungsbeschwerde_begruendung: [['2026-11-02', '2027-01-04']],
  fgo_revision: [['2026-11-02', '2026-12-02']],
  fgo_revisionsbegruendung: [['2026-11-02', '2027-01-04']],
  fgo_beschwerde: [['2026-11-02', '2026-11-16']],
  ao_wiedereinsetzung: [['2026-11-02', '2026-12-02']],
  fgo_wiedereinsetzung: [['2026-11-02', '2026-11-16']],
  fgo_wiedereinsetzung_begruendungsfrist: [['2026-11-02', '2026-12-02']],
  fgo_gerichtsbescheid: [['2026-11-02', '2026-12-02']],
  fgo_anhoerungsruege: [['2026-11-02', '2026-11-16']],
  stpo_einspruch_strafbefehl: [['2026-11-02', '2026-11-16']],
  stpo_berufung: [['2026-11-02', '2026-11-09']],
  stpo_revision: [['2026-12-18', '2026-12-28']],
  stpo_revisionsbegruendung: [['2026-11-02', '2026-12-02']],
  stpo_sofortige_beschwerde: [['2026-11-02', '2026-11-09']],
  stpo_wiedereinsetzung: [['2026-11-02', '2026-11-09']],
  stpo_klageerzwingung_beschwerde: [['2026-11-02', '2026-11-16']],
  stpo_klageerzwingung: [['2026-11-02', '2026-12-02']],
  stgb_strafantrag: [['2026-11-02', '2027-02-02']],
  owig_einspruch: [['2026-11-02', '2026-11-16']],
  owig_rechtsbeschwerde: [['2026-11-02', '2026-11-09']],
  owig_rechtsbeschwerde_begruendung: [['2026-11-02', '2026-12-02']],
  stpo_berufungsbegruendung: [['2026-11-02', '2026-11-09']],
  stpo_wiedereinsetzung_ausbleiben: [['2026-11-02', '2026-11-09']],
  stpo_entscheidung_revisionsgericht: [['2026-11-02', '2026-11-09']],
  stpo_gegenerklaerung: [['2026-11-02', '2026-11-16']],
  stpo_anhoerungsruege_revision: [['2026-11-02', '2026-11-09']],
  stpo_kostenbeschwerde: [['2026-11-02', '2026-11-09']],
  stpo_entscheidung_berufungsgericht: [['2026-11-02', '2026-11-09']],
  fgo_kostenfestsetzung: [['2026-11-02', '2026-11-16']],
  vwgo_kostenfestsetzung: [['2026-11-02', '2026-11-16']],
  zpo_kostenfestsetzung: [['2026-11-02', '2026-11-16']],
  sgg_kostenfestsetzung: [['2026-11-02', '2026-12-02']],
}

const all = Object.entries(goldenCases).flatMap(([preset, cases]) =>
  cases.map(([event_date, due_date, region = 'DE-BE']) => ({ preset, event_date, due_date, region })),
)

test.each(all)('$preset from $event_date is due on $due_date in $region', ({
  due_date,
  preset,
  ...given
}) => {
  const answer = calculate({
    ...given,
    preset: preset as PresetKey,
    region_source: 'request',
    time_zone: 'Europe/Berlin',
  })

  expect(answer.due_date).toBe(due_date)
})
