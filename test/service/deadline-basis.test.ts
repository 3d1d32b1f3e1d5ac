import { beforeAll, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { newDeadlineFirm, outcome } from '#test/support/deadline-firm.ts'

const setup = () => newDeadlineFirm()
let at: Awaited<ReturnType<typeof setup>>
beforeAll(async () => {
  at = await setup()
})

/** Served on Sunday 16 March 2031: the month ends on Wednesday 16 April. */
const calculation = { event_date: '2031-03-16', preset: 'zpo_berufung', region: 'DE-BE' }
/** Served on 6 March 2031: Sunday 6 April moves to Monday the 7th. */
const shifted = { event_date: '2031-03-06', preset: 'zpo_berufung', region: 'DE-BE' }
const calculated = (body: Record<string, unknown> = {}) =>
  at.enter({ due_at: undefined, calculation, ...body })

describe('a deadline that is entered by its calculation (F13)', () => {
  it('is due when the calculator says, and keeps how it was calculated', async () => {
    const answer = await calculated({ calculation: shifted })
    const { body: alone } = await at.firm.owner('POST', '/api/v1/deadlines/calculate', { body: shifted })

    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      due_at: '2031-04-07T23:59:59+02:00',
      category: 'rechtsmittel',
      basis: {
        preset: 'zpo_berufung',
        name: 'Berufung',
        statute: '§ 517 ZPO',
        notfrist: true,
        event_date: '2031-03-06',
        region: 'DE-BE',
        region_source: 'request',
        calculated_date: '2031-04-06',
        due_date: '2031-04-07',
        steps: alone.steps,
        warnings: alone.warnings,
      },
    })
    expect(await at.read(answer.body.id)).toMatchObject({ basis: answer.body.basis })
  })

  it('accepts an equal due time in addition and refuses a different one', async () => {
    const equal = await calculated({ due_at: '2031-04-16' })
    const unequal = await calculated({ due_at: '2031-04-17' })
    const neither = await calculated({ calculation: null })

    expect(equal.status).toBe(201)
    expect(outcome(unequal)).toEqual([400, 'DUE_DATE_MISMATCH'])
    expect(unequal.body.error.details).toMatchObject([{ path: 'body.due_at' }])
    expect(outcome(neither)).toEqual([400, 'VALIDATION_ERROR'])
  })

  it.each([
    [{ event_date: '2031-03-16' }, 'body.calculation.preset'],
    [{ event_date: '2031-02-30', preset: 'zpo_berufung' }, 'body.calculation.event_date'],
    [{ ...calculation, region: 'DE-BE', municipality: 'Augsburg' }, 'body.calculation.municipality'],
  ])('refuses %j and names the place', async (wrong, path) => {
    const { status, body } = await calculated({ calculation: wrong })

    expect([status, body.error.details[0].path]).toEqual([400, path])
  })

  it('loses its basis when the due time is set by hand, and the history keeps it', async () => {
    const { body } = await calculated()

    const moved = await at.change(body.id, { due_at: '2031-04-15' })
    const again = await at.change(body.id, { calculation })

    expect(moved.body).toMatchObject({ basis: null, category: 'rechtsmittel' })
    expect(again.body).toMatchObject({ due_at: body.due_at, basis: body.basis })
    const { body: history } = await at.firm.owner('GET', `/api/v1/deadlines/${body.id}/history`)
    expect(history.data[1]).toMatchObject({ before: { basis: body.basis }, after: { basis: null } })
    expect(history.intact).toBe(true)
  })

  it('with null goes back to the category of its preset and to the caller, and loses its basis last', async () => {
    const { body } = await calculated({ category: 'other', assigned_to: at.third.user.id })

    const cleared = await at.change(body.id, { category: null, assigned_to: null })
    await at.verify(body.id)
    const withoutBasis = await at.change(body.id, { calculation: null })
    const again = await at.change(body.id, { calculation: null, category: null })

    expect(cleared.body).toMatchObject({
      category: 'rechtsmittel',
      assigned_to: at.firm.ownerUser.id,
      due_at: body.due_at,
      basis: body.basis,
    })
    expect(withoutBasis.body).toMatchObject({
      basis: null,
      category: 'rechtsmittel',
      due_at: body.due_at,
      status: 'pending',
      verified_by: null,
    })
    expect(withoutBasis.body.warnings).toContainEqual(expect.stringContaining('Die Berechnung ist entfernt'))
    expect(again.body).toMatchObject({ basis: null, category: 'other', due_at: body.due_at })
    const { body: timeline } = await at.firm.owner('GET', `/api/v1/cases/${body.case_id}/timeline`)
    const summaries = timeline.data.map(({ summary }: { summary: string }) => summary)
    expect(summaries).toContainEqual(expect.stringContaining('Prüfung aufgehoben, Berechnung entfernt'))
  })

  it('that is moved by hand warns that only its category forbids an extension', async () => {
    const { body } = await calculated()

    const moved = await at.change(body.id, { due_at: '2031-04-15', category: null })
    const again = await at.change(body.id, { due_at: '2031-04-16' })

    expect(moved.body).toMatchObject({ basis: null, category: 'other' })
    expect(moved.body.warnings).toContainEqual(expect.stringContaining('Die Berechnung ist entfernt'))
    expect(again.body.warnings).toEqual([])
  })

  it('keeps its basis when only the title changes', async () => {
    const { body } = await calculated()

    expect((await at.change(body.id, { title: 'Neu' })).body.basis).toEqual(body.basis)
  })

  it('shows its basis in the lists and leaves it out if there is none', async () => {
    const owner = await at.openCase()
    const withBasis = (await calculated({ case_id: owner })).body
    const without = (await at.enter({ case_id: owner })).body

    const { body } = await at.firm.owner('GET', `/api/v1/deadlines?case_id=${owner}`)

    expect(body.data.map(({ id, basis }: { id: string; basis: unknown }) => [id, basis])).toEqual([
      [withBasis.id, withBasis.basis],
      [without.id, null],
    ])
  })

  it('accepts a category other than its preset’s, and gives the Vorfrist the same', async () => {
    const { body } = await calculated({ category: 'notfrist', create_vorfrist: true })
    const byHand = await at.entered({ category: 'begruendung' })

    expect([body.category, byHand.category]).toEqual(['notfrist', 'begruendung'])
    expect(await at.read(body.chain.vorfrist)).toMatchObject({ category: 'notfrist', basis: null })
  })

  it('shows its basis in the register in all three forms, set off from ordinary deadlines', async () => {
    const title = 'Berufung mit Grundlage'
    await calculated({ title, calculation: { ...shifted, event_date: '2036-03-06' } })
    await at.enter({ title: 'Wiedervorlage', due_at: '2036-04-07' })
    const register = (accept: string) =>
      at.firm.owner('GET', '/api/v1/deadlines/register?date=2036-04-07', { headers: { Accept: accept } })

    const [json, csv, page] = await Promise.all(
      ['application/json', 'text/csv', 'text/html'].map(async (accept) => (await register(accept)).body),
    )

    expect(json.due[0]).toMatchObject({ category: 'rechtsmittel', basis: { event_date: '2036-03-06' } })
    expect(csv).toMatch(
      /rechtsmittel,false,,,,zpo_berufung,§ 517 ZPO,2036-03-06,2036-04-06,2036-04-07,DE-BE,/,
    )
    expect(page).toContain(
      'Berufung<br>§ 517 ZPO<br>Ereignis Donnerstag, 06.03.2036<br>Ende Montag, 07.04.2036, verschoben von Sonntag, 06.04.2036<br>Feiertage Berlin',
    )
    const due = page.slice(page.indexOf('Fällig an diesem Tag'), page.indexOf('Erledigt in den letzten'))
    expect(due.match(/class="category">RECHTSMITTELFRIST/g)).toHaveLength(1)
  })
})

