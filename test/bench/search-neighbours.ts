import { setTimeout as pause } from 'node:timers/promises'
import { forkModule } from './fork-module.ts'
import { median, type Part, percentile, type Row, round } from './report.ts'
import { ask, type Handler } from './requests.ts'
import type { SearchFirm, SearchFirmOrder } from './search-firms-process.ts'
import type { BenchSetup } from './setup.ts'

/** By how much the p99 of a firm may grow while another one is indexed. */
const maxSlowdown = 1.3
const samples = 300
const documentsOfNeighbour = 200
const queries = ['Mietvertrag', 'fristlose Kündigung', '"der Klage"', 'Gericht -Frist', 'verpf*']

/** Measures the searches of a firm while all documents of another one are indexed, and without that. */
export async function measureBesideIndexing(
  { environment }: Pick<BenchSetup, 'environment'>,
  search: Handler,
  documents: number,
): Promise<Part> {
  const inProcess = async <Result>(order: SearchFirmOrder): Promise<Result> => {
    const { result, stop } = await forkModule<Result>('search-firms-process.ts', environment, order)
    await stop()
    return result
  }
  const neighbour = await inProcess<SearchFirm>({ documents: documentsOfNeighbour })
  await inProcess({ indexed: neighbour.id })
  const busy = await inProcess<SearchFirm>({ documents })
  const sampled = async (isOver: (count: number) => boolean): Promise<Sample[]> => {
    const taken: Sample[] = []
    for (let at = 0; !isOver(at); at += 1) {
      taken.push(await sample(search, neighbour, queries[at % queries.length] ?? ''))
      await pause(20)
    }
    return taken
  }
  const until = (count: number) => sampled((at) => at >= count)

  await until(100)
  const alone = await until(samples)
  let isIndexed = false
  const indexing = inProcess<number>({ indexed: busy.id }).finally(() => {
    isIndexed = true
  })
  const beside = await sampled(() => isIndexed)
  const seconds = await indexing
  alone.push(...(await until(samples)))
  return {
    title: `A firm of ${documents} documents is indexed: the searches of another firm`,
    method: `The functions in processes of their own, with one table and one bucket; searches one after the other. Compared is CPU time, since each function has its own processors on Lambda, while here they share those of the machine.`,
    rows: [
      described('alone', alone),
      { ...described('beside', beside), 'documents indexed/s of CPU': round(documents / seconds) },
    ],
    targets: [
      {
        name: 'search: p99 of a firm beside the indexing of another, as a multiple of its p99 alone',
        measured: p99(beside, 'cpu') / p99(alone, 'cpu'),
        unit: '×',
        max: maxSlowdown,
      },
    ],
  }
}

/** Milliseconds. */
type Sample = { cpu: number; wall: number }

async function sample(search: Handler, { key }: SearchFirm, q: string): Promise<Sample> {
  const [cpu, wall] = [process.threadCpuUsage(), performance.now()]
  await ask(search, { method: 'GET', resource: '/api/v1/search', query: { q }, key })
  const { user, system } = process.threadCpuUsage(cpu)
  return { cpu: (user + system) / 1_000, wall: performance.now() - wall }
}

function described(when: string, taken: Sample[]): Row {
  const of = (what: keyof Sample) => taken.map((one) => one[what])
  return {
    when,
    searches: taken.length,
    'CPU p50 ms': round(median(of('cpu'))),
    'CPU p99 ms': round(p99(taken, 'cpu')),
    'p50 ms': round(median(of('wall'))),
    'p99 ms': round(p99(taken, 'wall')),
  }
}

function p99(taken: Sample[], what: keyof Sample): number {
  return percentile(
    taken.map((one) => one[what]),
    0.99,
  )
}
