import { beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '#test/support/api.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
let caseId: string
let colleague: { user: { id: string; name: string }; api: Api }
let third: { user: { id: string; name: string }; api: Api }
beforeAll(async () => {
  firm = await newFirm()
  caseId = await openCase()
  colleague = await firm.colleague()
  third = await firm.colleague()
})

const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))
const openCase = async () => (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body.id
const enter = (body: Record<string, unknown> = {}, by: Api = firm.owner) =>
  by('POST', '/api/v1/deadlines', {
    body: { title: 'Berufung', case_id: caseId, due_at: '2031-04-16', ...body },
  })
const entered = async (body: Record<string, unknown> = {}) => {
  const answer = await enter(body)
  expect(answer.status).toBe(201)
  return answer.body
}
const read = async (id: string) => (await firm.owner('GET', `/api/v1/deadlines/${id}`)).body
const change = (id: string, body: Record<string, unknown>, by: Api = firm.owner) =>
  by('PATCH', `/api/v1/deadlines/${id}`, { body })
const verify = (id: string, by: Api = colleague.api) => by('POST', `/api/v1/deadlines/${id}/verify`)
const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
]
const unknown = '01993f5e-0000-7000-8000-000000000000'
const uuidOf = (id: string) => id.slice(id.indexOf('_') + 1)

describe('entering a deadline', () => {
  it('answers 201 with the whole deadline, pending, in the hands of the caller', async () => {
    const answer = await enter({ title: '  Berufung  ', due_at: '2031-04-16T12:00:00Z' })

    expect(answer.status).toBe(201)
    expect(answer.headers.get('etag')).toMatch(/^"[^"]+"$/)
    expect(answer.body).toMatchObject({
      id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
      type: 'frist',
      title: 'Berufung',
      case_id: caseId,
      frist_type: 'hauptfrist',
      due_at: '2031-04-16T14:00:00+02:00',
      status: 'pending',
      verified_by: null,
      assigned_to: firm.ownerUser.id,
      chain: { vorfrist: null, hauptfrist: answer.body.id, nachfrist: null },
    })
    expect(await read(answer.body.id)).toEqual(answer.body)
  })

  it('takes a date as the end of that day in the workspace', async () => {
    expect((await entered({ due_at: '2031-01-15' })).due_at).toBe('2031-01-15T23:59:59+01:00')
    expect((await entered({ due_at: '2031-07-15' })).due_at).toBe('2031-07-15T23:59:59+02:00')
  })

  it('creates the Vorfrist with it: same assignee, its own title, seven days before unless the request says otherwise', async () => {
    const { chain, case_id } = await entered({ create_vorfrist: true, assigned_to: colleague.user.id })
    const { chain: other } = await entered({ create_vorfrist: true, vorfrist_days: 90 })

    expect(await read(chain.vorfrist)).toMatchObject({
      title: 'Vorfrist: Berufung',
      frist_type: 'vorfrist',
      case_id,
      due_at: '2031-04-09T23:59:59+02:00',
      assigned_to: colleague.user.id,
      status: 'pending',
      chain,
    })
    expect((await read(other.vorfrist)).due_at).toBe('2031-01-16T23:59:59+01:00')
  })

  it.each([
    ['2031-04-02T12:00:00+02:00', '2031-03-26T12:00:00+01:00'],
    ['2031-10-29T12:00:00+01:00', '2031-10-22T12:00:00+02:00'],
    ['2031-04-06T02:30:00+02:00', '2031-03-30T03:30:00+02:00'],
    ['2031-11-02T02:30:00+01:00', '2031-10-26T02:30:00+02:00'],
  ])('of %s has its Vorfrist at %s: the same local time across a change of summer time', async (due_at, before) => {
    const { chain } = await entered({ due_at, create_vorfrist: true })

    expect((await read(chain.vorfrist)).due_at).toBe(before)
  })

  it.each([
    [{ title: '' }, 'body.title'],
    [{ title: undefined }, 'body.title'],
    [{ title: 'x'.repeat(501) }, 'body.title'],
    [{ case_id: undefined }, 'body.case_id'],
    [{ due_at: undefined }, 'body.due_at'],
    [{ due_at: '2031-04-16T12:00:00' }, 'body.due_at'],
    [{ due_at: '2031-02-31' }, 'body.due_at'],
    [{ due_at: '2031-02-31T10:00:00Z' }, 'body.due_at'],
    [{ due_at: '+010000-01-01T00:00:00Z' }, 'body.due_at'],
    [{ due_at: '10000-01-01' }, 'body.due_at'],
    [{ due_at: '9999-12-31T23:59:59-12:00' }, 'body.due_at'],
    [{ due_at: '0000-01-01' }, 'body.due_at'],
    [{ due_at: '2031-04-16T25:00:00Z' }, 'body.due_at'],
    [{ due_at: '16.04.2031' }, 'body.due_at'],
    [{ due_at: '' }, 'body.due_at'],
    [{ due_at: 1_900_000_000 }, 'body.due_at'],
    [{ due_at: null }, 'body.due_at'],
    [{ frist_type: 'wiedervorlage' }, 'body.frist_type'],
    [{ create_vorfrist: 'ja' }, 'body.create_vorfrist'],
    [{ create_vorfrist: true, vorfrist_days: 0 }, 'body.vorfrist_days'],
    [{ create_vorfrist: true, vorfrist_days: 91 }, 'body.vorfrist_days'],
    [{ create_vorfrist: true, vorfrist_days: 1.5 }, 'body.vorfrist_days'],
    [{ create_vorfrist: true, frist_type: 'nachfrist' }, 'body.create_vorfrist'],
    [{ frist_type: 'hauptfrist', hauptfrist_id: `evt_${unknown}` }, 'body.hauptfrist_id'],
  ])('answers 400 to %j and says where', async (body, path) => {
    const answer = await enter(body)

    expect(outcome(answer)).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error.details).toContainEqual(expect.objectContaining({ path }))
  })

  it.each([
    [{ case_id: unknown }, 'CASE_NOT_FOUND'],
    [{ case_id: 'keine' }, 'CASE_NOT_FOUND'],
    [{ assigned_to: `usr_${unknown}` }, 'USER_NOT_FOUND'],
    [{ assigned_to: 'niemand' }, 'USER_NOT_FOUND'],
    [{ frist_type: 'nachfrist', hauptfrist_id: `evt_${unknown}` }, 'DEADLINE_NOT_FOUND'],
  ])('answers 404 where it refers to nothing: %j', async (body, code) => {
    expect(outcome(await enter(body))).toEqual([404, code])
  })

  it('writes nothing where the case is missing, also not a Vorfrist', async () => {
    const deleted = await openCase()
    await firm.owner('DELETE', `/api/v1/cases/${deleted}`)

    const refused = await enter({ case_id: deleted, create_vorfrist: true })

    expect(outcome(refused)).toEqual([404, 'CASE_NOT_FOUND'])
    const { body } = await firm.owner('GET', `/api/v1/deadlines?case_id=${deleted}`)
    expect(body.data).toEqual([])
  })

  it('takes null for what is left out', async () => {
    const nothing = {
      frist_type: null,
      assigned_to: null,
      create_vorfrist: null,
      vorfrist_days: null,
      hauptfrist_id: null,
    }

    expect(await entered(nothing)).toMatchObject({
      frist_type: 'hauptfrist',
      assigned_to: firm.ownerUser.id,
      chain: { vorfrist: null },
    })
  })

  it('thirty at once in one case all exist, each with its Vorfrist and one entry in the timeline', async () => {
    const case_id = await openCase()

    const answers = await times(30, () => enter({ case_id, create_vorfrist: true }))

    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(201))
    const { body } = await firm.owner('GET', `/api/v1/deadlines?case_id=${case_id}&limit=100`)
    expect(body.data).toHaveLength(60)
    const timeline = await firm.owner('GET', `/api/v1/cases/${case_id}/timeline?limit=100`)
    expect(timeline.body.data).toHaveLength(31)
  })

  it('keeps its deadlines when the case is deleted', async () => {
    const id = await openCase()
    const deadline = await entered({ case_id: id })

    await firm.owner('DELETE', `/api/v1/cases/${id}`)

    expect(await read(deadline.id)).toEqual(deadline)
    expect(outcome(await verify(deadline.id))).toEqual([200, undefined])
  })
})

