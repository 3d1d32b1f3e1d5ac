import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { SeenCall } from './bare-mail-server.ts'
import { repeat } from './table-client.ts'
import { placeIn, template } from './template.ts'

/** The writes that the bare server makes for a call, and what is new in each of them. */
export type BareWebhookOrder = {
  writes: SeenCall[]
  key: string
  /** The digest of the recorded call's token. */
  tokenSha256: string
  /** UUIDs for which every call has others. */
  ids: string[]
}

/**
 * A server without our layers that verifies the signature of a call. Then it repeats the writes that were recorded from
 * the service, to the table, to S3 and to SQS, in their order. It reads nothing of the table and composes no message.
 *
 * It gets its `BareWebhookOrder` from its parent process, sends its port to it, and ends with it.
 */
process.once('disconnect', () => process.exit(0))

const [s3, sqs] = [new S3Client({}), new SQSClient({ useQueueUrlAsEndpoint: false })]
const [order]: BareWebhookOrder[] = await once(process, 'message')
if (order === undefined) throw new Error('There is nothing to serve.')
const { writes, key, tokenSha256, ids } = order
const parts = [tokenSha256, ...ids]
const repeated = writes.map(({ name, input, bytes }) => {
  const fill = template<string[]>(input, (value) =>
    typeof value === 'number' ? undefined : placeIn(value, parts, (fresh: string[], at) => fresh[at]),
  )
  return { name, fill, bytes: Buffer.from(bytes ?? '', 'base64') }
})

const server = createServer(async (request, response) => {
  const form = new URLSearchParams(await text(request))
  const [timestamp = '', token = '', signature = ''] = ['timestamp', 'token', 'signature'].map(
    (name) => form.get(name) ?? '',
  )
  const expected = createHmac('sha256', key)
    .update(timestamp + token)
    .digest()
  const shown = Buffer.from(signature, 'hex')
  if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) {
    response.writeHead(401).end()
    return
  }
  const fresh = [createHash('sha256').update(token).digest('hex'), ...ids.map(() => randomUUID())]
  for (const { name, fill, bytes } of repeated) await make(name, fill(fresh), bytes)
  response
    .writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' })
    .end(JSON.stringify({ status: 'ok', correspondence_id: fresh[1] }))
})
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.(server.address())

async function make(name: string, input: unknown, bytes: Buffer): Promise<void> {
  if (name === 'PutObjectCommand')
    await s3.send(new PutObjectCommand({ ...(input as object), Body: bytes } as never))
  else if (name === 'SendMessageBatchCommand') await sqs.send(new SendMessageBatchCommand(input as never))
  else await repeat(name, input)
}
