import type { Context } from 'aws-lambda'
import { expect, test } from 'vitest'
import { isolate } from '#infra/local/isolate.ts'

const greedy = (changes = {}) =>
  isolate(new URL('../support/greedy-function.ts', import.meta.url), {
    name: 'greedy',
    entry: '',
    needs: {},
    memoryMegabytes: 64,
    timeoutSeconds: 20,
    ...changes,
  })
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
  const handler = greedy({ timeoutSeconds: 1 })

  await expect(handler({ does: 'sleep' }, context)).rejects.toThrow('did not answer within 1 s')
  expect(await handler({ does: 'after' }, context)).toBe('after')
})

test('a function that throws fails with its error, and can be called again', async () => {
  const handler = greedy()
  const thread = await handler({ does: 'name its thread' }, context)

  await expect(handler({ does: 'throw' }, context)).rejects.toThrow('As it was told.')
  expect(await handler({ does: 'after' }, context)).toBe('after')
  expect(await handler({ does: 'name its thread' }, context)).toBe(thread)
})
