import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mailMilliseconds } from '#store/documents/reading-budget.ts'
import { explosivePdfs } from '#test/extraction/explosive-pdfs.ts'
import { type Api, api } from '#test/support/api.ts'
import { corpus, settled, upload } from '#test/support/documents.ts'
import { deliver, rawMail } from '#test/support/inbound-mail.ts'
import { until } from '#test/support/sent-mail.ts'
import { type Service, startService } from '#test/support/service.ts'

/** A service of its own: what is hostile here takes processors from no other test file's service. */
let service: Service
let [owner, neighbour]: [Api?, Api?] = []
beforeAll(async () => {
  service = await startService({ commandLine: ['--empty'], workerThreads: true })
  const [first, second] = service.credentials.workspaces
  owner = api(service.baseUrl, first?.users[0]?.api_key)
  neighbour = api(service.baseUrl, second?.users[0]?.api_key)
})
afterAll(async () => {
  await service?.stop()
})

/** PDFs of some kilobytes, with bytes of their own, that never end: by each way in turn. */
function hostile(count: number): Uint8Array[] {
  const ways = Object.values(explosivePdfs)
    .map((make) => make())
    .filter(({ length }) => length < 100_000)
  return Array.from({ length: count }, (_, at) =>
    Buffer.concat([ways[at % ways.length] ?? Buffer.alloc(0), Buffer.from(`\n% ${at}\n`)]),
  )
}

/** A PDF that is refused at once: a part of it is compressed twice. */
const compressedTwice = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Filter[/FlateDecode/FlateDecode]/Length 1>>stream\nx\nendstream endobj\n',
)

const part = (name: string, bytes: Uint8Array) => ({ name, type: 'application/pdf', bytes })

it('a mail of hostile attachments ends within its budget, is never tried again, and keeps nobody waiting', async () => {
  if (owner === undefined || neighbour === undefined) throw new Error('There is no firm.')
  const [firm, beside] = [owner, neighbour]
  const endless = hostile(8)
  const files = [
    ...endless.map((bytes, at) => part(`endlos-${at}.pdf`, bytes)),
    part('doppelt.pdf', compressedTwice),
    part('schriftsatz.pdf', corpus('schriftsatz.pdf')),
  ]
  const by = { baseUrl: service.baseUrl, key: service.credentials.mail_signing_key }
  const mail = await deliver(by, service.credentials.workspaces[0]?.inbound_address ?? '', rawMail({ files }))
  const record = await until(
    firm,
    `/api/v1/correspondence/${mail}`,
    ({ attachments }: { attachments: object[] }) => attachments.length === files.length,
  )
  const ids: string[] = record.attachments.map(({ document_id }: { document_id: string }) => document_id)

  // One that is uploaded alone has no budget but its own time. It is read beside the others.
  const [endlessAlone, ordinary] = [
    await upload(beside, { bytes: new Uint8Array(hostile(1)[0] ?? []), filename: 'endlos.pdf' }),
    await upload(beside, { bytes: corpus('vertrag.pdf'), filename: 'vertrag.pdf' }),
  ]
  const read = await settled(beside, ordinary.body.id)
  const whenRead = await Promise.all(
    ids.map(async (id) => (await firm('GET', `/api/v1/documents/${id}`)).body),
  )
  const found = await until(
    firm,
    `/api/v1/correspondence/${mail}`,
    ({ triage }: { triage: { final: boolean } | null }) => triage?.final === true,
    90,
  )
  const alone = await settled(beside, endlessAlone.body.id)

  expect(read.status).toBe('processed')
  expect(whenRead.filter(({ status }) => status === 'pending').length).toBeGreaterThan(0)
  expect(found.triage.final).toBe(true)
  expect([alone.status, alone.status_reason]).toEqual(['failed', 'too_complex'])
  const outcomes = await Promise.all(ids.map((id) => settled(firm, id)))
  const outcomeOf = Object.fromEntries(
    outcomes.map(({ filename, status, status_reason }) => [filename, status_reason ?? status]),
  )
  expect(outcomeOf).toEqual({
    ...Object.fromEntries(endless.map((_, at) => [`endlos-${at}.pdf`, 'too_complex'])),
    'doppelt.pdf': 'too_complex',
    'schriftsatz.pdf': 'processed',
  })

  await enqueueAgain(firm, ids)
  const again = await Promise.all(ids.map((id) => settled(firm, id)))
  expect(again.map(({ updated_at }) => updated_at)).toEqual(outcomes.map(({ updated_at }) => updated_at))
  const { attempts, takenMilliseconds } = await recordedOf(ids, mail)
  expect(new Set(attempts)).toEqual(new Set([1]))
  expect(takenMilliseconds).toBeGreaterThan(0)
  expect(takenMilliseconds).toBeLessThanOrEqual(mailMilliseconds)
})

/** Puts documents into the queue of the worker once more, and waits until it has come past them. */
async function enqueueAgain(firm: Api, ids: string[]): Promise<void> {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', ...environment } = service.environment
  const client = new SQSClient({
    endpoint: environment.AWS_ENDPOINT_URL_SQS ?? '',
    region: 'eu-central-1',
    credentials: { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY },
    useQueueUrlAsEndpoint: false,
  })
  const workspace_id = service.credentials.workspaces[0]?.id
  for (const document_id of ids) {
    const MessageBody = JSON.stringify({ workspace_id, document_id })
    await client.send(new SendMessageCommand({ QueueUrl: environment.EXTRACT_QUEUE_URL, MessageBody }))
  }
  client.destroy()
  await settled(firm, (await upload(firm)).body.id)
}

/** How often each document was begun to be read, and how much of the mail's budget is taken. */
async function recordedOf(ids: string[], mail: string) {
  Object.assign(process.env, service.environment)
  const { foundation } = await import('#foundation/foundation.ts')
  const { documentFoundation } = await import('#foundation/documents.ts')
  const base = foundation('test')
  const { store } = documentFoundation(base)
  const workspaceId = service.credentials.workspaces[0]?.id ?? ''
  const records = await Promise.all(ids.map((id) => store.find(workspaceId, id)))
  const { Item } = await base.db.client.send(
    new GetCommand({
      TableName: base.db.table,
      Key: { pk: `${workspaceId}#reading_budget`, sk: mail },
    }),
  )
  return { attempts: records.map((record) => record?.attempts), takenMilliseconds: Item?.taken_milliseconds }
}
