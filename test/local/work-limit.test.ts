import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Gateway, openGateway } from '#infra/local/gateway.ts'
import { Busy, createWorkLimit } from '#infra/local/work-limit.ts'
import { json, localFunction } from '#test/support/local-function.ts'

const limits = (maxAtOnce: number, changes = {}) => ({
  maxAtOnce,
  maxWaiting: 100,
  maxWaitMilliseconds: 10_000,
  ...changes,
})

describe('a limit of work', () => {
  test('limits how many work at once; the others follow in the order of their arrival', async () => {
    const limit = createWorkLimit(limits(3))
    const begun: number[] = []
    let working = 0
    let maxWorking = 0

    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        limit.run(async () => {
          begun.push(at)
          working += 1
          maxWorking = Math.max(maxWorking, working)
          await setTimeout(5)
          working -= 1
        }),
      ),
    )

    expect(maxWorking).toBe(3)
    expect(begun).toEqual(Array.from({ length: 20 }, (_, at) => at))
  })

  test('gives the place of failed work to the next, and the error to the caller', async () => {
    const limit = createWorkLimit(limits(1))

    const failing = limit.run(() => Promise.reject(new Error('It failed.')))
    const next = limit.run(() => Promise.resolve('done'))

    await expect(failing).rejects.toThrow('It failed.')
    expect(await next).toBe('done')
  })

  test('ends a wait that takes too long, and limits how many wait', async () => {
    const limit = createWorkLimit(limits(1, { maxWaiting: 1, maxWaitMilliseconds: 50 }))
    const { promise, resolve } = Promise.withResolvers<void>()
    const working = limit.run(() => promise)

    const waiting = limit.run(() => Promise.resolve())
    const refused = limit.run(() => Promise.resolve())

    await expect(refused).rejects.toBeInstanceOf(Busy)
    await expect(waiting).rejects.toBeInstanceOf(Busy)
    resolve()
    await working
    expect(await limit.run(() => Promise.resolve('free again'))).toBe('free again')
  })
})

describe('a gateway in a burst', () => {
  let gateway: Gateway
  let working = 0
  let maxWorking = 0
  let calls = 0
  let held = Promise.withResolvers<void>()

  beforeEach(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    working = 0
    maxWorking = 0
    calls = 0
    held = Promise.withResolvers()
    gateway = await openGateway(0, {
      limits: {
        all: limits(8, { maxWaiting: 2_000 }),
        each: limits(5, { maxWaiting: 2_000, maxWaitMilliseconds: 60_000 }),
      },
    })
    gateway.serve([
      localFunction(['/short'], async () => {
        working += 1
        maxWorking = Math.max(maxWorking, working)
        await setTimeout(1)
        working -= 1
        return json({})
      }),
      localFunction(['/held'], async () => {
        calls += 1
        await held.promise
        return json({})
      }),
    ])
  })
  afterEach(() => gateway.close())

  test('of a thousand requests answers every one, a few at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => fetch(`${gateway.baseUrl}/short`).then(({ status }) => status)),
    )

    expect(new Set(answers)).toEqual(new Set([200]))
    expect(maxWorking).toBe(5)
  })

  test('for one function still answers the others', async () => {
    const burst = Array.from({ length: 20 }, () => fetch(`${gateway.baseUrl}/held`))
    await setTimeout(100)

    const other = await fetch(`${gateway.baseUrl}/short`)
    held.resolve()

    expect(other.status).toBe(200)
    for (const answer of burst) expect((await answer).status).toBe(200)
  })

  test('does not begin work for callers who closed the connection while they waited', async () => {
    const burst = Array.from({ length: 5 }, () =>
      fetch(`${gateway.baseUrl}/held`).then((answer) => answer.text()),
    )
    await setTimeout(100)
    const leaving = new AbortController()
    const left = Array.from({ length: 20 }, () =>
      fetch(`${gateway.baseUrl}/held`, { signal: leaving.signal }).catch(() => {}),
    )
    await setTimeout(100)
    leaving.abort()
    await Promise.all(left)
    await setTimeout(1_000)

    held.resolve()
    await Promise.all(burst)
    const last = await fetch(`${gateway.baseUrl}/held`)

    expect(last.status).toBe(200)
    expect(calls).toBe(6)
  })

  test('that does not end in time is 503 with Retry-After for waiting callers', async () => {
    await gateway.close()
    gateway = await openGateway(0, {
      limits: { all: limits(8), each: limits(1, { maxWaitMilliseconds: 100 }) },
    })
    gateway.serve([
      localFunction(['/held'], async () => {
        calls += 1
        await held.promise
        return json({})
      }),
    ])
    const first = fetch(`${gateway.baseUrl}/held`)
    await vi.waitFor(() => expect(calls).toBe(1), { timeout: 60_000 })

    const second = await fetch(`${gateway.baseUrl}/held`)
    held.resolve()

    expect(second.status).toBe(503)
    expect(second.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await second.text()).toContain('Nothing was changed: try again')
    expect((await first).status).toBe(200)
  })
})
