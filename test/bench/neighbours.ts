import { join } from 'node:path'
import { startService } from '#test/support/service.ts'
import type { FirmsOrder, FirmsResult } from './firms-process.ts'
import type { Flooded, FloodOrder } from './flood-process.ts'
import { forkModule } from './fork-module.ts'
import { sendEvenly, type TimedAnswer } from './open-load.ts'
import { median, type Part, percentile, type Row, round } from './report.ts'
import type { BenchSetup } from './setup.ts'

const maxSlowdown = 1.5

/**
 * Small, so that a hundred times as much is little work: on Lambda a firm's requests take no processor time from those of
 * another, here all share the processors.
 */
const allowancePerSecond = 1
const floodPerSecond = 100 * allowancePerSecond

/** Each of the other firms sends less than its one key may, which is half the allowance. */
const [otherFirms, othersPerSecond] = [60, 24]

/**
 * Measures the requests of other firms while one firm sends a hundred times its allowance (G17), and without it, by turns.
 */
export async function measureNeighbours(
  setup: BenchSetup,
  extent: { rounds: number; seconds: number },
): Promise<Part> {
  const [rounds, seconds] = [Math.min(extent.rounds, 5), 4 * extent.seconds]
  const service = await startService({
    bea: true,
    commandLine: ['--empty'],
    dataDir: join(setup.folder, 'neighbours'),
    // Its own table and bucket, not those of the bench.
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: '',
      AWS_ENDPOINT_URL_S3: '',
      TABLE_NAME: 'aktenlage-local',
      BUCKET_NAME: 'aktenlage-local',
      RATE_LIMIT_PER_SECOND: String(allowancePerSecond),
    },
  })
  try {
    const url = `${service.baseUrl}/api/v1/cases`
    const [leaked = '', ...others] = await createFirms(
      { ...setup.environment, ...service.environment },
      otherFirms + 1,
    )
    const requests = others.map((key) => ({ url, key }))
    const order: FloodOrder = { url, key: leaked, perSecond: floodPerSecond }
    const turn = async () => {
      const answers = await sendEvenly(requests, { perSecond: othersPerSecond, seconds })
      const wrong = answers.find(({ status }) => status !== 200)
      if (wrong) throw new Error(`A request within the allowance was answered ${wrong.status}.`)
      return answers
    }

    await turn()
    const alone: TimedAnswer[] = []
    const beside: TimedAnswer[] = []
    const refused: number[] = []
    for (let at = 0; at < rounds; at += 1) {
      alone.push(...(await turn()))
      const flood = await forkModule<Flooded>('flood-process.ts', setup.environment, order)
      refused.push(flood.result.refused)
      beside.push(...(await turn().finally(flood.stop)))
    }
    return {
      title: 'One firm sends a hundred times its allowance: the requests of other firms',
      method: `The whole service in one process, with an allowance of ${allowancePerSecond} a second; one firm sends ${floodPerSecond} a second, ${otherFirms} others ${othersPerSecond} a second together, GET /cases, whether or not earlier ones are answered; ${rounds} rounds of ${seconds} s each, by turns without and with the flood.`,
      rows: [
        described('alone', alone),
        { ...described('beside', beside), 'refused/s': round(median(refused)) },
      ],
      targets: [
        {
          name: 'requests of the flood that are refused in a second',
          measured: median(refused),
          unit: '/s',
          min: 0.9 * floodPerSecond,
        },
        {
          name: "other firms' p99 beside the flood, as a multiple of their p99 alone",
          measured: p99(beside) / p99(alone),
          unit: '×',
          max: maxSlowdown,
        },
      ],
    }
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
