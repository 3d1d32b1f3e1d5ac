import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { buildSegment } from '#search/build-segment.ts'
import { mergeSegments, planMerge } from '#search/merge-segments.ts'
import { openSegment } from '#search/open-segment.ts'
import { parseQuery } from '#search/parse-query.ts'
import { searchSegments } from '#search/search-segments.ts'
import type { IndexedRecord, Segment, SegmentFacts } from '#search/types.ts'
import { textWriter, vocabulary } from '#test/search/firm-texts.ts'
import { compare, type Found, questions } from '#test/search/oracle.ts'
import { random } from '#test/support/random.ts'
import { percentile } from './report.ts'

/** A firm's index is written or read in a process of its own, whose memory is measured. */
export type SearchOrder = { folder: string; documents: number } & (
  | { task: 'write'; batch: number }
  | { task: 'read'; segments: NamedSegment[]; queries: number }
  | { task: 'plain'; queries: number }
  | { task: 'compare'; queries: number }
)

export type NamedSegment = SegmentFacts & { name: string }

export type Written = {
  segments: NamedSegment[]
  textBytes: number
  /** CPU time. */
  buildSeconds: number
  mergeSeconds: number
  longestMergeSeconds: number
  peakMegabytes: number
}

export type Read = {
  /** CPU time of opening all segments and of the first query. */
  coldMilliseconds: number
  queries: Record<string, { median: number; p95: number; hits: number }>
  peakMegabytes: number
}

/** What SQLite needs for the same texts without anything of ours. */
export type Plain = { millisecondsPerDocument: number; medianMilliseconds: number }

const words = vocabulary(60_000)

