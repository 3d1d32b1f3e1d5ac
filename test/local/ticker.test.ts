import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startTicker } from '#infra/local/ticker.ts'
import { sweeping } from '#jobs/sweeping.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { localFunction } from '#test/support/local-function.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.useRealTimers()
})

test('a scheduled function runs on its clock with an empty event until the ticker stops', async () => {
  const run = vi.fn()
  const ticker = startTicker([localFunction([], run, { everyMinutes: 5 }), localFunction([], run)])

  await vi.advanceTimersByTimeAsync(4 * 60_000)
  const early = run.mock.calls.length
  await vi.advanceTimersByTimeAsync(6 * 60_000)
  await ticker.stop()
  await vi.advanceTimersByTimeAsync(60 * 60_000)

  expect(early).toBe(0)
  expect(run).toHaveBeenCalledTimes(2)
  expect(run.mock.calls[0]?.[0]).toEqual({})
})

test('a run that fails does not end the schedule', async () => {
  const run = vi.fn().mockRejectedValueOnce(new Error('once'))
  const ticker = startTicker([localFunction([], run, { everyMinutes: 1 })])

  await vi.advanceTimersByTimeAsync(2 * 60_000)
  await ticker.stop()

  expect(run).toHaveBeenCalledTimes(2)
})

test('a long run is not overtaken by the next, and stopping waits for it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const run = vi.fn(() => promise)
  const ticker = startTicker([localFunction([], run, { everyMinutes: 1, timeoutSeconds: 900 })])
  await vi.advanceTimersByTimeAsync(3 * 60_000)

  let stopped = false
  const stopping = ticker.stop().then(() => {
    stopped = true
  })
  await vi.advanceTimersByTimeAsync(0)
  const stoppedEarly = stopped
  resolve()
  await stopping

  expect(run).toHaveBeenCalledTimes(1)
  expect(stoppedEarly).toBe(false)
})

test('a sweep of every minute visits only the partitions in which something is due, and all if they are not known', async () => {
  const due = vi.fn(() => new Set(['exports#due#7']))
  const visited: number[] = []
  const index = {
    partition: 'exports#due',
    shards: [...'0123456789abcdef'],
    due: async function* () {},
  }
  const run = vi.fn(async () => {
    const sweep = sweeping({ name: 'exports', milliseconds: 60_000, log: { error: vi.fn() } })
    visited.push(await sweep.eachDue(index, new Date(epochMilliseconds()), async () => {}))
  })
  const ticker = startTicker([localFunction([], run, { everyMinutes: 1 })], due)

  await vi.advanceTimersByTimeAsync(60_000)
  due.mockImplementation(() => {
    throw new Error('database is locked')
  })
  await vi.advanceTimersByTimeAsync(60_000)
  await ticker.stop()

  expect(visited).toEqual([1, 16])
})