describe('the two views of one record', () => {
  it('share one UUID, and every path takes either id and the bare UUID', async () => {
    const deadline = await entered({ create_vorfrist: true })
    const uuid = uuidOf(deadline.id)

    for (const id of [`evt_${uuid}`, `frist_${uuid}`, uuid, uuid.toUpperCase()]) {
      expect(await read(id)).toEqual(deadline)
      const chain = await firm.owner('GET', `/api/v1/calendar/fristen/${id}/chain`)
      expect(chain.body.chain_id).toBe(deadline.chain_id)
      expect(chain.body.data.map((frist: { id: string }) => frist.id)).toEqual([
        `frist_${uuidOf(deadline.chain.vorfrist)}`,
        `frist_${uuid}`,
      ])
    }
  })

  it('show a Frist with its verification and delegation', async () => {
    const { id, due_at, chain_id, title, created_at: _ } = await entered({ case_id: await openCase() })
    await firm.owner('POST', `/api/v1/deadlines/${id}/delegate`, { body: { user_id: colleague.user.id } })

    const verified = await colleague.api('POST', `/api/v1/calendar/fristen/${id}/verify`)

    expect(verified.status).toBe(200)
    expect(verified.body).toMatchObject({
      id: `frist_${uuidOf(id)}`,
      title,
      deadline: due_at,
      status: 'verified',
      verified: true,
      verified_by: colleague.user.id,
      chain_id,
      assigned_to: firm.ownerUser.id,
      delegation: { delegated_to: colleague.user.id, delegated_by: firm.ownerUser.id },
    })
    expect(await read(id)).toMatchObject({ status: 'verified', verified_by: colleague.user.id })
  })

  it('answer alike to what is not there and to what is of another workspace', async () => {
    const { id } = await entered()
    const other = await newFirm()
    const messages = new Set<string>()
    for (const wanted of [id, `evt_${unknown}`, 'unsinn', '%00']) {
      const answers = await Promise.all([
        other.owner('GET', `/api/v1/deadlines/${wanted}`),
        other.owner('PATCH', `/api/v1/deadlines/${wanted}`, { body: { title: 'Neu' } }),
        other.owner('DELETE', `/api/v1/deadlines/${wanted}`),
        other.owner('GET', `/api/v1/deadlines/${wanted}/chain`),
        other.owner('GET', `/api/v1/deadlines/${wanted}/history`),
        other.owner('POST', `/api/v1/deadlines/${wanted}/verify`),
        other.owner('POST', `/api/v1/deadlines/${wanted}/delegate`, {
          body: { user_id: other.ownerUser.id },
        }),
        other.owner('POST', `/api/v1/deadlines/${wanted}/complete`, {
          body: { evidence: { type: 'note', text: 'x' } },
        }),
        other.owner('GET', `/api/v1/calendar/fristen/${wanted}/chain`),
        other.owner('POST', `/api/v1/calendar/fristen/${wanted}/verify`),
      ])
      for (const answer of answers) {
        expect(outcome(answer)).toEqual([404, 'DEADLINE_NOT_FOUND'])
        messages.add(answer.body.error.message)
      }
    }
    expect(messages.size).toBe(1)
  })

  it('need their scopes', async () => {
    const { id } = await entered()
    const [reader, calendarReader] = await Promise.all([
      firm.withScopes('deadlines:read', 'calendar:write'),
      firm.withScopes('calendar:read', 'deadlines:write'),
    ])

    expect((await reader('GET', '/api/v1/deadlines')).status).toBe(200)
    expect(outcome(await enter({}, reader))).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
    expect(outcome(await verify(id, reader))).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
    expect(outcome(await reader('GET', '/api/v1/calendar/fristen'))).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
    expect((await calendarReader('GET', '/api/v1/calendar/fristen')).status).toBe(200)
    expect(outcome(await calendarReader('GET', `/api/v1/deadlines/${id}`))).toEqual([
      403,
      'AUTH_INSUFFICIENT_SCOPE',
    ])
    expect(outcome(await calendarReader('POST', `/api/v1/calendar/fristen/${id}/verify`))).toEqual([
      403,
      'AUTH_INSUFFICIENT_SCOPE',
    ])
  })
})

