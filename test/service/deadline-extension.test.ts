import { beforeAll, describe, expect, it } from 'vitest'
import { newDeadlineFirm, outcome, times } from '#test/support/deadline-firm.ts'

let at: Awaited<ReturnType<typeof newDeadlineFirm>>
beforeAll(async () => {
  at = await newDeadlineFirm()
})

const post = (id: string, path: string, body?: unknown, by = at.firm.owner) =>
  by('POST', `/api/v1/deadlines/${id}/${path}`, body === undefined ? {} : { body })
const request = (id: string, body: unknown = { requested_until: '2031-06-16' }) => post(id, 'extension', body)
const grant = (id: string, body?: unknown) => post(id, 'extension/grant', body)
const refuse = (id: string) => post(id, 'extension/refuse')

/** Reasons of an appeal against a judgment that was served on Friday 14 March 2031: due on Wednesday 14 May. */
const calculation = { event_date: '2031-03-14', preset: 'zpo_berufungsbegruendung', region: 'DE-BE' }
const reasons = (body: Record<string, unknown> = {}) =>
  at.entered({ title: 'Begründung', due_at: undefined, calculation, ...body })
const inCase = async (caseId: string) =>
  (await at.firm.owner('GET', `/api/v1/deadlines?case_id=${caseId}`)).body.data as {
    id: string
    title: string
    due_at: string
    frist_type: string
    provisional_for: string | null
    status: string
  }[]
const historyOf = async (id: string) => (await at.firm.owner('GET', `/api/v1/deadlines/${id}/history`)).body

