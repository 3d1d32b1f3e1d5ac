import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startTicker } from '#infra/local/ticker.ts'
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
