import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DeadlineRecord } from '#deadlines/ports.ts'
import type { Row } from '#exports/table-schema.ts'
import { systemClock } from '#kernel/clock.ts'
import type { Db } from '#store/db.ts'
import { exportFirm } from '#test/support/export-sources.ts'
import { ownTable } from '#test/support/own-table.ts'
import { caseChange, caseRemoval } from '#test/support/store-changes.ts'

let db: Db
beforeAll(async () => {
  db = await ownTable()
})

const dayOf = (number: number) => new Date(Date.UTC(2030, 0, number, 12)).toISOString()

/** Reads all rows; `change` runs after each batch, while the next one is read. */
async function readWhile(
  batches: AsyncIterable<Row[]>,
  change: (read: string[]) => Promise<void>,
): Promise<string[]> {
  const read: string[] = []
  for await (const batch of batches) {
    read.push(...batch.map(({ id }) => id as string))
    await change(read)
  }
  return read
}

const repeated = (ids: string[]) => ids.filter((id, at) => ids.indexOf(id) !== at)

describe('while deadlines are exported', () => {
  it('each that keeps its due time is given once, and none twice, whatever happens to the others', async () => {
    const firm = exportFirm(db)
    const all = Array.from({ length: 500 }, (_, at) => firm.aDeadline({ due_at: dayOf(at % 170) }))
    await firm.addDeadlines(all)
    const current = new Map<string, DeadlineRecord>(all.map((record) => [record.id, record]))
    const moved = new Set<string>()
    const added = new Set<string>()
    const change = async (index: number, changes: Partial<DeadlineRecord>) => {
      const before = all[index] && current.get(all[index].id)
      if (before === undefined) return
      if (changes.due_at !== undefined || changes.struck_at !== undefined) moved.add(before.id)
      current.set(before.id, await firm.changeDeadline(before, changes))
    }
    const now = systemClock.now().toISOString()

    let step = 0
    const read = await readWhile(firm.batches('deadlines'), async () => {
      step += 1
      const random = () => Math.floor(Math.random() * all.length)
      for (let times = 0; times < 6; times += 1) {
        await change((step * 37 + times) % all.length, { verified_by: 'usr_2', verified_at: now })
        await change((step * 53 + times) % all.length, { completed_by: 'usr_2', completed_at: now })
        await change(random(), { due_at: dayOf(random()) })
        await change(random(), { struck_by: 'usr_2', struck_at: now })
        const fresh = firm.aDeadline({ due_at: dayOf(random() % 170) })
        added.add(fresh.id)
        await firm.addDeadlines([fresh])
      }
    })

    expect(step).toBeGreaterThan(3)
    expect(repeated(read)).toEqual([])
    const given = new Set(read)
    const missing = all.filter(({ id }) => !moved.has(id) && !given.has(id))
    expect(missing).toEqual([])
    expect(read.filter((id) => !current.has(id) && !added.has(id))).toEqual([])
  })

  it('one that was given and moves ahead of the reader is not given again', async () => {
    const firm = exportFirm(db)
    const all = Array.from({ length: 300 }, (_, at) => firm.aDeadline({ due_at: dayOf(at) }))
    await firm.addDeadlines(all)
    const [first, last] = [all[0] as DeadlineRecord, all[299] as DeadlineRecord]

    let isFirst = true
    const read = await readWhile(firm.batches('deadlines'), async () => {
      if (!isFirst) return
      isFirst = false
      await firm.changeDeadline(first, { due_at: dayOf(500) })
      await firm.changeDeadline(last, { due_at: dayOf(0) })
    })

    expect(repeated(read)).toEqual([])
    expect(read.slice(0, 299)).toEqual(all.slice(0, 299).map(({ id }) => id))
    expect(read).toHaveLength(299)
  })
})

it('an invoice that is issued, and so moves, while invoices are exported is given at most once', async () => {
  const firm = exportFirm(db)
  const days = Array.from({ length: 300 }, (_, at) => dayOf(at).slice(0, 10))
  const all = days.map((invoice_date) => firm.anInvoice({ invoice_date }))
  await firm.addInvoices(all)
  const [draft, other] = [all[0], all[299]]
  if (draft === undefined || other === undefined) throw new Error('There are no invoices.')

  let isFirst = true
  const read = await readWhile(firm.batches('invoices'), async () => {
    if (!isFirst) return
    isFirst = false
    await firm.changeInvoice(draft, { status: 'issued', invoice_date: dayOf(320).slice(0, 10) })
    await firm.changeInvoice(other, { status: 'issued', number: 'R-2030-0001' })
  })

  expect(repeated(read)).toEqual([])
  expect(read).toEqual(all.map(({ id }) => id))
})

it('cases that are added, changed or deleted while cases are exported are given at most once', async () => {
  const firm = exportFirm(db)
  const all = []
  for (let at = 0; at < 80; at += 1) all.push(await firm.addCase({ dezernat: 'Erbrecht' }))
  const [gone, closed] = [all[70], all[75]]
  if (gone === undefined || closed === undefined) throw new Error('There are no cases.')
  const entry = { id: 'tle_1', type: 'case.changed', occurred_at: gone.created_at, summary: '', ref: null }
  const system = { type: 'system' as const, id: null, name: 'Test' }

  let isFirst = true
  const filters = { status: 'active', dezernat: 'Erbrecht' }
  const batches = firm.batches('cases', { filters, fields: ['description'] })
  const read = await readWhile(batches, async () => {
    if (!isFirst) return
    isFirst = false
    await firm.cases.remove(firm.workspace_id, gone.id, async () =>
      caseRemoval(gone.id, { ...entry, actor: system }),
    )
    await firm.cases.change(firm.workspace_id, closed.id, (before) =>
      caseChange(
        { ...before, status: 'closed', version: before.version + 1 },
        { ...entry, id: 'tle_2', actor: system },
      ),
    )
    all.push(await firm.addCase({ dezernat: 'Erbrecht' }))
  })

  const expected = all.map(({ id }) => id).filter((id) => id !== gone.id && id !== closed.id)
  expect(read).toEqual(expected)
})

it('a reader that stops early ends the reading', async () => {
  const firm = exportFirm(db)
  await firm.addDeadlines(Array.from({ length: 300 }, (_, at) => firm.aDeadline({ due_at: dayOf(at) })))
  let queries = 0
  const counting: Db = {
    ...db,
    client: {
      send: (command: never) => {
        queries += 1
        return db.client.send(command)
      },
    } as unknown as Db['client'],
  }
  const sources = exportFirm(counting).sources
  const query = { workspace_id: firm.workspace_id, time_zone: 'UTC', filters: {}, now: systemClock.now() }

  for await (const _ of sources.deadlines({ ...query, fields: new Set<string>() })) break
  const atTheEnd = queries
  await sleep(100)

  // The first batch alone: its three states, and the first two of them again.
  expect(atTheEnd).toBe(5)
  expect(queries).toBe(atTheEnd)
})
