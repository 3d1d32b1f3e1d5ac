import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEngine } from '#infra/local/engine.ts'
import { startService } from '#test/support/service.ts'
import type { BareOrder } from './bare-server.ts'
import { type Load, type LoadRequest, load } from './load.ts'
import { median, type Part, type Row, round, type Target } from './report.ts'
import { ask, type Handler } from './requests.ts'
import type { StoreCall, StoreCalls } from './store-calls.ts'
import type { World } from './world.ts'

const leastShare = 0.6
const connections = 8

type Server = { baseUrl: string; stop: () => Promise<unknown> }

/**
 * The whole service, as `npm start` runs it, against a server without our layers that makes the same calls of
 * the table: each in a process of its own on a DynamoDB of its own.
 */
export async function measureThroughput(
  world: World,
  handler: Handler,
  storeCalls: StoreCalls,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Part> {
  const running: Server[] = []
  try {
    const order = await recordOrder(world, handler, storeCalls)
    const service = await startService({
      dataDir: join(world.folder, 'service'),
      environment: { AWS_ENDPOINT_URL_DYNAMODB: '', TABLE_NAME: 'aktenlage-local' },
    })
    running.push(service)
    const bare = await startBareServer(world, order)
    running.push(bare)

    const key = service.credentials.workspaces[0]?.users[0]?.api_key ?? ''
    const rows: Row[] = []
    const targets: Target[] = []
    for (const { name, request } of await operations(service.baseUrl, key)) {
      const loads: [Load[], Load[]] = [[], []]
      const measure = async (which: 0 | 1, forSeconds: number) =>
        load([service, bare][which]?.baseUrl ?? '', request, connections, forSeconds)
      for (const which of [0, 1] as const) await measure(which, 1)
      for (let turn = 0; turn < rounds; turn += 1) {
        for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
          loads[which].push(await measure(which, seconds))
      }
      const [ours, least] = loads
      const shares = ours.map(({ perSecond }, at) => perSecond / (least[at]?.perSecond ?? 1))
      const middle = (side: Load[]) => ({
        perSecond: Math.round(median(side.map(({ perSecond }) => perSecond))),
        milliseconds: round(median(side.flatMap(({ milliseconds }) => milliseconds))),
      })
      rows.push({
        operation: name,
        'service/s': middle(ours).perSecond,
        'bare/s': middle(least).perSecond,
        'service p50 ms': middle(ours).milliseconds,
        'bare p50 ms': middle(least).milliseconds,
        share: median(shares).toFixed(2),
        'of rounds': shares.map((share) => share.toFixed(2)).join(' '),
      })
      targets.push({
        name: `throughput of ${name} against the bare server`,
        measured: median(shares),
        unit: '',
        atLeast: leastShare,
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

/** What the handler asks of the table for each of the two requests. */
async function recordOrder({ office }: World, handler: Handler, storeCalls: StoreCalls): Promise<BareOrder> {
  const { key, oldestCaseId } = office
  const callsOf = async (request: Parameters<typeof ask>[1]): Promise<StoreCall[]> => {
    const { calls } = await storeCalls.record(() => ask(handler, request))
    return calls.map((call) => ({ ...call, input: withoutReport(call.input) }))
  }
  return {
    get: await callsOf({ method: 'GET', resource: '/api/v1/cases/{id}', params: { id: oldestCaseId }, key }),
    post: await callsOf({ method: 'POST', resource: '/api/v1/cases', body: newCase, key }),
  }
}

function withoutReport({ ReturnConsumedCapacity: _, ...input }: StoreCall['input']): StoreCall['input'] {
  return input
}

const newCase = { name: 'Becker ./. Wagner wegen Kaufpreis', type: 'litigation', dezernat: 'Zivilrecht' }

async function operations(baseUrl: string, key: string): Promise<{ name: string; request: LoadRequest }[]> {
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
      request: {
        method: 'GET',
        path: `${post.path}/${id}`,
        headers: { Authorization: headers.Authorization },
        expected: 200,
      },
    },
    { name: 'POST /cases', request: post },
  ]
}

async function startBareServer(world: World, order: BareOrder): Promise<Server> {
  const folder = join(world.folder, 'bare')
  mkdirSync(folder)
  const engine = await startEngine(join(folder, 'table.db'), { PATH: process.env.PATH })
  const child = fork(fileURLToPath(new URL('bare-server.ts', import.meta.url)), [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...world.environment, AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const exited = once(child, 'exit')
  child.send(order)
  const address: { port: number } = await Promise.race([
    once(child, 'message').then(([message]) => message),
    exited.then(([code]) => Promise.reject(new Error(`The bare server ended with code ${code}.`))),
  ])
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    stop: async () => {
      child.disconnect()
      await exited
      await engine.stop()
    },
  }
}
