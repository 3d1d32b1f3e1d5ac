import { beforeAll, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { newDeadlineFirm, outcome, unknown } from '#test/support/deadline-firm.ts'

let at: Awaited<ReturnType<typeof newDeadlineFirm>>
beforeAll(async () => {
  at = await newDeadlineFirm()
})

const control = (id: string, by = at.colleague.api) => by('POST', `/api/v1/deadlines/${id}/exit-control`)
const reopen = (id: string, body: unknown = { reason: 'Falscher Eingang.' }) =>
  at.firm.owner('POST', `/api/v1/deadlines/${id}/reopen`, { body })
const actionsOf = async (id: string) =>
  (await at.firm.owner('GET', `/api/v1/deadlines/${id}/history`)).body.data.map(
    ({ action, reason }: { action: string; reason: string | null }) => [action, reason],
  )
const register = async (query = '', accept = 'application/json') =>
  (await at.firm.owner('GET', `/api/v1/deadlines/register${query}`, { headers: { Accept: accept } })).body

describe('completing (F16)', () => {
  it('keeps the date of the receipt and the user who looked at it', async () => {
    const { id } = await at.entered()
    const evidence = {
      type: 'note',
      text: 'Eingereicht.',
      receipt_at: '2031-04-14T11:58:12+02:00',
      checked_by: at.colleague.user.id,
    }

    const { body } = await at.complete(id, evidence)

    expect(body.evidence).toEqual({ ...evidence, receipt_at: '2031-04-14T09:58:12.000Z' })
  })

  it.each([
    [{ type: 'note', text: 'x', checked_by: `usr_${unknown}` }, [404, 'USER_NOT_FOUND']],
    [{ type: 'note', text: 'x', receipt_at: 'gestern' }, [400, 'VALIDATION_ERROR']],
    [{ type: 'note', text: 'x'.repeat(2_001) }, [400, 'VALIDATION_ERROR']],
    [{ type: 'hauptfrist' }, [400, 'VALIDATION_ERROR']],
  ])('refuses the evidence %j', async (evidence, expected) => {
    const { id } = await at.entered()

    expect(outcome(await at.complete(id, evidence))).toEqual(expected)
  })

  it.each([
    [{ type: 'mail', text: 'x' }],
    [{ type: 'hauptfrist' }],
    [{ type: 'Document', document_id: 'doc_1' }],
    [{ type: null }],
    [{ text: 'x' }],
  ])('names the existing kinds of evidence if it is %j', async (evidence) => {
    const { id } = await at.entered()

    const { body } = await at.complete(id, evidence)

    expect(body.error.details).toEqual([
      { path: 'body.evidence.type', message: 'This must be one of document, bea_receipt, note.' },
    ])
  })

  it('a Hauptfrist completes its open Vorfrist, but not one that was completed before', async () => {
    const open = await at.entered({ create_vorfrist: true })
    const earlier = await at.entered({ create_vorfrist: true })
    await at.complete(earlier.chain.vorfrist, { type: 'note', text: 'Vorgelegt.' })

    await at.complete(open.id)
    await at.complete(earlier.id)

    expect(await at.read(open.chain.vorfrist)).toMatchObject({
      status: 'completed',
      evidence: { type: 'hauptfrist' },
    })
    expect((await at.read(earlier.chain.vorfrist)).evidence).toMatchObject({ text: 'Vorgelegt.' })
  })
})

describe('the exit control (F16)', () => {
  it('is recorded once, by a user other than the one who completed the deadline', async () => {
    const { id } = await at.entered()
    const early = await control(id)
    await at.complete(id)

    const own = await control(id, at.firm.owner)
    const first = await control(id)
    const second = await control(id, at.third.api)

    expect(outcome(early)).toEqual([409, 'DEADLINE_NOT_COMPLETED'])
    expect(outcome(own)).toEqual([403, 'DUAL_CONTROL_REQUIRED'])
    expect(first.body.exit_control).toEqual({ by: at.colleague.user.id, at: expect.stringMatching(/Z$/) })
    expect([second.status, second.body]).toEqual([200, first.body])
    expect(await actionsOf(id)).toEqual([
      ['created', null],
      ['completed', null],
      ['exit_controlled', null],
    ])
  })

  it('that is missing is in the register, for Haupt- and Nachfristen, until it is made', async () => {
    const lacking = await at.entered({ title: 'Ohne Kontrolle', create_vorfrist: true })
    const controlled = await at.entered()
    const struck = await at.entered()
    for (const { id } of [lacking, controlled, struck]) await at.complete(id)
    await control(controlled.id)
    await at.firm.owner('DELETE', `/api/v1/deadlines/${struck.id}`)

    const before = await register()
    const page = await register('', 'text/html')
    await control(lacking.id)
    const after = await register()

    const idsOf = (body: { completed_without_exit_control: { id: string }[] }) =>
      body.completed_without_exit_control.map(({ id }) => id)
    expect(idsOf(before)).toContain(lacking.id)
    for (const { id } of [controlled, struck]) expect(idsOf(before)).not.toContain(id)
    expect(idsOf(before)).not.toContain(lacking.chain.vorfrist)
    expect(before.totals.completed_without_exit_control).toBe(idsOf(before).length)
    expect(page).toContain('Erledigt in den letzten dreißig Tagen, ohne Ausgangskontrolle')
    expect(page).toContain('<b>ohne Ausgangskontrolle</b>')
    expect(idsOf(after)).not.toContain(lacking.id)
  })

  it('that is missing stands in the register of the due day beside the deadline, with its calculation in both', async () => {
    const today = new Date(epochMilliseconds()).toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' })
    const calculation = { event_date: today, period: { unit: 'day', count: 1 }, shift: 'none' }
    const { id, basis } = await at.entered({ due_at: null, calculation })
    await at.complete(id)

    const dueDay = await register(`?date=${basis.due_date}`)

    const shown = [dueDay.due, dueDay.completed_without_exit_control].map((list) =>
      list.find((one: { id: string }) => one.id === id),
    )
    expect(shown).toMatchObject([{ basis }, { basis }])
  })
})

describe('an exit control that is missing for more than thirty days', () => {
  it('is not forgotten: the register names the day of the first, whose register lists it', async () => {
    const far = await newDeadlineFirm()
    const { id } = await far.entered()
    await far.complete(id)
    const localDay = (days: number) =>
      new Date(epochMilliseconds() + days * 86_400_000).toLocaleDateString('sv-SE', {
        timeZone: 'Europe/Berlin',
      })
    const read = async (days: number, accept = 'application/json') =>
      (
        await far.firm.owner('GET', `/api/v1/deadlines/register?date=${localDay(days)}`, {
          headers: { Accept: accept },
        })
      ).body

    const [soon, late, csv, page] = await Promise.all([
      read(0),
      read(40),
      read(40, 'text/csv'),
      read(40, 'text/html'),
    ])
    await far.colleague.api('POST', `/api/v1/deadlines/${id}/exit-control`)

    expect(soon.completed_without_exit_control.map((one: { id: string }) => one.id)).toEqual([id])
    expect(soon).not.toHaveProperty('without_exit_control_since')
    expect(late).toMatchObject({
      completed_without_exit_control: [],
      without_exit_control_since: localDay(0),
    })
    expect(csv).toContain(`\r\nwithout_exit_control_since,${localDay(0)}`)
    expect(page).toContain('LÄNGER ALS DREISSIG TAGE')
    expect(await read(40)).not.toHaveProperty('without_exit_control_since')
  })
})

describe('reopening (F16; BGH I ZB 108/17)', () => {
  it('undoes a completion with its exit control, and of the Vorfrist completed with it', async () => {
    const { id, chain } = await at.entered({ create_vorfrist: true })
    await at.complete(id)
    await control(id)

    const reopened = await reopen(id)

    expect(reopened.body).toMatchObject({
      status: 'pending',
      completed_at: null,
      completed_by: null,
      evidence: null,
      exit_control: null,
    })
    expect((await at.read(chain.vorfrist)).status).toBe('pending')
    expect(await actionsOf(id)).toEqual([
      ['created', null],
      ['completed', null],
      ['exit_controlled', null],
      ['reopened', 'Falscher Eingang.'],
    ])
    expect(outcome(await reopen(id))).toEqual([409, 'DEADLINE_NOT_COMPLETED'])
  })

  it('leaves a Vorfrist that was completed by itself', async () => {
    const { id, chain } = await at.entered({ create_vorfrist: true })
    await at.complete(chain.vorfrist)
    await at.complete(id)

    await reopen(id)

    expect((await at.read(chain.vorfrist)).status).toBe('completed')
  })

  it.each([
    ['2031-04-09', '2031-04-02T23:59:59+02:00'],
    ['2031-05-16', '2031-05-09T23:59:59+02:00'],
  ])('of a Vorfrist moves it to where its Hauptfrist has moved: %s (F2)', async (due_at, expected) => {
    const { id, case_id, chain } = await at.entered({ create_vorfrist: true })
    await at.complete(chain.vorfrist)
    await at.change(id, { due_at })

    const { body } = await reopen(chain.vorfrist)

    expect(body).toMatchObject({ status: 'pending', due_at: expected })
    expect(await at.read(chain.vorfrist)).toEqual(body)
    const timeline = await at.firm.owner('GET', `/api/v1/cases/${case_id}/timeline`)
    const [year, month, day] = expected.slice(0, 10).split('-')
    expect(timeline.body.data[0].summary).toContain(`→ ${day}.${month}.${year}, 23:59 Uhr`)
  })

  it('of a Vorfrist leaves its due time if it was set by hand', async () => {
    const { id, chain } = await at.entered({ create_vorfrist: true })
    await at.change(chain.vorfrist, { due_at: '2031-04-01' })
    await at.complete(chain.vorfrist)
    await at.change(id, { due_at: '2031-05-16' })

    const { body } = await reopen(chain.vorfrist)

    expect(body.due_at).toBe('2031-04-01T23:59:59+02:00')
  })

  it('asks for a reason', async () => {
    const { id } = await at.entered()
    await at.complete(id)

    const answers = await Promise.all(
      [{}, { reason: ' ' }, { reason: 'x'.repeat(2_001) }].map((body) => reopen(id, body)),
    )

    expect(answers.map(outcome)).toEqual(Array(3).fill([400, 'VALIDATION_ERROR']))
  })
})

describe('the reason of a strike (F16)', () => {
  it('stands in history and register, from the body or the query, and its absence too', async () => {
    const due_at = '2037-03-04'
    const [body, query, none] = await Promise.all(
      ['Im Text', 'In der Anfrage', 'Ohne'].map((title) => at.entered({ title, due_at })),
    )
    const strike = (id: string, suffix = '', send = {}) =>
      at.firm.owner('DELETE', `/api/v1/deadlines/${id}${suffix}`, send)

    const statuses = [
      await strike(body.id, '', { body: { reason: 'Klage zurückgenommen.' } }),
      await strike(query.id, '?reason=Vergleich.'),
      await strike(none.id),
    ].map(({ status }) => status)

    expect(statuses).toEqual([204, 204, 204])
    expect((await actionsOf(body.id)).at(-1)).toEqual(['struck', 'Klage zurückgenommen.'])
    const json = await register(`?date=${due_at}`)
    const reasons = new Map(
      json.due.map(({ id, struck_reason }: { id: string; struck_reason: string }) => [id, struck_reason]),
    )
    expect([body, query, none].map(({ id }) => reasons.get(id))).toEqual([
      'Klage zurückgenommen.',
      'Vergleich.',
      null,
    ])
    const page = await register(`?date=${due_at}`, 'text/html')
    expect(page).toContain('Grund: <bdi>Vergleich.</bdi>')
    expect(page).toContain('ohne Angabe eines Grundes')
    expect(await register(`?date=${due_at}`, 'text/csv')).toContain('Klage zurückgenommen.')
  })
})

describe('the register (F15)', () => {
  it('begins with open deadlines of earlier days, and names the coming Vorfristen, in all formats', async () => {
    const far = await newDeadlineFirm()
    const open = await far.entered({ title: 'Offen', due_at: '2020-03-02' })
    const verified = await far.entered({ title: 'Geprüft', due_at: '2020-03-03' })
    await far.verify(verified.id)
    await far.complete((await far.entered({ due_at: '2020-03-03' })).id)
    const date = '2038-03-01'
    const soon = await far.entered({ due_at: '2038-03-15', create_vorfrist: true })
    await far.verify(soon.chain.vorfrist)
    await far.entered({ due_at: '2038-03-16', create_vorfrist: true })
    const read = async (accept: string) =>
      (
        await far.firm.owner('GET', `/api/v1/deadlines/register?date=${date}`, {
          headers: { Accept: accept },
        })
      ).body

    const [json, csv, page] = await Promise.all(['application/json', 'text/csv', 'text/html'].map(read))

    expect(json.open_before.map(({ id }: { id: string }) => id)).toEqual([open.id, verified.id])
    expect(json.ahead.map(({ id }: { id: string }) => id)).toEqual([soon.chain.vorfrist])
    expect(json.totals).toMatchObject({ open_before: 2, ahead: 1 })
    expect(csv.match(/\r\nopen_before,/g)).toHaveLength(2)
    expect(csv.match(/\r\nahead,/g)).toHaveLength(1)
    expect(page.indexOf('Offen aus früheren Tagen')).toBeLessThan(page.indexOf('Fällig an diesem Tag'))
    expect(page.match(/▲ NICHT ERLEDIGT/g)).toHaveLength(2)
    expect(page).toContain('Vorfristen der nächsten sieben Tage')
  })
})
