import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, expect, it, vi } from 'vitest'
import type { ExportConfigRecord } from '#exports/config-ports.ts'
import { exportExecution } from '#exports/executing.ts'
import { exportFiles } from '#exports/export-files.ts'
import type { RowSource, RowSources } from '#exports/ports.ts'
import { exportSources, type Row } from '#exports/table-schema.ts'
import { retrieveExport } from '#functions/exports-files/endpoints.ts'
import { systemClock } from '#kernel/clock.ts'
import { unavailable } from '#kernel/unavailable.ts'
import { csvTables } from '#tables/csv-table.ts'
import { jsonTable } from '#tables/json-table.ts'
import { xlsxTable } from '#tables/xlsx-table.ts'
import { serveToys, type ToyGateway } from '#test/support/toy-gateway.ts'

/** Streamed exports over HTTP, when rows or readers fail; the rows are made up here. */

const id = 'exp_01993f68-1a2b-7c3d-8e4f-5a6b7c8d9e0f'
const rowsOfABatch = 200

let toy: ToyGateway | undefined
afterEach(async () => {
  await toy?.close()
  toy = undefined
})

/** Longer together than a compressor looks back, so that a workbook is as large as its rows. */
const noise = Array.from({ length: rowsOfABatch }, () => randomBytes(150).toString('base64'))

const batchOf = (number: number): Row[] =>
  Array.from({ length: rowsOfABatch }, (_, at) => ({
    id: `pty_${number}_${at}`,
    name: `Zeile ${number}/${at} ${noise[at]}`,
    type: 'person',
    email: null,
    phone: null,
    address: null,
    created_at: '2026-11-20T09:00:00.000Z',
    updated_at: '2026-11-20T09:00:00.000Z',
  }))

/**
 * A source of this number of batches, which then throws the fault. It notes how far it is read, and that it was ended.
 */
function aSource({ batches, fault }: { batches: number; fault?: Error }) {
  const seen = { batches: 0, ended: false }
  const source: RowSource = async function* () {
    try {
      for (let number = 0; number < batches; number += 1) {
        seen.batches += 1
        yield batchOf(number)
        await setTimeout(0)
      }
      if (fault !== undefined) throw fault
    } finally {
      seen.ended = true
    }
  }
  return { seen, source }
}

/** Serves the retrieval of a configuration whose rows come from this source. */
async function serve(
  source: RowSource,
  changes: Partial<ExportConfigRecord> = {},
  touch: () => Promise<void> = () => Promise.resolve(),
) {
  const config: ExportConfigRecord = {
    workspace_id: 'ws_1',
    id,
    name: 'Export',
    description: null,
    source: 'parties',
    format: 'csv',
    csv_dialect: 'rfc4180',
    filters: {},
    columns: null,
    schedule: null,
    next_run_at: null,
    last_executed_at: null,
    created_at: '2026-11-20T09:00:00.000Z',
    version: 1,
    ...changes,
  }
  const never = () => {
    throw new Error('No bookings are made here.')
  }
  const makeFile = exportFiles({
    workspaces: { find: async () => ({ time_zone: 'Europe/Berlin', datev: {} as never }) },
    rows: Object.fromEntries(exportSources.map((name) => [name, source])) as RowSources,
    bookableInvoices: never,
    writers: {
      json: jsonTable,
      csv: csvTables,
      xlsx: xlsxTable,
      datev: { missingSettings: never, write: never },
    },
  })
  const services = {
    execution: exportExecution({
      configs: { find: async () => config, touch },
      makeFile,
      runs: { latestFile: never },
      audit: { record: async () => {} },
      clock: { now: () => systemClock.now() },
    }),
    tokens: { admit: async () => ({ workspace_id: 'ws_1', config_id: id, token_id: 'exptok_1' }) },
  }
  toy = await serveToys({ retrieveExport }, services as never, 60)
  return { log: toy.log, url: `${toy.baseUrl}/api/v1/exports/configs/${id}/retrieve?token=geheim` }
}

const run = promisify(execFile)

/** The exit code of curl, and the number of bytes that it got. */
async function curl(url: string): Promise<{ code: number; bytes: number }> {
  const options = { maxBuffer: 1e9 }
  const { code, stdout } = await run('curl', ['-s', '-S', '--fail', url], options).then(
    (done) => ({ ...done, code: 0 }),
    (error: { code: number; stdout: string }) => error,
  )
  return { code, bytes: Buffer.byteLength(stdout) }
}

