import { readFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { median, type Row, round } from './report.ts'

/** A request to be repeated; `expected` is its answer's status. */
export type LoadRequest = {
  method: string
  path: string
  headers: Record<string, string>
  /** The body, or a function that makes a new one for every request. */
  body?: string | (() => Buffer)
  expected: number
}

/** The number of requests per second, and the time of one. */
export type Load = { perSecond: number; milliseconds: number[] }

/** Repeats the request on several keep-alive connections, on each as soon as the last answer has arrived. */
export async function load(
  baseUrl: string,
  request: LoadRequest,
  connections: number,
  seconds: number,
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const milliseconds: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let sentAt = performance.now(); sentAt < endsAt; sentAt = performance.now()) {
        await send(baseUrl, request, agent)
        milliseconds.push(performance.now() - sentAt)
      }
    }),
  )
  const elapsed = performance.now() - startedAt
  agent.destroy()
  return { perSecond: milliseconds.length / (elapsed / 1_000), milliseconds }
}

/** A load, and the CPU milliseconds of the server's process for each request. */
export type ProcessLoad = Load & { cpuPerRequest: number }

/** As `load`, for a server whose process is known. */
export async function loadProcess(
  { baseUrl, pid }: { baseUrl: string; pid: number },
  request: LoadRequest,
  connections: number,
  seconds: number,
): Promise<ProcessLoad> {
  const before = cpuMilliseconds(pid)
  const measured = await load(baseUrl, request, connections, seconds)
  return { ...measured, cpuPerRequest: (cpuMilliseconds(pid) - before) / measured.milliseconds.length }
}

/** The columns of a server in a table of throughput. */
export function described(server: string, loads: ProcessLoad[]): Row {
  return {
    [`${server}/s`]: Math.round(median(loads.map(({ perSecond }) => perSecond))),
    [`${server} p50 ms`]: round(median(loads.flatMap(({ milliseconds }) => milliseconds))),
    [`${server} CPU ms`]: round(median(loads.map(({ cpuPerRequest }) => cpuPerRequest))),
  }
}

/**
 * Loads the service and a bare server by turns, so that other load of the machine affects both, after one second of
 * each that is not counted.
 *
 * @returns `shares`: for each round the throughput of the service divided by the throughput of the bare server; `row`
 * describes all rounds
 */
export async function loadByTurns(
  whole: Parameters<typeof loadProcess>[0],
  bare: Parameters<typeof loadProcess>[0],
  request: LoadRequest,
  { connections, rounds, seconds }: { connections: number; rounds: number; seconds: number },
): Promise<{ shares: number[]; row: Row }> {
  const pair = async (forSeconds: number) => {
    const ours = await loadProcess(whole, request, connections, forSeconds)
    const onBare = await loadProcess(bare, request, connections, forSeconds)
    return { ours, onBare }
  }
  await pair(1)
  const pairs: Awaited<ReturnType<typeof pair>>[] = []
  for (let turn = 0; turn < rounds; turn += 1) pairs.push(await pair(seconds))
  const shares = pairs.map(({ ours, onBare }) => ours.perSecond / onBare.perSecond)
  const row = {
    ...described(
      'service',
      pairs.map(({ ours }) => ours),
    ),
    ...described(
      'bare',
      pairs.map(({ onBare }) => onBare),
    ),
    share: median(shares).toFixed(2),
    'of rounds': shares.map((share) => share.toFixed(2)).join(' '),
  }
  return { shares, row }
}

/** The CPU time of a process from Linux's `/proc`; NaN on other systems. */
export function cpuMilliseconds(pid: number): number {
  try {
    const [, afterName = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const [user, system] = afterName.split(' ').slice(11, 13).map(Number)
    return ((user ?? 0) + (system ?? 0)) * millisecondsPerTick
  } catch {
    return Number.NaN
  }
}

const millisecondsPerTick = 10

function send(
  baseUrl: string,
  { method, path, headers, body, expected }: LoadRequest,
  agent: Agent,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(baseUrl + path, { method, agent, headers }, (response) => {
      if (response.statusCode === expected) {
        response.resume().once('end', resolve).once('error', reject)
        return
      }
      text(response).then(
        (answer) => reject(new Error(`${method} ${path} was answered ${response.statusCode}: ${answer}`)),
        reject,
      )
    })
    sent.once('error', reject).end(typeof body === 'function' ? body() : body)
  })
}