describe('a requested extension (F18; BGH II ZB 19/09, VII ZB 44/09)', () => {
  it('keeps the due time and adds a provisional deadline with its Vorfrist', async () => {
    const caseId = await at.openCase()
    const { id, due_at } = await reasons({ case_id: caseId })
    await at.verify(id)

    const { status, body } = await request(id, { requested_until: '2031-06-16', note: 'Urlaub des Gegners.' })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      due_at,
      status: 'verified',
      extension: {
        state: 'requested',
        requested_until: '2031-06-16T23:59:59+02:00',
        requested_by: at.firm.ownerUser.id,
        note: 'Urlaub des Gegners.',
        until: null,
      },
    })
    const listed = await inCase(caseId)
    expect(
      listed.map(({ due_at, frist_type, provisional_for }) => [due_at, frist_type, provisional_for]),
    ).toEqual([
      [due_at, 'hauptfrist', null],
      ['2031-06-09T23:59:59+02:00', 'vorfrist', id],
      ['2031-06-16T23:59:59+02:00', 'hauptfrist', id],
    ])
    expect(listed[2]?.id).toBe(body.extension.provisional_id)
    const page = await at.firm.owner('GET', '/api/v1/deadlines/register?date=2031-06-16', {
      headers: { Accept: 'text/html' },
    })
    expect(page.body).toContain('VORLÄUFIG')
  })

  it('has a provisional deadline that no other deadline can join', async () => {
    const { id } = await reasons()
    const { provisional_id } = (await request(id)).body.extension
    const { chain_id } = await at.read(provisional_id)
    const nachfrist = { frist_type: 'nachfrist', due_at: '2031-06-30' }

    const byHauptfrist = await at.enter({ ...nachfrist, hauptfrist_id: provisional_id })
    const byChain = await at.enter({ ...nachfrist, chain_id })

    expect(outcome(byHauptfrist)).toEqual([409, 'DEADLINE_PROVISIONAL'])
    expect(outcome(byChain)).toEqual([409, 'DEADLINE_PROVISIONAL'])
  })

  it('granted moves the deadline with its Vorfrist, clears the verification and keeps the basis', async () => {
    const caseId = await at.openCase()
    const { id, basis, chain } = await reasons({ case_id: caseId, create_vorfrist: true })
    await at.verify(id)
    await at.verify(chain.vorfrist)
    await request(id)

    const { body } = await grant(id)

    expect(body).toMatchObject({
      due_at: '2031-06-16T23:59:59+02:00',
      status: 'pending',
      basis,
      chain,
      extension: { state: 'granted', until: '2031-06-16T23:59:59+02:00', decided_by: at.firm.ownerUser.id },
    })
    expect((await inCase(caseId)).map(({ id, due_at, status }) => [id, due_at, status])).toEqual([
      [chain.vorfrist, '2031-06-09T23:59:59+02:00', 'pending'],
      [id, '2031-06-16T23:59:59+02:00', 'pending'],
    ])
    const provisional = await historyOf(body.extension.provisional_id)
    expect(provisional.data.at(-1)).toMatchObject({ action: 'struck', reason: 'Fristverlängerung gewährt' })
    expect((await historyOf(id)).intact).toBe(true)
    expect(outcome(await at.verify(id, at.firm.owner))).toEqual([403, 'DUAL_CONTROL_REQUIRED'])
  })

  it('granted for another day is due then', async () => {
    const { id } = await reasons()
    await request(id)

    expect((await grant(id, { until: '2031-05-28' })).body).toMatchObject({
      due_at: '2031-05-28T23:59:59+02:00',
      extension: { requested_until: '2031-06-16T23:59:59+02:00', until: '2031-05-28T23:59:59+02:00' },
    })
  })

  it.each([
    ['without a Vorfrist', false],
    ['with a completed Vorfrist', true],
  ])('granted to a deadline %s leaves the one that was provisional', async (_, create_vorfrist) => {
    const caseId = await at.openCase()
    const { id, chain } = await reasons({ case_id: caseId, create_vorfrist })
    if (create_vorfrist) await at.complete(chain.vorfrist)
    await request(id)

    const { body } = await grant(id, { until: '2031-05-28' })

    const open = (await inCase(caseId)).filter(({ id }) => id !== chain.vorfrist)
    expect(open.map(({ title, due_at, provisional_for }) => [title, due_at, provisional_for])).toEqual([
      ['Vorfrist: Begründung', '2031-05-21T23:59:59+02:00', null],
      ['Begründung', '2031-05-28T23:59:59+02:00', null],
    ])
    expect(body.chain.vorfrist).toBe(open[0]?.id)
    await at.change(id, { due_at: '2031-06-30' })
    expect((await at.read(open[0]?.id ?? '')).due_at).toBe('2031-06-23T23:59:59+02:00')
  })

  it('granted for a Nachfrist warns that the provisional Vorfrist is gone', async () => {
    const { id } = await at.entered({ frist_type: 'nachfrist' })
    await request(id)

    const { body } = await grant(id)

    expect(body.warnings).toEqual([
      'Die vorläufige Vorfrist ist gestrichen: An das neue Ende erinnert keine Vorfrist.',
    ])
  })

  it('granted gives a Vorfrist the place of an earlier, completed one, which stays completed', async () => {
    const caseId = await at.openCase()
    const { id, chain } = await reasons({ case_id: caseId, create_vorfrist: true })
    await at.complete(chain.vorfrist)
    await request(id)
    const { vorfrist } = (await grant(id, { until: '2031-05-28' })).body.chain

    const reopened = await post(chain.vorfrist, 'reopen', { reason: 'Doch noch offen.' })

    expect(outcome(reopened)).toEqual([409, 'CHAIN_OCCUPIED'])
    expect(vorfrist).not.toBe(chain.vorfrist)
    expect((await at.read(id)).chain.vorfrist).toBe(vorfrist)
    await at.change(id, { due_at: '2031-06-30' })
    expect((await at.read(vorfrist)).due_at).toBe('2031-06-23T23:59:59+02:00')
    await at.complete(id)
    expect((await at.read(vorfrist)).status).toBe('completed')
    expect((await at.read(chain.vorfrist)).status).toBe('completed')
  })

  it('takes the calculation from a Vorfrist that moves to another day', async () => {
    const { id } = await reasons()
    const own = await at.entered({
      title: 'Vorfrist: Begründung',
      due_at: undefined,
      frist_type: 'vorfrist',
      hauptfrist_id: id,
      calculation: { event_date: '2031-05-14', period: { unit: 'week', count: 2 }, direction: 'backward' },
    })
    await request(id)
    await grant(id)

    const { due_at, basis } = await at.read(own.id)

    expect(own.basis.due_date).toBe('2031-04-29')
    expect([due_at, basis]).toEqual(['2031-06-09T23:59:59+02:00', null])
  })

  it('refused strikes the provisional deadline and leaves the other as it was', async () => {
    const caseId = await at.openCase()
    const { id, due_at } = await reasons({ case_id: caseId })
    await at.verify(id)
    await request(id)

    const { body } = await refuse(id)

    expect(body).toMatchObject({ due_at, status: 'verified', extension: { state: 'refused', until: null } })
    expect((await inCase(caseId)).map(({ id }) => id)).toEqual([id])
  })

  it('is replaced by a second request', async () => {
    const caseId = await at.openCase()
    const { id } = await reasons({ case_id: caseId })
    const first = await request(id)
    for (const one of await inCase(caseId)) await at.verify(one.id)

    const second = await request(id, { requested_until: '2031-06-30' })

    expect(second.body.extension.provisional_id).toBe(first.body.extension.provisional_id)
    expect((await inCase(caseId)).map(({ due_at }) => due_at)).toEqual([
      '2031-05-14T23:59:59+02:00',
      '2031-06-23T23:59:59+02:00',
      '2031-06-30T23:59:59+02:00',
    ])
    // Nobody has checked the new end and its Vorfrist.
    expect((await inCase(caseId)).map(({ status }) => status)).toEqual(['verified', 'pending', 'pending'])
  })

  it.each([
    ['striking', (id: string) => at.firm.owner('DELETE', `/api/v1/deadlines/${id}`), 0],
    ['completing', (id: string) => at.complete(id), 1],
  ])('ends with %s the deadline', async (_, end, left) => {
    const caseId = await at.openCase()
    const { id } = await reasons({ case_id: caseId })
    await request(id)

    await end(id)

    expect(await inCase(caseId)).toHaveLength(left)
    expect((await historyOf(id)).data.at(-1).after.extension).toBeNull()
  })

  it('granted gives the earlier, completed Vorfrist its place again once the other one is struck', async () => {
    const { id, chain } = await reasons({ create_vorfrist: true })
    await at.complete(chain.vorfrist)
    await request(id)
    const { vorfrist } = (await grant(id)).body.chain
    await at.firm.owner('DELETE', `/api/v1/deadlines/${vorfrist}`)

    const { status } = await post(chain.vorfrist, 'reopen', { reason: 'Doch noch offen.' })

    expect(status).toBe(200)
    expect((await at.read(id)).chain.vorfrist).toBe(chain.vorfrist)
    const second = await at.enter({ frist_type: 'vorfrist', hauptfrist_id: id, due_at: '2031-05-01' })
    expect(outcome(second)).toEqual([409, 'CHAIN_OCCUPIED'])
    await at.complete(id)
    expect((await at.read(chain.vorfrist)).status).toBe('completed')
  })

  it('counts a period from the end that a day off moved (§ 224 Abs. 3 ZPO; BGH VII ZB 87/08)', async () => {
    // Served on 22 January 2031: Saturday 22 March moves to Monday the 24th. A month from there ends on 24 April.
    const moved = { ...calculation, event_date: '2031-01-22' }
    const { id, due_at } = await reasons({ calculation: moved })

    const { body } = await request(id, { period: { unit: 'month', count: 1 } })

    expect(due_at).toBe('2031-03-24T23:59:59+01:00')
    expect(body.extension.requested_until).toBe('2031-04-24T23:59:59+02:00')
  })

  it('counts a period from the day before if the deadline is due at midnight (§ 190 BGB)', async () => {
    const { id } = await at.entered({ due_at: '2031-04-17T00:00:00+02:00' })

    const { body } = await request(id, { period: { unit: 'month', count: 1 } })

    expect(body.extension.requested_until).toBe('2031-05-16T23:59:59+02:00')
  })

  it('warns if a period ends where it does only for a holiday of the region of the firm', async () => {
    await at.firm.owner('PATCH', '/api/v1/workspace', { body: { holiday_region: 'DE-NW' } })
    // Allerheiligen, 1 November 2027, is a Monday: a holiday in Nordrhein-Westfalen, but not in Berlin.
    const { id } = await at.entered({ due_at: '2027-10-01' })

    const { body } = await request(id, { period: { unit: 'month', count: 1 } })

    expect(body.extension.requested_until).toBe('2027-11-02T23:59:59+01:00')
    expect(body.warnings).toContainEqual(expect.stringContaining('nicht überall gilt'))
    await at.firm.owner('PATCH', '/api/v1/workspace', { body: { holiday_region: 'DE-BE' } })
  })

  it('of a period at the Bundesfinanzhof moves from Mariä Himmelfahrt, as its calculation does', async () => {
    const { id } = await reasons({
      calculation: { event_date: '2030-05-15', preset: 'fgo_revisionsbegruendung', region: undefined },
      due_at: undefined,
    })

    const { due_at } = await at.read(id)
    const { body } = await request(id, { period: { unit: 'month', count: 1 } })

    expect(due_at).toBe('2030-07-15T23:59:59+02:00')
    expect(body.extension.requested_until).toBe('2030-08-16T23:59:59+02:00')
  })

  it('that a wrong completion ended waits for the court again once that is undone', async () => {
    const caseId = await at.openCase()
    const { id, due_at } = await reasons({ case_id: caseId, create_vorfrist: true, vorfrist_days: 10 })
    const { extension } = (await request(id, { requested_until: '2031-06-16', note: 'Urlaub.' })).body
    const { body: completed } = await at.complete(id)

    const { body } = await post(id, 'reopen', { reason: 'Falscher Eingang.' })

    const { provisional_id, ...again } = body.extension
    expect(completed.extension).toBeNull()
    expect({ ...again, provisional_id: extension.provisional_id }).toEqual(extension)
    expect((await inCase(caseId)).map(({ due_at, provisional_for }) => [due_at, provisional_for])).toEqual([
      ['2031-05-04T23:59:59+02:00', null],
      [due_at, null],
      ['2031-06-06T23:59:59+02:00', id],
      ['2031-06-16T23:59:59+02:00', id],
    ])
    expect(await at.read(provisional_id)).toMatchObject({
      status: 'pending',
      completed_at: null,
      evidence: null,
    })
    expect((await grant(id)).body).toMatchObject({ due_at: '2031-06-16T23:59:59+02:00' })
  })

  it('that the court answered stays as it is when a completion is undone', async () => {
    const caseId = await at.openCase()
    const { id } = await reasons({ case_id: caseId })
    await request(id)
    const { extension } = (await refuse(id)).body
    await at.complete(id)

    const { body } = await post(id, 'reopen', { reason: 'Falscher Eingang.' })

    expect(body.extension).toEqual(extension)
    expect((await inCase(caseId)).map(({ id }) => id)).toEqual([id])
  })

  it('is found at most once after many requests at the same moment', async () => {
    const caseId = await at.openCase()
    const { id } = await reasons({ case_id: caseId })

    const answers = await times(5, () => request(id))

    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect(await inCase(caseId)).toHaveLength(3)
  })
})

