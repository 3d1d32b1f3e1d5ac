import { beforeAll, expect, it } from 'vitest'
import type { RowSources } from '#exports/ports.ts'
import { newId } from '#kernel/id.ts'
import { interceptStoreCalls, unitsOf } from '#test/bench/store-calls.ts'
import { exportFirm } from '#test/support/export-sources.ts'
import { ownTable } from '#test/support/own-table.ts'

const storeCalls = interceptStoreCalls()

const sizes = [150, 900] as const

type Filled = ReturnType<typeof exportFirm> & { size: number; rareCase: string; rareParty: string }

let firms: Filled[]
beforeAll(async () => {
  const db = await ownTable()
  firms = []
  for (const size of sizes) firms.push(await filled(exportFirm(db), size))
})

/** A firm with `size` deadlines, invoices and time entries, of which five each belong to a rare case and party. */
async function filled(firm: ReturnType<typeof exportFirm>, size: number): Promise<Filled> {
  const { id: rareCase } = await firm.addCase()
  const rareParty = newId('party')
  const cases = Array.from({ length: 40 }, () => newId('case'))
  const dayAt = (at: number) => new Date(Date.UTC(2026, 0, 1) + (at * 86_400_000 * 300) / size)
  const places = Array.from({ length: size }, (_, at) => {
    const isRare = at % (size / 5) === 0
    return { day: dayAt(at), isRare, case_id: isRare ? rareCase : (cases[at % 40] ?? '') }
  })
  await firm.addDeadlines(
    places.map(({ day, case_id }, at) =>
      firm.aDeadline({
        due_at: day.toISOString(),
        case_id,
        ...(at % 3 === 0 && { verified_by: 'usr_2', verified_at: day.toISOString() }),
      }),
    ),
  )
  await firm.addInvoices(
    places.map(({ day, isRare, case_id }) =>
      firm.anInvoice({
        invoice_date: day.toISOString().slice(0, 10),
        case_id,
        party_id: isRare ? rareParty : null,
        status: isRare ? 'paid' : 'issued',
      }),
    ),
  )
  await firm.addTimeEntries(
    places.map(({ day, isRare, case_id }) =>
      firm.aTimeEntry({ date: day.toISOString().slice(0, 10), case_id, billable: !isRare }),
    ),
  )
  return { ...firm, size, rareCase, rareParty }
}

/** The read units of some work. */
async function read(work: () => Promise<unknown>): Promise<number> {
  return unitsOf((await storeCalls.record(work)).calls).read
}

const sources = ['deadlines', 'invoices', 'time_entries'] satisfies (keyof RowSources)[]

it.each(sources)('a row of %s costs the same however many there are', async (source) => {
  const [few = 0, many = 0] = await inTurn(async (firm) => {
    let rows = 0
    const units = await read(async () => {
      rows = (await firm.rows(source)).length
    })
    expect(rows).toBe(firm.size)
    return units / rows
  })

  expect(few).toBeGreaterThan(0)
  expect(many).toBeLessThan(few * 1.1)
  expect(many).toBeLessThan(1)
})

it.each([
  ['deadlines', (firm: Filled) => ({ case_id: firm.rareCase })],
  ['deadlines', (firm: Filled) => ({ case_id: firm.rareCase, date_from: '2026-01-01' })],
  ['invoices', (firm: Filled) => ({ case_id: firm.rareCase })],
  ['invoices', (firm: Filled) => ({ party_id: firm.rareParty })],
  ['invoices', () => ({ status: 'paid' })],
  ['invoices', (firm: Filled) => ({ case_id: firm.rareCase, status: 'paid' })],
  ['invoices', (firm: Filled) => ({ case_id: firm.rareCase, party_id: firm.rareParty, status: 'paid' })],
  ['time_entries', (firm: Filled) => ({ case_id: firm.rareCase })],
  ['time_entries', () => ({ billable: false })],
  ['time_entries', (firm: Filled) => ({ case_id: firm.rareCase, billable: false })],
  ['documents', (firm: Filled) => ({ case_id: firm.rareCase })],
] as const)('a rare value of a filter of %s costs the same in a large firm as in a small one', async (source, filters) => {
  const [few = 0, many = 0] = await inTurn(async (firm) => {
    let rows = 0
    const units = await read(async () => {
      rows = (await firm.rows(source, { filters: filters(firm) })).length
    })
    expect(rows).toBe(source === 'documents' ? 0 : 5)
    return units
  })

  expect(many).toBeLessThanOrEqual(few * 1.2)
})

it.each(
  sources,
)('the first ten rows of %s cost the same in a large firm as in a small one', async (source) => {
  const [few = 0, many = 0] = await inTurn((firm) =>
    read(async () => {
      for await (const rows of firm.batches(source)) {
        expect(rows.length).toBeGreaterThanOrEqual(10)
        break
      }
    }),
  )

  expect(many).toBeLessThanOrEqual(few * 1.1)
})

async function inTurn(work: (firm: Filled) => Promise<number>): Promise<number[]> {
  const results = []
  for (const firm of firms) results.push(await work(firm))
  return results
}
