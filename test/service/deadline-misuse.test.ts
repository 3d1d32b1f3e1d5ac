import { beforeAll, describe, expect, it } from 'vitest'
import { newDeadlineFirm, outcome, times } from '#test/support/deadline-firm.ts'

let at: Awaited<ReturnType<typeof newDeadlineFirm>>
beforeAll(async () => {
  at = await newDeadlineFirm()
})

const post = (id: string, path: string, body?: unknown, by = at.firm.owner) =>
  by('POST', `/api/v1/deadlines/${id}/${path}`, body === undefined ? {} : { body })

/** Reasons of an appeal against a judgment that was served on Friday 14 March 2031: due on Wednesday 14 May. */
const calculation = { event_date: '2031-03-14', preset: 'zpo_berufungsbegruendung', region: 'DE-BE' }
const reasons = (body: Record<string, unknown> = {}) =>
  at.entered({ title: 'Begründung', due_at: undefined, calculation, ...body })
const inCase = async (caseId: string) =>
  (await at.firm.owner('GET', `/api/v1/deadlines?case_id=${caseId}&from=2020-01-01`)).body.data
const historyOf = async (id: string) => (await at.firm.owner('GET', `/api/v1/deadlines/${id}/history`)).body

describe('two people at once', () => {
  it('grant and refuse: one of them is recorded, and one Vorfrist is left', async () => {
    for (const _ of Array(4)) {
      const case_id = await at.openCase()
      const { id } = await reasons({ case_id, create_vorfrist: true })
      const { body } = await post(id, 'extension', { requested_until: '2031-06-16' })

      const answers = await Promise.all([
        post(id, 'extension/grant'),
        post(id, 'extension/refuse', undefined, at.colleague.api),
      ])

      const [one] = answers.filter(({ status }) => status === 200)
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
      const left = await inCase(case_id)
      expect(left.map(({ frist_type }: { frist_type: string }) => frist_type)).toEqual([
        'vorfrist',
        'hauptfrist',
      ])
      expect(left[1].due_at).toBe(one?.body.due_at)
      expect(left[0].provisional_for).toBeNull()
      for (const each of [id, left[0].id, body.extension.provisional_id])
        expect((await historyOf(each)).intact).toBe(true)
    }
  })

  it('verify and grant: no extended deadline counts as verified with its old date', async () => {
    for (const _ of Array(4)) {
      const { id } = await reasons()
      await post(id, 'extension', { requested_until: '2031-06-16' })

      await Promise.all([at.verify(id), post(id, 'extension/grant')])

      const { data, intact } = await historyOf(id)
      const now = await at.read(id)
      const last = data.at(-1)
      expect(intact).toBe(true)
      expect(now.due_at).toBe('2031-06-16T23:59:59+02:00')
      // The last user to verify saw the new date.
      expect(now.verified_by === null || last.action === 'verified').toBe(true)
      expect(last.after.due_at).toBe(now.due_at)
    }
  })

  it('complete and strike: struck in the end, or completed and struck, never half', async () => {
    for (const _ of Array(4)) {
      const { id, chain } = await reasons({ create_vorfrist: true })

      const [done, struck] = await Promise.all([
        at.complete(id),
        at.firm.owner('DELETE', `/api/v1/deadlines/${id}`, { body: { reason: 'Vergleich.' } }),
      ])

      expect([200, 404]).toContain(done.status)
      expect(struck.status).toBe(204)
      const actions = async (one: string) =>
        (await historyOf(one)).data.map(({ action }: { action: string }) => action)
      expect((await actions(id)).at(-1)).toBe('struck')
      expect(await actions(chain.vorfrist)).toEqual(await actions(id))
    }
  })

  it('complete, and ten check the outgoing post: one of them is recorded', async () => {
    const { id } = await reasons()
    await at.complete(id)

    const answers = await times(10, (index) =>
      post(id, 'exit-control', undefined, index % 2 ? at.colleague.api : at.third.api),
    )

    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(new Set(answers.map(({ body }) => body.exit_control.by)).size).toBe(1)
    expect((await historyOf(id)).data).toHaveLength(3)
  })

  it('reopen and exit control: an open deadline has no exit control', async () => {
    for (const _ of Array(4)) {
      const { id } = await reasons()
      await at.complete(id)

      await Promise.all([
        post(id, 'reopen', { reason: 'Falscher Beleg.' }),
        post(id, 'exit-control', undefined, at.colleague.api),
      ])

      expect(await at.read(id)).toMatchObject({ completed_at: null, exit_control: null, evidence: null })
    }
  })
})

