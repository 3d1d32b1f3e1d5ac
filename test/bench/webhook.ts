import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { admin } from '#infra/tools/admin/index.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { SeenCall } from './bare-mail-server.ts'
import type { BareWebhookOrder } from './bare-webhook-server.ts'
import { forkModule } from './fork-module.ts'
import { type LoadRequest, loadByTurns } from './load.ts'
import { observe, withoutReport } from './mail-throughput.ts'
import { median, type Part } from './report.ts'
import { contextOf, eventOf, type Handler } from './requests.ts'
import type { BenchSetup } from './setup.ts'
import type { StoreCalls } from './store-calls.ts'
import { uuidsOf } from './template.ts'

const minShare = 0.5
const connections = 8
const path = '/api/v1/email/inbound'
const type = 'application/x-www-form-urlencoded'

/**
 * Compares how the webhook accepts a mail of 100 KB with a bare server. Ours goes through the local gateway and its
 * function; the bare server has none of our layers, verifies the same signature and makes the same writes. Nothing
 * reads the mails.
 */
export async function measureAcceptance(
  setup: BenchSetup,
  handler: Handler,
  storeCalls: StoreCalls,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Part> {
  const key = randomBytes(32).toString('hex')
  const { mailSigningKey, createWorkspace } = admin()
  await mailSigningKey.replace(key)
  const workspace = await createWorkspace({ name: 'Posteingang', inbound_domain: 'inbound.example.de' })
  const mail = mailTo(workspace.inbound_address, key)
  const order = await recordOrder({ handler, storeCalls, mail, key, workspaceId: workspace.id })
  const environment = { ...setup.environment, LOG_LEVEL: 'WARN' }
  const [service, bare] = await Promise.all([
    forkModule<{ baseUrl: string }>('gateway-process.ts', environment, ['mail-webhook']),
    forkModule<{ port: number }>('bare-webhook-server.ts', environment, order),
  ])
  try {
    const request: LoadRequest = {
      method: 'POST',
      path,
      headers: { 'Content-Type': type },
      body: () => Buffer.from(mail().body),
      expected: 200,
    }
    const whole = { baseUrl: service.result.baseUrl, pid: service.pid }
    const bareServer = { baseUrl: `http://127.0.0.1:${bare.result.port}`, pid: bare.pid }
    const { shares, row } = await loadByTurns(whole, bareServer, request, { connections, rounds, seconds })
    return {
      title: 'Mail: acceptance by the webhook against a bare server that verifies and writes the same',
      method: `${connections} kept-alive connections; a mail of 100 KB, urlencoded; ${rounds} rounds of ${seconds} s each, by turns; the share is the median of the rounds'.`,
      rows: [
        {
          operation: 'accept a mail of 100 KB',
          writes: order.writes.length,
          ...row,
        },
      ],
      targets: [
        {
          name: 'acceptance of a mail against the bare server',
          measured: median(shares),
          unit: '',
          min: minShare,
        },
      ],
    }
  } finally {
    await Promise.all([service.stop(), bare.stop()])
  }
}

const paragraph = '<p>Sehr geehrte Frau Vogt, anbei die Unterlagen in der Sache Müller ./. Größe.</p>\n'
const [html, plain] = [paragraph.repeat(850), 'Anbei die Unterlagen: Müller ./. Größe.\n'.repeat(750)]

/** Makes forms of mails with a message id and a token of their own; the rest is encoded once. */
function mailTo(recipient: string, key: string): () => { body: string; token: string } {
  const constant = new URLSearchParams({
    recipient,
    from: '"Müller, Max" <max@mueller.example>',
    subject: 'Müller ./. Größe',
    'body-plain': plain,
    'body-html': html,
  }).toString()
  return () => {
    const [token, timestamp] = [randomBytes(25).toString('hex'), String(Math.floor(Date.now() / 1_000))]
    const signature = createHmac('sha256', key)
      .update(timestamp + token)
      .digest('hex')
    const own = { timestamp, token, signature, 'Message-Id': `<${randomUUID()}@mueller.example>` }
    return { body: `${constant}&${new URLSearchParams(own)}`, token }
  }
}

/** The writes of a call, in the order in which they began. */
async function recordOrder({
  handler,
  storeCalls,
  mail,
  key,
  workspaceId,
}: {
  handler: Handler
  storeCalls: StoreCalls
  mail: ReturnType<typeof mailTo>
  key: string
  workspaceId: string
}): Promise<BareWebhookOrder> {
  const { body, token } = mail()
  const event = {
    ...eventOf({ method: 'POST', resource: path }),
    headers: { 'Content-Type': type },
    multiValueHeaders: { 'Content-Type': [type] },
    body,
  }
  const seen: SeenCall[] = []
  const ends = [S3Client, SQSClient].map((client) => observe(client.prototype, (call) => seen.push(call)))
  const { result } = await storeCalls.record(
    () => handler(event, contextOf('bench')),
    ({ name, input }) => seen.push({ name, input }),
  )
  for (const end of ends) end()
  if (result.statusCode !== 200) throw new Error(`The mail was answered ${result.statusCode} ${result.body}`)
  const writes = seen.filter(({ name }) => !reading.has(name)).map(withoutReport)
  const { correspondence_id } = JSON.parse(result.body)
  const first = uuidsOf(correspondence_id)
  const known = new Set([...uuidsOf(workspaceId), ...first])
  const ids = [...first, ...uuidsOf(JSON.stringify(writes)).filter((id) => !known.has(id))]
  return { writes, key, tokenSha256: hexDigest(token), ids }
}

const reading: ReadonlySet<string> = new Set(['GetCommand', 'BatchGetCommand', 'QueryCommand'])