it.each([
  [
    '2035-10-04',
    { event_date: '2035-09-03', region: 'DE-BY' },
    'Mittwoch, 03.10.2035 (Tag der Deutschen Einheit)',
  ],
  [
    '2036-08-18',
    { event_date: '2036-07-15', region: 'DE-BY', mariae_himmelfahrt: true },
    'Freitag, 15.08.2036 (Mariä Himmelfahrt)',
  ],
  [
    '2036-12-29',
    { event_date: '2036-11-25', region: 'DE-BY' },
    'Donnerstag, 25.12.2036 (1. Weihnachtstag, 2. Weihnachtstag)',
  ],
])('the page of the register of %s names the holidays that the end moved over', async (date, from, day) => {
  await calculated({ title: 'Verschoben', calculation: { preset: 'zpo_berufung', ...from } })

  const { body } = await at.firm.owner('GET', `/api/v1/deadlines/register?date=${date}`, {
    headers: { Accept: 'text/html' },
  })

  expect(body).toContain(`, verschoben von ${day}<br>`)
})

it('the page of the register shows the steps from the posting to the end, the Notfrist, and the points to check', async () => {
  const posted = { preset: 'sgg_widerspruch', posted_on: '2031-06-03', region: 'DE-BE' }
  await calculated({ title: 'Widerspruch', calculation: posted })
  await calculated({ title: 'Einspruch', calculation: { ...calculation, event_date: '2031-06-07' } })

  const { body } = await at.firm.owner('GET', '/api/v1/deadlines/register?date=2031-07-07', {
    headers: { Accept: 'text/html' },
  })

  // The fourth day is Saturday 7 June, which stays; a month later is Monday 7 July.
  expect(body).toContain('zur Post gegeben Dienstag, 03.06.2031')
  expect(body.replaceAll('\u00a0', ' ')).toContain(
    'Rechenweg: § 37 Abs. 2 SGB X 07.06.2031; § 64 Abs. 1 SGG 08.06.2031; § 64 Abs. 2 SGG 07.07.2031; § 64 Abs. 3 SGG 07.07.2031',
  )
  expect(body).toContain('Gerechnet ist mit dem vermuteten Zugang')
  expect(body).toContain('RECHTSMITTELFRIST, NOTFRIST')
})