describe('verifying', () => {
  it('is for another user than the one who entered it', async () => {
    const { id } = await entered()

    const self = await verify(id, firm.owner)
    const other = await verify(id)

    expect(outcome(self)).toEqual([403, 'DUAL_CONTROL_REQUIRED'])
    expect(other.body).toMatchObject({ status: 'verified', verified_by: colleague.user.id })
    expect(other.body.verified_at).toMatch(/Z$/)
  })

  it('again answers 200 unchanged', async () => {
    const { id } = await entered()
    const { body } = await verify(id)

    const again = await verify(id, third.api)

    expect(again.status).toBe(200)
    expect(again.body).toEqual(body)
  })

  it('is refused where the deadline is no longer what the verifier looked at', async () => {
    const { id } = await entered()
    const etag = (await colleague.api('GET', `/api/v1/deadlines/${id}`)).headers.get('etag') ?? ''
    await change(id, { due_at: '2031-05-20' })

    const late = await colleague.api('POST', `/api/v1/deadlines/${id}/verify`, {
      headers: { 'If-Match': etag },
    })

    expect(outcome(late)).toEqual([412, 'PRECONDITION_FAILED'])
    expect((await read(id)).verified_by).toBeNull()
  })

  it('is refused to the user who last changed the due time, and to the user who entered the deadline', async () => {
    const { id } = await entered()
    await change(id, { due_at: '2031-05-20' }, colleague.api)

    expect(outcome(await verify(id, colleague.api))).toEqual([403, 'DUAL_CONTROL_REQUIRED'])
    expect(outcome(await verify(id, firm.owner))).toEqual([403, 'DUAL_CONTROL_REQUIRED'])
    expect((await verify(id, third.api)).body.verified_by).toBe(third.user.id)
  })

  it('is cleared by a change of the due time and by nothing else', async () => {
    const { id, due_at } = await entered()
    await verify(id)

    const renamed = await change(id, { title: 'Neuer Titel', assigned_to: third.user.id, due_at })
    const moved = await change(id, { due_at: '2031-04-17' })

    expect(renamed.body).toMatchObject({
      status: 'verified',
      title: 'Neuer Titel',
      assigned_to: third.user.id,
    })
    expect(moved.body).toMatchObject({ status: 'pending', verified_by: null, verified_at: null })
  })

  it('twenty times at once records one verifier', async () => {
    const { id } = await entered()
    const users = await times(4, () => firm.colleague())

    const answers = await times(20, (index) => verify(id, users[index % 4]?.api))

    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(new Set(answers.map(({ body }) => `${body.verified_by} ${body.verified_at}`)).size).toBe(1)
    const { body } = await firm.owner('GET', `/api/v1/deadlines/${id}/history`)
    expect(body.data.map(({ action }: { action: string }) => action)).toEqual(['created', 'verified'])
  })

  it('and moving at once leaves no verified deadline that nobody checked', async () => {
    await times(8, async (index) => {
      const { id } = await entered()
      const [verified, moved] = await Promise.all([
        verify(id),
        change(id, { due_at: `2031-06-0${index + 1}` }),
      ])

      expect([verified.status, moved.status]).toEqual([200, 200])
      const { data } = (await firm.owner('GET', `/api/v1/deadlines/${id}/history`)).body
      const last = data.at(-1)
      const now = await read(id)
      expect(now.verified_by).toBe(last.action === 'verified' ? colleague.user.id : null)
      expect(now.due_at).toBe(`2031-06-0${index + 1}T23:59:59+02:00`)
    })
  })
})

describe('delegating the verification', () => {
  const delegate = (id: string, body: unknown, by: Api = firm.owner) =>
    by('POST', `/api/v1/deadlines/${id}/delegate`, { body })

  it('leaves it to that user alone, until it is passed on', async () => {
    const { id } = await entered()

    const delegated = await delegate(id, { user_id: third.user.id })
    const refused = await verify(id)
    const passedOn = await delegate(id, { delegate_to: uuidOf(colleague.user.id) }, third.api)

    expect(delegated.body.delegation).toMatchObject({
      delegated_to: third.user.id,
      delegated_by: firm.ownerUser.id,
    })
    expect(outcome(refused)).toEqual([403, 'DELEGATED_TO_OTHER'])
    expect(passedOn.body.delegation).toMatchObject({
      delegated_to: colleague.user.id,
      delegated_by: third.user.id,
    })
    expect(outcome(await verify(id, third.api))).toEqual([403, 'DELEGATED_TO_OTHER'])
    expect((await verify(id)).body.verified_by).toBe(colleague.user.id)
  })

  it('is not possible to who entered it or last set its due time', async () => {
    const { id } = await entered()
    await change(id, { due_at: '2031-05-20' }, colleague.api)

    expect(outcome(await delegate(id, { user_id: firm.ownerUser.id }))).toEqual([
      409,
      'DUAL_CONTROL_REQUIRED',
    ])
    expect(outcome(await delegate(id, { user_id: colleague.user.id }))).toEqual([
      409,
      'DUAL_CONTROL_REQUIRED',
    ])
    expect((await delegate(id, { user_id: third.user.id })).status).toBe(200)
  })

  it('ends where the delegate sets another due time', async () => {
    const { id } = await entered()
    await delegate(id, { user_id: third.user.id })

    const moved = await change(id, { due_at: '2031-05-20' }, third.api)

    expect(moved.body.delegation).toBeNull()
    expect((await verify(id)).status).toBe(200)
  })

  it('answers 400 without a user and 404 to one that is not there', async () => {
    const { id } = await entered()

    expect(outcome(await delegate(id, {}))).toEqual([400, 'VALIDATION_ERROR'])
    expect(outcome(await delegate(id, { user_id: 5 }))).toEqual([400, 'VALIDATION_ERROR'])
    expect(outcome(await delegate(id, { user_id: `usr_${unknown}` }))).toEqual([404, 'USER_NOT_FOUND'])
    expect(outcome(await delegate(id, { user_id: 'x' }))).toEqual([404, 'USER_NOT_FOUND'])
  })
})

