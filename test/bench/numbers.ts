import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '#infra/constructs/bundling.ts'
import type { InstancesOrder, InstancesResult } from './instances-process.ts'
import { type Part, percentile, type Row, round, type Target } from './report.ts'
import { ask, eventOf, type Handler, type Request } from './requests.ts'
import type { Firm } from './seed.ts'
import type { BenchSetup } from './setup.ts'

const processCount = 10
const minPerSecond = 25

/** Records that get the next number of a series. */
type Kind = {
  records: string
  function: string
  /** Requests of a firm that take one number each. */
  requests: (firm: Firm, count: number) => Promise<Request[]>
  status: number
  numberIn: (answer: Record<string, string>) => number
}

/**
 * Takes numbers of one firm at the same moment, each in its own instance of the function, as Lambda does: nothing but
 * the table is between them. The numbers must follow each other without a gap.
 */
export async function measureNumbers(
  setup: BenchSetup,
  { cases, billing }: { cases: Handler; billing: Handler },
): Promise<Part> {
  const created = async (handler: Handler, request: Request): Promise<string> =>
    JSON.parse((await ask(handler, request)).body).id
  const opening = ({ key }: Firm, name: string): Request => ({
    method: 'POST',
    resource: '/api/v1/cases',
    body: { name },
    key,
  })
  const drafted = async (firm: Firm, case_id: string): Promise<Request> => {
    const lines = [{ text: 'Beratung', quantity: '1', unit_price: '100', tax_rate: '19' }]
    const body = { case_id, buyer: { name: 'Anna Meier' }, lines }
    const invoices = '/api/v1/invoices'
    const id = await created(billing, { method: 'POST', resource: invoices, body, key: firm.key })
    return { method: 'POST', resource: `${invoices}/{id}/issue`, params: { id }, key: firm.key }
  }
  const kinds: Kind[] = [
    {
      records: 'cases opened',
      function: 'cases',
      requests: async (firm, count) =>
        Array.from({ length: count }, (_, at) => opening(firm, `Zugleich ${at}`)),
      status: 201,
      numberIn: ({ file_number = '' }) => Number(file_number.split('/')[0]),
    },
    {
      records: 'invoices issued',
      function: 'billing',
      requests: async (firm, count) => {
        const case_id = await created(cases, opening(firm, 'Rechnungen'))
        const requests: Request[] = []
        while (requests.length < count) requests.push(await drafted(firm, case_id))
        return requests
      },
      status: 200,
      numberIn: ({ number = '' }) => Number(number.split('-')[2]),
    },
  ]
  const rows: Row[] = []
  const targets: Target[] = []
  for (const kind of kinds)
    for (const count of [20, 100, 200]) {
      const { answers, seconds } = await askAtOnce(setup, kind, count)
      const numbered = answers.filter(({ status }) => status === kind.status)
      const numbers = numbered.map(({ body }) => kind.numberIn(JSON.parse(body))).toSorted((a, b) => a - b)
      const gaps = numbers.filter(
        (number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1,
      ).length
      const times = answers.map(({ milliseconds }) => milliseconds)
      rows.push({
        'at once': `${count} ${kind.records}`,
        numbered: numbered.length,
        'gaps and repeats': gaps,
        seconds: round(seconds),
        'a second': round(numbered.length / seconds),
        'p50 ms': round(percentile(times, 0.5)),
        'p99 ms': round(percentile(times, 0.99)),
      })
      if (count < 200) continue
      targets.push(
        { name: `${kind.records} of 200 at once`, measured: numbered.length, unit: '', min: 200 },
        { name: `gaps between ${kind.records} at once`, measured: gaps, unit: '', max: 0 },
        {
          name: `200 ${kind.records} at once`,
          measured: numbered.length / seconds,
          unit: '/s',
          min: minPerSecond,
        },
      )
    }
  return {
    title: 'Numbers taken at once by separate instances of the function',
    method: `Each request in its own instance of the function's bundle, ${processCount} processes, one table, one firm; each instance has answered such a request of another firm before.`,
    rows,
    targets,
  }
}

async function askAtOnce(
  setup: BenchSetup,
  kind: Kind,
  count: number,
): Promise<{ answers: InstancesResult; seconds: number }> {
  const folder = join(setup.folder, 'numbers', kind.function)
  mkdirSync(folder, { recursive: true })
  const bundleFile = await bundle(`functions/${kind.function}/index.ts`, join(folder, 'index.mjs'))
  const [own, warming] = await Promise.all(
    [setup.firm, setup.firms.at(-1) ?? setup.firm].map(async (firm) =>
      (await kind.requests(firm, count)).map(eventOf),
    ),
  )
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
        const ofChild = <One>(all: One[] = []) => all.filter((_, index) => index % processCount === at)
        const order: InstancesOrder = { bundleFile, warming: ofChild(warming), events: ofChild(own) }
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