describe('wrong input is refused:', () => {
  it('a letter that was posted before the order was pronounced', async () => {
    const body = { preset: 'famfg_beschwerde', posted_on: '2031-02-26', pronounced_on: '2031-02-27' }

    const answers = [
      await at.firm.owner('POST', '/api/v1/deadlines/calculate', { body }),
      await at.enter({ due_at: undefined, calculation: body }),
    ]

    expect(answers.map(outcome)).toEqual(Array(2).fill([400, 'VALIDATION_ERROR']))
    expect(answers.map((one) => one.body.error.details[0].path)).toEqual([
      'body.posted_on',
      'body.calculation.posted_on',
    ])
  })

  it('every act without the right to write', async () => {
    const { id } = await reasons()
    const reader = await at.firm.withScopes('deadlines:read')

    const answers = [
      await post(id, 'complete', { evidence: { type: 'note', text: 'Getan.' } }, reader),
      await post(id, 'exit-control', undefined, reader),
      await post(id, 'reopen', { reason: 'Irrtum.' }, reader),
      await post(id, 'extension', { requested_until: '2031-06-16' }, reader),
      await post(id, 'extension/grant', undefined, reader),
      await post(id, 'extension/refuse', undefined, reader),
      await reader('DELETE', `/api/v1/deadlines/${id}`),
    ]

    expect(answers.map(outcome)).toEqual(Array(7).fill([403, 'AUTH_INSUFFICIENT_SCOPE']))
    expect((await historyOf(id)).data).toHaveLength(1)
  })

  it('every act of another firm', async () => {
    const { id } = await reasons()
    const stranger = (await newDeadlineFirm()).firm.owner

    const answers = [
      await post(id, 'exit-control', undefined, stranger),
      await post(id, 'reopen', { reason: 'Irrtum.' }, stranger),
      await post(id, 'extension', { requested_until: '2031-06-16' }, stranger),
      await post(id, 'extension/grant', undefined, stranger),
      await post(id, 'extension/refuse', undefined, stranger),
      await stranger('GET', `/api/v1/deadlines/${id}/history`),
    ]

    expect(answers.map(outcome)).toEqual(Array(6).fill([404, 'DEADLINE_NOT_FOUND']))
  })

  it('every act on a struck deadline', async () => {
    const { id } = await reasons()
    await at.firm.owner('DELETE', `/api/v1/deadlines/${id}`)

    const answers = [
      await at.verify(id),
      await at.complete(id),
      await post(id, 'exit-control', undefined, at.colleague.api),
      await post(id, 'reopen', { reason: 'Irrtum.' }),
      await post(id, 'extension', { requested_until: '2031-06-16' }),
    ]

    expect(answers.map(outcome)).toEqual(Array(5).fill([404, 'DEADLINE_NOT_FOUND']))
  })
})

describe('overdue deadlines', () => {
  it('are found together with a state, and only those', async () => {
    const case_id = await at.openCase()
    const past = { case_id, due_at: '2020-03-02' }
    const open = await at.entered({ ...past, title: 'Offen' })
    const verified = await at.entered({ ...past, title: 'Geprüft' })
    await at.verify(verified.id)
    const done = await at.entered({ ...past, title: 'Erledigt' })
    await at.complete(done.id)
    const found = async (query: string) => {
      const { status, body } = await at.firm.owner('GET', `/api/v1/deadlines?case_id=${case_id}&${query}`)
      return [status, ...body.data.map(({ id }: { id: string }) => id)]
    }

    expect(await found('overdue=true')).toEqual([200, open.id, verified.id])
    expect(await found('overdue=true&status=verified')).toEqual([200, verified.id])
    expect(await found('overdue=true&status=expired')).toEqual([200, open.id])
    expect(await found('overdue=true&status=pending')).toEqual([200])
    expect(await found('overdue=true&status=completed')).toEqual([200])
  })
})

