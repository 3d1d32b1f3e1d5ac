import { setTimeout } from 'node:timers/promises'
import type { Context } from 'aws-lambda'
import { expect, test, vi } from 'vitest'
import { invoke } from '#infra/local/invoke.ts'
import { createIsolation, type IsolationOptions } from '#infra/local/isolate.ts'
import { localFunction } from '#test/support/local-function.ts'

const greedy = ({
  timeoutSeconds = 100,
  ...options
}: Partial<IsolationOptions> & { timeoutSeconds?: number } = {}) =>
  createIsolation({ memoryMegabytes: 64, ...options }).isolate(
    new URL('../support/greedy-function.ts', import.meta.url),
    { name: 'greedy', timeoutSeconds },
  )
const context = { awsRequestId: 'test' } as Context

test('a function that runs out of memory ends alone, and the next event is answered', async () => {
  const handler = greedy()

  const first = await handler({ does: 'answer' }, context)
  const hoarding = handler({ does: 'hoard' }, context)
  const beside = handler({ does: 'beside' }, context)

  expect(first).toBe('answer')
  await expect(hoarding).rejects.toThrow(/memory/i)
  expect(await beside).toBe('beside')
  expect(await handler({ does: 'after' }, context)).toBe('after')
})

test('a function that takes more time than it has is ended', async () => {
  const handler = greedy({ timeoutSeconds: 3 })

  await expect(handler({ does: 'sleep' }, context)).rejects.toThrow('did not answer within 3 s')
  expect(await handler({ does: 'after' }, context)).toBe('after')
})

test('a function that throws fails with its error, and can be called again', async () => {
  const handler = greedy()
  const thread = await handler({ does: 'name its thread' }, context)

  await expect(handler({ does: 'throw' }, context)).rejects.toThrow('As it was told.')
  expect(await handler({ does: 'after' }, context)).toBe('after')
  expect(await handler({ does: 'name its thread' }, context)).toBe(thread)
})

test('any number of events share two threads', async () => {
  const handler = greedy()

  const threads = await Promise.all(
    Array.from({ length: 60 }, () => handler({ does: 'name its thread' }, context)),
  )

  expect(new Set(threads).size).toBeLessThanOrEqual(2)
})

test('functions that take long stop no other', async () => {
  const handler = greedy({ patienceMilliseconds: 100, timeoutSeconds: 10 })
  const sleeping = Array.from({ length: 7 }, () => handler({ does: 'sleep' }, context).catch(() => 'ended'))

  const beside = await handler({ does: 'beside' }, context)
  const ended = await Promise.all(sleeping)

  expect(beside).toBe('beside')
  expect(ended).toEqual(Array(7).fill('ended'))
})

test('the time limit of an event does not begin while it waits for a thread', async () => {
  const { isolate } = createIsolation({ memoryMegabytes: 64, patienceMilliseconds: 600_000 })
  const entry = new URL('../support/greedy-function.ts', import.meta.url)
  const greedyFor = (timeoutSeconds: number) => {
    const handler = isolate(entry, { name: 'greedy', timeoutSeconds })
    return localFunction([], handler, { timeoutSeconds, limitsItself: true })
  }
  const sleeping = Array.from({ length: 2 }, () =>
    invoke(greedyFor(6), { does: 'sleep' }, 'sleeping').catch(() => 'ended'),
  )

  const waited = await invoke(greedyFor(3), { does: 'wait' }, 'waiting')

  expect(waited).toBe('wait')
  expect(await Promise.all(sleeping)).toEqual(Array(2).fill('ended'))
})

test('an event that waits for a thread gets one when two others run out of memory', async () => {
  const handler = greedy({ patienceMilliseconds: 600_000 })
  const hoarding = Array.from({ length: 2 }, () => handler({ does: 'hoard' }, context).catch(() => 'ended'))

  const waited = await handler({ does: 'wait' }, context)

  expect(waited).toBe('wait')
  expect(await Promise.all(hoarding)).toEqual(Array(2).fill('ended'))
})

test('a thread without work ends with what it kept, and the next event gets another', async () => {
  const handler = greedy({ idleMilliseconds: 50 })
  const first = await handler({ does: 'name its thread' }, context)

  const another = await vi.waitFor(
    async () => {
      await setTimeout(200)
      const thread = await handler({ does: 'name its thread' }, context)
      expect(thread).not.toBe(first)
      return thread
    },
    { timeout: 30_000 },
  )

  expect(another).toMatch(/^\d+$/)
})