describe('changing a deadline', () => {
  it('moves the Vorfrist along and clears its verification', async () => {
    const { id, chain } = await entered({ create_vorfrist: true, vorfrist_days: 14 })
    await verify(chain.vorfrist)

    await change(id, { due_at: '2031-04-02T10:00:00+02:00' }, third.api)

    expect(await read(chain.vorfrist)).toMatchObject({
      due_at: '2031-03-19T10:00:00+01:00',
      status: 'pending',
      verified_by: null,
    })
    expect(outcome(await verify(chain.vorfrist, third.api))).toEqual([403, 'DUAL_CONTROL_REQUIRED'])
    expect((await verify(chain.vorfrist)).status).toBe(200)
  })

  it('does not move a Vorfrist that was set by hand, was completed, or was not created with it', async () => {
    const byHand = await entered({ create_vorfrist: true })
    await change(byHand.chain.vorfrist, { due_at: '2031-04-01' })
    const done = await entered({ create_vorfrist: true })
    await firm.owner('POST', `/api/v1/deadlines/${done.chain.vorfrist}/complete`, {
      body: { evidence: { type: 'note', text: 'Vorgelegt.' } },
    })
    const added = await entered()
    const vorfrist = await entered({ frist_type: 'vorfrist', hauptfrist_id: added.id, due_at: '2031-04-10' })

    for (const { id } of [byHand, done, added]) await change(id, { due_at: '2031-09-01' })

    expect((await read(byHand.chain.vorfrist)).due_at).toBe('2031-04-01T23:59:59+02:00')
    expect((await read(done.chain.vorfrist)).due_at).toBe('2031-04-09T23:59:59+02:00')
    expect((await read(vorfrist.id)).due_at).toBe('2031-04-10T23:59:59+02:00')
  })

  it('moves a Vorfrist along that was only renamed', async () => {
    const { id, chain } = await entered({ create_vorfrist: true })
    await change(chain.vorfrist, { title: 'Akte vorlegen' })

    await change(id, { due_at: '2031-09-08' })

    expect((await read(chain.vorfrist)).due_at).toBe('2031-09-01T23:59:59+02:00')
  })

  it.each([
    [{ title: '' }],
    [{ title: null }],
    [{ due_at: null }],
    [{ due_at: '2031-04-16T10:00:00' }],
    [{ assigned_to: null }],
    [[]],
  ])('answers 400 to %j', async (body) => {
    const { id } = await entered()

    const answer = await firm.owner('PATCH', `/api/v1/deadlines/${id}`, { body })

    expect(outcome(answer)).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('honours If-Match and If-None-Match', async () => {
    const { id } = await entered()
    const path = `/api/v1/deadlines/${id}`
    const etag = (await firm.owner('GET', path)).headers.get('etag') ?? ''

    const unchanged = await firm.owner('GET', path, { headers: { 'If-None-Match': etag } })
    const changed = await firm.owner('PATCH', path, {
      body: { title: 'Neu' },
      headers: { 'If-Match': etag },
    })
    const late = await firm.owner('PATCH', path, {
      body: { title: 'Zu spät' },
      headers: { 'If-Match': etag },
    })
    const lateStrike = await firm.owner('DELETE', path, { headers: { 'If-Match': etag } })

    expect(unchanged.status).toBe(304)
    expect(changed.status).toBe(200)
    expect(outcome(late)).toEqual([412, 'PRECONDITION_FAILED'])
    expect(lateStrike.status).toBe(412)
    const now = await firm.owner('GET', path)
    expect([now.body.title, now.headers.get('etag')]).toEqual(['Neu', changed.headers.get('etag')])
  })

  it('twenty at once leave a history of twenty changes', async () => {
    const { id } = await entered()

    const answers = await times(20, (index) => change(id, { title: `Fassung ${index}` }))

    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const { body } = await firm.owner('GET', `/api/v1/deadlines/${id}/history`)
    expect(body.data.map(({ seq }: { seq: number }) => seq)).toEqual(
      Array.from({ length: 21 }, (_, index) => index + 1),
    )
    expect(body.intact).toBe(true)
  })
})

describe('chains', () => {
  it('show each member with its id, due time and title', async () => {
    const { id, chain, title, due_at } = await entered({ create_vorfrist: true })
    const nachfrist = await entered({
      frist_type: 'nachfrist',
      hauptfrist_id: id,
      due_at: '2031-04-30',
      title: 'Nachreichen',
    })

    const { body } = await firm.owner('GET', `/api/v1/deadlines/${chain.vorfrist}/chain`)

    expect(body).toEqual({
      vorfrist: { id: chain.vorfrist, due_at: '2031-04-09T23:59:59+02:00', title: `Vorfrist: ${title}` },
      hauptfrist: { id, due_at, title },
      nachfrist: { id: nachfrist.id, due_at: '2031-04-30T23:59:59+02:00', title: 'Nachreichen' },
    })
    expect(nachfrist.chain).toEqual({ ...chain, nachfrist: nachfrist.id })
  })

  it('hold one of each kind; the place of a struck one is free again', async () => {
    const { id, chain } = await entered({ create_vorfrist: true })
    const vorfrist = { frist_type: 'vorfrist', hauptfrist_id: `frist_${uuidOf(id)}`, due_at: '2031-04-01' }

    const occupied = await enter(vorfrist)
    await firm.owner('DELETE', `/api/v1/deadlines/${chain.vorfrist}`)
    const freed = await enter(vorfrist)

    expect(outcome(occupied)).toEqual([409, 'CHAIN_OCCUPIED'])
    expect(freed.status).toBe(201)
    expect((await read(id)).chain).toEqual({ ...chain, vorfrist: freed.body.id })
  })

  it('take one of ten Nachfristen that come at once', async () => {
    const { id } = await entered()

    const answers = await times(10, () => enter({ frist_type: 'nachfrist', hauptfrist_id: id }))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)])
  })

  it('are not joined through another kind of deadline, from another case, or after the Hauptfrist was struck', async () => {
    const { id, chain } = await entered({ create_vorfrist: true })
    const other = await openCase()

    const throughVorfrist = await enter({ frist_type: 'nachfrist', hauptfrist_id: chain.vorfrist })
    const fromOtherCase = await enter({ frist_type: 'nachfrist', hauptfrist_id: id, case_id: other })
    const unknownCase = await enter({ frist_type: 'nachfrist', hauptfrist_id: id, case_id: unknown })
    await firm.owner('DELETE', `/api/v1/deadlines/${id}`)
    const tooLate = await enter({ frist_type: 'nachfrist', hauptfrist_id: id })

    expect(outcome(throughVorfrist)).toEqual([400, 'VALIDATION_ERROR'])
    expect(outcome(fromOtherCase)).toEqual([400, 'VALIDATION_ERROR'])
    expect(outcome(unknownCase)).toEqual([404, 'CASE_NOT_FOUND'])
    expect(outcome(tooLate)).toEqual([404, 'DEADLINE_NOT_FOUND'])
  })

  it('take a new Hauptfrist, with its Vorfrist, in the place of a struck one', async () => {
    const first = await entered({ create_vorfrist: true })
    const { chain_id } = first
    const nachfrist = await entered({ frist_type: 'nachfrist', hauptfrist_id: first.id })
    const occupied = await enter({ chain_id })
    await firm.owner('DELETE', `/api/v1/deadlines/${first.id}`)

    const second = await enter({ chain_id: uuidOf(chain_id), create_vorfrist: true, due_at: '2031-04-15' })

    expect(outcome(occupied)).toEqual([409, 'CHAIN_OCCUPIED'])
    expect(second.status).toBe(201)
    expect(second.body.chain_id).toBe(chain_id)
    expect(second.body.chain).toEqual({
      vorfrist: expect.stringMatching(/^evt_/),
      hauptfrist: second.body.id,
      nachfrist: nachfrist.id,
    })
    expect((await read(nachfrist.id)).chain).toEqual(second.body.chain)
    expect(await read(second.body.chain.vorfrist)).toMatchObject({
      due_at: '2031-04-08T23:59:59+02:00',
      chain_id,
    })
  })

  it('take a deadline by the id of the chain also after all of it was struck, and then one of ten at once', async () => {
    const { id, chain_id } = await entered({ create_vorfrist: true })
    await firm.owner('DELETE', `/api/v1/deadlines/${id}`)

    const answers = await times(10, () => enter({ chain_id, create_vorfrist: true }))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)])
    const won = answers.find(({ status }) => status === 201)?.body
    expect((await read(won.id)).chain).toEqual(won.chain)
    expect(outcome(await enter({ chain_id, frist_type: 'nachfrist', due_at: '2031-04-30' }))[0]).toBe(201)
  })

  it('are not joined by an id that is unknown, of another case or another firm, or named twice', async () => {
    const { id, chain_id } = await entered()
    const elsewhere = await newFirm()
    const theirCase = (await elsewhere.owner('POST', '/api/v1/cases', { body: { name: 'Fremd' } })).body.id
    const nachfrist = { frist_type: 'nachfrist', chain_id }

    const unknownChain = await enter({ chain_id: `chain_${unknown}` })
    const malformed = await enter({ chain_id: 'kette' })
    const ofOtherCase = await enter({ ...nachfrist, case_id: await openCase() })
    const ofOtherFirm = await enter({ ...nachfrist, case_id: theirCase }, elsewhere.owner)
    const unknownCase = await enter({ ...nachfrist, case_id: unknown })
    const twice = await enter({ ...nachfrist, hauptfrist_id: id })

    expect(outcome(unknownChain)).toEqual([404, 'DEADLINE_NOT_FOUND'])
    expect(outcome(malformed)).toEqual([404, 'DEADLINE_NOT_FOUND'])
    expect(outcome(ofOtherCase)).toEqual([400, 'VALIDATION_ERROR'])
    expect(ofOtherCase.body.error.details[0].path).toBe('body.case_id')
    expect(outcome(ofOtherFirm)).toEqual([404, 'DEADLINE_NOT_FOUND'])
    expect(outcome(unknownCase)).toEqual([404, 'CASE_NOT_FOUND'])
    expect(outcome(twice)).toEqual([400, 'VALIDATION_ERROR'])
    expect(twice.body.error.details[0].path).toBe('body.chain_id')
  })

  it('keep a Vorfrist before its Hauptfrist and a Nachfrist after it when these are moved', async () => {
    const { id, chain } = await entered({ create_vorfrist: true })
    const nachfrist = await entered({ frist_type: 'nachfrist', hauptfrist_id: id, due_at: '2031-04-30' })

    const vorfristTooLate = await change(chain.vorfrist, { due_at: '2031-04-17' })
    const nachfristTooEarly = await change(nachfrist.id, { due_at: '2031-04-15' })
    const vorfristOnTheDay = await change(chain.vorfrist, { due_at: '2031-04-16' })
    const nachfristOnTheDay = await change(nachfrist.id, { due_at: '2031-04-16' })

    expect(outcome(vorfristTooLate)).toEqual([400, 'VALIDATION_ERROR'])
    expect(vorfristTooLate.body.error.details).toEqual([
      { path: 'body.due_at', message: 'A Vorfrist must not be due after its Hauptfrist.' },
    ])
    expect(outcome(nachfristTooEarly)).toEqual([400, 'VALIDATION_ERROR'])
    expect([vorfristOnTheDay.status, nachfristOnTheDay.status]).toEqual([200, 200])
  })

  it('never stand in the way of putting the Hauptfrist right', async () => {
    const { id, chain } = await entered({ create_vorfrist: true })
    await entered({ frist_type: 'nachfrist', hauptfrist_id: id, due_at: '2031-04-30' })
    await change(chain.vorfrist, { due_at: '2031-04-14' })

    const extended = await change(id, { due_at: '2031-05-16' })
    const shortened = await change(id, { due_at: '2031-04-10' })

    expect([extended.status, shortened.status]).toEqual([200, 200])
    expect((await read(chain.vorfrist)).due_at).toBe('2031-04-14T23:59:59+02:00')
    expect(outcome(await change(chain.vorfrist, { due_at: '2031-04-11' }))).toEqual([400, 'VALIDATION_ERROR'])
    expect((await change(chain.vorfrist, { due_at: '2031-04-09' })).status).toBe(200)
  })

  it('never keep a Vorfrist alive that came while its Hauptfrist was struck', async () => {
    await times(6, async () => {
      const { id } = await entered()
      const [struck, vorfrist] = await Promise.all([
        firm.owner('DELETE', `/api/v1/deadlines/${id}`),
        enter({ frist_type: 'vorfrist', hauptfrist_id: id }),
      ])

      expect(struck.status).toBe(204)
      if (vorfrist.status === 201)
        expect((await firm.owner('GET', `/api/v1/deadlines/${vorfrist.body.id}`)).status).toBe(404)
      else expect(outcome(vorfrist)).toEqual([404, 'DEADLINE_NOT_FOUND'])
    })
  })
})

