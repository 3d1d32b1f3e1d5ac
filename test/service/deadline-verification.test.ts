import { describe, expect, it } from 'vitest'
import type { Api } from '#test/support/api.ts'
import { newDeadlineFirm, outcome, times, unknown, uuidOf } from '#test/support/deadline-firm.ts'

const { firm, colleague, third, enter, entered, read, change, verify, delegate, complete } =
  await newDeadlineFirm()

describe('verifying', () => {
  it('needs a user other than the one who entered it', async () => {
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

  it('is refused if the deadline has changed since the verifier looked at it', async () => {
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

  it.each([
    ['the due time', () => ({ due_at: '2031-04-17' })],
    ['the title', () => ({ title: 'Neuer Titel' })],
    ['the responsible person', () => ({ assigned_to: third.user.id })],
    ['the basis', () => ({ calculation: { event_date: '2031-03-14', preset: 'zpo_berufung' } })],
  ])('is cleared by a change of %s (F14; BGH III ZB 82/23)', async (_, changes) => {
    const calculation = { event_date: '2031-03-16', preset: 'zpo_berufung' }
    const { id } = await entered({ due_at: undefined, calculation })
    await verify(id)

    const changed = await change(id, changes())

    expect(changed.body).toMatchObject({ status: 'pending', verified_by: null, verified_at: null })
  })

  it('stays if no verified field changes', async () => {
    const calculation = { event_date: '2031-03-16', preset: 'zpo_berufung' }
    const { id, due_at, title } = await entered({ due_at: undefined, calculation })
    await verify(id)

    const same = await change(id, { due_at, title, assigned_to: firm.ownerUser.id, calculation })
    const other = await change(id, { category: 'notfrist' })

    expect([same.body.status, other.body.status]).toEqual(['verified', 'verified'])
  })

  it('can be done by the user who renamed the deadline, but not by the user who recalculated it', async () => {
    const renamed = await entered()
    await change(renamed.id, { title: 'Neu' }, colleague.api)
    const recalculated = await entered({ due_at: '2031-04-16' })
    const calculation = { event_date: '2031-03-16', preset: 'zpo_berufung' }
    await change(recalculated.id, { calculation }, colleague.api)

    expect((await verify(renamed.id)).status).toBe(200)
    expect(outcome(await verify(recalculated.id))).toEqual([403, 'DUAL_CONTROL_REQUIRED'])
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

  it('is not possible for the user who entered it or last set its due time', async () => {
    const { id } = await entered()
    await change(id, { due_at: '2031-05-20' }, colleague.api)

    const refused = await delegate(id, { user_id: firm.ownerUser.id })
    expect(outcome(refused)).toEqual([409, 'DUAL_CONTROL_REQUIRED'])
    expect(refused.body.error.details).toMatchObject([{ path: 'body.user_id' }])
    expect(outcome(await delegate(id, { user_id: colleague.user.id }))).toEqual([
      409,
      'DUAL_CONTROL_REQUIRED',
    ])
    expect((await delegate(id, { user_id: third.user.id })).status).toBe(200)
  })

  it('ends if the delegate sets another due time', async () => {
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

describe('the limits of a delegation', () => {
  const deactivate = async (id: string) =>
    expect((await firm.owner('PATCH', `/api/v1/users/${id}`, { body: { active: false } })).status).toBe(200)

  it('has no effect for a deactivated user', async () => {
    const gone = await firm.colleague()
    await deactivate(gone.user.id)
    const { id } = await entered()

    const answers = [
      await enter({ assigned_to: gone.user.id }),
      await change(id, { assigned_to: gone.user.id }),
      await delegate(id, gone.user.id),
    ]

    expect(answers.map(outcome)).toEqual(Array(3).fill([404, 'USER_NOT_FOUND']))
    for (const { body } of answers) expect(body.error.message).toContain('is deactivated')
  })

  it('is not bound by a delegation to a user who has been deactivated since', async () => {
    const gone = await firm.colleague()
    const { id } = await entered()
    await delegate(id, gone.user.id)
    await deactivate(gone.user.id)

    expect((await verify(id)).body.verified_by).toBe(colleague.user.id)
  })

  it('allows only the people concerned to pass on a delegation', async () => {
    const { id } = await entered()
    const other = await firm.colleague()
    await delegate(id, third.user.id)

    expect(outcome(await delegate(id, colleague.user.id, other.api))).toEqual([403, 'DELEGATED_TO_OTHER'])
    expect((await delegate(id, colleague.user.id)).body.delegation.delegated_to).toBe(colleague.user.id)
  })

  it('may be passed on by each person concerned, whatever concerns them', async () => {
    const [delegator, responsible, target, stranger] = await Promise.all([
      firm.colleague(),
      firm.colleague(),
      firm.colleague(),
      firm.colleague(),
    ])
    const concerned = {
      creator: firm.owner,
      mover: colleague.api,
      delegate: third.api,
      delegator: delegator.api,
      responsible: responsible.api,
    }
    const passedOn = async (by: Api) => {
      const { id } = await entered({ assigned_to: responsible.user.id })
      await change(id, { due_at: '2031-05-20' }, colleague.api)
      await delegate(id, third.user.id, delegator.api)
      return outcome(await delegate(id, target.user.id, by))
    }

    for (const [who, by] of Object.entries(concerned))
      expect([who, await passedOn(by)]).toEqual([who, [200, undefined]])
    expect(await passedOn(stranger.api)).toEqual([403, 'DELEGATED_TO_OTHER'])
  })

  it('delegates nothing that is verified or completed', async () => {
    const { id } = await entered()
    const before = (await verify(id)).body
    const done = await entered()
    const completed = (await complete(done.id)).body

    expect((await delegate(id, third.user.id)).body).toEqual(before)
    expect((await delegate(done.id, third.user.id)).body).toEqual(completed)
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
    [{ assigned_to: [] }],
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
    const weak = `W/${changed.headers.get('etag')}`
    const ofWeakTag = await change(id, { title: 'Schwach' }, (method, to, send) =>
      firm.owner(method, to, { ...send, headers: { 'If-Match': weak } }),
    )
    const known = await firm.owner('PATCH', path, { body: {}, headers: { 'If-None-Match': '*' } })

    expect(unchanged.status).toBe(304)
    // RFC 9110, 13.1.1: a weak tag names no exact state. 304 is an answer to GET alone.
    expect(outcome(ofWeakTag)).toEqual([412, 'PRECONDITION_FAILED'])
    expect([known.status, known.body.title]).toEqual([200, 'Neu'])
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

  it('takes due times to the second', async () => {
    await entered({ due_at: '2035-01-01T10:00:00.999Z' })

    const { body } = await firm.owner(
      'GET',
      '/api/v1/deadlines?from=2035-01-01T10:00:00Z&to=2035-01-01T10:00:00.500Z',
    )

    expect(body.data).toHaveLength(1)
  })
})
