import { describe, expect, it } from 'vitest'
import { newFirm } from '#test/support/firm.ts'

/**
 * Twelve documents as they come to a firm. Each end was derived by hand from the statute and a paper calendar before the
 * service was asked; the derivation stands beside it. Holidays of 2026 and 2027 that matter: Buß- und Bettag (Sachsen)
 * Wednesday 18 November 2026, Heilige Drei Könige (BW, BY, ST) Wednesday 6 January 2027, Frauentag (BE, MV) Monday
 * 8 March 2027, Easter Sunday 28 March 2027, Weltkindertag (Thüringen) Monday 20 September 2027.
 */
const firms = new Map<string, Awaited<ReturnType<typeof newFirm>>['owner']>()

/** Asks the service as a firm whose office is in this Land. */
async function ask(office: string, body: Record<string, unknown>) {
  if (!firms.has(office)) {
    const { owner } = await newFirm()
    await owner('PATCH', '/api/v1/workspace', { body: { holiday_region: office } })
    firms.set(office, owner)
  }
  const owner = firms.get(office) as NonNullable<ReturnType<typeof firms.get>>
  return owner('POST', '/api/v1/deadlines/calculate', { body })
}

const rules = (body: { steps: { rule: string }[] }) => body.steps.map(({ rule }) => rule)

