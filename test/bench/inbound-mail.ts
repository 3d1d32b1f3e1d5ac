import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { manifest } from '#functions/manifest.ts'
import { bundle } from '#infra/constructs/bundling.ts'
import { receiptEvent } from '#infra/local/mail-receipts.ts'
import { receivedMail } from '#infra/local/received-mail.ts'
import { scopes } from '#kernel/scope.ts'
import { type Part, type Row, round, type Target } from './report.ts'
import { ask, type Handler } from './requests.ts'
import { runFunction } from './run-function.ts'
import type { BenchSetup } from './setup.ts'

const maxMegabytes = 300
const mebibyte = 1024 * 1024

/** SES receives messages of 40 MB. */
const messageBytes = 40 * mebibyte

/** Measures the peak memory of the functions that receive and read the largest message, each in its own process. */
export async function measureInboundMemory(setup: BenchSetup, correspondence: Handler): Promise<Part> {
  const folder = join(setup.folder, 'inbound')
  mkdirSync(folder)
  const runner = await bundle('test/bench/function-process.ts', join(folder, 'function-process.mjs'))
  const [receiving, reading] = await Promise.all(
    ['receive-mail', 'inbound'].map(async (wanted) => {
      const { entry = '', nodeOptions } = manifest.find(({ name }) => name === wanted) ?? {}
      return { bundleFile: await bundle(entry, join(folder, `${wanted}.mjs`)), nodeOptions }
    }),
  )
  if (receiving === undefined || reading === undefined) throw new Error('The functions are not bundled.')
  const run = async (fn: typeof reading, event: SQSEvent) => {
    const eventFile = `${fn.bundleFile}.json`
    writeFileSync(eventFile, JSON.stringify(event))
    return runFunction(setup, runner, { ...fn, eventFile })
  }

  const rows: Row[] = []
  const targets: Target[] = []
  for (const attachments of [1, 100]) {
    const office = await newOffice()
    const event = await received(office.address, messageOf(attachments))
    const receipt = await run(receiving, event)
    const worker = await run(reading, { Records: [{ ...recordOf(event), ...(await arrival()) }] })
    await checkRead(correspondence, office.key, attachments)
    for (const [name, memory] of [
      ['receive-mail', receipt],
      ['inbound', worker],
    ] as const) {
      rows.push({
        function: name,
        attachments,
        'message MiB': messageBytes / mebibyte,
        seconds: round(memory.answerMilliseconds / 1_000),
        'loaded MiB': round(memory.loadedMegabytes),
        'peak MiB': round(memory.peakMegabytes),
      })
      targets.push({
        name: `peak memory of ${name} for 40 MiB with ${attachments} attached`,
        measured: memory.peakMegabytes,
        unit: 'MiB',
        max: maxMegabytes,
      })
    }
  }
  return {
    title: 'Inbound mail: memory of the functions for the largest message',
    method:
      "The function's bundle in a process of its own with the options of its runtime; the resident memory of the process at its most.",
    rows,
    targets,
  }
}

async function newOffice(): Promise<{ address: string; key: string }> {
  const { admin } = await import('#infra/tools/admin/index.ts')
  const make = admin()
  const office = await make.createWorkspace({ name: 'Kanzlei', inbound_domain: 'inbound.example.de' })
  const user = await make.createUser(office.id, { name: 'Dr. Jana Vogt', email: 'vogt@example.de' })
  const { key } = await make.createKey(office.id, { user_id: user.id, name: 'Bench', scopes: [...scopes] })
  return { address: office.inbound_address, key }
}

/** A message of `messageBytes` with this number of attachments of equal size, in base64. */
function messageOf(attachments: number): Buffer {
  const boundary = '----=_Part_of_the_bench'
  const head = Buffer.from(
    `From: Amtsgericht <poststelle@ag.example.de>\r\nMessage-ID: <${randomBytes(8).toString('hex')}@ag>\r\n` +
      `Date: Fri, 20 Nov 2026 09:00:00 +0100\r\nSubject: Akte\r\nMIME-Version: 1.0\r\n` +
      `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n` +
      `--${boundary}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nAnbei die Akte.\r\n`,
  )
  const partHead = (at: number) =>
    Buffer.from(
      `--${boundary}\r\nContent-Type: application/zip; name="Akte-${at}.zip"\r\nContent-Transfer-Encoding: base64\r\n` +
        `Content-Disposition: attachment; filename="Akte-${at}.zip"\r\n\r\n`,
    )
  const end = Buffer.from(`--${boundary}--\r\n`)
  const room = messageBytes - head.length - end.length - attachments * (partHead(attachments).length + 2)
  // A line of 76 characters and its end hold 57 bytes.
  const lines = Math.floor(room / attachments / 78)
  const parts = Array.from({ length: attachments }, (_, at) => {
    const written = randomBytes(lines * 57).toString('base64')
    return [partHead(at), Buffer.from(written.replace(/.{76}/g, '$&\r\n'))]
  })
  return Buffer.concat([head, ...parts.flat(), end])
}

/** Stores a message as SES does. @returns the event that it publishes */
async function received(address: string, raw: Buffer): Promise<SQSEvent> {
  const messageId = randomBytes(16).toString('hex')
  const stored = await receivedMail(process.env.BUCKET_NAME ?? '').put(messageId, raw)
  const source = 'poststelle@ag.example.de'
  return receiptEvent({ messageId, receivedAt: new Date(), source, recipients: [address], ...stored })
}

function recordOf({ Records: [record] }: SQSEvent): SQSEvent['Records'][number] {
  if (record === undefined) throw new Error('An event has a record.')
  return record
}

/** The message by which the worker learns of what arrived. */
async function arrival(): Promise<{ body: string; receiptHandle: string }> {
  const client = new SQSClient({ useQueueUrlAsEndpoint: false })
  const QueueUrl = process.env.INBOUND_QUEUE_URL
  const { Messages: [message] = [] } = await client.send(
    new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 10, VisibilityTimeout: 600 }),
  )
  client.destroy()
  if (message?.Body === undefined) throw new Error('Nothing arrived.')
  return { body: message.Body, receiptHandle: message.ReceiptHandle ?? '' }
}

async function checkRead(correspondence: Handler, key: string, attachments: number): Promise<void> {
  const answer = await ask(correspondence, { method: 'GET', resource: '/api/v1/correspondence', key })
  const [mail] = JSON.parse(answer.body).data
  if (mail?.status !== 'processed' || mail.attachments.length !== attachments)
    throw new Error(`The mail is ${mail?.status} with ${mail?.attachments.length} attachments.`)
}
