import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  type Message,
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
/** A queue of its own with these messages: a workspace each, or none, and its number. */
async function queueWith(workspaces: string[], { visibilitySeconds = 30, maxOfOneWorkspace = 10 } = {}) {
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
        ...(workspace_id !== '' && { MessageGroupId: workspace_id }),
      }),
    )
  for (const [number, workspace] of workspaces.entries()) await send(workspace, number)
  const limits = { visibilitySeconds, maxOfOneWorkspace }
  return { send, url, queue: fairQueue({ client, url, ...limits, stopping: stopping.signal }) }
}

async function next(queue: FairQueue): Promise<string> {
  return nameOf((await queue.next())?.message)
}

function nameOf({ Body = '{}' }: Message = {}): string {
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

it('messages without a workspace may all be given out at once', async () => {
  const { queue } = await queueWith(['', '', ''], { maxOfOneWorkspace: 1 })

  const all = [await next(queue), await next(queue), await next(queue)]

  expect(all).toEqual(['0', '1', '2'])
})

it('no firm has more messages given out at once than it may, and another one need not wait for them', async () => {
  const { queue, send } = await queueWith(['a', 'a', 'a'], { maxOfOneWorkspace: 2 })
  const first = await queue.next()
  const second = await next(queue)

  const waiting = [next(queue), next(queue)]
  await send('b', 3)
  const early = await Promise.race(waiting)
  first?.release()
  const both = await Promise.all(waiting)

  expect([nameOf(first?.message), second]).toEqual(['a0', 'a1'])
  expect(early).toBe('b3')
  expect(both).toEqual(['b3', 'a2'])
})

it('the messages of one firm keep their order', async () => {
  const { queue } = await queueWith(['a', 'a', 'a', 'a'])

  const taken = [await next(queue), await next(queue), await next(queue), await next(queue)]

  expect(taken).toEqual(['a0', 'a1', 'a2', 'a3'])
})

it('a message that waits here for longer than its visibility timeout comes once', async () => {
  const { queue } = await queueWith(['a', 'a', 'a'], { visibilitySeconds: 2 })

  const taken = [await next(queue)]
  await sleep(5_000)
  taken.push(await next(queue), await next(queue))
  const more = await Promise.race([next(queue), sleep(1_000, 'nothing')])

  expect(taken.slice(1)).toEqual(['a1', 'a2'])
  // The first was given out, and was not removed within its time.
  expect(['nothing', 'a0']).toContain(more)
})

it('a message that was removed does not come again', async () => {
  const { queue, url } = await queueWith(['a'], { visibilitySeconds: 1 })
  const taken = await queue.next()
  const { ReceiptHandle } = taken?.message ?? {}
  await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }))

  const more = await Promise.race([next(queue), sleep(2_500, 'nothing')])

  expect(more).toBe('nothing')
})

it('a waiting consumer gets a message that is sent then, and nothing when it leaves the queue', async () => {
  const { queue, send } = await queueWith([])
  const waiting = next(queue)
  await send('a', 7)

  expect(await waiting).toBe('a7')
  const idle = queue.next()
  stopping.abort()
  expect(await idle).toBeUndefined()
})