it.each([
  { format: 'csv', csv_dialect: 'rfc4180' },
  { format: 'csv', csv_dialect: 'excel-de' },
  { format: 'json', csv_dialect: null },
  { format: 'xlsx', csv_dialect: null },
] as const)('a fault in the middle breaks the answer off, which curl notices: %j', async (changes) => {
  const whole = await serve(aSource({ batches: 60 }).source, changes)
  const intact = await curl(whole.url)
  await toy?.close()
  const { source, seen } = aSource({ batches: 30, fault: new Error('The table is on fire.') })

  const { url, log } = await serve(source, changes)
  const broken = await curl(url)

  expect(intact.code).toBe(0)
  // 18: a partial file; 56: the connection was reset.
  expect([18, 56]).toContain(broken.code)
  expect(broken.bytes).toBeGreaterThan(0)
  expect(broken.bytes).toBeLessThan(intact.bytes)
  expect(seen.ended).toBe(true)
  expect(log.map(({ message }) => message)).toContain('answer broken off')
  expect(JSON.stringify(log)).not.toContain('geheim')
})

it.each([
  'csv',
  'json',
  'xlsx',
] as const)('a fault before the first row of %s is an answer', async (format) => {
  const { source } = aSource({ batches: 0, fault: unavailable('The store did not answer in time.') })
  const { url } = await serve(source, { format, csv_dialect: format === 'csv' ? 'rfc4180' : null })

  const answer = await fetch(url)

  expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
    503,
    'SERVICE_UNAVAILABLE',
  ])
  expect(answer.headers.get('content-disposition')).toBeNull()
})

it.each([
  'csv',
  'json',
] as const)('the first rows of %s are sent while the others are awaited', async (format) => {
  const { promise: go, resolve: proceed } = Promise.withResolvers<void>()
  const { url } = await serve(
    async function* () {
      yield batchOf(0)
      await go
      yield batchOf(1)
    },
    { format, csv_dialect: format === 'csv' ? 'rfc4180' : null },
  )

  const answer = await fetch(url)
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  const first = new TextDecoder().decode((await reader.read()).value)
  proceed()

  expect(first).toContain('Zeile 0/0')
  await reader.cancel()
})

it.each([
  'csv',
  'json',
  'xlsx',
] as const)('a reader who leaves ends the reading of rows of %s', async (format) => {
  const { source, seen } = aSource({ batches: 1_000_000 })
  const { url } = await serve(source, { format, csv_dialect: format === 'csv' ? 'rfc4180' : null })
  const leaving = new AbortController()

  const answer = await fetch(url, { signal: leaving.signal })
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  leaving.abort()

  await vi.waitFor(() => expect(seen.ended).toBe(true), { timeout: 20_000 })
  expect(seen.batches).toBeLessThan(1_000_000)
})

it.each([
  'csv',
  'json',
  'xlsx',
] as const)('a reader who reads nothing holds the rows of %s back', async (format) => {
  const { source, seen } = aSource({ batches: 1_000_000 })
  const { url } = await serve(source, { format, csv_dialect: format === 'csv' ? 'rfc4180' : null })
  const { hostname, port, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')

  socket.pause().write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  let before = -1
  await vi.waitFor(
    () => {
      const now = seen.batches
      const isStill = now > 0 && now === before
      before = now
      expect(isStill).toBe(true)
    },
    { timeout: 60_000, interval: 1_500 },
  )
  socket.destroy()

  // The batches that fit into the buffers of the sockets and of the writer, at fifty kilobytes a batch.
  expect(seen.batches).toBeLessThan(500)
  await vi.waitFor(() => expect(seen.ended).toBe(true), { timeout: 20_000 })
})

it('the end of a file waits until its execution is noted, its beginning does not', async () => {
  const { promise: noted, resolve: note } = Promise.withResolvers<void>()
  const { url } = await serve(aSource({ batches: 2 }).source, {}, () => noted)
  let isWhole = false

  const answer = await fetch(url)
  const whole = answer.text().then(() => {
    isWhole = true
  })
  await setTimeout(300)
  const before = isWhole
  note()
  await whole

  expect([answer.status, before, isWhole]).toEqual([200, false, true])
})

it('a file that is larger than Lambda can stream is broken off before that', async () => {
  let isEnded = false
  async function* bytes() {
    try {
      for (let made = 0; made < 25; made += 1) yield Buffer.alloc(10_000_000)
    } finally {
      isEnded = true
    }
  }
  const execution = exportExecution({
    configs: {
      find: async () => ({ workspace_id: 'ws_1', id }) as ExportConfigRecord,
      touch: async () => {},
    },
    makeFile: async () => ({
      ...{ filename: 'Export.csv', mime_type: 'text/csv', selection_sha256: '' },
      bytes: bytes(),
      rowCount: () => 0,
    }),
    runs: { latestFile: async () => Promise.reject() },
    audit: { record: async () => {} },
    clock: systemClock,
  })
  const holder = { workspace_id: 'ws_1', config_id: id, token_id: 'exptok_1' }
  const { open } = await execution.retrieve(holder, { run: undefined })
  let sent = 0

  const reading = async () => {
    for await (const part of await open()) sent += part.length
  }

  await expect(reading()).rejects.toThrow('more than 190000000 bytes')
  expect([sent, isEnded]).toEqual([190_000_000, true])
})
