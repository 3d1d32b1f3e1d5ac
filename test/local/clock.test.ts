import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { localClock, NotSettled } from '#infra/local/clock.ts'
import type { QueueState } from '#infra/local/emulators/queue-state.ts'
import { clockOffset, clockOffsetVariable, epochMilliseconds } from '#kernel/clock.ts'

/** The steps of a moved clock, with pieces in memory instead of a table and queues. Times are in minutes from the start. */

const start = Date.parse('2027-01-04T07:00:00.000Z')
const minutes = (count: number) => start + count * 60_000
const minuteOf = (time: number) => Math.floor((time - start) / 60_000)

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ['Date'] })
})
afterEach(() => {
  delete process.env[clockOffsetVariable]
  vi.useRealTimers()
})

/** Due items as `[minute, name]`, hidden messages as minutes, a schedule every `everyMinutes`. */
function toy({
  due = [],
  hidden = [],
  everyMinutes = 100_000,
}: {
  due?: [number, string][]
  hidden?: number[]
  everyMinutes?: number
} = {}) {
  const items = new Map(due.map(([minute, name]) => [name, minute]))
  let messages: QueueState['hidden'] = hidden.map((minute) => ({ until: minutes(minute) }))
  const log: string[] = []
  const interval = everyMinutes * 60_000
  const after = (from: number) => (Math.floor((from - start) / interval) + 1) * interval + start
  const world = {
    log,
    items,
    isBusy: false,
    /** Whether the clock reported that no work was running, at each move of the time. */
    isQuietAtMoves: [] as boolean[],
    /** The work for an item; by default it removes the item. */
    work: (name: string): void => {
      items.delete(name)
    },
  }
  const sorted = () => [...items].toSorted(([, one], [, other]) => one - other)
  const itemOf = ([name, minute]: [string, number]) => ({
    key: `${name} ${minute}`,
    at: minutes(minute),
    partition: name,
  })
  const clock = localClock({
    set: async (to, isQuiet) => {
      world.isQuietAtMoves.push(await isQuiet())
      process.env[clockOffsetVariable] = String(clockOffset() + to - epochMilliseconds())
    },
    due: {
      first: (until, isKnown) =>
        sorted()
          .map(itemOf)
          .find(({ key, at }) => at <= until && !isKnown(key)),
      at: (moment) =>
        sorted()
          .map(itemOf)
          .filter(({ at }) => at <= moment),
    },
    ticker: {
      run: async ({ from, to }) => {
        for (const [name, minute] of sorted()) {
          if (minutes(minute) > to) continue
          log.push(`${minuteOf(epochMilliseconds())} ${name}`)
          world.work(name)
        }
        if (after(from) <= to) log.push(`${minuteOf(epochMilliseconds())} schedule`)
      },
      next: ({ from, to }) => (after(from) <= to ? after(from) : undefined),
      isIdle: () => !world.isBusy,
    },
    pump: { isIdle: () => true, hasTried: () => true },
    queueState: async () => {
      // Like SQS and the pump: a message is received, and done, when its time comes.
      const ripe = messages.filter(({ until }) => until <= epochMilliseconds())
      messages = messages.filter((message) => !ripe.includes(message))
      for (const _ of ripe) log.push(`${minuteOf(epochMilliseconds())} message`)
      return { ready: 0, hidden: messages }
    },
    hasEmitted: () => true,
  })
  return { log, items, world, clock }
}

test('due items, messages and schedules happen in the order of their times, up to the target and not beyond', async () => {
  const { clock, log } = toy({
    due: [
      [90, 'reminder'],
      [30, 'expiry'],
      [121, 'too late'],
    ],
    hidden: [45, 200],
    everyMinutes: 60,
  })

  await clock.move((now) => now + 120 * 60_000)

  expect(log).toEqual(['30 expiry', '45 message', '60 schedule', '90 reminder', '120 schedule'])
  expect(minuteOf(epochMilliseconds())).toBe(120)
})

test('work that becomes due by other work is done at its time, in the same move', async () => {
  const { clock, log, world, items } = toy({ due: [[10, 'first']] })
  world.work = (name) => {
    items.delete(name)
    if (name === 'first') items.set('at once', 10).set('later', 20)
    if (name === 'later') items.set('at the end', 20)
  }

  await clock.move((now) => now + 20 * 60_000)

  expect(log).toEqual(['10 first', '10 at once', '20 later', '20 at the end'])
})

test('an item that stays due is tried at every moment and delays nothing', async () => {
  const { clock, log, world, items } = toy({
    due: [
      [5, 'broken'],
      [10, 'sound'],
    ],
  })
  world.work = (name) => {
    if (name !== 'broken') items.delete(name)
  }

  await clock.move((now) => now + 20 * 60_000)

  expect(log).toEqual(['5 broken', '10 broken', '10 sound', '20 broken'])
  expect(await clock.isSettled()).toBe(false)
})

test('the time is moved only when no work runs, also if some has begun since the step before was done', async () => {
  const { clock, world } = toy({ due: [[5, 'due']], hidden: [10] })

  await clock.move((now) => now + 20 * 60_000)

  expect(world.isQuietAtMoves).toEqual([true, true, true])
})

test('a move that is refused changes nothing, and the next one is done', async () => {
  const { clock, log } = toy({ due: [[5, 'due']] })

  const refused = clock.move(() => {
    throw new Error('backward')
  })

  await expect(refused).rejects.toThrow('backward')
  expect([log, minuteOf(epochMilliseconds())]).toEqual([[], 0])
  await clock.move((now) => now + 10 * 60_000)
  expect(log).toEqual(['5 due'])
})

test('a move waits for work that runs, and ends when the service stops', async () => {
  const { clock, log, world } = toy({ due: [[5, 'due']] })
  world.isBusy = true

  const moving = clock.move((now) => now + 10 * 60_000)
  await new Promise((resolve) => setTimeout(resolve, 50))
  const settledMeanwhile = await clock.isSettled()
  clock.stop()

  await expect(moving).rejects.toThrow(NotSettled)
  expect([settledMeanwhile, log, minuteOf(epochMilliseconds())]).toEqual([false, [], 0])
})
