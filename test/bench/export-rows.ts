import { setImmediate as nextTurn } from 'node:timers/promises'
import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { stringify } from 'csv-stringify'
import { namedEvidence } from '#bea/messages/naming.ts'
import { deadlineCells } from '#deadlines/table-cells.ts'
import { columnsOf } from '#exports/columns.ts'
import type { RowSources, SourceFilters } from '#exports/ports.ts'
import { newId } from '#kernel/id.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { createClient } from '#store/client.ts'
import { rowSources } from '#store/exports/row-sources.ts'
import { sortedList } from '#store/sorted-list.ts'
import { tableName } from '#store/table.ts'
import { csvTables } from '#tables/csv-table.ts'
import { median, type Part, type Row, round, type Target } from './report.ts'
import type { Firm } from './seed.ts'
import { type StoreCalls, unitsOf } from './store-calls.ts'

const maxGrowth = 1.2
const minShareOfBareLoop = 0.5
const maxCpuSecondsToFirstByte = 0.5

type Source = keyof RowSources

/** The sources, each with a filter whose value is rare; of time entries and invoices, five are of the oldest case. */
const measured: { source: Source; rare: (firm: Firm) => SourceFilters }[] = [
  { source: 'cases', rare: () => ({ type: 'unbekannt' }) },
  { source: 'parties', rare: () => ({ date_to: '2020-01-01' }) },
  { source: 'documents', rare: (firm) => ({ case_id: firm.oldestCaseId, folder_id: firm.folderId }) },
  { source: 'deadlines', rare: (firm) => ({ case_id: firm.oldestCaseId }) },
  { source: 'time_entries', rare: (firm) => ({ case_id: firm.oldestCaseId }) },
  { source: 'invoices', rare: (firm) => ({ case_id: firm.oldestCaseId }) },
]

/**
 * Measures the cost of a row of each source, of the first rows, and of the rows with a rare value, by the size of the
 * firm.
 */
export async function measureExportUnits(firms: Firm[], storeCalls: StoreCalls): Promise<Part> {
  const db = { client: createClient(), table: tableName() }
  const sources = rowSources({ db, deadlineCells, nameOfMessage: namedEvidence })
  for (const firm of firms) await fill(firm.workspaceId, firm.cases, firm.oldestCaseId)

  const query = (firm: Firm, source: Source, filters: SourceFilters = {}) => ({
    workspace_id: firm.workspaceId,
    time_zone: 'Europe/Berlin',
    filters,
    fields: new Set(columnsOf(source, null).map(({ field }) => field)),
    now: new Date(),
  })
  const unitsFor = async (work: () => Promise<number>) => {
    const { result, calls } = await storeCalls.record(work)
    return { rows: result, units: unitsOf(calls).read }
  }
  const rows: Row[] = []
  const targets: Target[] = []
  for (const { source, rare } of measured) {
    const perRow: number[] = []
    const first: number[] = []
    const ofRare: number[] = []
    for (const firm of firms) {
      const all = await unitsFor(async () => {
        let count = 0
        for await (const batch of sources[source](query(firm, source))) count += batch.length
        return count
      })
      perRow.push(all.units / all.rows)
      first.push(
        (
          await unitsFor(async () => {
            for await (const batch of sources[source](query(firm, source))) return batch.length
            return 0
          })
        ).units,
      )
      const some = await unitsFor(async () => {
        let count = 0
        for await (const batch of sources[source](query(firm, source, rare(firm)))) count += batch.length
        return count
      })
      ofRare.push(some.units)
    }
    const show = (values: number[]) => values.map((value) => round(value)).join(' · ')
    rows.push({
      source,
      'R per row': show(perRow),
      'R of a preview': show(first),
      'R of a rare value': show(ofRare),
    })
    const grows: [string, number[]][] = [
      ['a row', perRow],
      ['a preview', first],
      ['a rare value', ofRare],
    ]
    for (const [what, values] of grows)
      targets.push({
        name: `units of ${what} of ${source}: growth from ${firms[0]?.cases} to ${firms.at(-1)?.cases}`,
        measured: (values.at(-1) ?? 0) / (values[0] ?? 1),
        unit: '×',
        max: maxGrowth,
      })
  }
  return {
    title: `Exports: read units with all fields, in firms with ${firms.map(({ cases }) => cases).join(' · ')} records`,
    method:
      'As the table reports them, with the names of cases, users and folders. A preview is the first batch. A rare value has the same few rows, or none, in each firm.',
    rows,
    targets,
  }
}