describe('completing', () => {
  const complete = (id: string, body: unknown, by: Api = firm.owner) =>
    by('POST', `/api/v1/deadlines/${id}/complete`, { body })

  it('needs evidence, keeps it, and stays as it is when repeated', async () => {
    const { id } = await entered()
    const evidence = { type: 'note', text: 'Schriftsatz am 14.04. per beA eingereicht.' }

    const completed = await complete(id, { evidence })
    const again = await complete(id, { evidence: { type: 'note', text: 'Anders.' } }, colleague.api)

    expect(completed.body).toMatchObject({
      status: 'completed',
      completed_by: firm.ownerUser.id,
      completed_at: expect.stringMatching(/Z$/),
      evidence,
    })
    expect([again.status, again.body]).toEqual([200, completed.body])
    const { body } = await firm.owner('GET', `/api/v1/calendar/fristen/${id}/chain`)
    expect(body.data[0]).toMatchObject({ status: 'verified', completed_at: completed.body.completed_at })
  })

  it.each([
    [{}],
    [{ evidence: null }],
    [{ evidence: {} }],
    [{ evidence: { type: 'note' } }],
    [{ evidence: { type: 'note', text: '  ' } }],
    [{ evidence: { type: 'bea_receipt' } }],
    [{ evidence: { type: 'document' } }],
    [{ evidence: { type: 'Zuruf', text: 'Ja' } }],
  ])('answers 400 to %j', async (body) => {
    const { id } = await entered()

    expect(outcome(await complete(id, body))).toEqual([400, 'VALIDATION_ERROR'])
    expect((await read(id)).status).toBe('pending')
  })

  it('takes no document that is not there', async () => {
    const { id } = await entered()

    const answer = await complete(id, { evidence: { type: 'document', document_id: `doc_${unknown}` } })

    expect(outcome(answer)).toEqual([404, 'DOCUMENT_NOT_FOUND'])
    expect((await read(id)).status).toBe('pending')
  })

  it('takes a document of the firm, and none of another', async () => {
    const { id } = await entered()
    const form = () => {
      const data = new FormData()
      data.set('file', new Blob(['Eingangsbestätigung des Gerichts']), 'eingang.txt')
      return data
    }
    const own = await firm.owner('POST', '/api/v1/documents', { raw: form() })
    const foreign = await (await newFirm()).owner('POST', '/api/v1/documents', { raw: form() })

    const refused = await complete(id, { evidence: { type: 'document', document_id: foreign.body.id } })
    const taken = await complete(id, { evidence: { type: 'document', document_id: own.body.id } })

    expect(outcome(refused)).toEqual([404, 'DOCUMENT_NOT_FOUND'])
    expect(taken.body).toMatchObject({
      status: 'completed',
      evidence: { type: 'document', document_id: own.body.id },
    })
  })

  it('ten times at once records one completion', async () => {
    const { id } = await entered()

    const answers = await times(10, (index) =>
      complete(id, { evidence: { type: 'note', text: `Nr. ${index}` } }),
    )

    expect(new Set(answers.map(({ body }) => body.evidence.text)).size).toBe(1)
  })
})

