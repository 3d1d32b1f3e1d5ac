import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { manifest } from '#functions/manifest.ts'
import { loadFunctions } from '#infra/local/load-functions.ts'
import { startPump } from '#infra/local/pump.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import { queueVariable } from '#queue/queue-variable.ts'
import { median, type Part, type Row, round } from './report.ts'
import { ask, type Handler } from './requests.ts'
import type { Firm } from './seed.ts'

const maxSlowdown = 3
const waiting = 2_000
const repetitions = 15

/**
 * Measures how long it takes until a document is read while two thousand of another firm wait (G17), and while none
 * does: from its upload until its status says so. The worker runs in the threads that the local pump gives it.
 */
export async function measureWaitingDocuments(firms: Firm[], documents: Handler): Promise<Part> {
  const [quiet, busy] = [firms[0], firms.at(-1)]
  if (quiet === undefined || busy === undefined) throw new Error('Two firms are needed.')
  const functions = await loadFunctions(manifest.filter(({ consumes }) => consumes?.queue === 'extract'))
  // Other parts of the bench have uploaded documents that nobody read.
  await emptyQueue()
  const timesOfReading = async () => {
    const times: number[] = []
    while (times.length < repetitions) times.push(await timeOfReading(documents, quiet))
    return times
  }
  const whileRunning = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const pump = startPump(functions)
    return work().finally(pump.stop)
  }

  const alone = await whileRunning(async () => {
    await timesOfReading()
    return timesOfReading()
  })
  const ids: string[] = []
  await inParallelUpTo(16, Array.from({ length: waiting }), async () => {
    ids.push(await upload(documents, busy))
  })
  const { beside, unread } = await whileRunning(async () => {
    const times = await timesOfReading()
    const statuses = []
    for (const id of ids) statuses.push(await statusOf(documents, busy, id))
    return { beside: times, unread: statuses.filter((status) => status === 'pending').length }
  })
  return {
    title: `A document is read while ${waiting} of another firm wait`,
    method: `From the upload until the status is processed: texts of a page, ${repetitions} one after the other; the worker in as many threads as the local pump gives it.`,
    rows: [
      described('alone', alone),
      { ...described(`beside ${waiting}`, beside), 'of the others unread at the end': unread },
    ],
    targets: [
      {
        name: "a document's time until it is read beside those of another firm, as a multiple of its time alone",
        measured: median(beside) / median(alone),
        unit: '×',
        max: maxSlowdown,
      },
      { name: 'documents of the other firm that wait all the time', measured: unread, unit: '', min: 1 },
    ],
  }
}

function described(documents: string, times: number[]): Row {
  return { documents, 'p50 ms': round(median(times)), 'longest ms': round(Math.max(...times)) }
}

const path = '/api/v1/documents'
const letter = 'Sehr geehrte Damen und Herren, in der Sache Becker ./. Wagner zeigen wir die Vertretung an.\n'

async function upload(documents: Handler, { key }: Firm): Promise<string> {
  const bytes = Buffer.from(`${randomUUID()}\n${letter.repeat(30)}`)
  const { body } = await ask(documents, {
    method: 'POST',
    resource: path,
    file: { name: 'Brief.txt', bytes },
    key,
  })
  return JSON.parse(body).id
}

async function statusOf(documents: Handler, { key }: Firm, id: string): Promise<string> {
  const { body } = await ask(documents, { method: 'GET', resource: `${path}/{id}`, params: { id }, key })
  return JSON.parse(body).status
}

async function timeOfReading(documents: Handler, firm: Firm): Promise<number> {
  const startedAt = performance.now()
  const id = await upload(documents, firm)
  while ((await statusOf(documents, firm, id)) === 'pending') await sleep(5)
  return performance.now() - startedAt
}

async function emptyQueue(): Promise<void> {
  const client = new SQSClient({ useQueueUrlAsEndpoint: false })
  await client.send(new PurgeQueueCommand({ QueueUrl: process.env[queueVariable('extract')] }))
  client.destroy()
}
