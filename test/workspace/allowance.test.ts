import { beforeEach, describe, expect, it } from 'vitest'
import { allowances } from '#workspace/allowance.ts'
import type { AllowanceStore, TakenAllowance } from '#workspace/ports.ts'

/** A bucket for each holder, as the table keeps them, but in memory and refilled exactly. */
function memoryStore() {
  const fullAt = new Map<string, number>()
  const calls: { holder: string; wanted: number }[] = []
  const store: AllowanceStore = {
    take: async ({ workspace_id, holder }, wanted, { perSecond, burst }, now): Promise<TakenAllowance> => {
      calls.push({ holder, wanted })
      const name = `${workspace_id} ${holder}`
      const [interval, from] = [1_000 / perSecond, Math.max(now, fullAt.get(name) ?? 0)]
      const free = Math.floor(burst - (from - now) / interval + 1e-6)
      const granted = Math.max(0, Math.min(wanted, free))
      fullAt.set(name, from + granted * interval)
      return { granted, remaining: free - granted, nextAt: from + interval - burst * interval }
    },
  }
  return { store, calls }
}

let now = 0
const clock = { now: () => new Date(now) }
beforeEach(() => {
  now = Date.UTC(2026, 5, 1)
})

const firm = { workspace_id: 'ws_a', key_id: 'ak_one' }
const colleague = { workspace_id: 'ws_a', key_id: 'ak_two' }
const stranger = { workspace_id: 'ws_b', key_id: 'ak_three' }

const instanceOn = (store: AllowanceStore, perSecond = 50, warn: (message: string) => void = () => {}) =>
  allowances({ store, clock, perSecond, warn })

type Count = ReturnType<typeof allowances>

/** Sends this number of requests at once. @returns how many were served */
async function served(count: Count, actor: typeof firm, times: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, () => count(actor)))
  return answers.filter(({ retryAfterSeconds }) => retryAfterSeconds === undefined).length
}

