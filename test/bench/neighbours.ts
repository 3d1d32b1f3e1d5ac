import { join } from 'node:path'
import { startService } from '#test/support/service.ts'
import type { FirmsOrder, FirmsResult } from './firms-process.ts'
import type { Flooded, FloodOrder } from './flood-process.ts'
import { forkModule } from './fork-module.ts'
import { sendEvenly, type TimedAnswer } from './open-load.ts'
import { median, type Part, percentile, type Row, round } from './report.ts'
import type { BenchSetup } from './setup.ts'

/** The requests that one firm sends while others work. */
type Flood = {
  title: string
  path: string
  /** JSON text; without it, GET. */
  body?: string
  /** The allowance of each firm. */
  allowancePerSecond: number
  perSecond: number
  /** The statistic of the other firms' times that is compared, and the factor by which it may grow. */
  compared: 'p99' | 'median'
  maxSlowdown: number
  /** Requests that are refused in a second, at least. */
  minRefused?: number
}

const floods: Flood[] = [
  {
    title: 'a hundred times its allowance',
    path: '/api/v1/cases',
    // Small, so that a hundred times as much is little work. On Lambda, firms do not share processors; here all do.
    allowancePerSecond: 1,
    perSecond: 100,
    compared: 'p99',
    maxSlowdown: 1.5,
    minRefused: 90,
  },
  {
    title: 'JSON of 300 000 unknown keys, with the allowance of a stage',
    path: '/api/v1/cases',
    body: JSON.stringify(Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`k${at}`, 1]))),
    allowancePerSecond: 50,
    perSecond: 4,
    compared: 'median',
    maxSlowdown: 5,
  },
  {
    title: 'conflict checks of 100 names, with the allowance of a stage',
    path: '/api/v1/conflict-check',
    body: JSON.stringify({ names: Array.from({ length: 100 }, (_, at) => `Müller-Lüdenscheidt ${at}`) }),
    allowancePerSecond: 50,
    perSecond: 20,
    compared: 'median',
    maxSlowdown: 5,
  },
]

/** Each of the other firms sends less than its one key may, which is half the allowance. */
const [otherFirms, othersPerSecond] = [60, 24]

/** Measures the requests of other firms while one firm floods the service (G17), and without it, by turns. */
export async function measureNeighbours(
  setup: BenchSetup,
  extent: { rounds: number; seconds: number },
): Promise<Part> {
  const [rounds, seconds] = [Math.min(extent.rounds, 5), 4 * extent.seconds]
  const measured: Measured[] = []
  for (const [at, flood] of floods.entries())
    measured.push(await measureFlood(setup, flood, { folder: `neighbours-${at}`, rounds, seconds }))
  return {
    title: 'One firm floods the service: the requests of other firms',
    method: `The whole service in one process; one firm sends at an even rate, ${otherFirms} others ${othersPerSecond} GET /cases a second together, whether or not earlier ones are answered; ${rounds} rounds of ${seconds} s each, by turns without and with the flood.`,
    rows: measured.flatMap(({ flood: { title }, alone, beside, refused }) => [
      { flood: title, ...described('alone', alone) },
      { flood: title, ...described('beside', beside), 'refused/s': round(median(refused)) },
    ]),
    targets: measured.flatMap(({ flood, alone, beside, refused }) => {
      const { title, compared, maxSlowdown, minRefused } = flood
      const of = compared === 'p99' ? p99 : medianOf
      return [
        {
          name: `${title}: other firms' ${compared} beside it, as a multiple of theirs alone`,
          measured: of(beside) / of(alone),
          unit: '×',
          max: maxSlowdown,
        },
        ...(minRefused === undefined
          ? []
          : [
              {
                name: `${title}: refused in a second`,
                measured: median(refused),
                unit: '/s',
                min: minRefused,
              },
            ]),
      ]
    }),
  }
}

type Measured = { flood: Flood; alone: TimedAnswer[]; beside: TimedAnswer[]; refused: number[] }

async function measureFlood(
  setup: BenchSetup,
  flood: Flood,
  { folder, rounds, seconds }: { folder: string; rounds: number; seconds: number },
): Promise<Measured> {
  const service = await startService({
    bea: true,
    workerThreads: true,
    commandLine: ['--empty'],
    dataDir: join(setup.folder, folder),
    // Its own table and bucket, apart from the bench's.
    environment: {
      ...setup.withoutEnvironment,
      RATE_LIMIT_PER_SECOND: String(flood.allowancePerSecond),
    },
  })
  try {
    const [leaked = '', ...others] = await createFirms(
      { ...setup.environment, ...service.environment },
      otherFirms + 1,
    )
    const requests = others.map((key) => ({ url: `${service.baseUrl}/api/v1/cases`, key }))
    const { path, body, perSecond } = flood
    const order: FloodOrder = { url: `${service.baseUrl}${path}`, key: leaked, body, perSecond }
    const turn = async () => {
      const answers = await sendEvenly(requests, { perSecond: othersPerSecond, seconds })
      const wrong = answers.find(({ status }) => status !== 200)
      if (wrong) throw new Error(`A request within the allowance was answered ${wrong.status}.`)
      return answers
    }

    await turn()
    const measured: Measured = { flood, alone: [], beside: [], refused: [] }
    for (let at = 0; at < rounds; at += 1) {
      measured.alone.push(...(await turn()))
      const { result, stop } = await forkModule<Flooded>('flood-process.ts', setup.environment, order)
      measured.refused.push(result.refused)
      measured.beside.push(...(await turn().finally(stop)))
    }
    return measured
  } finally {
    await service.stop()
  }
}

async function createFirms(environment: Record<string, string>, count: number): Promise<FirmsResult> {
  const order: FirmsOrder = { count }
  const { result, stop } = await forkModule<FirmsResult>('firms-process.ts', environment, order)
  await stop()
  return result
}

function described(when: string, answers: TimedAnswer[]): Row {
  const times = answers.map(({ milliseconds }) => milliseconds)
  return {
    'other firms': when,
    requests: times.length,
    'p50 ms': round(median(times)),
    'p99 ms': round(p99(answers)),
  }
}

function p99(answers: TimedAnswer[]): number {
  return percentile(
    answers.map(({ milliseconds }) => milliseconds),
    0.99,
  )
}

function medianOf(answers: TimedAnswer[]): number {
  return median(answers.map(({ milliseconds }) => milliseconds))
}