it('a deadline that ends a case stands out in the feed (F13)', async () => {
  const soon = new Date(epochMilliseconds() + 20 * 86_400_000).toISOString().slice(0, 10)
  await at.entered({ title: 'Berufung im Kalender', category: 'rechtsmittel', due_at: soon })
  await at.entered({ title: 'Wiedervorlage im Kalender', due_at: soon })
  const { body: token } = await at.firm.owner('POST', '/api/v1/calendar/ical-tokens')

  const feed = await (await fetch(token.url)).text()

  expect(feed).toContain('SUMMARY:RECHTSMITTELFRIST: Berufung im Kalender\r\nPRIORITY:1')
  expect(feed).toMatch(/SUMMARY:Frist: Wiedervorlage im Kalender\r\nCATEGORIES/)
})

describe('warnings (F17)', () => {
  it('name a missing Vorfrist of a deadline for the reasons of a remedy (BGH XII ZB 418/22)', async () => {
    const reasons = { category: 'begruendung' }
    const without = await at.enter(reasons)
    const joined = await at.enter({ ...reasons, frist_type: 'vorfrist', due_at: '2031-04-02' })
    const others = [
      await at.enter({ ...reasons, create_vorfrist: true }),
      await at.enter({ ...reasons, chain_id: joined.body.chain_id }),
      await at.enter({ ...reasons, frist_type: 'nachfrist' }),
      await at.enter({ category: 'rechtsmittel' }),
      // A Vorfrist of a week would be past.
      await at.enter({ ...reasons, due_at: new Date(epochMilliseconds() + 6 * 86_400_000).toISOString() }),
    ]

    expect(without.body.warnings).toEqual([
      'Es ist keine Vorfrist eingetragen: Für die Begründung eines Rechtsmittels verlangt der BGH eine von etwa einer Woche (XII ZB 418/22).',
    ])
    for (const { body } of [joined, ...others]) expect(body.warnings.join()).not.toContain('keine Vorfrist')
  })

  it('tell of a deadline on a day off, in the past, and of a Vorfrist that is past', async () => {
    const holiday = (await at.enter({ due_at: '2031-05-01' })).body
    const past = (await at.enter({ due_at: '2020-03-02' })).body
    const soon = new Date(epochMilliseconds() + 2 * 86_400_000).toISOString()
    const vorfrist = (await at.enter({ due_at: soon, create_vorfrist: true })).body
    const none = (await at.enter({ due_at: '2031-04-16' })).body

    expect(holiday.warnings).toEqual([
      'Die Hauptfrist fällt auf einen arbeitsfreien Tag in Berlin: Tag der Arbeit (Donnerstag, 01.05.2031).',
    ])
    expect(past.warnings).toEqual(['Die Hauptfrist (Montag, 02.03.2020) liegt in der Vergangenheit.'])
    expect(vorfrist.warnings.join()).toMatch(/Die Vorfrist \(.*\) liegt in der Vergangenheit\./)
    expect(none.warnings).toEqual([])
    expect((await at.change(none.id, { due_at: '2031-04-19' })).body.warnings).toHaveLength(1)
    expect(await at.read(none.id)).not.toHaveProperty('warnings')
  })

  it('ask for the year if the event that begins the period is in the future', async () => {
    const future = 'Das Ereignis (Sonntag, 16.03.2031) liegt in der Zukunft: Das Jahr ist zu prüfen.'
    const entered = (await calculated()).body
    const served = { ...calculation, event_date: '2026-03-16' }

    const known = await at.change(entered.id, { calculation: served })
    const again = await at.change(entered.id, { calculation })
    const backward = await calculated({
      calculation: { preset: 'zpo_schriftsatz_vor_termin', event_date: '2031-03-14' },
    })
    const posted = await calculated({
      calculation: { preset: 'famfg_beschwerde', posted_on: '2031-03-03', pronounced_on: '2031-02-27' },
    })

    expect(entered.warnings).toEqual([future])
    expect(known.body.warnings.join()).not.toContain('Zukunft')
    expect(again.body.warnings).toContain(future)
    expect(backward.body.warnings).toEqual([])
    expect(posted.body.warnings).toEqual([
      expect.stringContaining('Die Aufgabe zur Post (Montag, 03.03.2031)'),
      expect.stringContaining('Die Verkündung (Donnerstag, 27.02.2031)'),
    ])
  })

  it('tell that midnight belongs to the day before', async () => {
    const { body } = await at.enter({ due_at: '2031-04-17T00:00:00+02:00' })

    expect(body.warnings).toEqual([
      'Die Hauptfrist (Donnerstag, 17.04.2031) ist um 0 Uhr fällig, also mit Ablauf des Vortags (Mittwoch, 16.04.2031): Im Register steht sie erst einen Tag später.',
    ])
  })

  it('tell of a Vorfrist that stays behind when its Hauptfrist moves', async () => {
    const [byHand, done] = await Promise.all([
      at.entered({ create_vorfrist: true }),
      at.entered({ create_vorfrist: true }),
    ])
    await at.change(byHand.chain.vorfrist, { due_at: '2031-04-10' })
    await at.complete(done.chain.vorfrist)

    const later = await at.change(byHand.id, { due_at: '2031-04-17' })
    const earlier = await at.change(byHand.id, { due_at: '2031-04-08' })
    const past = await at.change(done.id, { due_at: '2031-04-17' })

    expect(later.body.warnings).toEqual([])
    expect(earlier.body.warnings).toEqual([
      'Die Vorfrist (Donnerstag, 10.04.2031) wurde von Hand gesetzt und liegt nach der Hauptfrist.',
    ])
    expect(past.body.warnings).toEqual([
      'Die Vorfrist ist schon erledigt: An das neue Ende erinnert keine Vorfrist.',
    ])
  })

  it('tell of an open Nachfrist that is due before its Hauptfrist once this moves, is extended, or is entered', async () => {
    const first = await at.entered()
    const nachfrist = await at.entered({
      frist_type: 'nachfrist',
      hauptfrist_id: first.id,
      due_at: '2031-04-30',
    })
    const extension = `/api/v1/deadlines/${first.id}/extension`
    await at.firm.owner('POST', extension, { body: { requested_until: '2031-05-05' } })

    const upToIt = await at.change(first.id, { due_at: '2031-04-30' })
    const granted = await at.firm.owner('POST', `${extension}/grant`)
    const beyond = await at.change(first.id, { due_at: '2031-05-06' })
    await at.firm.owner('DELETE', `/api/v1/deadlines/${first.id}`)
    const second = await at.enter({ chain_id: first.chain_id, due_at: '2031-05-07' })
    await at.complete(nachfrist.id)
    const done = await at.change(second.body.id, { due_at: '2031-05-08' })

    const warning = 'Die Nachfrist (Mittwoch, 30.04.2031) liegt vor der Hauptfrist: Sie ist zu prüfen.'
    expect([upToIt, granted, beyond, second, done].map(({ body }) => body.warnings)).toEqual([
      [],
      [warning],
      [warning],
      [warning],
      [],
    ])
  })

  it('tell of a Vorfrist that is due after the Hauptfrist which is entered into its chain', async () => {
    const { chain_id } = await at.entered({ frist_type: 'vorfrist', due_at: '2031-04-17' })

    const { body } = await at.enter({ chain_id, due_at: '2031-04-16' })

    expect(body.warnings).toEqual([
      'Die Vorfrist (Donnerstag, 17.04.2031) wurde von Hand gesetzt und liegt nach der Hauptfrist.',
    ])
  })

  it('leave the tag of a deadline as it is', async () => {
    const answer = await at.enter({ due_at: '2031-05-01' })

    const read = await at.firm.owner('GET', `/api/v1/deadlines/${answer.body.id}`)

    expect(answer.headers.get('etag')).toBe(read.headers.get('etag'))
  })
})