describe('a requested extension', () => {
  it('follows the deadline to another person and title, with its provisional deadlines', async () => {
    const case_id = await at.openCase()
    const { id } = await reasons({ case_id, create_vorfrist: true })
    await post(id, 'extension', { requested_until: '2031-06-16' })
    for (const one of await inCase(case_id)) await at.verify(one.id)

    await at.change(id, { assigned_to: at.third.user.id, title: 'Berufungsbegründung' })

    // A wrongly assigned person was the fatal error (BGH, 26.09.2024 – III ZB 82/23).
    const rows = await inCase(case_id)
    expect(rows.map(({ assigned_to }: { assigned_to: string }) => assigned_to)).toEqual(
      Array(4).fill(at.third.user.id),
    )
    expect(rows.map(({ title }: { title: string }) => title).toSorted()).toEqual([
      'Berufungsbegründung',
      'Verlängerung beantragt (vorläufig): Berufungsbegründung',
      'Vorfrist: Berufungsbegründung',
      'Vorfrist: Verlängerung beantragt (vorläufig): Berufungsbegründung',
    ])
    expect(rows.map(({ verified_by }: { verified_by: string | null }) => verified_by)).toEqual(
      Array(4).fill(null),
    )
  })

  it('says who may extend, for how long, and with whose consent', async () => {
    const { id } = await reasons()

    const { body } = await post(id, 'extension', { requested_until: '2031-06-16' })

    expect(body.warnings).toEqual([
      'Verlängerung: Durch den Vorsitzenden, auf Antrag: mit Einwilligung des Gegners, ohne sie bis zu einem Monat (§ 520 Abs. 2 Satz 2, 3 ZPO).',
    ])
  })

  it('of a deadline that is past says that the request comes too late', async () => {
    const past = { ...calculation, event_date: '2026-03-02' }
    const { id } = await reasons({ calculation: past })

    const { body } = await post(id, 'extension', { requested_until: '2031-06-16' })

    expect(body.warnings.join()).toContain('Ein Antrag nach Ablauf der Frist kann sie nicht mehr verlängern')
  })

  it('is refused a second time if the law allows only one', async () => {
    // § 66 Abs. 1 Satz 5 ArbGG: once.
    const { id } = await reasons({ calculation: { ...calculation, preset: 'arbgg_berufungsbegruendung' } })
    await post(id, 'extension', { requested_until: '2031-06-16' })
    const replaced = await post(id, 'extension', { requested_until: '2031-06-13' })
    await post(id, 'extension/grant')

    const again = await post(id, 'extension', { requested_until: '2031-07-14' })

    expect(replaced.status).toBe(200)
    expect(outcome(again)).toEqual([400, 'VALIDATION_ERROR'])
    expect(again.body.error.details[0].message).toContain('§ 66 Abs. 1 Satz 5 ArbGG')
  })

  it('is not granted if the deadline was marked as a Notfrist in the meantime', async () => {
    const { id } = await reasons()
    await post(id, 'extension', { requested_until: '2031-06-16' })
    await at.change(id, { calculation: { ...calculation, preset: 'zpo_berufung' } })

    const answer = await post(id, 'extension/grant')

    expect(outcome(answer)).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error.details[0]).toMatchObject({
      path: 'body.until',
      message: expect.stringContaining('§ 224 Abs. 1, 2 ZPO'),
    })
    expect((await at.read(id)).due_at).toBe('2031-04-15T23:59:59+02:00')
    expect((await post(id, 'extension/refuse')).status).toBe(200)
  })

  it('granted to a day off is warned of', async () => {
    const { id } = await reasons()
    await post(id, 'extension', { requested_until: '2031-06-16' })

    // Saturday.
    const { body } = await post(id, 'extension/grant', { until: '2031-06-14' })

    expect(body.warnings).toContain(
      'Die Hauptfrist fällt auf einen arbeitsfreien Tag in Berlin: Samstag, 14.06.2031.',
    )
  })
})

describe('the register', () => {
  it('shows in CSV all that the due time comes from', async () => {
    const posted = { preset: 'famfg_beschwerde', posted_on: '2031-03-03', pronounced_on: '2031-02-27' }
    const entered = await at.entered({ due_at: undefined, calculation: posted, title: 'Nach Aufgabe' })
    const date = entered.due_at.slice(0, 10)

    const { body } = await at.firm.owner('GET', `/api/v1/deadlines/register?date=${date}`, {
      headers: { Accept: 'text/csv' },
    })

    const [head, ...rows] = String(body)
      .replace(/^\ufeff/, '')
      .split('\r\n')
    const names = head?.split(',') ?? []
    const row = rows.find((line) => line.includes('Nach Aufgabe')) ?? ''
    for (const name of ['name', 'notfrist', 'posted_on', 'pronounced_on', 'region_source', 'warnings'])
      expect(names).toContain(name)
    expect(row).toContain('2031-03-03')
    expect(row).toContain('2031-02-27')
  })

  it('marks the open deadlines of a responsible person who has left, in all forms', async () => {
    const far = await newDeadlineFirm()
    const due_at = '2031-03-05'
    const assigned_to = far.third.user.id
    await far.entered({ title: 'Verwaist', due_at, assigned_to })
    await far.complete((await far.entered({ title: 'Fertig', due_at, assigned_to })).id)
    await far.entered({ title: 'Betreut', due_at })
    await far.firm.owner('PATCH', `/api/v1/users/${assigned_to}`, { body: { active: false } })
    const read = async (accept: string) =>
      (
        await far.firm.owner('GET', `/api/v1/deadlines/register?date=${due_at}`, {
          headers: { Accept: accept },
        })
      ).body

    const [json, csv, page] = await Promise.all(['application/json', 'text/csv', 'text/html'].map(read))

    const gone = json.users.filter(({ deactivated }: { deactivated?: true }) => deactivated)
    expect(gone.map(({ id }: { id: string }) => id)).toEqual([assigned_to])
    expect(csv).toMatch(/\r\ndue,.*Verwaist.*,true,\r\n/)
    expect(csv).toMatch(/\r\ndue,.*Betreut.*,false,\r\n/)
    expect(page.match(/AUSGESCHIEDEN/g)).toHaveLength(1)
  })

  it('shows on the page when a period of hours began, in the time of the workspace', async () => {
    // 23:30 UTC on the 10th is 00:30 on Tuesday 11 March in Berlin.
    const hours = { period: { unit: 'hour', count: 2 }, event_at: '2031-03-10T23:30:00Z' }
    await at.entered({ due_at: undefined, calculation: hours, title: 'Stunden' })

    const { body } = await at.firm.owner('GET', '/api/v1/deadlines/register?date=2031-03-11', {
      headers: { Accept: 'text/html' },
    })

    expect(body).toContain('Ereignis Dienstag, 11.03.2031, 00:30 Uhr')
  })
})
