import { median, type Part } from './report.ts'
import { ask, type Handler, type Request } from './requests.ts'
import type { Office } from './seed.ts'

const mostGrowth = 1.2

/** How long each of these requests takes in workspaces with so many of `things`, and how that grows. */
export async function measureTimes(
  offices: Office[],
  handler: Handler,
  repetitions: number,
  things: string,
  requests: [name: string, request: (office: Office) => Request][],
): Promise<Pick<Part, 'rows' | 'targets'>> {
  const rows: Part['rows'] = []
  const targets: Part['targets'] = []
  for (const [name, request] of requests) {
    const times = offices.map((): number[] => [])
    // In turns, so that what else the machine does falls on all alike.
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      for (const [at, office] of offices.entries()) {
        const startedAt = performance.now()
        await ask(handler, request(office))
        times[at]?.push(performance.now() - startedAt)
      }
    }
    const medians = times.map(median)
    const growth = (medians.at(-1) ?? 0) / (medians[0] ?? 1)
    rows.push({
      operation: name,
      ...Object.fromEntries(medians.map((ms, at) => [`at ${offices[at]?.cases}`, `${ms.toFixed(2)} ms`])),
      growth: growth.toFixed(2),
    })
    targets.push({
      name: `time of ${name}: growth from ${offices[0]?.cases} to ${offices.at(-1)?.cases} ${things}`,
      measured: growth,
      unit: '×',
      atMost: mostGrowth,
    })
  }
  return { rows, targets }
}