describe('a Vorfrist on a day off (F17)', () => {
  // Eight days before Monday 14 April 2031 is Sunday 6 April; before Easter Tuesday the 15th, Good Friday is the 11th.
  it('stays on its exact day unless the working day before is asked for', async () => {
    const exact = await at.entered({ due_at: '2031-04-14', create_vorfrist: true, vorfrist_days: 8 })
    const earlier = await at.entered({
      due_at: '2031-04-14',
      create_vorfrist: true,
      vorfrist_days: 8,
      vorfrist_on_working_day: true,
    })

    expect((await at.read(exact.chain.vorfrist)).due_at).toBe('2031-04-06T23:59:59+02:00')
    expect((await at.read(earlier.chain.vorfrist)).due_at).toBe('2031-04-04T23:59:59+02:00')
  })

  it('goes to a working day too if it is entered by itself, and then has no basis', async () => {
    const case_id = await at.openCase()
    const { id } = await at.entered({ case_id, due_at: '2031-04-14' })
    const vorfrist = { case_id, frist_type: 'vorfrist', hauptfrist_id: id, vorfrist_on_working_day: true }
    const period = { period: { unit: 'day', count: 1 }, event_date: '2031-04-05' }

    const byHand = await at.entered({ ...vorfrist, due_at: '2031-04-06' })
    const calculated = await at.entered({
      frist_type: 'vorfrist',
      vorfrist_on_working_day: true,
      due_at: undefined,
      calculation: { ...period, event_date: '2031-04-06' },
    })

    expect(byHand.due_at).toBe('2031-04-04T23:59:59+02:00')
    expect((await at.read(id)).chain.vorfrist).toBe(byHand.id)
    expect([calculated.due_at, calculated.basis?.period]).toEqual([
      '2031-04-07T23:59:59+02:00',
      period.period,
    ])
  })

  it('has no calculation any more when it moves along', async () => {
    const { id, chain } = await at.entered({ create_vorfrist: true })
    const calculation = { event_date: '2031-04-02', period: { unit: 'week', count: 1 } }
    const own = (await at.change(chain.vorfrist, { calculation })).body

    await at.change(id, { due_at: '2031-04-17' })

    expect([own.due_at, own.basis.due_date]).toEqual(['2031-04-09T23:59:59+02:00', '2031-04-09'])
    const { due_at, basis } = await at.read(chain.vorfrist)
    expect([due_at, basis]).toEqual(['2031-04-10T23:59:59+02:00', null])
  })

  it('goes to a working day too when it moves along', async () => {
    const { id, chain } = await at.entered({
      due_at: '2031-04-09',
      create_vorfrist: true,
      vorfrist_on_working_day: true,
    })

    // Seven days before Monday 21 April is Easter Monday, 14 April; Good Friday is the 11th.
    await at.change(id, { due_at: '2031-04-21' })

    expect((await at.read(chain.vorfrist)).due_at).toBe('2031-04-10T23:59:59+02:00')
  })
})

