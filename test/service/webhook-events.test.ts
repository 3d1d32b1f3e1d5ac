import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { uuidv7, uuidv7At } from '#kernel/id.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import { caseLink } from '#store/cases/case-link-entity.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'
import { briefly, loggedEvents, shownEvents } from '#test/support/webhook-events.ts'
import { addHook, receivers } from '#test/support/webhook-receiver.ts'

/** The log of events over HTTP (E2). */

const path = '/api/v1/webhooks/events'
const receiver = receivers()

describe('the log', () => {
  it('shows what has happened, oldest first, with ids only', async () => {
    const { owner } = await newFirm()
    const opened = (await owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body
    const party = (await owner('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })).body

    const events = await loggedEvents(owner)

    expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'case.created', data: { id: opened.id, case_id: opened.id } },
      { type: 'party.created', data: { id: party.id, case_id: null } },
    ])
    expect(events.map(({ id }) => id).toSorted()).toEqual(events.map(({ id }) => id))
    for (const { occurred_at } of events)
      expect(epochMilliseconds() - Date.parse(occurred_at)).toBeLessThan(60_000)
    expect(JSON.stringify(events)).not.toContain('Meier')
  })

  it('shows an event once, though its request is repeated', async () => {
    const { owner } = await newFirm()
    const headers = { 'Idempotency-Key': randomUUID() }
    for (let round = 0; round < 2; round += 1)
      await owner('POST', '/api/v1/cases', { body: { name: 'Einmal' }, headers })

    expect(await loggedEvents(owner)).toHaveLength(1)
  })

  it('filters by repeated types, by all types of a subject, and by case', async () => {
    const { owner } = await newFirm()
    const [one, other] = await Promise.all(
      ['A', 'B'].map(async (name) => (await owner('POST', '/api/v1/cases', { body: { name } })).body.id),
    )
    await owner('PUT', `/api/v1/cases/${one}`, { body: { name: 'C' } })
    const party = (await owner('POST', '/api/v1/parties', { body: { name: 'Anna' } })).body.id
    await loggedEvents(owner)
    const shown = async (query: string) => briefly(await shownEvents(owner, query))

    expect(await shown(`case_id=${one}`)).toEqual([`case.created ${one}`, `case.updated ${one}`])
    expect(await shown('type=case.updated&type=party.created')).toEqual([
      `case.updated ${one}`,
      `party.created ${party}`,
    ])
    expect((await shown('type=case.*')).toSorted()).toEqual(
      [`case.created ${one}`, `case.created ${other}`, `case.updated ${one}`].toSorted(),
    )
    expect(await shown(`type=party.*&case_id=${one}`)).toEqual([])
  })

  it('leaves out the types whose resource the key may not read', async () => {
    const { owner, withScopes } = await newFirm()
    const opened = (await owner('POST', '/api/v1/cases', { body: { name: 'A' } })).body.id
    const party = (await owner('POST', '/api/v1/parties', { body: { name: 'Anna' } })).body.id
    await loggedEvents(owner)

    const seen = async (...scopes: Parameters<typeof withScopes>) =>
      briefly(await shownEvents(await withScopes(...scopes)))

    expect(await seen('cases:read')).toEqual([`case.created ${opened}`])
    expect(await seen('contacts:read')).toEqual([`party.created ${party}`])
    expect(await seen('reports:read')).toEqual([])
    expect((await owner('GET', path, {})).status).toBe(200)
  })

  it('continues after an event, page by page, and ends', async () => {
    const { owner } = await newFirm()
    for (const name of ['A', 'B', 'C', 'D', 'E']) await owner('POST', '/api/v1/parties', { body: { name } })
    const all = await loggedEvents(owner)
    const ids = all.map(({ id }) => id)

    const first = (await owner('GET', `${path}?limit=2&after=${ids[0]}`)).body
    const second = (await owner('GET', `${path}?limit=2&after=${ids[0]}&cursor=${first.pagination.cursor}`))
      .body
    const end = (await owner('GET', `${path}?after=${ids[4]}`)).body

    expect([first, second].map(({ data }) => data.map(({ id }: { id: string }) => id))).toEqual([
      [ids[1], ids[2]],
      [ids[3], ids[4]],
    ])
    expect([first.pagination.has_more, second.pagination.has_more]).toEqual([true, false])
    expect(second.as_of).toBe(first.as_of)
    expect(end).toMatchObject({ data: [], pagination: { cursor: null, has_more: false } })
    expect(epochMilliseconds() - Date.parse(end.as_of)).toBeLessThan(70_000)
  })

  it('refuses unknown types, ids and cursors, and ids older than 30 days', async () => {
    const [{ owner }, foreign] = await Promise.all([newFirm(), newFirm()])
    await foreign.owner('POST', '/api/v1/parties', { body: { name: 'Fremd' } })
    const [theirs] = await loggedEvents(foreign.owner)
    const codeOf = async (query: string) => {
      const { status, body } = await owner('GET', `${path}?${query}`)
      return [status, body.error?.code]
    }

    for (const query of [
      'type=case.opened',
      'type=*',
      'type=',
      'type=case',
      'type=case.created&type=x',
      'cursor=x',
    ])
      expect(await codeOf(query)).toEqual([400, 'VALIDATION_ERROR'])
    expect(await codeOf('case_id=nicht')).toEqual([400, 'VALIDATION_ERROR'])
    expect(await codeOf('limit=1&limit=2')).toEqual([400, 'VALIDATION_ERROR'])
    for (const after of [theirs?.id, `wev_${uuidv7()}`, randomUUID(), 'x', ''])
      expect(await codeOf(`after=${after}`)).toEqual([404, 'EVENT_NOT_FOUND'])
    expect(await codeOf(`after=wev_${uuidv7At(epochMilliseconds() - 31 * 86_400_000)}`)).toEqual([
      410,
      'EVENTS_EXPIRED',
    ])
  })

  it('a reader who continues after the last id sees each event of forty writers once, and an endpoint gets each once', async () => {
    const { owner } = await newFirm()
    const target = await receiver()
    await addHook(owner, target.url, { event_types: ['party.created'] })
    const made = new Set<string>()
    let isWriting = true
    const writing = inParallelUpTo(
      40,
      Array.from({ length: 40 }, (_, at) => at),
      async (writer) => {
        for (let round = 0; round < 6; round += 1) {
          const { body } = await owner('POST', '/api/v1/parties', {
            body: { name: `Partei ${writer} ${round}` },
          })
          made.add(`party.created ${body.id}`)
        }
      },
    ).finally(() => {
      isWriting = false
    })
    const seen: string[] = []
    const read = async () => {
      const after: string = last === undefined ? '' : `&after=${last}`
      const { body } = await owner('GET', `${path}?limit=7${after}`)
      last = body.data.at(-1)?.id ?? last
      seen.push(...briefly(body.data))
      return body.data.length as number
    }
    let last: string | undefined

    while (isWriting) await read()
    await writing
    await sleep(5)
    while ((await read()) > 0);
    const sent = await target.until(({ length }) => length >= made.size)

    expect(made.size).toBe(240)
    expect(seen.toSorted()).toEqual([...made].toSorted())
    expect(sent.map(({ event }) => `${event.type} ${event.data.id}`).toSorted()).toEqual([...made].toSorted())
  })
})

