import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type FairQueue, fairQueue } from '#infra/local/fair-queue.ts'
import { type SqsThread, startSqsThread } from '#test/support/sqs-thread.ts'

let sqs: SqsThread
let client: SQSClient
beforeAll(async () => {
  sqs = await startSqsThread()
  client = sqs.clientWith()
})
afterAll(async () => {
  client.destroy()
  await sqs.stop()
})

let stopping = new AbortController()
afterEach(() => {
  stopping.abort()
  stopping = new AbortController()
})

let made = 0
/** A queue of its own with these messages: a workspace each, and its number. */
async function queueWith(workspaces: string[], visibilitySeconds = 30) {
  made += 1
  const { QueueUrl: url = '' } = await client.send(
    new CreateQueueCommand({
      QueueName: `fair-${made}`,
      Attributes: { VisibilityTimeout: String(visibilitySeconds) },
    }),
  )
  const send = (workspace_id: string, number: number) =>
    client.send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageBody: JSON.stringify({ workspace_id, number }),
        MessageGroupId: workspace_id,
      }),
    )
  for (const [number, workspace] of workspaces.entries()) await send(workspace, number)
  return { send, url, queue: fairQueue({ client, url, visibilitySeconds, stopping: stopping.signal }) }
}

async function next(queue: FairQueue): Promise<string> {
  const { Body = '{}' } = (await queue.next()) ?? {}
  const { workspace_id, number } = JSON.parse(Body)
  return `${workspace_id}${number}`
}

it('the one message of a firm comes next but one, though another firm has two hundred before it', async () => {
  const { queue } = await queueWith([...Array(200).fill('a'), 'b'])
  const first = await next(queue)
  await sleep(1_500)

  const then = [await next(queue), await next(queue)]

  expect(first).toBe('a0')
  expect(then).toContain('b200')
})

it('the messages of one firm keep their order', async () => {
  const { queue } = await queueWith(['a', 'a', 'a', 'a'])

  const taken = [await next(queue), await next(queue), await next(queue), await next(queue)]

  expect(taken).toEqual(['a0', 'a1', 'a2', 'a3'])
})

it('a message that waits here for longer than its visibility timeout comes once', async () => {
  const { queue } = await queueWith(['a', 'a', 'a'], 2)

  const taken = [await next(queue)]
  await sleep(5_000)
  taken.push(await next(queue), await next(queue))
  const more = await Promise.race([next(queue), sleep(1_000, 'nothing')])

  expect(taken.slice(1)).toEqual(['a1', 'a2'])
  // The first was given out, and was not removed within its time.
  expect(['nothing', 'a0']).toContain(more)
})

it('a message that was removed does not come again', async () => {
  const { queue, url } = await queueWith(['a'], 1)
  const message = await queue.next()
  await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }))

  const more = await Promise.race([next(queue), sleep(2_500, 'nothing')])

  expect(more).toBe('nothing')
})

it('who waits for a message gets one that is sent then, and nothing when the queue is left', async () => {
  const { queue, send } = await queueWith([])
  const waiting = next(queue)
  await send('a', 7)

  expect(await waiting).toBe('a7')
  const idle = queue.next()
  stopping.abort()
  expect(await idle).toBeUndefined()
})
