import { forkModule } from './fork-module.ts'
import type { LayerOrder, LayerTimes } from './layers-process.ts'
import { median, type Part, percentile, type Row, round, type Target } from './report.ts'
import type { BenchSetup } from './setup.ts'

const maxMilliseconds = 1

/** Measures the CPU time of our own code for a warm request, without the calls of the table. */
export async function measureLayers(setup: BenchSetup, repetitions: number): Promise<Part> {
  // It logs as in Lambda; the output is discarded.
  const environment = { ...setup.environment, LOG_LEVEL: 'INFO' }
  const order: LayerOrder = { firm: setup.firm, repetitions }
  const { result: times } = await forkModule<LayerTimes>('layers-process.ts', environment, order)

  const rows: Row[] = []
  const targets: Target[] = []
  for (const { name, storeCalls, cpuMilliseconds, guardMilliseconds } of times) {
    const guards = (100 * guardMilliseconds) / median(cpuMilliseconds)
    rows.push({
      operation: name,
      'store calls': storeCalls,
      'p50 ms': median(cpuMilliseconds).toFixed(3),
      'guards %': guards.toFixed(2),
      'p90 ms': percentile(cpuMilliseconds, 0.9).toFixed(3),
      'mean ms': (cpuMilliseconds.reduce((sum, one) => sum + one, 0) / cpuMilliseconds.length).toFixed(3),
    })
    targets.push({
      name: `guards of headers and weight, ${name}`,
      measured: round(guards),
      unit: '%',
      max: 1,
    })
    targets.push({
      name: `CPU of our layers, ${name}, p50`,
      measured: round(median(cpuMilliseconds)),
      unit: 'ms',
      max: maxMilliseconds,
    })
  }
  return {
    title: 'Warm: CPU time of our layers per request, without the calls of the table',
    method: `The handler answers real events, its calls of the table are answered from a recording; CPU time of the whole process, ${repetitions} requests each.`,
    rows,
    targets,
  }
}
