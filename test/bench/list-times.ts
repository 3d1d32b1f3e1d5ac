import { median, type Part } from './report.ts'
import { ask, type Handler, type Request } from './requests.ts'
import type { Firm } from './seed.ts'

const maxGrowth = 1.2

/** Measures the time of each of these requests in workspaces with many `things`, and its growth. */
export async function measureTimes(
  firms: Firm[],
  handler: Handler,
  repetitions: number,
  things: string,
  requests: [name: string, request: (firm: Firm) => Request][],
): Promise<Pick<Part, 'rows' | 'targets'>> {
  const rows: Part['rows'] = []
  const targets: Part['targets'] = []
  for (const [name, request] of requests) {
    const times = firms.map((): number[] => [])
    // In turns, so that other load of the machine affects all workspaces equally.
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      for (const [at, firm] of firms.entries()) {
        const startedAt = performance.now()
        await ask(handler, request(firm))
        times[at]?.push(performance.now() - startedAt)
      }
    }
    const medians = times.map(median)
    const growth = (medians.at(-1) ?? 0) / (medians[0] ?? 1)
    rows.push({
      operation: name,
      ...Object.fromEntries(medians.map((ms, at) => [`at ${firms[at]?.cases}`, `${ms.toFixed(2)} ms`])),
      growth: growth.toFixed(2),
    })
    targets.push({
      name: `time of ${name}: growth from ${firms[0]?.cases} to ${firms.at(-1)?.cases} ${things}`,
      measured: growth,
      unit: '×',
      max: maxGrowth,
    })
  }
  return { rows, targets }
}
