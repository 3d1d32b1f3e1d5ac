import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newId, uuidv7 } from '#kernel/id.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { transact } from '#store/transact.ts'
import { allEvents, eventActions, eventList, lapsesAt } from '#store/webhooks/event-actions.ts'
import { eventLog } from '#store/webhooks/event-log.ts'
import { eventLogEnd } from '#store/webhooks/event-log-entity.ts'
import { sharedTable } from '#test/support/table.ts'
import { allEventTypes, type StoredEvent } from '#webhooks/catalogue-schema.ts'

/** The order of the log, if transactions take their time (E2). The clock stands still unless a test moves it. */

let db: Db
let latest = 0
beforeEach(async () => {
  db = await sharedTable()
  vi.useFakeTimers({ toFake: ['Date'] })
  // Ids of one process never go back in time, so neither do these tests.
  vi.setSystemTime(Math.max(latest, Date.now()))
})
afterEach(() => {
  latest = Date.now()
  vi.useRealTimers()
})

const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds)

/** A firm whose events are written at once, or when the test wants. */
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
    page: (after?: string, limit = 50) => log.page(workspace, { types: allEventTypes, after }, { limit }),
    read: async (query: { after?: string | undefined; limit?: number } = {}) => {
      const { after, limit = 50 } = query
      const page = await log.page(workspace, { types: allEventTypes, after }, { limit })
      return page.data
    },
  }
}

const names = (events: StoredEvent[]) => events.map(({ data }) => data.id)

it('an event that is written after a later one was shown stands behind it, with its own id and time', async () => {
  const { stamp, read } = aFirm()
  const writeLate = stamp('late')
  const lateAt = Date.now() - 1
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
    inParallel(writes, (write) => write(), 3),
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
    const page = await read({ after: last, limit: 100 })
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
  const begun = new Date(Date.now()).toISOString()
  const writeLate = stampMany('late', 600)
  const ended = new Date(Date.now()).toISOString()
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