describe('an extension is refused', () => {
  it.each([
    ['of a Notfrist', { calculation: { ...calculation, preset: 'zpo_berufung' } }, /§ 517 ZPO.*§ 224/],
    [
      'of a period that no law lets be extended',
      { calculation: { event_date: '2031-03-14', preset: 'vwgo_nichtzulassungsbeschwerde_begruendung' } },
      /§ 133 Abs. 3 VwGO/,
    ],
    ['of a Notfrist set by hand', { calculation: null, due_at: '2031-05-14', category: 'notfrist' }, /§ 224/],
    [
      'of a remedy set by hand',
      { calculation: null, due_at: '2031-05-14', category: 'rechtsmittel' },
      /§ 224/,
    ],
    ['of a Vorfrist', { calculation: null, due_at: '2031-05-14', frist_type: 'vorfrist' }, /Vorfrist/],
    [
      'to an earlier end',
      { calculation: { ...calculation, event_date: '2031-05-14' } },
      /after the deadline/,
    ],
  ])('%s, with the reason', async (_, input, message) => {
    const { id } = await reasons(input)

    const answer = await request(id)

    expect(outcome(answer)).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error.details[0].message).toMatch(message)
  })

  it('to the end that the deadline has already, and granted to an end that is not later', async () => {
    const { id, due_at } = await reasons()

    const same = await request(id, { requested_until: due_at })
    await request(id)
    const granted = [await grant(id, { until: due_at }), await grant(id, { until: '2031-05-13' })]

    expect([same, ...granted].map(outcome)).toEqual(Array(3).fill([400, 'VALIDATION_ERROR']))
    expect(await at.read(id)).toMatchObject({ due_at, extension: { state: 'requested' } })
  })

  it('if nobody requested it, or the deadline is completed', async () => {
    const { id } = await reasons()
    const none = [await grant(id), await refuse(id)]
    await at.complete(id)

    expect(none.map(outcome)).toEqual(Array(2).fill([409, 'EXTENSION_NOT_REQUESTED']))
    expect(outcome(await request(id))).toEqual([409, 'DEADLINE_COMPLETED'])
  })

  it.each([
    {},
    { requested_until: '2031-06-16', period: { unit: 'month', count: 1 } },
    { requested_until: 'bald' },
  ])('with the body %j', async (body) => {
    const { id } = await reasons()

    expect(outcome(await request(id, body))).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('and a provisional deadline changes only with its request', async () => {
    const { id } = await reasons()
    const provisional = (await request(id)).body.extension.provisional_id

    const answers = [
      await at.change(provisional, { due_at: '2031-07-01' }),
      await at.complete(provisional),
      await at.firm.owner('DELETE', `/api/v1/deadlines/${provisional}`),
      await request(provisional),
    ]

    expect(answers.map(outcome)).toEqual(Array(4).fill([409, 'DEADLINE_PROVISIONAL']))
    expect((await at.verify(provisional)).status).toBe(200)
  })
})