/** Measures how fast rows of the table become CSV, against a bare loop of Query and csv-stringify. */
export async function measureExportSpeed(rowCount: number, rounds: number): Promise<Part> {
  const db = { client: createClient(), table: tableName() }
  const workspace_id = newId('workspace')
  await fill(workspace_id, rowCount, newId('case'))
  const columns = columnsOf('time_entries', null).slice(0, 12)
  const sources = rowSources({ db, deadlineCells, nameOfMessage: namedEvidence })

  const ours = async () => {
    const started = { at: performance.now(), cpu: process.cpuUsage() }
    const rows = sources.time_entries({
      workspace_id,
      time_zone: 'Europe/Berlin',
      filters: {},
      fields: new Set(columns.map(({ field }) => field)),
      now: new Date(),
    })
    let cpuToFirstByte: number | undefined
    let bytes = 0
    for await (const chunk of csvTables.rfc4180(columns, rows, { time_zone: 'Europe/Berlin' })) {
      if (cpuToFirstByte === undefined) {
        const { user, system } = process.cpuUsage(started.cpu)
        cpuToFirstByte = (user + system) / 1_000_000
      }
      bytes += chunk.length
      await nextTurn()
    }
    return { seconds: (performance.now() - started.at) / 1_000, bytes, cpuToFirstByte: cpuToFirstByte ?? 0 }
  }

  const bareLoop = async () => {
    const startedAt = performance.now()
    const csv = stringify({
      header: true,
      columns: columns.map(({ field, label }) => ({ key: field, header: label })),
    })
    let bytes = 0
    csv.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    for (let start: object = {}; ; ) {
      const { Items = [], LastEvaluatedKey } = await db.client.send(
        new QueryCommand({
          TableName: db.table,
          KeyConditionExpression: '#pk = :pk',
          ExpressionAttributeNames: { '#pk': 'pk' },
          ExpressionAttributeValues: { ':pk': `${workspace_id}#time_entries#all` },
          ConsistentRead: true,
          ...start,
        }),
      )
      for (const { data } of Items)
        if (!csv.write(JSON.parse(data))) await new Promise((resolve) => csv.once('drain', resolve))
      if (LastEvaluatedKey === undefined) break
      start = { ExclusiveStartKey: LastEvaluatedKey }
    }
    csv.end()
    await new Promise((resolve) => csv.once('end', resolve))
    return { seconds: (performance.now() - startedAt) / 1_000, bytes }
  }

  const pairs = []
  for (let turn = 0; turn < rounds; turn += 1) pairs.push({ ours: await ours(), bare: await bareLoop() })
  const rate = (seconds: number) => Math.round(rowCount / seconds)
  const share = median(pairs.map((pair) => pair.bare.seconds / pair.ours.seconds))
  const firstByte = median(pairs.map((pair) => pair.ours.cpuToFirstByte))
  return {
    title: `Exports: ${rowCount} rows of ${columns.length} columns from the table to CSV`,
    method: `Rows with the names of users and cases, in the order of their days, through the writer of CSV; against one Query after the other, JSON.parse and csv-stringify. ${rounds} of each by turns.`,
    rows: [
      { what: 'export', 'rows/s': rate(median(pairs.map((pair) => pair.ours.seconds))) },
      { what: 'bare loop', 'rows/s': rate(median(pairs.map((pair) => pair.bare.seconds))) },
    ],
    targets: [
      {
        name: 'speed of rows as CSV against a bare loop of Query and csv-stringify',
        measured: share,
        unit: '×',
        min: minShareOfBareLoop,
      },
      {
        name: 'CPU until the first byte of an export',
        measured: firstByte,
        unit: 's',
        max: maxCpuSecondsToFirstByte,
      },
    ],
  }
}

/** Entries written at once. */
const filledAtOnce = 500

/** Writes the list entries of `count` time entries and invoices, of which five are filed under this case. */
async function fill(workspaceId: string, count: number, rareCase: string): Promise<void> {
  const db = { client: createClient(), table: tableName() }
  const entries = sortedList<object>(db, 'time_entries', 'ascending')
  const invoices = sortedList<object>(db, 'invoices', 'ascending')
  const cases = Array.from({ length: 40 }, () => newId('case'))
  const users = Array.from({ length: 10 }, () => newId('user'))
  const starts = Array.from({ length: Math.ceil(count / filledAtOnce) }, (_, at) => at * filledAtOnce)
  await inParallel(starts, async (start) => {
    const numbers = Array.from({ length: Math.min(filledAtOnce, count - start) }, (_, at) => start + at)
    const filed = numbers.flatMap((at) => {
      const isRare = at % Math.ceil(count / 5) === 0
      const case_id = isRare ? rareCase : (cases[at % 40] ?? '')
      const day = new Date(Date.UTC(2026, 0, 1) + Math.floor((at * 300) / count) * 86_400_000)
      const date = day.toISOString().slice(0, 10)
      const created_at = day.toISOString()
      const entry = {
        id: newId('timeEntry'),
        case_id,
        user_id: users[at % 10],
        date,
        minutes: 1 + (at % 200),
        activity: `Entwurf der Klageschrift Nr. ${at}, Rücksprache mit der Mandantin`,
        billable: at % 4 !== 0,
        rate: '250.00',
        amount: '375.00',
        created_at,
      }
      const invoice = {
        id: newId('invoice'),
        number: `R-2026-${String(at).padStart(6, '0')}`,
        case_id,
        status: 'issued',
        invoice_date: date,
        buyer: { name: 'Wohnbau Nord GmbH' },
        taxes: [{ tax_rate: '19', net: '100.00', tax: '19.00' }],
        net: '100.00',
        tax: '19.00',
        gross: '119.00',
        currency: 'EUR',
        created_at,
      }
      const terms = isRare ? ['all', `case=${case_id}`] : ['all']
      return terms.map((term) => ({
        time: { term, place: `${date}#${entry.id}`, data: entry },
        invoice: { term, place: `${date}#${invoice.id}`, data: invoice },
      }))
    })
    await entries.write(
      workspaceId,
      filed.map(({ time }) => time),
      [],
    )
    await invoices.write(
      workspaceId,
      filed.map(({ invoice }) => invoice),
      [],
    )
  })
}
