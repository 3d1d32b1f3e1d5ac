import type { SQSEvent } from 'aws-lambda'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { consume } from '#jobs/consume.ts'

test('a message of the wrong shape comes again, and the log says what is wrong with it', async () => {
  const logged: Record<string, unknown>[] = []
  const handler = consume(
    { queue: 'extract', payload: z.object({ workspace_id: z.string() }) },
    {
      work: () => expect.fail('nobody can work on this'),
      hide: async () => {},
      log: { error: (_, fields) => logged.push(fields) },
    },
  )
  const record = {
    messageId: 'm-1',
    body: '{"workspace_id":7}',
    attributes: { ApproximateReceiveCount: '1' },
  }

  const answer = await handler({ Records: [record] } as unknown as SQSEvent, {
    getRemainingTimeInMillis: () => 60_000,
  })

  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-1' }] })
  expect(logged).toMatchObject([
    { message_id: 'm-1', error: expect.stringContaining('expected string, received number') },
  ])
})