describe('the allowance of a firm and of its keys (G17)', () => {
  it('a key sends its burst at once, then half of the rate of the firm', async () => {
    const count = instanceOn(memoryStore().store)

    const atOnce = await served(count, firm, 300)
    now += 2_000
    const later = await served(count, firm, 300)

    // Half of 50 a second, four times as many at once.
    expect([atOnce, later]).toEqual([100, 50])
  })

  it.each([
    ['a part of the burst', 30, 4],
    ['the whole burst', 100, 1],
    ['more than the burst', 250, 1],
  ])('a heavy request that takes %s counts by its weight, and leaves a debt', async (_, weight, expected) => {
    const count = instanceOn(memoryStore().store)
    const sendHeavy = async () => (await count(firm, weight)).retryAfterSeconds === undefined

    let atOnce = 0
    while (await sendHeavy()) atOnce += 1

    // The debt is paid back at half of 50 a second.
    const owed = atOnce * weight - 100
    expect(atOnce).toBe(expected)
    now += Math.max(0, (owed / 25) * 1_000 - 500)
    expect(await served(count, firm, 1)).toBe(0)
    now += 3_000
    expect(await served(count, firm, 1)).toBe(1)
    expect(await served(count, stranger, 100)).toBe(100)
  })

  it('a debt also applies in other instances', async () => {
    const { store } = memoryStore()
    const [one, other] = [instanceOn(store), instanceOn(store)]

    await one(firm, 95)
    await one(firm)

    expect(await served(other, firm, 100)).toBeLessThanOrEqual(10)
  })

  it('one key cannot use up the allowance of the firm', async () => {
    const count = instanceOn(memoryStore().store)

    await served(count, firm, 1_000)

    expect(await served(count, colleague, 1_000)).toBe(100)
  })

  it.each([
    397, 24_000_000,
  ])('after a heavy request of a key, other keys of the firm are served: %s', async (weight) => {
    const { store } = memoryStore()
    const [one, other] = [instanceOn(store), instanceOn(store)]

    await one(firm, weight)

    expect((await one(colleague)).retryAfterSeconds).toBeUndefined()
    expect((await other(colleague)).retryAfterSeconds).toBeUndefined()
  })

  it('many keys of a firm together cannot send heavy requests faster than one key', async () => {
    const count = instanceOn(memoryStore().store)
    const start = now
    let weights = 0
    for (let second = 0; second < 60; second += 1) {
      now = start + second * 1_000
      for (let key = 0; key < 10; key += 1)
        if ((await count({ ...firm, key_id: `key_${key}` }, 397)).retryAfterSeconds === undefined)
          weights += 397
    }

    // 25 a second, and what may be sent at once.
    expect(weights).toBeLessThan(60 * 25 + 2_000)
  })

  it.each([
    150, 397, 797,
  ])('Retry-After says how long the debt of a heavy request lasts: %s', async (weight) => {
    const count = instanceOn(memoryStore().store)
    await count(firm, weight)

    const { retryAfterSeconds = 0 } = await count(firm)
    now += retryAfterSeconds * 1_000

    expect(await served(count, firm, 1)).toBe(1)
  })

  it('all keys together cannot send more than the firm may', async () => {
    const count = instanceOn(memoryStore().store)
    const keys = Array.from({ length: 5 }, (_, index) => ({ ...firm, key_id: `ak_${index}` }))

    const each = await Promise.all(keys.map((key) => served(count, key, 100)))

    expect(each.reduce((sum, one) => sum + one, 0)).toBe(200)
  })

  it('requests of one firm do not count for another firm', async () => {
    const count = instanceOn(memoryStore().store)

    await served(count, firm, 10_000)

    expect(await served(count, stranger, 100)).toBe(100)
  })

  it('refused requests do not count: after Retry-After, requests are served again', async () => {
    const count = instanceOn(memoryStore().store)
    await served(count, firm, 100)

    for (let tries = 0; tries < 50; tries += 1) await count(firm)
    const { retryAfterSeconds } = await count(firm)
    now += 1_000 * (retryAfterSeconds ?? 0)

    expect(retryAfterSeconds).toBe(1)
    expect(await served(count, firm, 100)).toBe(25)
  })

  it('an instance that gets small leases asks the store at most twenty times a second', async () => {
    const { store, calls } = memoryStore()
    const count = instanceOn(store)
    await served(count, firm, 1_000)
    calls.length = 0

    for (let milliseconds = 0; milliseconds < 1_000; milliseconds += 1) {
      now += 1
      await served(count, firm, 5)
    }

    expect(calls.filter(({ holder }) => holder === firm.key_id).length).toBeLessThanOrEqual(20)
  })

  it('a busy instance needs few calls, and a quiet one takes small leases', async () => {
    const { store, calls } = memoryStore()
    const count = instanceOn(store)

    for (let request = 0; request < 200; request += 1) {
      now += 50
      await count(firm)
    }
    const busy = calls.length
    for (let request = 0; request < 10; request += 1) {
      now += 60_000
      await count(firm)
    }

    // Twenty a second for ten seconds: about one call a second for the firm and one for the key.
    expect(busy).toBeLessThanOrEqual(26)
    const later = calls.slice(busy).map(({ wanted }) => wanted)
    expect(new Set(later)).toEqual(new Set([5]))
    expect(later.length).toBeLessThanOrEqual(6)
  })

  it('an instance that ends loses at most its lease: another one gets the rest at once', async () => {
    const { store } = memoryStore()
    await served(instanceOn(store), firm, 1)

    expect(await served(instanceOn(store), firm, 1_000)).toBe(95)
  })

  it('ten instances together serve no more requests than one', async () => {
    const { store } = memoryStore()
    const instances = Array.from({ length: 10 }, () => instanceOn(store))

    const each = await Promise.all(instances.map((count) => served(count, firm, 100)))

    expect(each.reduce((sum, one) => sum + one, 0)).toBe(100)
  })

  it('of a lease that is older than a second, five requests are left, however long the pause is', async () => {
    const { store, calls } = memoryStore()
    const count = instanceOn(store)
    await served(count, firm, 60)
    now += 60_000
    await served(count, firm, 5)
    const within = calls.length

    await count(firm)

    expect(calls.length).toBeGreaterThan(within)
  })

  it('a key whose requests are spread over many instances can use its whole allowance', async () => {
    const { store } = memoryStore()
    const instances = Array.from({ length: 20 }, () => instanceOn(store))

    // Each instance has one request a second: twenty together, of the 25 that a key may send.
    let refused = 0
    for (let second = 0; second < 60; second += 1) {
      now += 1_000
      const each = await Promise.all(instances.map((count) => served(count, firm, 1)))
      refused += each.filter((one) => one === 0).length
    }

    expect(refused).toBe(0)
  })

  it('instances that kept requests serve these in addition to a burst, but no more', async () => {
    const { store } = memoryStore()
    const instances = Array.from({ length: 10 }, () => instanceOn(store))
    await Promise.all(instances.map((count) => served(count, firm, 1)))
    now += 60_000

    const each = await Promise.all(instances.map((count) => served(count, firm, 100)))

    expect(each.reduce((sum, one) => sum + one, 0)).toBe(100 + 10 * 4)
  })

  it('a key that is refused takes nothing from the allowance of the others', async () => {
    const { store } = memoryStore()
    const instances = Array.from({ length: 40 }, () => instanceOn(store))
    for (let second = 0; second < 30; second += 1) {
      now += 1_000
      await Promise.all(instances.map((count) => served(count, firm, 50)))
    }

    // The colleague's key has its whole burst, which is half of the firm's.
    expect(await served(instances[0] ?? instanceOn(store), colleague, 1_000)).toBeGreaterThanOrEqual(95)
  })

  it('an instance whose clock is set back asks the store at once, and does not wait until the clock has caught up', async () => {
    const { store, calls } = memoryStore()
    const count = instanceOn(store)
    await served(count, firm, 1_000)
    calls.length = 0

    now -= 3_600_000
    await count(firm)

    expect(calls.map(({ holder }) => holder)).toContain(firm.key_id)
  })

  it('if the store does not answer, nobody is refused, and the log says so', async () => {
    const lines: string[] = []
    const store: AllowanceStore = { take: () => Promise.reject(new Error('throttled')) }

    const number = await served(
      instanceOn(store, 50, (message) => lines.push(message)),
      firm,
      50,
    )

    expect(number).toBe(50)
    expect(lines).toContain('allowance not counted')
  })

  it('the headers say what is allowed and what is left', async () => {
    const count = instanceOn(memoryStore().store)

    const first = await count(firm)
    await served(count, firm, 1_000)
    const refused = await count(firm)

    expect(first.headers).toEqual({
      'RateLimit-Policy': '"firm";q=200;w=4, "key";q=100;w=4',
      RateLimit: '"firm";r=199;t=1, "key";r=99;t=1',
    })
    expect(refused.headers.RateLimit).toMatch(/^"firm";r=\d+;t=\d, "key";r=0;t=4$/)
    expect(refused.message).toContain('25 a second, 100 at once')
  })
})