describe('striking', () => {
  it('removes a deadline from every path and list, with its Vorfrist, not its Nachfrist', async () => {
    const case_id = await openCase()
    const { id, chain } = await entered({ case_id, create_vorfrist: true })
    const nachfrist = await entered({ case_id, frist_type: 'nachfrist', hauptfrist_id: id })

    const struck = await firm.owner('DELETE', `/api/v1/deadlines/${id}`)

    expect([struck.status, struck.body]).toEqual([204, ''])
    for (const gone of [id, chain.vorfrist]) {
      expect((await firm.owner('GET', `/api/v1/deadlines/${gone}`)).status).toBe(404)
      expect(outcome(await verify(gone))).toEqual([404, 'DEADLINE_NOT_FOUND'])
      expect((await firm.owner('DELETE', `/api/v1/deadlines/${gone}`)).status).toBe(404)
    }
    expect((await read(nachfrist.id)).chain).toEqual({
      vorfrist: null,
      hauptfrist: null,
      nachfrist: nachfrist.id,
    })
    for (const path of [`deadlines?case_id=${case_id}`, `calendar/fristen?case_id=${case_id}`]) {
      const { body } = await firm.owner('GET', `/api/v1/${path}`)
      expect(body.data.map((one: { id: string }) => uuidOf(one.id))).toEqual([uuidOf(nachfrist.id)])
    }
    const history = await firm.owner('GET', `/api/v1/deadlines/${id}/history`)
    expect(history.body.data.at(-1)).toMatchObject({
      action: 'struck',
      actor: { id: firm.ownerUser.id },
      after: { struck_by: firm.ownerUser.id },
    })
  })
})

