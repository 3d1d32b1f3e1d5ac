import { randomUUID } from 'node:crypto'
import { S3Client } from '@aws-sdk/client-s3'
import { SESClient } from '@aws-sdk/client-ses'
import type { BareMailOrder, SeenCall } from './bare-mail-server.ts'
import { forkModule } from './fork-module.ts'
import { type LoadRequest, loadByTurns } from './load.ts'
import { outbound } from './mail-cost.ts'
import { median, type Part } from './report.ts'
import { ask, type Handler } from './requests.ts'
import type { BenchSetup } from './setup.ts'
import type { StoreCall, StoreCalls } from './store-calls.ts'
import { uuidsOf } from './template.ts'

const minShare = 0.6
const connections = 8

/**
 * Compares direct sends without attachments with a bare server. Ours go through the local gateway and its function; the
 * bare server has none of our layers and makes the same calls to the table, S3 and SES. Nothing consumes the events of
 * SES.
 */
export async function measureMailThroughput(
  setup: BenchSetup,
  handler: Handler,
  storeCalls: StoreCalls,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Part> {
  const order = await recordOrder(setup, handler, storeCalls)
  const environment = { ...setup.environment, LOG_LEVEL: 'WARN' }
  const [service, bare] = await Promise.all([
    forkModule<{ baseUrl: string }>('gateway-process.ts', environment, ['email']),
    forkModule<{ port: number }>('bare-mail-server.ts', environment, order),
  ])
  try {
    const { key, oldestCaseId } = setup.firm
    const request: LoadRequest = {
      method: 'POST',
      path: `${outbound}/send`,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: () => Buffer.from(JSON.stringify(mailAbout(oldestCaseId))),
      expected: 200,
    }
    const whole = { baseUrl: service.result.baseUrl, pid: service.pid }
    const bareServer = { baseUrl: `http://127.0.0.1:${bare.result.port}`, pid: bare.pid }
    const { shares, row } = await loadByTurns(whole, bareServer, request, { connections, rounds, seconds })
    return {
      title:
        'Mail: throughput of direct sends against a bare server that makes the same calls of table, S3 and SES',
      method: `${connections} kept-alive connections; ${rounds} rounds of ${seconds} s each, by turns; the share is the median of the rounds'.`,
      rows: [
        {
          operation: 'direct send without attachments',
          calls: order.calls.length,
          ...row,
        },
      ],
      targets: [
        {
          name: 'throughput of direct sends against the bare server',
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

function mailAbout(case_id: string) {
  return {
    idempotency_key: randomUUID(),
    to_recipients: ['mandantin@example.de'],
    subject: 'Becker ./. Wagner wegen Kaufpreis',
    body_html: '<p>Sehr geehrte Mandantin,</p><p>anbei die Klage.</p>',
    case_id,
  }
}

/** The calls of a send, in the order in which they began. */
async function recordOrder(
  { firm }: BenchSetup,
  handler: Handler,
  storeCalls: StoreCalls,
): Promise<BareMailOrder> {
  const { key, oldestCaseId, workspaceId, userId } = firm
  const request = () => ({
    method: 'POST',
    resource: `${outbound}/send`,
    body: mailAbout(oldestCaseId),
    key,
  })
  // The first use of a key in an hour is noted in the table, and no other.
  await ask(handler, request())

  const seen: SeenCall[] = []
  const ends = [S3Client, SESClient].map((client) => observe(client.prototype, (call) => seen.push(call)))
  const { calls } = await storeCalls.record(
    () => ask(handler, request()),
    ({ name, input }) => seen.push({ name, input }),
  )
  for (const end of ends) end()
  if (seen.length !== calls.length + 3)
    throw new Error(`A send makes two calls of S3 and one of SES, not ${seen.length - calls.length}.`)
  const known = [workspaceId, userId, oldestCaseId, JSON.stringify(readBefore(calls))].flatMap(uuidsOf)
  return { calls: seen.map(withoutReport), known }
}

/** The results of the reads before the first write: their ids stay the same in every send. */
function readBefore(calls: StoreCall[]): unknown[] {
  const firstWrite = calls.findIndex(({ name }) => name === 'TransactWriteCommand')
  return calls.slice(0, firstWrite).map(({ output }) => output)
}

export function withoutReport({
  input: { ReturnConsumedCapacity: _, ...input },
  ...call
}: SeenCall): SeenCall {
  return { ...call, input }
}

type Sending = {
  send: (command: { constructor: { name: string }; input: object }, ...rest: never[]) => unknown
}

/** Calls `begins` with each call of all clients of a class. @returns a function that ends this */
export function observe(prototype: object, begins: (call: SeenCall) => void): () => void {
  const sending = prototype as Sending
  const { send } = sending
  sending.send = function observed(this: Sending, command, ...rest) {
    begins(seenCall(command.constructor.name, command.input))
    return send.call(this, command, ...rest)
  }
  return () => {
    sending.send = send
  }
}

/** A call of S3 or SES with its bytes as text. */
function seenCall(name: string, { Body, RawMessage, ...input }: Sent): SeenCall {
  const bytes = Body ?? RawMessage?.Data ?? new Uint8Array()
  return { name, input, bytes: Buffer.from(bytes).toString('base64') }
}

type Sent = { Body?: Uint8Array; RawMessage?: { Data: Uint8Array } }
