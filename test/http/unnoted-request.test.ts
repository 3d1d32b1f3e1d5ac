import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { answerOnce } from '#http/idempotency.ts'
import { bookkeeping, noteChange } from '#kernel/changes.ts'
import { takeClaim, unchanged } from '#kernel/idempotency.ts'
import { withTimeLimit } from '#kernel/time-limit.ts'
import { unavailable } from '#kernel/unavailable.ts'

const endpoint = endpointsOf<object>()({
  method: 'POST',
  path: '/api/v1/toys',
  access: 'any key',
  summary: 'Make a toy',
  output: z.object({ id: z.string() }),
  handle: async () => unchanged({ id: '1' }),
})

it('a request that has changed something, and could not be noted, does not say that nothing was changed', async () => {
  const late = async () => {
    await sleep(20)
    throw unavailable('The store did not answer in time.')
  }
  const answers = {
    note: () => bookkeeping(late),
    find: async () => undefined,
    add: async () => {},
  }
  const handle = async () => {
    const made = { id: '1' }
    takeClaim(made)?.written()
    noteChange()
    return made
  }
  const request = { workspace_id: 'ws_1', user_id: 'usr_1', key: 'key', content: 'content' }

  const answering = withTimeLimit(10_000, () =>
    answerOnce(
      endpoint as never,
      request,
      answers,
      handle,
      async () => {
        throw new Error('It is not answered.')
      },
      [],
    ),
  )

  await expect(answering).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('send it again with the same Idempotency-Key'),
    retryAfterSeconds: 2,
  })
})