describe('events of cases and parties', () => {
  it('each change of a case is one event', async () => {
    const { owner, ownerUser } = await newFirm()
    const open = async (name: string) => (await owner('POST', '/api/v1/cases', { body: { name } })).body.id
    const [one, other] = [await open('A'), await open('B')]
    const change = async (method: string, path: string, body?: unknown) => {
      const answer = await owner(method, path, { body })
      expect(answer.status).toBeLessThan(300)
      return answer.body
    }
    await change('PUT', `/api/v1/cases/${one}`, { description: 'Neu' })
    await change('PUT', `/api/v1/cases/${one}`, { description: 'Neu' })
    await change('POST', `/api/v1/cases/${one}/staff`, { staff: [{ id: ownerUser.id, role: 'lead' }] })
    const [added] = (
      await change('POST', `/api/v1/cases/${one}/parties`, { parties: [{ name: 'Anna', role: 'client' }] })
    ).data
    const link = await change('POST', `/api/v1/cases/${one}/links`, { case_id: other, type: 'related' })
    await change('DELETE', `/api/v1/cases/${one}/links/${link.id}`)
    await change('PUT', `/api/v1/parties/${added.id}`, { name: 'Anna Meier' })
    await change('DELETE', `/api/v1/cases/${other}`)

    const events = briefly(await loggedEvents(owner))

    const updated = `case.updated ${one}`
    expect(events).toEqual([
      `case.created ${one}`,
      `case.created ${other}`,
      updated,
      updated,
      updated,
      `party.created ${added.id}`,
      updated,
      `case.updated ${other}`,
      updated,
      `case.updated ${other}`,
      `party.updated ${added.id}`,
      `case.deleted ${other}`,
    ])
  })

  it('deleting a linked case changes the other one, and deleting a party says so', async () => {
    const { owner } = await newFirm()
    const open = async (name: string) => (await owner('POST', '/api/v1/cases', { body: { name } })).body.id
    const [one, other] = [await open('A'), await open('B')]
    await owner('POST', `/api/v1/cases/${one}/links`, { body: { case_id: other, type: 'related' } })
    const party = (await owner('POST', '/api/v1/parties', { body: { name: 'Anna' } })).body.id
    const [before] = (await loggedEvents(owner)).slice(-1)

    await owner('DELETE', `/api/v1/cases/${one}`)
    await owner('DELETE', `/api/v1/parties/${party}`)
    await owner('DELETE', `/api/v1/parties/${party}`)

    expect(briefly(await loggedEvents(owner, `after=${before?.id}`))).toEqual([
      `case.deleted ${one}`,
      `case.updated ${other}`,
      `party.deleted ${party}`,
    ])
  })

  it('a link to a case whose deletion has not removed it yet is removed without another event of that case', async () => {
    const firm = await newFirm()
    const { owner, workspace } = firm
    const open = async (name: string) => (await owner('POST', '/api/v1/cases', { body: { name } })).body.id
    const [one, other] = [await open('A'), await open('B')]
    const path = `/api/v1/cases/${one}/links`
    const link = (await owner('POST', path, { body: { case_id: other, type: 'related' } })).body
    const items = caseLink(await sharedTable())
    const stored = await items.get({ workspace_id: workspace.id, case_id: one, id: link.id }).go()
    if (stored.data === null) throw new Error('There is no link.')
    await owner('DELETE', `/api/v1/cases/${other}`)
    await items.put(stored.data).go()
    await items.put({ ...stored.data, case_id: other, linked_case_id: one }).go()

    const { status } = await owner('DELETE', `${path}/${link.id}`)

    const events = briefly(await loggedEvents(owner))
    expect(status).toBe(204)
    expect(events.filter((event) => event.endsWith(other)).at(-1)).toBe(`case.deleted ${other}`)
    expect(events.at(-1)).toBe(`case.updated ${one}`)
  })
})
