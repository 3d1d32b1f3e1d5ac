import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

test('a message goes through a queue, also to a waiting receiver', async () => {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'toy' }))
  const receiving = client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 10 }))

  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: '{"text":"Müller"}' }))
  const [message] = (await receiving).Messages ?? []
  await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }))

  expect(message?.Body).toBe('{"text":"Müller"}')
})

test('a queue that does not exist is an error of SQS', async () => {
  const sending = client.send(
    new SendMessageCommand({ QueueUrl: `${sqs.endpoint}/000000000000/nowhere`, MessageBody: 'x' }),
  )

  await expect(sending).rejects.toMatchObject({ name: 'QueueDoesNotExist' })
})

test('a caller without the secret of the run can neither send nor receive', async () => {
  const stranger = sqs.clientWith('guessed')
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'toy' }))

  const sending = stranger.send(new SendMessageCommand({ QueueUrl, MessageBody: 'planted' }))
  const receiving = stranger.send(new ReceiveMessageCommand({ QueueUrl }))

  await expect(sending).rejects.toMatchObject({ name: 'InvalidSignatureException' })
  await expect(receiving).rejects.toMatchObject({ name: 'InvalidSignatureException' })
})

test.each([
  ['GET', '/health'],
  ['GET', '/_fauxqs/queues'],
  ['GET', '/'],
  ['PUT', '/bucket/key'],
  ['POST', '/?Action=CreateTopic'],
])('nothing else of the emulator is served: %s %s', async (method, path) => {
  const answer = await fetch(sqs.endpoint + path, { method, ...(method !== 'GET' && { body: 'x' }) })

  expect(answer.status).toBe(404)
})

test.each([
  ['application/x-amz-json-1.0', '{"QueueName":"planted"}'],
  ['application/x-www-form-urlencoded', 'Action=CreateTopic&Name=planted'],
  ['application/x-amz-json-1.0', 'x'.repeat(3 * 1024 * 1024)],
])('an unsigned body of %s is refused', async (type, body) => {
  const answer = await fetch(sqs.endpoint, {
    method: 'POST',
    headers: { 'Content-Type': type, 'X-Amz-Target': 'AmazonSQS.CreateQueue' },
    body,
  })

  expect([403, 413]).toContain(answer.status)
})