describe('ten judgments and two notices, by hand from the statute and by the service:', () => {
  it('1. final judgment of the LG Köln, acknowledged electronically with the date of 31 December', async () => {
    // Pronounced Thursday 3 December 2026. It reached the beA on 28 December; the date in the eEB counts (§ 173 Abs. 3
    // ZPO; BGH, 29.05.2024 – I ZB 84/23): Thursday 31 December 2026.
    // § 517 ZPO: a month, § 187 Abs. 1, § 188 Abs. 2 BGB: Sunday 31 January 2027; § 222 Abs. 2 ZPO: Monday 1 February.
    // § 520 Abs. 2 Satz 1 ZPO: two months from the same service: 31 February is missing, § 188 Abs. 3 BGB: Sunday
    // 28 February 2027; § 222 Abs. 2 ZPO: Monday 1 March.
    const { body } = await ask('DE-NW', {
      preset: 'zpo_berufung',
      event_date: '2026-12-31',
      pronounced_on: '2026-12-03',
    })

    expect(body).toMatchObject({
      calculated_date: '2027-01-31',
      due_at: '2027-02-01T23:59:59+01:00',
      // Five months after 3 December end on 3 May, a month later it is 3 June 2027.
      absolute: { due_date: '2027-06-03', decisive: false },
    })
    expect(rules(body).slice(-3)).toEqual(['§ 187 Abs. 1 BGB', '§ 188 Abs. 2 BGB', '§ 222 Abs. 2 ZPO'])
    expect(body.related).toMatchObject([
      { preset: 'zpo_berufungsbegruendung', calculated_date: '2027-02-28', due_date: '2027-03-01' },
    ])
    expect(rules(body.related[0]).slice(-2)).toEqual(['§ 188 Abs. 3 BGB', '§ 222 Abs. 2 ZPO'])
  })

  it('2. default judgment of the AG Leipzig, served on Wednesday 4 November, for a firm in Berlin', async () => {
    // § 339 Abs. 1 ZPO: two weeks: Wednesday 18 November 2026 is Buß- und Bettag in Sachsen, the seat of the court: §
    // 222 Abs. 2 ZPO: Thursday 19 November. In Berlin the day is a working day.
    const served = { preset: 'zpo_einspruch_versaeumnisurteil', event_date: '2026-11-04' }

    const there = await ask('DE-BE', { ...served, region: 'DE-SN' })
    const here = await ask('DE-BE', served)

    expect(there.body).toMatchObject({ calculated_date: '2026-11-18', due_date: '2026-11-19' })
    // If the court's Land is not given, the result is the earlier day, not a later one.
    expect(here.body).toMatchObject({ due_date: '2026-11-18', region_source: 'workspace' })
  })

  it('3. judgment of the VG Freiburg that admits the appeal, acknowledged on Sunday 6 December', async () => {
    // § 124a Abs. 2 Satz 1 VwGO: a month: Wednesday 6 January 2027, Heilige Drei Könige in Baden-Württemberg; § 57
    // Abs. 2 VwGO, § 222 Abs. 2 ZPO: Thursday 7 January. § 124a Abs. 3 Satz 1 VwGO: two months: Saturday 6 February;
    // Monday 8 February 2027.
    const { body } = await ask('DE-BW', { preset: 'vwgo_berufung', event_date: '2026-12-06' })

    expect(body).toMatchObject({ calculated_date: '2027-01-06', due_date: '2027-01-07' })
    expect(body.related).toMatchObject([
      { preset: 'vwgo_berufungsbegruendung', calculated_date: '2027-02-06', due_date: '2027-02-08' },
    ])
  })

  it('4. judgment of the LSG Berlin-Brandenburg that does not admit the Revision, served on 8 February', async () => {
    // § 160a Abs. 1 Satz 2 SGG: a month, at the BSG in Kassel; § 64 Abs. 2 SGG: Monday 8 March 2027, Frauentag in Berlin,
    // a working day in Hessen. § 160a Abs. 2 Satz 1 SGG: two months: Thursday 8 April 2027.
    const { body } = await ask('DE-BE', {
      preset: 'sgg_nichtzulassungsbeschwerde_bsg',
      event_date: '2027-02-08',
    })

    expect(body).toMatchObject({ due_date: '2027-03-08', shifted: false, region: 'DE-HE' })
    expect(body.warnings.join()).toContain('Frauentag')
    expect(body.related[0].due_date).toBe('2027-04-08')
  })

  it('5. Gerichtsbescheid of the FG München, served on Saturday 15 July 2028', async () => {
    // § 90a Abs. 2 FGO: a month: Tuesday 15 August 2028, Mariä Himmelfahrt, a holiday in München; § 54 Abs. 2 FGO, § 222
    // Abs. 2 ZPO: Wednesday 16 August.
    const served = { preset: 'fgo_gerichtsbescheid', event_date: '2028-07-15' }

    const munich = await ask('DE-BY', { ...served, mariae_himmelfahrt: true })
    const bavaria = await ask('DE-BY', served)

    expect(munich.body).toMatchObject({ calculated_date: '2028-08-15', due_date: '2028-08-16' })
    // Not every municipality of Bayern keeps it: without the town the earlier day, and a warning.
    expect(bavaria.body.due_date).toBe('2028-08-15')
    expect(bavaria.body.warnings.join()).toContain('Mariä Himmelfahrt')
  })

  it('6. judgment of the ArbG Hamburg, pronounced on 30 September, whose reasons never came', async () => {
    // § 66 Abs. 1 Satz 2 ArbGG: at the latest with the end of five months after pronouncement: 30 February is missing,
    // Sunday 28 February 2027, which no day off moves. A month: Easter Sunday 28 March, after Easter Monday: Tuesday
    // 30 March 2027. Two months: Wednesday 28 April 2027. Chained from Monday 1 March it would be 1 April and 3 May.
    const { body } = await ask('DE-HH', { preset: 'arbgg_berufung', pronounced_on: '2026-09-30' })

    expect(body).toMatchObject({
      calculated_date: '2027-03-28',
      due_date: '2027-03-30',
      absolute: { due_date: '2027-03-30', decisive: true },
    })
    expect(body.related).toMatchObject([
      { preset: 'arbgg_berufungsbegruendung', due_date: '2027-04-28', shifted: false },
    ])
  })

  it('7. judgment of the OLG Celle that does not admit the Revision, served on 31 August 2028', async () => {
    // § 544 Abs. 3 Satz 1 ZPO: a month: 31 September is missing, § 188 Abs. 3 BGB: Saturday 30 September 2028; Monday 2
    // October. § 544 Abs. 4 Satz 1: two months: Tuesday 31 October 2028 is Reformationstag in Niedersachsen, but the
    // motion is due at the BGH in Karlsruhe. It is a working day there. Six months after Wednesday 16 August: far
    // behind.
    const { body } = await ask('DE-NI', {
      preset: 'zpo_nichtzulassungsbeschwerde',
      event_date: '2028-08-31',
      pronounced_on: '2028-08-16',
    })

    expect(body).toMatchObject({
      calculated_date: '2028-09-30',
      due_date: '2028-10-02',
      region: 'DE-BW',
      region_source: 'court',
      absolute: { due_date: '2029-02-16', decisive: false },
    })
    expect(body.related).toMatchObject([
      { due_date: '2028-10-31', region: 'DE-BW', absolute: { due_date: '2029-03-16' } },
    ])
    expect(body.related[0].warnings.join()).toContain('Reformationstag')
  })

  it('8. Kostenfestsetzungsbeschluss of the LG Dresden that came as a simple letter', async () => {
    // § 104 Abs. 1 Satz 3 ZPO: it is served, no law presumes when a letter came. § 104 Abs. 3 Satz 1, § 569 Abs. 1 Satz 1
    // ZPO: two weeks from Friday 18 December 2026: New Year's Day 2027, a Friday; Monday 4 January 2027.
    const fiction = await ask('DE-SN', { preset: 'zpo_kostenfestsetzung', posted_on: '2026-12-14' })
    const served = await ask('DE-SN', { preset: 'zpo_kostenfestsetzung', event_date: '2026-12-18' })

    expect([fiction.status, fiction.body.error.details[0].path]).toEqual([400, 'body.posted_on'])
    expect(served.body).toMatchObject({ calculated_date: '2027-01-01', due_date: '2027-01-04' })
  })

  it('9. judgment of the AG Nürnberg against an absent accused, served on Wednesday 30 December', async () => {
    // § 314 Abs. 2 Halbsatz 1 StPO: from service, not from pronouncement (10 December). A week, § 43 Abs. 1 StPO:
    // Wednesday 6 January 2027, Heilige Drei Könige in Bayern; § 43 Abs. 2 StPO: Thursday 7 January.
    const { body } = await ask('DE-BY', { preset: 'stpo_berufung', event_date: '2026-12-30' })

    expect(body).toMatchObject({ calculated_date: '2027-01-06', due_date: '2027-01-07' })
    expect(rules(body)).toEqual(['§§ 42, 43 Abs. 1 StPO', '§ 43 Abs. 1 StPO', '§ 43 Abs. 2 StPO'])
  })

  it('10. Bußgeldbescheid from Magdeburg, put into the letter box on Saturday 13 March 2027', async () => {
    // § 67 Abs. 1 Satz 1 OWiG: two weeks; § 46 Abs. 1 OWiG, § 43 Abs. 1 StPO: Saturday 27 March 2027, before Easter;
    // § 43 Abs. 2 StPO: Tuesday 30 March.
    const { body } = await ask('DE-ST', { preset: 'owig_einspruch', event_date: '2027-03-13' })

    expect(body).toMatchObject({
      calculated_date: '2027-03-27',
      due_date: '2027-03-30',
      shift_reason: 'Samstag, 27.03.2027; Sonntag, 28.03.2027; Ostermontag (Montag, 29.03.2027)',
    })
  })

  it('11. judgment of the VG Berlin in an asylum case, acknowledged on 1 December', async () => {
    // § 78 Abs. 4 Satz 1, 4 AsylG: a month, with the reasons: New Year's Day 2027; § 57 Abs. 2 VwGO, § 222 Abs. 2 ZPO:
    // Monday 4 January. The ordinary request (§ 124a Abs. 4 VwGO) has two months for its reasons: 1 February 2027.
    const asylum = await ask('DE-BE', { preset: 'asylg_zulassung_berufung', event_date: '2026-12-01' })
    const ordinary = await ask('DE-BE', { preset: 'vwgo_zulassung_berufung', event_date: '2026-12-01' })

    expect(asylum.body).toMatchObject({ due_date: '2027-01-04', related: [] })
    expect(asylum.body.warnings[0]).toContain('29.04.2026')
    expect(ordinary.body).toMatchObject({ due_date: '2027-01-04', related: [{ due_date: '2027-02-01' }] })
  })

  it('12. order of the LG Erfurt by fax on Saturday 18 September 2027, before the Weltkindertag', async () => {
    // § 569 Abs. 1 Satz 1 ZPO: two weeks: Saturday 2 October; Sunday is the Tag der Deutschen Einheit too: Monday 4
    // October 2027. It also gives 24 hours for a statement. § 222 Abs. 3 ZPO: Saturday, Sunday and Monday 20 September
    // do not count; the hours run on Tuesday 21 September and end with that day.
    const complaint = await ask('DE-TH', { preset: 'zpo_sofortige_beschwerde', event_date: '2027-09-18' })
    const hours = await ask('DE-TH', {
      period: { unit: 'hour', count: 24 },
      event_at: '2027-09-18T14:20:00+02:00',
    })

    expect(complaint.body).toMatchObject({ calculated_date: '2027-10-02', due_date: '2027-10-04' })
    expect(hours.body).toMatchObject({ due_date: '2027-09-21', due_at: '2027-09-21T23:59:59+02:00' })
  })

  it('and two notices posted on Tuesday 22 December: the tax office’s moves, the Jobcenter’s does not', async () => {
    // § 122 Abs. 2 Nr. 1 AO: the fourth day is Saturday 26 December; § 108 Abs. 3 AO: Monday 28 December 2026; § 355
    // Abs. 1 AO: Thursday 28 January 2027. § 37 Abs. 2 Satz 1 SGB X: 26 December stays (BSG, 06.05.2010 – B 14 AS
    // 12/09 R); § 84 Abs. 1 SGG: Tuesday 26 January 2027.
    const tax = await ask('DE-BE', { preset: 'ao_einspruch', posted_on: '2026-12-22' })
    const social = await ask('DE-BE', { preset: 'sgg_widerspruch', posted_on: '2026-12-22' })

    expect(tax.body).toMatchObject({ delivered_on: '2026-12-28', due_date: '2027-01-28' })
    expect(social.body).toMatchObject({ delivered_on: '2026-12-26', due_date: '2027-01-26' })
  })
})
