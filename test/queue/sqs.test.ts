import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { type ServiceThread, startThread } from '#infra/local/emulators/thread.ts'
import { defineQueue } from '#jobs/job.ts'
import { queueSender } from '#queue/sqs.ts'

const credentials = { accessKeyId: 'local', secretAccessKey: 'the secret of this run' }
const payload = z.object({ workspace_id: z.string(), text: z.string() })
let send: ReturnType<typeof queueSender<typeof payload>>
let sqs: ServiceThread
let client: SQSClient
let QueueUrl: string | undefined

beforeAll(async () => {
  sqs = await startThread({
    name: 'SQS',
    module: new URL('../../infra/local/emulators/sqs.ts', import.meta.url),
    workerData: { credentials },
  })
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', sqs.endpoint)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
  client = new SQSClient({ useQueueUrlAsEndpoint: false })
  ;({ QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'toy' })))
  vi.stubEnv('TOY_QUEUE_URL', QueueUrl)
  send = queueSender(defineQueue({ queue: 'toy', payload }))
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => {
  vi.unstubAllEnvs()
  client.destroy()
  await sqs.stop()
})

async function received(): Promise<string[]> {
  const texts: string[] = []
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 }),
    )
    if (Messages.length === 0) return texts.toSorted()
    texts.push(...Messages.map(({ Body = '{}' }) => JSON.parse(Body).text))
  }
}

const texts = (count: number) =>
  Array.from({ length: count }, (_, at) => `Müller ${String(at).padStart(2, '0')}`)

test('messages that are sent at the same time share calls, and each arrives', async () => {
  const calls = vi.spyOn(SQSClient.prototype, 'send')
  // Act
  await Promise.all(texts(25).map((text, at) => send({ workspace_id: `ws_${at % 2}`, text })))
  // Assess
  expect(calls).toHaveBeenCalledTimes(3)
  calls.mockRestore()
  expect(await received()).toEqual(texts(25))
})

test('if SQS refuses one of several messages, only this one fails', async () => {
  const sent = texts(3).map((text, at) => send({ workspace_id: 'ws', text: at === 1 ? '\uffff' : text }))
  // Act
  const outcomes = await Promise.allSettled(sent)
  // Assess
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await received()).toEqual(['Müller 00', 'Müller 02'])
})

test('if the queue cannot be reached, each message fails', async () => {
  vi.stubEnv('NOWHERE_QUEUE_URL', `${sqs.endpoint}/000000000000/nowhere`)
  const sendNowhere = queueSender(defineQueue({ queue: 'nowhere', payload }))
  // Act
  const outcomes = await Promise.allSettled(texts(3).map((text) => sendNowhere({ workspace_id: 'ws', text })))
  // Assess
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})
