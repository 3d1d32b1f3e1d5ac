import { expect, it } from 'vitest'
import type { ExportConfigRecord } from '#exports/config-ports.ts'
import type { RowSource, SourceQuery } from '#exports/ports.ts'
import { exportPreview } from '#exports/preview.ts'

const config: ExportConfigRecord = {
  workspace_id: 'ws_1',
  id: 'exp_01993f68-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  name: 'Export',
  description: null,
  source: 'parties',
  format: 'xlsx',
  csv_dialect: null,
  filters: { type: 'person' },
  columns: [{ field: 'name', label: 'Wer' }],
  schedule: null,
  next_run_at: null,
  last_executed_at: null,
  created_at: '2026-11-20T09:00:00.000Z',
  version: 1,
}
const actor = { workspace_id: 'ws_1', user_id: 'usr_1', user_name: '', key_id: '', scopes: [] }

/** A preview of rows that come in batches of this size; it notes what was asked for, and how far it was read. */
function previewOf(rowsOfABatch: number, batches: number, changes: Partial<ExportConfigRecord> = {}) {
  const seen = { queries: [] as SourceQuery[], batches: 0, ended: false }
  const source: RowSource = async function* (query) {
    seen.queries.push(query)
    try {
      for (let batch = 0; batch < batches; batch += 1) {
        seen.batches += 1
        yield Array.from({ length: rowsOfABatch }, (_, at) => ({ name: `${batch}/${at}`, email: 'x@y.de' }))
      }
    } finally {
      seen.ended = true
    }
  }
  const preview = exportPreview({
    configs: { find: async () => ({ ...config, ...changes }) },
    workspaces: { find: async () => ({ time_zone: 'Europe/Berlin' }) },
    rows: { parties: source, invoices: source } as never,
    // In Berlin it is 2027.
    clock: { now: () => new Date('2026-12-31T23:30:00Z') },
  })
  return { seen, answer: () => preview(actor, config.id) }
}

it.each([
  [200, 1_000_000, 1],
  [4, 1_000_000, 3],
])('a preview of batches of %i rows reads no more than ten rows need, and ends the reading', async (rows, batches, read) => {
  const { seen, answer } = previewOf(rows, batches)

  const { data } = await answer()

  expect(data).toHaveLength(10)
  expect(seen).toMatchObject({ batches: read, ended: true })
})

it('a preview shows what there is, and asks for no field and no row that it does not show', async () => {
  const { seen, answer } = previewOf(2, 1)

  const { columns, data } = await answer()

  expect(columns).toEqual([{ field: 'name', label: 'Wer', type: 'text' }])
  expect(data).toEqual([{ name: '0/0' }, { name: '0/1' }])
  expect(seen.queries).toMatchObject([{ workspace_id: 'ws_1', filters: { type: 'person' } }])
  expect([...(seen.queries[0]?.fields ?? [])]).toEqual(['name'])
})

it.each([
  [{}, { date_from: '2027-01-01', date_to: '2027-12-31' }],
  [{ date_from: '2025-07-01' }, { date_from: '2025-07-01', date_to: '2025-12-31' }],
])('a preview of bookings with the days %o asks for the invoices that the file books', async (filters, days) => {
  const bookings = { source: 'invoices', format: 'csv', csv_dialect: 'datev', columns: null } as const
  const { seen, answer } = previewOf(2, 1, { ...bookings, filters })

  await answer()

  expect(seen.queries).toMatchObject([{ filters: days }])
})
