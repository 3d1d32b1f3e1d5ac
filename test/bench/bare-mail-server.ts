import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { SESClient, SendRawEmailCommand } from '@aws-sdk/client-ses'
import { repeat } from './table-client.ts'
import { placeIn, template, uuidsOf } from './template.ts'

/** The calls that the bare server makes for a send: those recorded from the service. The ids in `known` stay the same. */
export type BareMailOrder = { calls: SeenCall[]; known: string[] }

/** A call of the table, of S3 or of SES. `bytes` is the stored or sent content in base64; `input` is without it. */
export type SeenCall = { name: string; input: Record<string, unknown>; bytes?: string }

/**
 * A server without our layers that makes the calls of a direct send: to the table, to S3 and to SES. Ids are new for
 * every send. Neighbouring calls of the same kind run at once. It sends the recorded message and composes none.
 *
 * It gets its `BareMailOrder` from its parent process, sends its port to it, and ends with it.
 */
process.once('disconnect', () => process.exit(0))

const [s3, ses] = [new S3Client({}), new SESClient({ maxAttempts: 1 })]
const [order]: BareMailOrder[] = await once(process, 'message')
if (order === undefined) throw new Error('There is nothing to serve.')
const { calls, known } = order
const recordedIds = uuidsOf(JSON.stringify(calls)).filter((id) => !known.includes(id))
const repeated = calls.map(({ name, input, bytes }) => {
  const fill = template<string[]>(input, (value) =>
    typeof value === 'number' ? undefined : placeIn(value, recordedIds, (ids: string[], at) => ids[at]),
  )
  return { name, fill, bytes: Buffer.from(bytes ?? '', 'base64') }
})

const server = createServer(async (request, response) => {
  const { subject } = (await json(request)) as { subject: string }
  const ids = recordedIds.map(() => randomUUID())
  for (let at = 0; at < repeated.length; ) {
    let end = at + 1
    while (repeated[end]?.name === repeated[at]?.name) end += 1
    await Promise.all(repeated.slice(at, end).map((call) => make(call, ids)))
    at = end
  }
  response
    .writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' })
    .end(JSON.stringify({ id: ids[0], subject }))
})
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.(server.address())

async function make({ name, fill, bytes }: (typeof repeated)[number], ids: string[]): Promise<void> {
  const input = fill(ids) as never
  if (name === 'PutObjectCommand')
    await s3.send(new PutObjectCommand({ ...(input as object), Body: bytes } as never))
  else if (name === 'SendRawEmailCommand')
    await ses.send(new SendRawEmailCommand({ ...(input as object), RawMessage: { Data: bytes } } as never))
  else await repeat(name, input)
}
