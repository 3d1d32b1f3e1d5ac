import type { SQSEvent } from 'aws-lambda'
import { afterEach, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { mailEventQueue } from '#correspondence/queues.ts'
import { consume } from '#jobs/consume.ts'
import { defineQueue } from '#jobs/job.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('a message is hidden from other consumers while it is processed, and delivered again after a pause if that fails', async () => {
  vi.useFakeTimers()
  const hidden: [id: string, seconds: number][] = []
  const received: number[] = []
  const handler = consume(
    defineQueue({ queue: 'extract', payload: z.object({ ends: z.enum(['well', 'badly']) }) }),
    {
      work: async ({ ends }, _, receptions) => {
        received.push(receptions)
        await new Promise((resolve) => setTimeout(resolve, 25_000))
        if (ends === 'badly') throw new Error('It cannot be read.')
      },
      hide: async ({ messageId }, seconds) => void hidden.push([messageId, seconds]),
      log: { error: () => {} },
    },
  )
  const record = (messageId: string, ends: string) => ({
    messageId,
    body: JSON.stringify({ ends }),
    attributes: { ApproximateReceiveCount: '3' },
  })
  const Records = [record('good', 'well'), record('bad', 'badly')]

  const answer = handler({ Records } as unknown as SQSEvent, { getRemainingTimeInMillis: () => 300_000 })
  await vi.advanceTimersByTimeAsync(120_000)

  expect(await answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] })
  expect(received).toEqual([3, 3])
  expect(hidden).toEqual([
    ...[30, 30, 30].map((seconds) => ['good', seconds]),
    ...[30, 30, 30, 80].map((seconds) => ['bad', seconds]),
  ])
})

test('if a message fails at once, its pause is set last, even if the call that hides it is slow', async () => {
  const applied: number[] = []
  const handler = consume(defineQueue({ queue: 'extract', payload: z.object({}) }), {
    work: async () => {},
    hide: async (_, seconds) => {
      if (seconds === 30) await new Promise((resolve) => setTimeout(resolve, 50))
      applied.push(seconds)
    },
    log: { error: () => {} },
  })
  const record = { messageId: 'm-1', body: '{"version":2}', attributes: { ApproximateReceiveCount: '1' } }

  await handler({ Records: [record] } as unknown as SQSEvent, { getRemainingTimeInMillis: () => 60_000 })

  expect(applied).toEqual([30, 900])
})

test('work is aborted ten seconds before the time limit of the function', async () => {
  let aborted = 0
  const began = performance.now()
  const handler = consume(defineQueue({ queue: 'extract', payload: z.object({}) }), {
    work: (_, signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          aborted = performance.now()
          resolve()
        }),
      ),
    hide: async () => {},
    log: { error: () => {} },
  })
  const record = { messageId: 'm-1', body: '{}', attributes: { ApproximateReceiveCount: '1' } }

  await handler({ Records: [record] } as unknown as SQSEvent, { getRemainingTimeInMillis: () => 10_200 })

  expect(aborted - began).toBeGreaterThan(150)
})

test('a message of the wrong shape is delivered again, and the log says what is wrong with it', async () => {
  const logged: Record<string, unknown>[] = []
  const handler = consume(
    defineQueue({ queue: 'extract', payload: z.object({ workspace_id: z.string() }) }),
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

test('a notice is removed from the queue, and any other text that is not a message is delivered again', async () => {
  const worked: unknown[] = []
  const handler = consume(mailEventQueue, {
    work: async (event) => void worked.push(event),
    hide: async () => {},
    log: { error: () => {} },
  })
  const record = (messageId: string, body: string) => ({
    messageId,
    body,
    attributes: { ApproximateReceiveCount: '1' },
  })
  const Records = [
    record('notice', 'Successfully validated SNS topic for Amazon SES event publishing.'),
    record('other', 'Something else.'),
  ]
  const answer = await handler({ Records } as unknown as SQSEvent, { getRemainingTimeInMillis: () => 60_000 })
  expect([answer.batchItemFailures, worked]).toEqual([[{ itemIdentifier: 'other' }], []])
})