describe('the timeline of the case', () => {
  it('has exactly one entry for every change, and none for what changed nothing', async () => {
    const case_id = await openCase()
    const { id } = await entered({ case_id, create_vorfrist: true })
    await change(id, { title: 'Berufung', due_at: '2031-04-16' })
    await change(id, { title: 'Berufungsfrist', due_at: '2031-04-17', assigned_to: third.user.id })
    await firm.owner('POST', `/api/v1/deadlines/${id}/delegate`, { body: { user_id: colleague.user.id } })
    await verify(id)
    await verify(id)
    await firm.owner('POST', `/api/v1/deadlines/${id}/complete`, {
      body: { evidence: { type: 'bea_receipt', message_id: 'bea-4711' } },
    })
    await firm.owner('DELETE', `/api/v1/deadlines/${id}`)

    const { body } = await firm.owner('GET', `/api/v1/cases/${case_id}/timeline`)

    expect(
      body.data
        .map(({ summary }: { summary: string }) => summary)
        .toReversed()
        .slice(1),
    ).toEqual([
      'Hauptfrist „Berufung“ zum 16.04.2031, 23:59 Uhr eingetragen, mit Vorfrist zum 09.04.2031, 23:59 Uhr',
      `Hauptfrist „Berufung“ geändert: Bezeichnung „Berufung“ → „Berufungsfrist“, fällig 16.04.2031, 23:59 Uhr → 17.04.2031, 23:59 Uhr, zuständig ${third.user.name}, Vorfrist mitverlegt: fällig 09.04.2031, 23:59 Uhr → 10.04.2031, 23:59 Uhr`,
      `Prüfung der Hauptfrist „Berufungsfrist“ an ${colleague.user.name} übertragen`,
      'Hauptfrist „Berufungsfrist“ geprüft (Vier-Augen-Prinzip)',
      'Hauptfrist „Berufungsfrist“ erledigt, Nachweis: beA-Eingangsbestätigung',
      'Hauptfrist „Berufungsfrist“ zum 17.04.2031, 23:59 Uhr gestrichen, mit ihrer Vorfrist',
    ])
    expect(body.data[0].ref).toEqual({ type: 'deadline', id })
  })
})

describe('the calculator', () => {
  it('uses the time zone and the holidays of the workspace, and stores nothing', async () => {
    const { status, body } = await firm.owner('POST', '/api/v1/deadlines/calculate', {
      body: { event_date: '2027-08-05', preset: 'zpo_berufung' },
    })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      calculated_date: '2027-09-05',
      due_date: '2027-09-06',
      due_at: '2027-09-06T23:59:59+02:00',
      shifted: true,
    })
    expect(body.steps.map(({ rule }: { rule: string }) => rule)).toEqual([
      '§ 187 Abs. 1 BGB',
      '§ 188 Abs. 2 BGB',
      '§ 222 Abs. 2 ZPO',
    ])
  })

  it('counts the holidays at the seat of the federal court that a preset names, unless a region is given', async () => {
    const { owner } = await newFirm()
    await owner('PATCH', '/api/v1/workspace', { body: { holiday_region: 'DE-BY' } })
    const served = { event_date: '2026-05-04', preset: 'arbgg_nichtzulassungsbeschwerde' }
    const reckoned = async (body: Record<string, unknown>) => {
      const answer = await owner('POST', '/api/v1/deadlines/calculate', { body })
      return [answer.body.due_date, answer.body.region, answer.body.region_source]
    }

    const answers = [
      await reckoned(served),
      await reckoned({ ...served, region: 'DE-BY' }),
      await reckoned({ ...served, preset: 'arbgg_berufung' }),
    ]

    expect(answers).toEqual([
      ['2026-06-04', 'DE-TH', 'court'],
      ['2026-06-05', 'DE-BY', 'request'],
      ['2026-06-05', 'DE-BY', 'workspace'],
    ])
  })

  it('shows with each preset the federal court at which the act is due', async () => {
    const { body } = await firm.owner('GET', '/api/v1/deadlines/presets')

    const courtOf = (key: string) => body.data.find((preset: { key: string }) => preset.key === key).court
    expect(courtOf('fgo_revision')).toEqual({ name: 'Bundesfinanzhof', seat: 'München', region: 'DE-BY' })
    expect(courtOf('zpo_berufung')).toBeUndefined()
  })

  it('names its presets, each of which it takes', async () => {
    const { body } = await firm.owner('GET', '/api/v1/deadlines/presets')

    expect(body.data.length).toBeGreaterThan(30)
    for (const { key } of body.data.slice(0, 10)) {
      const answer = await firm.owner('POST', '/api/v1/deadlines/calculate', {
        body: { event_date: '2026-03-16', preset: key },
      })
      expect(answer.status).toBe(200)
    }
  })

  it.each([
    [{ preset: 'zpo_berufung' }],
    [{ event_date: '2026-02-31', preset: 'zpo_berufung' }],
    [{ event_date: '2041-01-01', preset: 'zpo_berufung' }],
    [{ event_date: '2026-03-16' }],
    [{ event_date: '2026-03-16', preset: 'gibt_es_nicht' }],
    [{ event_date: '2026-03-16', period: { unit: 'day', count: 1e9 } }],
    [{ event_date: '2026-03-16', period: { unit: 'year', count: 101 } }],
    [{ event_date: '2026-03-16', preset: 'zpo_berufung', region: 'DE-XX' }],
    [{ event_date: '2026-03-16', preset: 'zpo_berufung', region: 'DE-BE', municipality: 'Augsburg' }],
  ])('answers 400 to %j', async (body) => {
    expect(outcome(await firm.owner('POST', '/api/v1/deadlines/calculate', { body }))).toEqual([
      400,
      'VALIDATION_ERROR',
    ])
  })
})

