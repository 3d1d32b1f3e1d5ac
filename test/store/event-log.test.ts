import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { newId, uuidv7, uuidv7At } from '#kernel/id.ts'
import { inParallel, inParallelUpTo } from '#kernel/in-parallel.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { transact } from '#store/transact.ts'
import { allEvents, eventActions, eventList, lapsesAt } from '#store/webhooks/event-actions.ts'
import { eventLog } from '#store/webhooks/event-log.ts'
import { eventLogEnd } from '#store/webhooks/event-log-entity.ts'
import { forgetEvents } from '#store/webhooks/forget-events.ts'
import { sharedTable } from '#test/support/table.ts'
import { allEventTypes, type StoredEvent } from '#webhooks/catalogue-schema.ts'

/** The order of the log, if transactions take their time (E2). The clock stands still unless a test moves it. */

let db: Db
let latest = 0
beforeEach(async () => {
  db = await sharedTable()
  vi.useFakeTimers({ toFake: ['Date'] })
  // Ids of one process never go back in time, so neither do these tests.
  vi.setSystemTime(Math.max(latest, epochMilliseconds()))
})
afterEach(() => {
  latest = epochMilliseconds()
  vi.useRealTimers()
})

const pass = (milliseconds: number) => vi.setSystemTime(epochMilliseconds() + milliseconds)

/** A firm whose events are written at once, or when the test decides. */
function aFirm() {
  const workspace = newId('workspace')
  const record = eventActions(db)
  const log = eventLog({ db, cursors: tableCursors(db) })
  return {
    workspace,
    /** Stamps an event now. @returns a function that writes it, as an attempt that began at once would do later */
    stamp: (name: string) => {
      const actions = record(workspace, [{ type: 'party.created', data: { id: name, case_id: null } }]).map(
        ({ notAfter: _, ...action }) => action,
      )
      pass(1)
      return async () => {
        await transact(db, actions)
      }
    },
    /** The same for many events at once, each in its own millisecond. */
    stampMany: (name: string, count: number) => {
      const entries = Array.from({ length: count }, (_, at) => {
        const place = uuidv7()
        pass(1)
        const data = { type: 'party.created' as const, data: { id: `${name} ${at}`, case_id: null } }
        return { term: allEvents, place, data, ttl: lapsesAt(place) }
      })
      return () => eventList(db).write(workspace, entries, [])
    },
    page: (after?: string, limit = 50) =>
      log.page(workspace, { types: allEventTypes, after, isSeen: () => true }, { limit }),
    read: async (query: { after?: string | undefined; limit?: number } = {}) => {
      const { after, limit = 50 } = query
      const page = await log.page(workspace, { types: allEventTypes, after, isSeen: () => true }, { limit })
      return page.data
    },
  }
}

const names = (events: StoredEvent[]) => events.map(({ data }) => data.id)

it('an event that is written after a later one was shown stands behind it, with its own id and time', async () => {
  const { stamp, read } = aFirm()
  const writeLate = stamp('late')
  const lateAt = epochMilliseconds() - 1
  await stamp('early')()
  pass(3_000)
  const first = await read()
  await writeLate()
  const second = await read({ after: first.at(-1)?.id })
  pass(3_000)
  await stamp('last')()
  pass(3_000)
  const third = await read({ after: second.at(-1)?.id })

  expect([names(first), names(second), names(third)]).toEqual([['early'], ['late'], ['last']])
  expect(Date.parse(second[0]?.occurred_at ?? '')).toBe(lateAt)
  expect(names(await read())).toEqual(['early', 'late', 'last'])
  pass(200_000)
  expect(names(await read())).toEqual(['early', 'late', 'last'])
  expect(names(await read({ after: first[0]?.id }))).toEqual(['late', 'last'])
  await stamp('much later')()
  pass(200_000)
  await stamp('newest')()
  pass(3_000)
  expect(names(await read())).toEqual(['early', 'late', 'last', 'much later', 'newest'])
})

it('the place to which an event was moved is no id of an event', async () => {
  const { workspace, stamp, page, read } = aFirm()
  const writeLate = stamp('late')
  await stamp('early')()
  pass(3_000)
  await read()
  await writeLate()
  await read()
  const { entries } = await eventList(db).read(workspace, allEvents, {}, 10)
  const moved = entries.find(({ data }) => data.id !== undefined)

  await expect(page(`wev_${moved?.place}`)).rejects.toMatchObject({ code: 'EVENT_NOT_FOUND' })
  expect(await page(moved?.data.id)).toMatchObject({ data: [] })
})

