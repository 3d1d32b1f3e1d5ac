import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureColdStarts } from './cold-start.ts'
import { measureCost } from './cost.ts'
import { measureLayers } from './layers.ts'
import { isMet, type Part, render } from './report.ts'
import { ask, type Handler } from './requests.ts'
import { interceptStoreCalls } from './store-calls.ts'
import { measureThroughput } from './throughput.ts'
import { makeWorld } from './world.ts'

/**
 * `npm run bench`: measures cold start, the cost of our layers, throughput and what the table charges, and holds
 * them against the targets.
 *
 * --quick   in less than a minute: smaller workspaces, fewer repetitions
 * --json    prints the figures as JSON instead of tables
 * --strict  ends with code 1 where a target is missed
 */
const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
  },
})

const extent = options.quick
  ? { sizes: [1_000, 3_000], coldStarts: 5, repetitions: 1_000, rounds: 3, seconds: 1 }
  : { sizes: [1_000, 5_000, 25_000], coldStarts: 15, repetitions: 3_000, rounds: 7, seconds: 2 }

const startedAt = performance.now()
const loads = [loadavg()[0]]
tell(`Filling a table with workspaces of ${extent.sizes.join(', ')} cases`)
const world = await makeWorld(extent.sizes)
const parts: Part[] = []
try {
  const storeCalls = interceptStoreCalls()
  const { handler }: { handler: Handler } = await import('#functions/cases/index.ts')

  tell('Cost')
  parts.push(await measureCost(world.offices, handler, storeCalls))
  tell('Cold starts')
  const { key, oldestCaseId } = world.office
  const reading = { method: 'GET', resource: '/api/v1/cases/{id}', params: { id: oldestCaseId }, key }
  const { calls } = await storeCalls.record(() => ask(handler, reading))
  parts.push(await measureColdStarts(world, calls, extent.coldStarts))
  tell('Layers')
  parts.push(await measureLayers(world, extent.repetitions))
  tell('Throughput')
  parts.push(await measureThroughput(world, handler, storeCalls, extent))
} finally {
  await world.stop()
}
loads.push(loadavg()[0])

const figures = {
  measured_at: new Date().toISOString(),
  node: process.version,
  processor: cpus()[0]?.model,
  processors: availableParallelism(),
  load_average_before_and_after: loads,
  seconds: Math.round((performance.now() - startedAt) / 1_000),
  targets: parts.flatMap(({ targets }) => targets.map((target) => ({ ...target, met: isMet(target) }))),
  parts: parts.map(({ title, method, rows }) => ({ title, method, rows })),
}
const json = JSON.stringify(figures, null, 2)
if (options.json) {
  console.log(json)
} else {
  const file = join(tmpdir(), 'aktenlage-bench.json')
  writeFileSync(file, `${json}\n`)
  console.log(
    `\n${render(parts)}\n\n${figures.seconds} s, load average ${loads.map((one) => one?.toFixed(1)).join(' to ')} on ${figures.processors} processors. As JSON: ${file}`,
  )
}
if (options.strict && figures.targets.some(({ met }) => !met)) process.exitCode = 1

/** Tells the one who waits what is being measured, apart from the figures. */
function tell(what: string): void {
  console.error(`… ${what}`)
}