describe('what a review found', () => {
  const delegate = (id: string, user_id: string, by: Api = firm.owner) =>
    by('POST', `/api/v1/deadlines/${id}/delegate`, { body: { user_id } })
  const complete = (id: string, evidence: unknown = { type: 'note', text: 'Getan.' }) =>
    firm.owner('POST', `/api/v1/deadlines/${id}/complete`, { body: { evidence } })
  const deactivate = async (id: string) =>
    expect((await firm.owner('PATCH', `/api/v1/users/${id}`, { body: { active: false } })).status).toBe(200)

  it('gives nothing to do to a user who was deactivated', async () => {
    const gone = await firm.colleague()
    await deactivate(gone.user.id)
    const { id } = await entered()

    const answers = [
      await enter({ assigned_to: gone.user.id }),
      await change(id, { assigned_to: gone.user.id }),
      await delegate(id, gone.user.id),
    ]

    expect(answers.map(outcome)).toEqual(Array(3).fill([404, 'USER_NOT_FOUND']))
  })

  it('is not bound by a delegation to a user who was deactivated since', async () => {
    const gone = await firm.colleague()
    const { id } = await entered()
    await delegate(id, gone.user.id)
    await deactivate(gone.user.id)

    expect((await verify(id)).body.verified_by).toBe(colleague.user.id)
  })

  it('has a delegation passed on by those concerned alone', async () => {
    const { id } = await entered()
    const other = await firm.colleague()
    await delegate(id, third.user.id)

    expect(outcome(await delegate(id, colleague.user.id, other.api))).toEqual([403, 'DELEGATED_TO_OTHER'])
    expect((await delegate(id, colleague.user.id)).body.delegation.delegated_to).toBe(colleague.user.id)
  })

  it('delegates nothing that is verified or completed', async () => {
    const { id } = await entered()
    const before = (await verify(id)).body
    const done = await entered()
    const completed = (await complete(done.id)).body

    expect((await delegate(id, third.user.id)).body).toEqual(before)
    expect((await delegate(done.id, third.user.id)).body).toEqual(completed)
  })

  it('leaves the due time of a completed deadline', async () => {
    const { id, due_at } = await entered()
    await complete(id)

    expect(outcome(await change(id, { due_at: '2031-05-20' }))).toEqual([409, 'DEADLINE_COMPLETED'])
    expect((await change(id, { due_at, title: 'Neu' })).body.title).toBe('Neu')
  })

  it('verifies a Frist only as it was looked at', async () => {
    const { id } = await entered()
    const tag = async () => (await firm.owner('GET', `/api/v1/deadlines/${id}`)).headers.get('etag') as string
    const path = `/api/v1/calendar/fristen/${id}/verify`
    const old = await tag()
    await change(id, { title: 'Neu' })

    const refused = await colleague.api('POST', path, { headers: { 'If-Match': old } })
    const done = await colleague.api('POST', path, { headers: { 'If-Match': await tag() } })

    expect(outcome(refused)).toEqual([412, 'PRECONDITION_FAILED'])
    expect(done.body.verified).toBe(true)
  })

  it.each([
    { type: 'note', text: '\u200b\u2060' },
    { type: 'bea_receipt', message_id: ' \u00ad ' },
  ])('takes no evidence that cannot be seen: %j', async (evidence) => {
    const { id } = await entered()

    expect(outcome(await complete(id, evidence))).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('cuts the title of a Vorfrist to what a title may be', async () => {
    const { chain } = await entered({ title: '😀'.repeat(500), create_vorfrist: true })

    expect([...(await read(chain.vorfrist)).title]).toHaveLength(500)
  })

  it('carries title and assignee along to the Vorfrist that has the old ones', async () => {
    const { id, chain } = await entered({ create_vorfrist: true })
    await change(id, { title: 'Revision', assigned_to: third.user.id })
    expect(await read(chain.vorfrist)).toMatchObject({
      title: 'Vorfrist: Revision',
      assigned_to: third.user.id,
    })

    await change(chain.vorfrist, { title: 'Eigen', assigned_to: colleague.user.id })
    await change(id, { title: 'Anders', assigned_to: firm.ownerUser.id })
    expect(await read(chain.vorfrist)).toMatchObject({ title: 'Eigen', assigned_to: colleague.user.id })
  })

  it('takes due times to the second', async () => {
    await entered({ due_at: '2035-01-01T10:00:00.999Z' })

    const { body } = await firm.owner(
      'GET',
      '/api/v1/deadlines?from=2035-01-01T10:00:00Z&to=2035-01-01T10:00:00.500Z',
    )

    expect(body.data).toHaveLength(1)
  })

  it('has a Vorfrist before and a Nachfrist after its Hauptfrist', async () => {
    const { id } = await entered()

    for (const body of [
      { frist_type: 'vorfrist', due_at: '2031-04-17' },
      { frist_type: 'nachfrist', due_at: '2031-04-15' },
    ])
      expect(outcome(await enter({ ...body, hauptfrist_id: id }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('never misses in a list what becomes open again meanwhile', async () => {
    const case_id = await openCase()
    const { id } = await entered({ case_id })
    for (let round = 0; round < 8; round += 1) {
      await verify(id)
      const [lists] = await Promise.all([
        times(12, () => firm.owner('GET', `/api/v1/calendar/fristen?case_id=${case_id}`)),
        change(id, { due_at: `2031-05-0${round + 1}` }),
      ])
      for (const { body } of lists) expect(body.data).toHaveLength(1)
    }
  })

  it('reckons a tax notice posted before 2025 by the third day', async () => {
    const { body } = await firm.owner('POST', '/api/v1/deadlines/calculate', {
      body: { preset: 'ao_bekanntgabe_post', event_date: '2024-12-30' },
    })

    expect(body.due_date).toBe('2025-01-02')
  })
})
