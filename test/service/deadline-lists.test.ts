import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { Api } from '#test/support/api.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

type Listed = { id: string; title: string; due_at?: string; deadline?: string; status: string }

/** All items of a list, page by page; `between` runs after every page. */
async function walk(
  api: Api,
  path: string,
  between: (page: Listed[]) => Promise<unknown> = async () => {},
): Promise<Listed[]> {
  const items: Listed[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { status, body } = await api('GET', path + (cursor && `&cursor=${cursor}`))
    expect(status).toBe(200)
    expect(body.pagination.has_more).toBe(body.pagination.cursor !== null)
    items.push(...body.data)
    cursor = body.pagination.cursor
    await between(body.data)
  }
  return items
}

const titles = (items: { title: string }[]) => items.map(({ title }) => title)
const day = (offset: number) => new Date(epochMilliseconds() + offset * 86_400_000).toISOString()

/**
 * Deadlines from four days ago (`T-4`) to ten days ahead, in a fixed order that differs from the order of their due
 * times.
 */
const offsets = [3, -2, 7, 1, -4, 9, 5, -1, 10, 2, 8, -3, 4, 6]
const sorted = offsets.toSorted((one, other) => one - other)
const nameOf = (offset: number) => `T${offset < 0 ? '' : '+'}${offset}`

