import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startDatabase } from '#infra/local/database.ts'
import { startService } from '#test/support/service.ts'
import type { BareOrder } from './bare-server.ts'
import { forkModule } from './fork-module.ts'
import { described, type LoadRequest, loadProcess, type ProcessLoad } from './load.ts'
import { median, type Part, type Row, type Target } from './report.ts'
import { ask, type Handler } from './requests.ts'
import type { BenchSetup } from './setup.ts'
import type { StoreCall, StoreCalls } from './store-calls.ts'

const connections = 8

/** A server under load. `pid` is the id of its process. */
type Server = { baseUrl: string; pid: number; stop: () => Promise<unknown> }

/**
 * Compares the whole service, as `npm start` runs it, with a server without our layers that makes the same calls of the
 * table. Each has its own process and its own DynamoDB.
 */
export async function measureThroughput(
  setup: BenchSetup,
  handler: Handler,
  storeCalls: StoreCalls,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Part> {
  const running: Server[] = []
  try {
    const order = await recordOrder(setup, handler, storeCalls)
    const service = await startService({
      bea: true,
      workerThreads: true,
      dataDir: join(setup.folder, 'service'),
      // Its own table and bucket, apart from the bench's.
      environment: { ...setup.withoutEnvironment, RATE_LIMIT_PER_SECOND: '0' },
    })
    const { pid }: { pid: number } = JSON.parse(readFileSync(join(service.dataDir, 'running.json'), 'utf8'))
    const whole: Server = { ...service, pid }
    running.push(whole)
    const bare = await startBareServer(setup, order)
    running.push(bare)

    const key = service.credentials.workspaces[0]?.users[0]?.api_key ?? ''
    const rows: Row[] = []
    const targets: Target[] = []
    for (const { name, minShare, request } of await operations(service.baseUrl, key)) {
      const measure = (server: Server, forSeconds: number) =>
        loadProcess(server, request, connections, forSeconds)
      for (const server of [whole, bare]) await measure(server, 1)
      const ours: ProcessLoad[] = []
      const onBare: ProcessLoad[] = []
      for (let turn = 0; turn < rounds; turn += 1) {
        // In alternating order: other load of the machine affects both.
        if (turn % 2 === 0) ours.push(await measure(whole, seconds))
        onBare.push(await measure(bare, seconds))
        if (turn % 2 === 1) ours.push(await measure(whole, seconds))
      }
      const shares = ours.map(({ perSecond }, at) => perSecond / (onBare[at]?.perSecond ?? 1))
      rows.push({
        operation: name,
        ...described('service', ours),
        ...described('bare', onBare),
        share: median(shares).toFixed(2),
        'of rounds': shares.map((share) => share.toFixed(2)).join(' '),
      })
      targets.push({
        name: `throughput of ${name} against the bare server`,
        measured: median(shares),
        unit: '',
        min: minShare,
      })
    }
    return {
      title:
        'Warm: throughput of the whole service against a bare server that makes the same calls of the table',
      method: `${connections} kept-alive connections; ${rounds} rounds of ${seconds} s each, by turns, each server on its own DynamoDB of the same kind; the share is the median of the rounds'.`,
      rows,
      targets,
    }
  } finally {
    for (const server of running) await server.stop()
  }
}

/** Records the calls of the table that the handler makes for each of the two requests. */
async function recordOrder(
  { firm }: BenchSetup,
  handler: Handler,
  storeCalls: StoreCalls,
): Promise<BareOrder> {
  const { key, oldestCaseId } = firm
  const callsOf = async (request: Parameters<typeof ask>[1]): Promise<StoreCall[]> => {
    const { calls } = await storeCalls.record(() => ask(handler, request))
    return calls.map((call) => ({ ...call, input: withoutReport(call.input) }))
  }
  const getting = { method: 'GET', resource: '/api/v1/cases/{id}', params: { id: oldestCaseId }, key }
  const posting = { method: 'POST', resource: '/api/v1/cases', body: newCase, key }
  // Only the first use of a key in an hour is noted in the table, and only the first case of an instance reads the counter
  // of file numbers. Make both before recording.
  for (const request of [getting, posting]) await ask(handler, request)
  return {
    get: await callsOf(getting),
    post: await callsOf(posting),
  }
}

function withoutReport({ ReturnConsumedCapacity: _, ...input }: StoreCall['input']): StoreCall['input'] {
  return input
}

const newCase = { name: 'Becker ./. Wagner wegen Kaufpreis', type: 'litigation', dezernat: 'Zivilrecht' }

async function operations(
  baseUrl: string,
  key: string,
): Promise<{ name: string; minShare: number; request: LoadRequest }[]> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const post = {
    method: 'POST',
    path: '/api/v1/cases',
    headers,
    body: JSON.stringify(newCase),
    expected: 201,
  }
  const created = await fetch(baseUrl + post.path, post)
  const { id } = (await created.json()) as { id: string }
  return [
    {
      name: 'GET /cases/{id}',
      minShare: 0.8,
      request: {
        method: 'GET',
        path: `${post.path}/${id}`,
        headers: { Authorization: headers.Authorization },
        expected: 200,
      },
    },
    { name: 'POST /cases', minShare: 0.6, request: post },
  ]
}

async function startBareServer(setup: BenchSetup, order: BareOrder): Promise<Server> {
  const folder = join(setup.folder, 'bare')
  mkdirSync(folder)
  const database = await startDatabase(join(folder, 'table.db'), setup.credentials, {
    PATH: process.env.PATH,
  })
  const environment = { ...setup.environment, AWS_ENDPOINT_URL_DYNAMODB: database.endpoint }
  const { result, pid, stop } = await forkModule<{ port: number }>('bare-server.ts', environment, order)
  return {
    baseUrl: `http://127.0.0.1:${result.port}`,
    pid,
    stop: () => stop().then(() => database.stop()),
  }
}
