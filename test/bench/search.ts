import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { manifest } from '#functions/manifest.ts'
import type { Found } from '#test/search/oracle.ts'
import { forkModule } from './fork-module.ts'
import { type Part, type Row, round } from './report.ts'
import type { Plain, Read, SearchOrder, Written } from './search-process.ts'

/** Targets of T6. */
const maxQueryMilliseconds = 100
const maxColdMilliseconds = 2_000
const maxShareOfTexts = 0.6
const minDocumentsPerSecond = 20
const maxMegabytes = 512

/** Kinds of queries that the target of the median is for. */
const usualKinds = ['one word', 'three words', 'phrase', 'prefix', 'exclusion', 'part of compounds']

/**
 * Writes the index of firms of several sizes and searches them. @param sizes numbers of documents of two pages, growing
 */
export async function measureSearch(folder: string, sizes: number[], queries: number): Promise<Part> {
  const rows: Row[] = []
  const measured: { documents: number; written: Written; read: Read; share: number }[] = []
  for (const documents of sizes) {
    const place = join(folder, `search-${documents}`)
    mkdirSync(place)
    const written = await run<Written>({ task: 'write', folder: place, documents, batch: 500 })
    const { segments, textBytes } = written
    const read = await run<Read>({ task: 'read', folder: place, documents, segments, queries })
    const share = segments.reduce((sum, { bytes }) => sum + bytes, 0) / textBytes
    measured.push({ documents, written, read, share })
    rows.push({
      documents,
      segments: segments.length,
      'of the texts': share.toFixed(2),
      'documents/s': round(documents / (written.buildSeconds + written.mergeSeconds)),
      'merging s': round(written.mergeSeconds),
      'longest merge s': round(written.longestMergeSeconds),
      'writer MB': round(written.peakMegabytes),
      'reader MB': round(read.peakMegabytes),
      'cold ms': round(read.coldMilliseconds),
    })
    rmSync(place, { recursive: true })
  }
  for (const [kind, { hits }] of Object.entries(measured.at(-1)?.read.queries ?? {}))
    rows.push({
      query: kind,
      hits,
      ...Object.fromEntries(
        measured.map(({ documents, read }) => {
          const { median = 0, p95 = 0 } = read.queries[kind] ?? {}
          return [`ms of ${documents}: median, p95`, `${round(median)}, ${round(p95)}`]
        }),
      ),
    })
  const [small] = measured
  const largest = measured.at(-1)
  if (small === undefined || largest === undefined) throw new Error('No size was given.')
  const plain = await run<Plain>({ task: 'plain', folder, documents: small.documents, queries })
  const perDocument = (1_000 * small.written.buildSeconds) / small.documents
  rows.push({
    baseline: `SQLite alone, ${small.documents} documents`,
    'ms a document': round(plain.millisecondsPerDocument),
    'our ms': round(perDocument),
    ratio: round(perDocument / plain.millisecondsPerDocument),
    'query ms': round(plain.medianMilliseconds),
    'our query ms': round(small.read.queries['one word']?.median ?? 0),
  })
  const cold = measured.findLast(({ documents }) => documents <= 10_000) ?? largest
  const medians = usualKinds.map((kind) => largest.read.queries[kind]?.median ?? Number.NaN)
  const seconds = largest.written.buildSeconds + largest.written.mergeSeconds
  return {
    title: 'Search: the engine alone',
    method: `CPU time in processes of their own; documents of two pages and 600 words with Zipf's distribution, written 500 at a time and merged as planned; ${queries} queries of each kind. Cold: checksum, opening, first query. Baseline: FTS5 with its own tokenizer on the same texts, one transaction, one word ranked.`,
    rows,
    targets: [
      {
        name: 'search: slowest median of usual queries',
        measured: Math.max(...medians),
        unit: 'ms',
        max: maxQueryMilliseconds,
      },
      {
        name: 'search: first answer without download',
        measured: cold.read.coldMilliseconds,
        unit: 'ms',
        max: maxColdMilliseconds,
      },
      { name: 'search: index of the texts', measured: largest.share, unit: '', max: maxShareOfTexts },
      {
        name: 'search: documents indexed a second',
        measured: largest.documents / seconds,
        unit: '',
        min: minDocumentsPerSecond,
      },
      {
        name: 'search: memory of the writer',
        measured: largest.written.peakMegabytes,
        unit: 'MB',
        max: maxMegabytes,
      },
      {
        name: 'search: memory of the reader',
        measured: largest.read.peakMegabytes,
        unit: 'MB',
        max: maxMegabytes,
      },
    ],
  }
}

/** Compares a thousand queries with an oracle that reads every one of a few thousand texts. */
export async function measureFinding(folder: string, documents: number): Promise<Part> {
  const place = join(folder, 'search-oracle')
  mkdirSync(place)
  const found = await run<Found>({ task: 'compare', folder: place, documents, queries: 1_000 })
  rmSync(place, { recursive: true })
  const targetOf = (what: 'recall' | 'precision') => ({
    name: `search: ${what} compared with reading every text`,
    measured: found[what],
    unit: '',
    min: 0.99,
  })
  return {
    title: 'Search: what a thousand queries find',
    method: `Words, phrases, beginnings, exclusions and alternatives from a seed, in ${documents} documents of four segments; the oracle reads every text.`,
    rows: [{ documents, ...found }],
    targets: [targetOf('recall'), targetOf('precision')],
  }
}

/** Runs a task with the options of the function that does it. */
async function run<Result>(order: SearchOrder): Promise<Result> {
  const name = order.task === 'write' ? 'search-index' : 'search'
  const { nodeOptions = '' } = manifest.find((declaration) => declaration.name === name) ?? {}
  const { result, stop } = await forkModule<Result>(
    'search-process.ts',
    { ...process.env, NODE_OPTIONS: nodeOptions } as Record<string, string>,
    order,
  )
  await stop()
  return result
}