it('a reader continues after an event that was taken out of the log, also after one that was moved', async () => {
  const { workspace, stamp, page, read } = aFirm()
  const writeLate = stamp('late and gone')
  await stamp('first')()
  await stamp('gone')()
  pass(3_000)
  const [, gone] = await read()
  await writeLate()
  const [late] = await read({ after: gone?.id })
  await stamp('last')()
  pass(3_000)
  await read()

  const isGone = (_: string, data: string) => data.includes('gone')
  expect(await forgetEvents(db, workspace, isGone, () => false)).toBe(true)

  expect(names(await read())).toEqual(['first', 'last'])
  expect(names(await read({ after: gone?.id }))).toEqual(['last'])
  expect(names(await read({ after: late?.id }))).toEqual(['last'])
  const { entries } = await eventList(db).read(workspace, allEvents, {}, 10)
  expect(JSON.stringify(entries)).not.toContain('gone')
  await expect(page(newId('webhookEvent'))).rejects.toMatchObject({ code: 'EVENT_NOT_FOUND' })
})

/** A table whose first write of several items happens only after some other work. */
function after(work: () => Promise<unknown>): Db {
  let isDone = false
  const send = async (command: { constructor: { name: string } }) => {
    if (!isDone && command.constructor.name.endsWith('WriteCommand')) {
      isDone = true
      await work()
    }
    return db.client.send(command as never)
  }
  return { ...db, client: Object.create(db.client, { send: { value: send } }) as Db['client'] }
}

it('an event that is moved while it is taken out of the log is gone from both places', async () => {
  const { workspace, stamp, page, read } = aFirm()
  const writeLate = stamp('late and gone')
  await stamp('first')()
  pass(3_000)
  const [first] = await read()
  await writeLate()
  const late = await eventList(db).read(workspace, allEvents, {}, 1)
  const isGone = (_: string, data: string) => data.includes('gone')

  const moving = after(() => read())
  expect(await forgetEvents(moving, workspace, isGone, () => false)).toBe(true)

  const { entries } = await eventList(db).read(workspace, allEvents, {}, 10)
  expect(JSON.stringify(entries)).not.toContain('gone')
  expect(names(await read({ after: first?.id }))).toEqual([])
  const { moved } = entries.find(({ place }) => place === late.entries[0]?.place)?.data ?? {}
  expect(moved).not.toBe(late.entries[0]?.place)
  expect(await page(`wev_${late.entries[0]?.place}`)).toMatchObject({ data: [] })
})

it('an event that is taken out of the log while it is moved does not come back', async () => {
  const { workspace, stamp, read } = aFirm()
  const writeLate = stamp('late and gone')
  await stamp('first')()
  pass(3_000)
  await read()
  await writeLate()
  const isGone = (_: string, data: string) => data.includes('gone')

  const forgetting = after(() => forgetEvents(db, workspace, isGone, () => false))
  const log = eventLog({ db: forgetting, cursors: tableCursors(db) })
  const { data } = await log.page(workspace, { types: allEventTypes, isSeen: () => true }, { limit: 50 })

  expect(names(data)).toEqual(['first'])
  const { entries } = await eventList(db).read(workspace, allEvents, {}, 10)
  expect(JSON.stringify(entries)).not.toContain('gone')
})

it('what an event of beA needs is known by its id, also if it was moved, until it was taken out of the log', async () => {
  const { workspace, stamp, read } = aFirm()
  const needs = { account_id: newId('beaAccount'), operation: 'read' as const }
  const message = { type: 'bea_message.received' as const, data: { id: 'message', case_id: null }, needs }
  const actions = eventActions(db)(workspace, [message])
  pass(1)
  await stamp('early')()
  pass(3_000)
  const [early] = await read()
  await transact(db, actions)
  const [late] = await read({ after: early?.id })
  const { needsOf } = eventLog({ db, cursors: tableCursors(db) })
  const ids = [early?.id ?? '', late?.id ?? '']

  const found = await needsOf(workspace, ids)
  await forgetEvents(
    db,
    workspace,
    (_, data) => data.includes('"message"'),
    () => false,
  )

  expect(late?.data.id).toBe('message')
  expect([...found]).toEqual([[late?.id, needs]])
  expect([...(await needsOf(workspace, ids))]).toEqual([])
})

it('an event that is written 55 seconds after its stamp is found, also if nobody has read meanwhile or since', async () => {
  const { stamp, read } = aFirm()
  const writeLate = stamp('late')
  await stamp('early')()
  pass(3_000)
  const [early] = await read()
  pass(52_000)
  await writeLate()
  await stamp('next')()
  pass(100_000)

  const rest = await read({ after: early?.id })

  expect(names(rest).toSorted()).toEqual(['late', 'next'])
  expect(names(await read())).toEqual(['early', ...names(rest)])
})

it('more late events than one transaction moves are moved one after the other, and none is lost', async () => {
  const { stamp, read } = aFirm()
  const late = Array.from({ length: 120 }, (_, at) => stamp(`late ${at}`))
  await stamp('early')()
  pass(3_000)
  const [early] = await read()
  await inParallel(late, (write) => write())
  const seen: string[] = []
  let last = early?.id
  for (let round = 0; round < 8; round += 1) {
    const page = await read({ after: last, limit: 100 })
    last = page.at(-1)?.id ?? last
    seen.push(...names(page))
    pass(10)
  }

  expect(seen.length).toBe(120)
  expect(new Set(seen).size).toBe(120)
})

