import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '#infra/constructs/bundling.ts'
import type { InstancesOrder, InstancesResult } from './instances-process.ts'
import { type Part, percentile, type Row, round, type Target } from './report.ts'
import { eventOf } from './requests.ts'
import type { BenchSetup } from './setup.ts'

const opening = { method: 'POST', resource: '/api/v1/cases' }
const processCount = 10
const minPerSecond = 25

/**
 * Opens cases in one firm at the same moment, each in its own instance of the function, as Lambda does: nothing but the
 * table is between them. The numbers must follow each other without a gap.
 */
export async function measureCaseNumbers(setup: BenchSetup): Promise<Part> {
  const folder = join(setup.folder, 'case-numbers')
  mkdirSync(folder, { recursive: true })
  const bundleFile = await bundle('functions/cases/index.ts', join(folder, 'index.mjs'))
  const rows: Row[] = []
  const targets: Target[] = []
  for (const count of [20, 100, 200]) {
    const { answers, seconds } = await openAtOnce(setup, bundleFile, count)
    const opened = answers.filter(({ status }) => status === 201)
    const numbers = opened
      .map(({ body }) => Number(JSON.parse(body).file_number.split('/')[0]))
      .toSorted((one, other) => one - other)
    const gaps = numbers.filter(
      (number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1,
    ).length
    const times = answers.map(({ milliseconds }) => milliseconds)
    rows.push({
      'cases at once': count,
      opened: opened.length,
      'gaps and repeats': gaps,
      seconds: round(seconds),
      'a second': round(opened.length / seconds),
      'p50 ms': round(percentile(times, 0.5)),
      'p99 ms': round(percentile(times, 0.99)),
    })
    if (count < 200) continue
    targets.push(
      { name: 'cases opened of 200 at once', measured: opened.length, unit: '', min: 200 },
      { name: 'gaps in their numbers', measured: gaps, unit: '', max: 0 },
      { name: '200 cases at once', measured: opened.length / seconds, unit: '/s', min: minPerSecond },
    )
  }
  return {
    title: 'Cases opened at once by separate instances of the function',
    method: `Each case in its own instance of the function's bundle, ${processCount} processes, one table, one firm; each instance has opened a case of another firm before.`,
    rows,
    targets,
  }
}

async function openAtOnce(
  setup: BenchSetup,
  bundleFile: string,
  count: number,
): Promise<{ answers: InstancesResult; seconds: number }> {
  const other = setup.firms.at(-1) ?? setup.firm
  const children = Array.from({ length: processCount }, () =>
    fork(fileURLToPath(new URL('instances-process.ts', import.meta.url)), [], {
      env: { ...setup.environment, LOG_LEVEL: 'ERROR' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    }),
  )
  try {
    await Promise.all(
      children.map((child, at) => {
        const events = Array.from({ length: count / processCount }, (_, index) =>
          eventOf({ ...opening, body: { name: `Zugleich ${at} ${index}` }, key: setup.firm.key }),
        )
        const warming = eventOf({ ...opening, body: { name: 'Warm' }, key: other.key })
        const order: InstancesOrder = { bundleFile, warming, events }
        child.send(order)
        return once(child, 'message')
      }),
    )
    const startedAt = performance.now()
    const answers = await Promise.all(
      children.map(async (child): Promise<InstancesResult> => {
        child.send('go')
        const [results] = await once(child, 'message')
        return results
      }),
    )
    return { answers: answers.flat(), seconds: (performance.now() - startedAt) / 1_000 }
  } finally {
    for (const child of children) child.disconnect()
  }
}