process.once('message', (order: SearchOrder) => {
  work(order).then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function work(order: SearchOrder): Promise<object> {
  if (order.task === 'write') return write(order)
  if (order.task === 'read') return read(order)
  return order.task === 'plain' ? plain(order) : compareWithOracle(order)
}

async function write({ folder, documents, batch }: SearchOrder & { task: 'write' }): Promise<Written> {
  const segments = new Map<string, { facts: NamedSegment; segment: Segment }>()
  const texts = textWriter(words)
  let [textBytes, buildSeconds, mergeSeconds, longestMergeSeconds, made] = [0, 0, 0, 0, 0]
  const put = async (name: string, facts: SegmentFacts) => {
    const segment = await openSegment(join(folder, name), facts)
    segments.set(name, { facts: { ...facts, name }, segment })
  }
  for (let at = 0; at < documents; at += batch) {
    const records = Array.from({ length: Math.min(batch, documents - at) }, (_, next) => {
      const pages = texts()
      textBytes += pages.reduce((sum, page) => sum + Buffer.byteLength(page), 0)
      return recordOf(at + next, pages)
    })
    made += 1
    const name = `${made}.segment`
    const before = process.cpuUsage()
    await put(name, await buildSegment(records, join(folder, name)))
    buildSeconds += secondsSince(before)
    for (;;) {
      const plan = planMerge([...segments.values()].map(({ facts }) => facts))
      if (plan === undefined) break
      const from = plan.names.flatMap((one) => segments.get(one)?.segment ?? [])
      made += 1
      const merged = `${made}.segment`
      const start = process.cpuUsage()
      const facts = await mergeSegments(from, new Map(), join(folder, merged), plan.keepsTerms)
      const seconds = secondsSince(start)
      mergeSeconds += seconds
      longestMergeSeconds = Math.max(longestMergeSeconds, seconds)
      for (const one of plan.names) {
        segments.get(one)?.segment.close()
        segments.delete(one)
        await rm(join(folder, one))
      }
      await put(merged, facts)
    }
  }
  const facts = [...segments.values()].map((one) => one.facts)
  return {
    segments: facts,
    textBytes,
    buildSeconds,
    mergeSeconds,
    longestMergeSeconds,
    peakMegabytes: peak(),
  }
}

function recordOf(number: number, pages: string[]): IndexedRecord {
  return {
    id: `doc_${String(number).padStart(26, '0')}`,
    sequence: 1,
    kind: number % 5 === 0 ? 'mail' : 'document',
    access: number % 7 === 0 ? 'bea:1' : 'documents',
    case_id: number % 3 === 0 ? `case_${String(number % 5_000).padStart(25, '0')}` : null,
    date: `20${20 + (number % 7)}-0${1 + (number % 9)}-11`,
    titles: [`Schriftsatz ${words[100 + (number % 500)]} ${number}.pdf`],
    pages,
  }
}

async function read({ folder, segments: facts, queries }: SearchOrder & { task: 'read' }): Promise<Read> {
  const chance = random(3)
  const texts = textWriter(words)
  const samples = Array.from({ length: 50 }, () => texts().join(' ').replace(/[\n.]/g, ' ').split(' '))
  const content = words.slice(400, 5_000)
  const kinds: Record<string, () => string> = {
    'one word': () => chance.of(content),
    'three words': () =>
      Array.from({ length: 3 }, () => chance.of(chance.of(samples).filter(isLong))).join(' '),
    phrase: () => {
      const sample = chance.of(samples)
      const at = chance.below(sample.length - 3)
      return `"${sample.slice(at, at + 3).join(' ')}"`
    },
    prefix: () => `${chance.of(content).slice(0, 6)}*`,
    'short prefix': () => `${chance.of(content).slice(0, 2)}*`,
    'frequent word': () => chance.of(words.slice(0, 30)),
    'part of compounds': () => chance.of(words.slice(60, 300)),
    [partHidden]: () => chance.of(words.slice(60, 300)),
    exclusion: () => `${chance.of(content)} -${chance.of(words.slice(60, 300))}`,
  }
  const start = process.cpuUsage()
  const segments = await Promise.all(facts.map((one) => openSegment(join(folder, one.name), one)))
  const run = (text: string, kind = ''): number => {
    const filter = { mayRead: (access: string) => kind !== partHidden || access === 'documents' }
    return searchSegments(segments, parseQuery(text), { filter, deleted: none, offset: 0, limit: 20 }).total
  }
  run('Kündigungsfrist Mietvertrag')
  const coldMilliseconds = 1_000 * secondsSince(start)
  const results: Read['queries'] = {}
  for (const [kind, query] of Object.entries(kinds)) {
    const times: number[] = []
    let hits = 0
    for (let round = -5; round < queries; round += 1) {
      const text = query()
      const before = process.cpuUsage()
      const total = run(text, kind)
      if (round < 0) continue
      times.push(1_000 * secondsSince(before))
      hits += total / queries
    }
    results[kind] = { median: percentile(times, 0.5), p95: percentile(times, 0.95), hits: Math.round(hits) }
  }
  return { coldMilliseconds, queries: results, peakMegabytes: peak() }
}

async function plain({ documents, queries }: SearchOrder & { task: 'plain' }): Promise<Plain> {
  const texts = textWriter(words)
  const pages = Array.from({ length: documents }, () => texts().join('\n'))
  const db = new DatabaseSync(':memory:')
  db.exec("CREATE VIRTUAL TABLE texts USING fts5 (body, content = ''); BEGIN")
  const insert = db.prepare('INSERT INTO texts (rowid, body) VALUES (?, ?)')
  const before = process.cpuUsage()
  pages.forEach((text, at) => {
    insert.run(at + 1, text)
  })
  db.exec("COMMIT; INSERT INTO texts (texts) VALUES ('optimize')")
  const millisecondsPerDocument = (1_000 * secondsSince(before)) / documents
  const search = db.prepare('SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 20')
  const chance = random(3)
  const times = Array.from({ length: queries }, () => {
    const word = chance.of(words.slice(400, 5_000))
    const start = process.cpuUsage()
    search.all(`"${word}"`)
    return 1_000 * secondsSince(start)
  })
  return { millisecondsPerDocument, medianMilliseconds: percentile(times, 0.5) }
}

/** Compares what the engine finds with an oracle that reads every text. */
async function compareWithOracle({
  folder,
  documents,
  queries,
}: SearchOrder & { task: 'compare' }): Promise<Found> {
  const writePages = textWriter(vocabulary(10_000), 11)
  const texts = new Map(Array.from({ length: documents }, (_, at) => [`doc_${at}`, writePages(1 + (at % 2))]))
  const records = [...texts].map(([id, pages], at) => ({ ...recordOf(at, pages), id, titles: [] }))
  const segments: Segment[] = []
  for (let from = 0; from < documents; from += Math.ceil(documents / 4)) {
    const path = join(folder, `${from}.segment`)
    const facts = await buildSegment(records.slice(from, from + Math.ceil(documents / 4)), path)
    segments.push(await openSegment(path, facts))
  }
  return compare(questions(texts, queries), (text) => {
    const options = { filter: { mayRead: () => true }, deleted: none, offset: 0, limit: documents }
    return searchSegments(segments, parseQuery(text), options).hits.map(({ id }) => id)
  })
}

const none = new Map<string, number>()
/** Of a caller who may not read a seventh of the records. */
const partHidden = 'part of compounds, some records hidden'
const isLong = (word: string) => word.length > 6

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000_000
}

/** The resident memory at its most. Linux has it. */
function peak(): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}
