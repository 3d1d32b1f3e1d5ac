import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { walkChanges } from '#test/support/changes.ts'
import { newDeadlineFirm, outcome, times } from '#test/support/deadline-firm.ts'

let at: Awaited<ReturnType<typeof newDeadlineFirm>>
beforeAll(async () => {
  at = await newDeadlineFirm()
})

const deleteCase = (id: string, headers: Record<string, string> = {}) =>
  at.firm.owner('DELETE', `/api/v1/cases/${id}`, { headers })
const listed = async (path: string): Promise<{ id: string; case_deleted_at: string | null }[]> =>
  (await at.firm.owner('GET', `/api/v1/${path}`)).body.data
const strike = (id: string) =>
  at.firm.owner('DELETE', `/api/v1/deadlines/${id}`, { body: { reason: 'Versehen' } })

describe('closing or archiving a case with open deadlines', () => {
  const setStatus = (id: string, status: string) =>
    at.firm.owner('PUT', `/api/v1/cases/${id}`, { body: { status } })

  it.each([
    ['closed', 'geschlossene'],
    ['archived', 'archivierte'],
  ])('warns once if the status becomes %s', async (status, what) => {
    const case_id = await at.openCase()
    await at.entered({ case_id })

    const { body } = await setStatus(case_id, status)
    const again = await setStatus(case_id, status === 'closed' ? 'archived' : 'closed')

    expect(body.warnings).toContain(
      `Die ${what} Akte hat eine offene Frist, fällig am Mittwoch, 16.04.2031. Sie bleibt im Fristenkalender.`,
    )
    expect(again.body).not.toHaveProperty('warnings')
  })

  it('does not warn if its deadlines are done, or if it is reopened', async () => {
    const case_id = await at.openCase()
    await at.complete((await at.entered({ case_id })).id)

    const closed = await setStatus(case_id, 'closed')
    await at.entered({ case_id })
    const reopened = await setStatus(case_id, 'active')

    for (const { body } of [closed, reopened]) expect(body).not.toHaveProperty('warnings')
  })
})

describe('deleting a case with open deadlines', () => {
  it.each([
    ['a Hauptfrist', [{}], 'eine offene Frist, fällig am Mittwoch, 16.04.2031'],
    [
      'a Hauptfrist and its Vorfrist',
      [{ create_vorfrist: true }],
      '2 offene Fristen, die früheste fällig am Mittwoch, 09.04.2031',
    ],
    [
      'deadlines in any order',
      [{ due_at: '2031-06-02' }, { due_at: '2031-05-02' }, { due_at: '2031-07-02' }],
      '3 offene Fristen, die früheste fällig am Freitag, 02.05.2031',
    ],
    ['one that is past', [{ due_at: '2020-01-15' }], 'eine offene Frist, fällig am Mittwoch, 15.01.2020'],
    [
      'one just after midnight in Berlin',
      [{ due_at: '2031-04-16T00:30:00+02:00' }],
      'eine offene Frist, fällig am Mittwoch, 16.04.2031',
    ],
  ])('warns how many there are, and when the first is due: %s', async (_, deadlines, expected) => {
    const case_id = await at.openCase()
    for (const deadline of deadlines) await at.entered({ case_id, ...deadline })

    const { status, body } = await deleteCase(case_id)

    expect(status).toBe(200)
    expect(body).toEqual({ warnings: [expect.stringContaining(`Die gelöschte Akte hat ${expected}.`)] })
  })

  it('counts a verified deadline, since it is not done', async () => {
    const case_id = await at.openCase()
    const { id } = await at.entered({ case_id })
    await at.verify(id)

    const { body } = await deleteCase(case_id)

    expect(body.warnings).toHaveLength(1)
  })

  it('answers 204 without a body if all are completed or struck', async () => {
    const case_id = await at.openCase()
    const completed = await at.entered({ case_id, create_vorfrist: true })
    const struck = await at.entered({ case_id })
    await at.complete(completed.id)
    await strike(struck.id)

    const { status, body } = await deleteCase(case_id)

    expect([status, body]).toEqual([204, ''])
    expect((await at.read(completed.id)).case_deleted_at).toEqual(expect.any(String))
  })

  it('answers 204 without deadlines, and 404 if it is repeated', async () => {
    const case_id = await at.openCase()
    const other = await at.openCase()
    await at.entered({ case_id: other })

    const answers = [await deleteCase(case_id), await deleteCase(case_id)]
    const warned = [await deleteCase(other), await deleteCase(other)]

    expect(answers.map(outcome)).toEqual([
      [204, undefined],
      [404, 'CASE_NOT_FOUND'],
    ])
    expect(warned.map(outcome)).toEqual([
      [200, undefined],
      [404, 'CASE_NOT_FOUND'],
    ])
  })

  it('does not change the deadlines if it is refused', async () => {
    const case_id = await at.openCase()
    const deadline = await at.entered({ case_id })

    const refused = await deleteCase(case_id, { 'If-Match': '"alt"' })

    expect(outcome(refused)).toEqual([412, 'PRECONDITION_FAILED'])
    expect(await at.read(deadline.id)).toEqual(deadline)
  })

  it('with the current If-Match warns, too', async () => {
    const case_id = await at.openCase()
    await at.entered({ case_id })
    const { headers } = await at.firm.owner('GET', `/api/v1/cases/${case_id}`)

    const { status } = await deleteCase(case_id, { 'If-Match': headers.get('etag') ?? '' })

    expect(status).toBe(200)
  })
})