describe('lists of deadlines', () => {
  let firm: Firm
  let colleague: Awaited<ReturnType<Firm['colleague']>>
  let caseIds: string[]
  const caseOf = (offset: number) => caseIds[Math.abs(offset) % 2] ?? ''
  const isMine = (offset: number) => offset % 3 !== 0
  /** T-3, T-1 and T+5 are completed, T-2, T+2 and T+4 are verified. */
  const completed = [-3, -1, 5]
  const verified = [-2, 2, 4]
  const settled = [...completed, ...verified]
  beforeAll(async () => {
    firm = await newFirm()
    colleague = await firm.colleague()
    const open = async () => (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body.id
    caseIds = [await open(), await open()]
    for (const offset of offsets) {
      const { body } = await firm.owner('POST', '/api/v1/deadlines', {
        body: {
          title: nameOf(offset),
          case_id: caseOf(offset),
          due_at: day(offset),
          assigned_to: isMine(offset) ? firm.ownerUser.id : colleague.user.id,
        },
      })
      const path = `/api/v1/deadlines/${body.id}`
      if (verified.includes(offset)) await colleague.api('POST', `${path}/verify`)
      if (completed.includes(offset))
        await firm.owner('POST', `${path}/complete`, {
          body: { evidence: { type: 'note', text: 'Getan.' } },
        })
    }
  })
  const expected = (keep: (offset: number) => boolean) => sorted.filter(keep).map(nameOf)
  const found = async (query: string) => titles(await walk(firm.owner, `/api/v1/${query}`))

  it('of deadlines are from now on, soonest first, unless from or status says otherwise', async () => {
    expect(await found('deadlines?')).toEqual(expected((offset) => offset > 0))
    expect(await found(`deadlines?from=${day(-2.5)}`)).toEqual(expected((offset) => offset >= -2))
    expect(await found(`deadlines?to=${day(3.5)}`)).toEqual(expected((offset) => offset > 0 && offset <= 3))
    expect(await found(`deadlines?from=${day(-3.5)}&to=${day(1.5)}`)).toEqual(
      expected((offset) => offset >= -3 && offset <= 1),
    )
  })

  it.each([1, 3, 13, 14, 15, 100])('of Fristen hold all, in pages of %i', async (limit) => {
    expect(await found(`calendar/fristen?limit=${limit}`)).toEqual(expected(() => true))
  })

  it('are narrowed by status, as each view names it', async () => {
    const open = (offset: number) => !settled.includes(offset)

    expect(await found('deadlines?limit=2&status=pending')).toEqual(expected((at) => open(at) && at > 0))
    expect(await found('deadlines?limit=2&status=expired')).toEqual(expected((at) => open(at) && at < 0))
    expect(await found('deadlines?limit=2&status=verified')).toEqual(expected((at) => verified.includes(at)))
    expect(await found('deadlines?limit=2&status=completed')).toEqual(
      expected((at) => completed.includes(at)),
    )
    expect(await found('calendar/fristen?limit=2&status=open')).toEqual(expected((at) => open(at) && at > 0))
    expect(await found('calendar/fristen?limit=2&status=expired')).toEqual(
      expected((at) => open(at) && at < 0),
    )
    expect(await found('calendar/fristen?limit=2&status=verified')).toEqual(
      expected((at) => settled.includes(at)),
    )
    expect(await found('calendar/fristen?limit=2&status=all')).toEqual(expected(() => true))
    expect(await found('deadlines/unverified?limit=3')).toEqual(expected(open))
  })

  it('are narrowed by case, assignee and time together', async () => {
    const [first, second] = caseIds
    const me = firm.ownerUser.id.slice('usr_'.length).toUpperCase()

    expect(await found(`calendar/fristen?limit=2&case_id=${first}`)).toEqual(expected((at) => at % 2 === 0))
    expect(await found(`calendar/fristen?limit=2&assigned_to=${me}`)).toEqual(expected(isMine))
    expect(await found(`calendar/fristen?limit=1&case_id=${second}&assigned_to=${me}&status=open`)).toEqual(
      expected((at) => at % 2 !== 0 && isMine(at) && at > 0 && !settled.includes(at)),
    )
    expect(
      await found(`deadlines?limit=2&case_id=${first}&assigned_to=${colleague.user.id}&from=${day(-9)}`),
    ).toEqual(expected((at) => at % 2 === 0 && !isMine(at)))
    expect(await found(`deadlines?status=expired&from=${day(-3.5)}&to=${day(20)}`)).toEqual([])
    expect(await found(`deadlines?status=expired&from=${day(-4.5)}&to=${day(20)}`)).toEqual(['T-4'])
  })

  it('show in both views the same records', async () => {
    const fristen = await walk(firm.owner, `/api/v1/calendar/fristen?`)
    const deadlines = await walk(firm.owner, `/api/v1/deadlines?from=${day(-9)}`)

    expect(fristen.map(({ id, deadline }) => [id.replace('frist_', 'evt_'), deadline])).toEqual(
      deadlines.map(({ id, due_at }) => [id, due_at]),
    )
    const { body } = await firm.owner('GET', `/api/v1/deadlines/${deadlines[3]?.id}`)
    expect(deadlines[3]).toEqual(body)
  })

  it.each([
    'deadlines?limit=0',
    'deadlines?limit=101',
    'deadlines?status=open',
    'deadlines?status=all',
    'deadlines?cursor=abc',
    'deadlines?case_id=x',
    'deadlines?assigned_to=x',
    'deadlines?from=gestern',
    'deadlines?from=2026-04-16T10:00:00',
    'deadlines?from=2026-02-31',
    'deadlines?to=10000-01-01',
    'deadlines/unverified?limit=x',
    'calendar/fristen?status=pending',
    'calendar/fristen?case_id=x',
    'calendar/fristen?assigned_to=x',
    'deadlines/register?date=2026-02-31',
    'deadlines/register?date=heute',
    'deadlines/register?date=10000-01-01',
  ])('answer 400 to %s', async (query) => {
    const { status, body } = await firm.owner('GET', `/api/v1/${query}`)
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it.each([
    'from=2026-04-17&to=2026-04-16',
    'from=2026-04-16T10:00:00Z&to=2026-04-16T10:00:00Z',
    'from=2026-04-16T10:00:00Z&to=2026-04-16T11:00:00%2B02:00',
    'from=2026-04-17T00:00:00%2B02:00&to=2026-04-16',
  ])('answer INVALID_DATE_RANGE to %s', async (query) => {
    for (const list of ['deadlines', 'calendar/fristen']) {
      const { status, body } = await firm.owner('GET', `/api/v1/${list}?${query}`)
      expect([status, body.error.code]).toEqual([400, 'INVALID_DATE_RANGE'])
    }
  })

  it('accept a cursor only for the list that returned it', async () => {
    const { cursor } = (await firm.owner('GET', '/api/v1/calendar/fristen?limit=2')).body.pagination
    const other = await newFirm()

    const answers = await Promise.all([
      other.owner('GET', `/api/v1/calendar/fristen?limit=2&cursor=${cursor}`),
      firm.owner('GET', `/api/v1/calendar/fristen?limit=2&status=open&cursor=${cursor}`),
      firm.owner('GET', `/api/v1/calendar/fristen?limit=2&from=2026-01-01&cursor=${cursor}`),
      firm.owner('GET', `/api/v1/deadlines?limit=2&cursor=${cursor}`),
      firm.owner('GET', `/api/v1/deadlines/unverified?limit=2&cursor=${cursor}`),
    ])

    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(400))
    expect((await firm.owner('GET', `/api/v1/calendar/fristen?limit=5&cursor=${cursor}`)).status).toBe(200)
  })
})

describe('a list by due time', () => {
  let firm: Firm
  let caseId: string
  beforeEach(async () => {
    firm = await newFirm()
    caseId = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body.id
  })
  const enter = async (title: string, due_at: string) =>
    (await firm.owner('POST', '/api/v1/deadlines', { body: { title, case_id: caseId, due_at } })).body

  it('includes its days whole, in the time zone of the workspace', async () => {
    for (const [title, due_at] of [
      ['vorher', '2031-03-29T23:59:59+01:00'],
      ['erste Minute', '2031-03-30T00:00:00+01:00'],
      ['letzte Minute', '2031-03-30T23:59:59+02:00'],
      ['nachher', '2031-03-31T00:00:00+02:00'],
    ] as const)
      await enter(title, due_at)

    const on = async (query: string) =>
      titles((await firm.owner('GET', `/api/v1/calendar/fristen?${query}`)).body.data)

    expect(await on('from=2031-03-30&to=2031-03-30')).toEqual(['erste Minute', 'letzte Minute'])
    expect(await on('from=2031-03-30T21:59:59Z&to=2031-03-30T22:00:00Z')).toEqual([
      'letzte Minute',
      'nachher',
    ])
  })

  it('gives each deadline that was there once, while others come and these are verified and completed', async () => {
    const own = await newFirm()
    const { api } = await own.colleague()
    const case_id = (await own.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body.id
    const add = async (title: string) =>
      (await own.owner('POST', '/api/v1/deadlines', { body: { title, case_id, due_at: '2031-05-05' } })).body
    const there: { id: string; title: string }[] = []
    for (let count = 0; count < 12; count += 1) there.push(await add(`Da ${count}`))
    let step = 0

    const seen = await walk(own.owner, '/api/v1/calendar/fristen?limit=2', async () => {
      const { id } = there[(step * 5) % 12] ?? there[0] ?? { id: '' }
      step += 1
      await Promise.all([
        add(`Neu ${step}`),
        api('POST', `/api/v1/deadlines/${id}/verify`),
        own.owner('POST', `/api/v1/deadlines/${id}/complete`, {
          body: { evidence: { type: 'note', text: 'x' } },
        }),
      ])
    })

    expect(titles(seen).filter((title) => title.startsWith('Da'))).toEqual(titles(there))
    expect(new Set(titles(seen)).size).toBe(seen.length)
  })

  it('never misses a deadline that is verified while the list is read', async () => {
    const own = await newFirm()
    const { api } = await own.colleague()
    const case_id = (await own.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body.id
    const ids: string[] = []
    for (let count = 0; count < 10; count += 1) {
      const body = { title: `Nr. ${count}`, case_id, due_at: '2031-05-05' }
      ids.push((await own.owner('POST', '/api/v1/deadlines', { body })).body.id)
    }

    const [, lists] = await Promise.all([
      Promise.all(ids.map((id) => api('POST', `/api/v1/deadlines/${id}/verify`))),
      Promise.all(Array.from({ length: 20 }, () => own.owner('GET', '/api/v1/calendar/fristen'))),
    ])

    for (const { body } of lists) expect(body.data).toHaveLength(10)
  })

  it('shows a deadline as expired from the moment it is due, in both views', async () => {
    const { id } = await enter('Gleich', '2029-12-31')
    const statuses = async () => {
      const [one, fristen, pending, expired] = await Promise.all([
        firm.owner('GET', `/api/v1/deadlines/${id}`),
        firm.owner('GET', `/api/v1/calendar/fristen/${id}/chain`),
        firm.owner('GET', '/api/v1/deadlines?status=pending&to=2030-01-01'),
        firm.owner('GET', '/api/v1/calendar/fristen?status=expired'),
      ])
      return [
        one.body.status,
        fristen.body.data[0].status,
        titles(pending.body.data),
        titles(expired.body.data),
      ]
    }

    const before = await statuses()
    const due = new Date(epochMilliseconds() + 2_000)
    await firm.owner('PATCH', `/api/v1/deadlines/${id}`, { body: { due_at: due.toISOString() } })
    await sleep(Math.max(0, due.getTime() - epochMilliseconds()) + 2)
    const after = await statuses()

    expect(before).toEqual(['pending', 'open', ['Gleich'], []])
    expect(after).toEqual(['expired', 'expired', [], ['Gleich']])
  })

  it('is in the order of entry if due times are the same', async () => {
    const own = await newFirm()
    const case_id = (await own.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body.id
    for (const title of ['eins', 'zwei', 'drei', 'vier'])
      await own.owner('POST', '/api/v1/deadlines', { body: { title, case_id, due_at: '2031-05-05' } })

    expect(titles(await walk(own.owner, '/api/v1/deadlines?limit=1'))).toEqual([
      'eins',
      'zwei',
      'drei',
      'vier',
    ])
  })
})