describe('an overdue deadline (F15)', () => {
  it('says so, verified or not, in both interfaces, until it is completed', async () => {
    const caseId = await at.openCase()
    const open = await at.entered({ case_id: caseId, due_at: '2020-03-02' })
    const verified = await at.entered({ case_id: caseId, due_at: '2020-03-03' })
    const done = await at.entered({ case_id: caseId, due_at: '2020-03-04' })
    const future = await at.entered({ case_id: caseId })
    await at.verify(verified.id)
    await at.complete(done.id)

    const list = await at.firm.owner('GET', `/api/v1/deadlines?overdue=true&case_id=${caseId}`)
    const ofStatus = await at.firm.owner(
      'GET',
      `/api/v1/deadlines?overdue=true&status=verified&case_id=${caseId}`,
    )
    const range = await at.firm.owner('GET', `/api/v1/deadlines?overdue=true&to=2020-03-02&case_id=${caseId}`)
    const fristen = await at.firm.owner('GET', `/api/v1/calendar/fristen?case_id=${caseId}`)

    const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)
    expect(idsOf(list.body)).toEqual([open.id, verified.id])
    expect(list.body.data.map(({ overdue }: { overdue: boolean }) => overdue)).toEqual([true, true])
    expect([idsOf(ofStatus.body), idsOf(range.body)]).toEqual([[verified.id], [open.id]])
    expect(fristen.body.data.map(({ overdue }: { overdue: boolean }) => overdue)).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect([(await at.read(done.id)).overdue, (await at.read(future.id)).overdue]).toEqual([false, false])
  })
})
