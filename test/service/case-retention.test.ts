import { beforeAll, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const openCase = async (): Promise<string> =>
  (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id
const read = async (id: string) => (await firm.owner('GET', `/api/v1/cases/${id}`)).body
const setStatus = async (id: string, status: string) =>
  (await firm.owner('PUT', `/api/v1/cases/${id}`, { body: { status } })).body
const hold = (id: string, body: object) => firm.owner('POST', `/api/v1/cases/${id}/holds`, { body })
const lift = (id: string, holdId: string, reason = 'Erledigt') =>
  firm.owner('DELETE', `/api/v1/cases/${id}/holds/${holdId}`, { body: { reason } })
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  `${status} ${body?.error?.code ?? ''}`.trim()
/** A day of the firm's time zone, this number of days from today. */
const dayIn = (days: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(
    epochMilliseconds() + days * 86_400_000,
  )

describe('the retention of a case', () => {
  it('is null while the case is open', async () => {
    const id = await openCase()

    const shown = await read(id)

    expect(shown).toMatchObject({ closed_at: null, retention: null })
  })

  it('ends with the sixth calendar year after the closing', async () => {
    const id = await openCase()

    const closed = await setStatus(id, 'closed')

    const year = Number(dayIn(0).slice(0, 4))
    const { data } = (await firm.owner('GET', `/api/v1/cases/${id}/timeline`)).body
    expect(closed.closed_at).toBe(data[0].occurred_at)
    expect(closed.retention).toEqual({
      rule: '§ 50 Abs. 1 BRAO',
      retain_until: `${year + 6}-12-31`,
      holds: [],
    })
    expect(await read(id)).toEqual(closed)
  })

  it('begins with the first closing, also if the status changes later', async () => {
    const id = await openCase()
    const { closed_at } = await setStatus(id, 'closed')

    const archived = await setStatus(id, 'archived')
    const again = await setStatus(id, 'closed')

    expect([archived.closed_at, again.closed_at]).toEqual([closed_at, closed_at])
  })

  it('begins again after the case was reopened', async () => {
    const id = await openCase()
    const first = await setStatus(id, 'closed')

    const reopened = await setStatus(id, 'active')
    const second = await setStatus(id, 'closed')

    expect(reopened).toMatchObject({ closed_at: null, retention: null })
    expect(second.closed_at > first.closed_at).toBe(true)
  })

  it('begins with the day on which an imported case was closed, even if it is given later', async () => {
    const id = await openCase()
    const put = (body: object) => firm.owner('PUT', `/api/v1/cases/${id}`, { body })

    const { body: imported } = await put({ status: 'archived', closed_on: '2019-12-31' })
    const { body: again } = await put({ closed_on: '2019-12-31' })
    const { body: corrected } = await put({ closed_on: '2020-01-01' })

    expect([imported.closed_at, imported.retention.retain_until]).toEqual([
      '2019-12-31T11:00:00.000Z',
      '2025-12-31',
    ])
    expect(again).toEqual(imported)
    expect(corrected.retention.retain_until).toBe('2026-12-31')
    const { data } = (await firm.owner('GET', `/api/v1/cases/${id}/timeline`)).body
    expect(data.map(({ summary }: { summary: string }) => summary).slice(0, 2)).toEqual([
      'Akte geändert: geschlossen am Mittwoch, 01.01.2020',
      'Akte geändert: Status active → archived, geschlossen am Dienstag, 31.12.2019',
    ])
    const due = (await firm.owner('GET', '/api/v1/retention/due?by=2027-01-01')).body.data
    expect(due.map(({ case_id }: { case_id: string }) => case_id)).toEqual([id])
  })

  it.each([
    ['of an open case', { closed_on: '2019-12-31' }],
    ['of a case that is reopened', { status: 'active', closed_on: '2019-12-31' }],
    ['after today', { status: 'closed', closed_on: dayIn(1) }],
    ['that does not exist', { status: 'closed', closed_on: '2019-02-30' }],
  ])('refuses a closed_on %s', async (_, body) => {
    const id = await openCase()

    const answer = await firm.owner('PUT', `/api/v1/cases/${id}`, { body })

    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'body.closed_on'])
  })

  it('is null for a case that was archived without being closed, and a warning says so', async () => {
    const id = await openCase()

    const archived = await setStatus(id, 'archived')

    expect(archived).toMatchObject({
      closed_at: null,
      retention: null,
      warnings: [expect.stringContaining('nicht geschlossen')],
    })
    expect(await setStatus(id, 'closed')).not.toHaveProperty('warnings')
  })
})

describe('a hold', () => {
  it('is shown in the retention and in the list, and recorded in the timeline', async () => {
    const id = await openCase()
    await setStatus(id, 'closed')

    const first = await hold(id, { reason: 'Regress angekündigt' })
    const second = await hold(id, { reason: 'Betriebsprüfung', until: dayIn(30) })

    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({
      id: expect.stringMatching(/^hld_/),
      reason: 'Regress angekündigt',
      until: null,
      created_by: firm.ownerUser.id,
    })
    expect((await read(id)).retention.holds).toEqual([first.body, second.body])
    expect((await firm.owner('GET', `/api/v1/cases/${id}/holds`)).body.data).toEqual([
      first.body,
      second.body,
    ])
    const { data } = (await firm.owner('GET', `/api/v1/cases/${id}/timeline`)).body
    expect(data.slice(0, 2)).toMatchObject([
      { type: 'hold.set', summary: expect.stringContaining('Betriebsprüfung') },
      { type: 'hold.set', summary: 'Aufbewahrungssperre gesetzt: Regress angekündigt' },
    ])
  })

  it('prevents the deletion of the case and of its documents until the last one is lifted', async () => {
    const id = await openCase()
    const document = (await upload(firm.owner, {}, { case_id: id })).body.id
    const holds = [await hold(id, { reason: 'Regress' }), await hold(id, { reason: 'Prüfung' })]
    const deleteCase = () => firm.owner('DELETE', `/api/v1/cases/${id}`)
    const deleteDocument = () => firm.owner('DELETE', `/api/v1/documents/${document}`)

    const held = [await deleteCase(), await deleteDocument()]
    await lift(id, holds[0]?.body.id)
    const stillHeld = [await deleteCase(), await deleteDocument()]
    const lifted = await lift(id, holds[1]?.body.id)
    const free = [await deleteDocument(), await deleteCase()]

    expect([...held, ...stillHeld].map(codeOf)).toEqual(Array(4).fill('409 LEGAL_HOLD'))
    expect(lifted.status).toBe(204)
    expect(free.map(({ status }) => status)).toEqual([204, 204])
  })

  it('keeps the documents in the case, because they could be deleted elsewhere', async () => {
    const [id, other] = [await openCase(), await openCase()]
    const document = (await upload(firm.owner, {}, { case_id: id })).body.id
    const { body: set } = await hold(id, { reason: 'Regress' })
    const assign = (body: object) => firm.owner('POST', `/api/v1/documents/${document}/assign`, { body })
    const assignAll = () =>
      firm.owner('POST', '/api/v1/documents/bulk-assign', {
        body: { document_ids: [document], case_id: other },
      })

    const refused = [await assign({ case_id: other }), await assign({ case_id: null }), await assignAll()]
    const within = await assign({ case_id: id, party_ids: [] })
    await lift(id, set.id)
    const free = await assignAll()

    expect(refused.map(codeOf)).toEqual(Array(3).fill('409 LEGAL_HOLD'))
    expect([within, free].map(({ status, body }) => [status, (body.data?.[0] ?? body).case_id])).toEqual([
      [200, id],
      [200, other],
    ])
  })

  it('allows new documents in the case', async () => {
    const [id, other] = [await openCase(), await openCase()]
    const document = (await upload(firm.owner, {}, { case_id: other })).body.id
    await hold(id, { reason: 'Regress' })

    const moved = await firm.owner('POST', `/api/v1/documents/${document}/assign`, { body: { case_id: id } })

    expect([moved.status, moved.body.case_id]).toEqual([200, id])
  })

  it('is refused if the reasons of all holds together are too long', async () => {
    const id = await openCase()
    const reason = '𐐨'.repeat(1_000)

    let last = await hold(id, { reason })
    for (let count = 1; count < 50 && last.status === 201; count += 1) last = await hold(id, { reason })

    expect(codeOf(last)).toBe('400 VALIDATION_ERROR')
  })

  it('applies until the end of its last day in the time zone of the firm', async () => {
    const id = await openCase()

    const today = await hold(id, { reason: 'Regress', until: dayIn(0) })
    const refused = await firm.owner('DELETE', `/api/v1/cases/${id}`)
    const yesterday = await hold(id, { reason: 'Regress', until: dayIn(-1) })

    expect([today.status, codeOf(refused), codeOf(yesterday)]).toEqual([
      201,
      '409 LEGAL_HOLD',
      '400 VALIDATION_ERROR',
    ])
  })

  it.each([
    ['without a reason', {}],
    ['with an empty reason', { reason: ' ' }],
    ['until a day that does not exist', { reason: 'Regress', until: '2031-02-30' }],
  ])('%s is refused', async (_, body) => {
    const id = await openCase()

    const refused = await hold(id, body)

    expect(codeOf(refused)).toBe('400 VALIDATION_ERROR')
  })

  it('is lifted once, and only with a reason', async () => {
    const id = await openCase()
    const { body } = await hold(id, { reason: 'Regress' })

    const without = await firm.owner('DELETE', `/api/v1/cases/${id}/holds/${body.id}`, { body: {} })
    const first = await lift(id, body.id)
    const second = await lift(id, body.id)

    expect([without, first, second].map(codeOf)).toEqual([
      '400 VALIDATION_ERROR',
      '204',
      '404 HOLD_NOT_FOUND',
    ])
  })

  it('cannot be set between the check and the deletion of a document', async () => {
    const id = await openCase()
    const documents = await Promise.all(
      [1, 2, 3, 4].map(async () => (await upload(firm.owner, {}, { case_id: id })).body.id),
    )

    const [held, ...deleted] = await Promise.all([
      hold(id, { reason: 'Regress' }),
      ...documents.map((document) => firm.owner('DELETE', `/api/v1/documents/${document}`)),
    ])

    const left = (await firm.owner('GET', `/api/v1/documents?case_id=${id}`)).body.data.length
    expect(held.status).toBe(201)
    expect(deleted.filter(({ status }) => status === 204)).toHaveLength(4 - left)
    expect(deleted.filter((one) => codeOf(one) === '409 LEGAL_HOLD')).toHaveLength(left)
  })
})