describe('the deadlines of a deleted case', () => {
  it('show the deletion in every view and in lists of changes; deadlines of other cases do not', async () => {
    const case_id = await at.openCase()
    const deadline = await at.entered({ case_id, create_vorfrist: true })
    const other = await at.entered()
    const before = systemClock.now().toISOString()

    await deleteCase(case_id)

    const { case_deleted_at } = await at.read(deadline.id)
    expect(case_deleted_at >= before).toBe(true)
    const ofCase = `case_id=${case_id}`
    for (const path of [
      `deadlines?${ofCase}`,
      `calendar/fristen?status=all&${ofCase}`,
      `calendar/fristen/${deadline.id}/chain`,
    ])
      expect((await listed(path)).map((one) => one.case_deleted_at)).toEqual([
        case_deleted_at,
        case_deleted_at,
      ])
    const { data } = await walkChanges(at.firm.owner, 'deadlines', `${ofCase}&updated_since=${before}`)
    expect(data.map(({ id }) => id).toSorted()).toEqual([deadline.id, deadline.chain.vorfrist].toSorted())
    expect(data).toMatchObject([{ case_deleted_at }, { case_deleted_at }])
    expect((await at.read(other.id)).case_deleted_at).toBeNull()
  })

  it('all show the deletion, however many there are', async () => {
    const case_id = await at.openCase()
    await times(27, () => at.entered({ case_id, create_vorfrist: true }))

    const { body } = await deleteCase(case_id)

    expect(body.warnings[0]).toContain('54 offene Fristen')
    const shown = await listed(`deadlines?case_id=${case_id}&limit=100`)
    expect(shown).toHaveLength(54)
    expect(shown.filter((one) => one.case_deleted_at === null)).toEqual([])
  })

  it('refuse a change with the ETag of their state before the deletion', async () => {
    const case_id = await at.openCase()
    const { id } = await at.entered({ case_id })
    const path = `/api/v1/deadlines/${id}`
    const { headers } = await at.firm.owner('GET', path)
    await deleteCase(case_id)

    const late = await at.firm.owner('PATCH', path, {
      body: { title: 'Neu' },
      headers: { 'If-Match': headers.get('etag') ?? '' },
    })

    expect(outcome(late)).toEqual([412, 'PRECONDITION_FAILED'])
  })

  it('can be changed, verified, extended and completed, and still show the deletion', async () => {
    const case_id = await at.openCase()
    const { id } = await at.entered({ case_id })
    await deleteCase(case_id)
    const { case_deleted_at } = await at.read(id)

    const changed = await at.change(id, { title: 'Berufungsbegründung', due_at: '2031-05-16' })
    const verified = await at.verify(id)
    const requested = await at.firm.owner('POST', `/api/v1/deadlines/${id}/extension`, {
      body: { requested_until: '2031-06-16' },
    })
    const extended = await listed(`deadlines?case_id=${case_id}`)
    const completed = await at.complete(id)

    for (const { status, body } of [changed, verified, requested, completed])
      expect([status, body.case_deleted_at]).toEqual([200, case_deleted_at])
    expect(extended.length).toBeGreaterThan(1)
    expect(extended.map((one) => one.case_deleted_at)).toEqual(extended.map(() => case_deleted_at))
  })

  it('keep an intact history', async () => {
    const case_id = await at.openCase()
    const { id } = await at.entered({ case_id })
    await deleteCase(case_id)
    await at.verify(id)

    const { body } = await at.firm.owner('GET', `/api/v1/deadlines/${id}/history`)

    expect(body.intact).toBe(true)
    expect(body.data.map(({ action }: { action: string }) => action)).toEqual(['created', 'verified'])
  })

  it('stay in the register', async () => {
    const case_id = await at.openCase()
    const { id } = await at.entered({ case_id, due_at: '2031-09-17' })
    await deleteCase(case_id)

    const { status, body } = await at.firm.owner('GET', '/api/v1/deadlines/register?date=2031-09-17', {
      headers: { Accept: 'application/json' },
    })

    expect(status).toBe(200)
    expect(body.due.map((one: { id: string }) => one.id)).toEqual([id])
  })
})