it('readers at once agree on one order', async () => {
  const { stamp, read } = aFirm()
  const writes = Array.from({ length: 30 }, (_, at) => stamp(`event ${at}`))
  pass(2_500)
  await Promise.all([
    inParallelUpTo(3, writes, (write) => write()),
    ...Array.from({ length: 6 }, async () => {
      for (let round = 0; round < 10; round += 1) {
        await read()
        pass(5)
      }
    }),
  ])
  pass(3_000)
  const followers = await Promise.all(Array.from({ length: 3 }, () => read()))

  expect(new Set(names(followers[0] ?? []))).toEqual(new Set(writes.map((_, at) => `event ${at}`)))
  expect(followers[0]).toHaveLength(30)
  for (const one of followers) expect(names(one)).toEqual(names(followers[0] ?? []))
})

it('a burst of more events than are remembered is shown a minute later, each once', async () => {
  const { workspace, read, stamp } = aFirm()
  await stamp('before')()
  pass(3_000)
  const [before] = await read()
  const list = eventList(db)
  const burst = Array.from({ length: 10_050 }, (_, at) => {
    const place = uuidv7()
    const data = { type: 'party.created' as const, data: { id: `burst ${at}`, case_id: null } }
    return { term: allEvents, place, data, ttl: lapsesAt(place) }
  })
  await list.write(workspace, burst, [])
  pass(3_000)
  const during = await read({ after: before?.id })
  pass(60_000)
  const seen: string[] = []
  for (let last = before?.id; ; ) {
    const page = await read({ after: last, limit: 1_000 })
    if (page.length === 0) break
    last = page.at(-1)?.id
    seen.push(...names(page))
  }

  expect(during).toEqual([])
  expect(seen).toHaveLength(10_050)
  expect(new Set(seen).size).toBe(10_050)
})

it('bursts that together are more than are remembered are shown each once, the last of them a minute later', async () => {
  const { workspace, stampMany, read } = aFirm()
  const remembered = async () => {
    const { data } = await eventLogEnd(db).get({ workspace_id: workspace }).go()
    return (data?.shown.length ?? 0) / 12
  }
  const seen: string[] = []
  const sizes: number[] = []
  let last: string | undefined
  const follow = async () => {
    const page = await read({ after: last, limit: 5_000 })
    last = page.at(-1)?.id ?? last
    seen.push(...names(page))
    sizes.push(await remembered())
    return page.length
  }
  for (const name of ['one', 'two', 'three']) {
    await stampMany(name, 4_000)()
    pass(2_500)
    await follow()
  }
  const during = seen.length
  pass(60_000)
  while ((await follow()) > 0);

  expect(during).toBe(8_000)
  expect(seen).toHaveLength(12_000)
  expect(new Set(seen).size).toBe(12_000)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000)
  // After a minute of silence nothing is remembered, so nothing is read again with each page.
  expect(sizes.at(-1)).toBe(0)
})

it('many late events do not keep back what happened after them, if somebody reads every two minutes', async () => {
  const { stampMany, stamp, read } = aFirm()
  const writeLate = stampMany('late', 120)
  await stamp('early')()
  pass(3_000)
  const [early] = await read()
  await writeLate()
  await stampMany('next', 200)()
  pass(120_000)

  const page = await read({ after: early?.id, limit: 500 })

  expect(page).toHaveLength(320)
  expect(new Set(names(page)).size).toBe(320)
})

it('the time until which a page is complete is before every late event that waits to be shown', async () => {
  const { stampMany, stamp, page } = aFirm()
  const begun = new Date(epochMilliseconds()).toISOString()
  const writeLate = stampMany('late', 600)
  const ended = new Date(epochMilliseconds()).toISOString()
  await stamp('early')()
  pass(2_100)
  const [early] = (await page()).data
  await writeLate()
  pass(120_000)
  const first = await page(early?.id, 1_000)
  const second = await page(first.data.at(-1)?.id, 1_000)

  expect(first.data.length).toBeLessThan(600)
  expect(first.as_of > begun && first.as_of < ended).toBe(true)
  expect(first.data.length + second.data.length).toBe(600)
  expect(second.as_of > ended).toBe(true)
})

it('events are shown for thirty days, also while the table still holds older ones', async () => {
  const { workspace, stamp, read } = aFirm()
  const daysAgo = (days: number) => {
    const place = uuidv7At(epochMilliseconds() - days * 86_400_000)
    const data = { type: 'party.created' as const, data: { id: `${days} days`, case_id: null } }
    return { term: allEvents, place, data, ttl: lapsesAt(place) }
  }
  await eventList(db).write(workspace, [daysAgo(31), daysAgo(29)], [])
  await stamp('new')()
  pass(3_000)

  const events = await read()

  expect(names(events)).toEqual(['29 days', 'new'])
})

it('an entry lapses thirty days after its event', () => {
  const place = uuidv7At(Date.parse('2026-03-16T08:30:00.000Z'))

  expect(new Date(lapsesAt(place) * 1_000).toISOString()).toBe('2026-04-15T08:30:00.000Z')
})
