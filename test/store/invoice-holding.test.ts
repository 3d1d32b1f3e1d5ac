import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { billedEntries } from '#billing/billed-schema.ts'
import { billingJobs, releaseEntries } from '#billing/holding.ts'
import type { InvoiceRecord } from '#billing/ports.ts'
import { jobRunner } from '#jobs/runner.ts'
import { newId } from '#kernel/id.ts'
import { invoiceStore } from '#store/billing/invoice-store.ts'
import { timeEntryStore } from '#store/billing/time-entry-store.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { outbox } from '#store/outbox.ts'
import { billing } from '#test/support/billing.ts'
import { newFirm } from '#test/support/firm.ts'
import { plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'

let db: Db
beforeAll(async () => {
  db = await sharedTable()
})

/** A firm with a case, a draft that is already there, and the stores of a process that this test stops where it likes. */
async function aFirm() {
  const firm = await newFirm()
  const make = billing(firm)
  const caseId = await make.makeCase()
  const cursors = tableCursors(db)
  const runner = jobRunner()
  const entries = timeEntryStore({ db, cursors })
  runner.handle(...billingJobs({ entries }))
  const invoices = invoiceStore({ db, cursors, outbox: outbox(db, runner, { error: () => {} }) })
  const draft = await make.makeDraft(caseId)
  const stored = (await invoices.find(firm.workspace.id, draft.id)) as InvoiceRecord
  const line = (time_entry_id: string) => ({
    text: 'Beratung',
    quantity: '1',
    unit: 'hour' as const,
    unit_price: '200',
    tax_rate: '19',
    net: '200.00',
    time_entry_id,
  })
  return {
    ...make,
    owner: firm.owner,
    workspaceId: firm.workspace.id,
    caseId,
    entries,
    invoices,
    draft,
    stored,
    line,
    hold: (invoiceId: string, ids: string[]) => entries.hold(firm.workspace.id, invoiceId, ids, () => {}),
    /** The sweeper's work after a crash. */
    release: (invoice_id: string, entry_ids: string[]) => {
      const { name, version, payload } = releaseEntries.of({
        workspace_id: firm.workspace.id,
        invoice_id,
        entry_ids,
      })
      return runner.run({ name, version, payload })
    },
  }
}

describe('a request that dies between its steps', () => {
  it('and held entries for a new invoice that was never written frees them by its job', async () => {
    const { caseId, makeTime, getTime, makeDraft, hold, release } = await aFirm()
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await makeTime(caseId)).id))
    const never = newId('invoice')

    await hold(never, ids)
    const whenHeld = await Promise.all(ids.map(getTime))
    await release(never, ids)
    const freed = await Promise.all(ids.map(getTime))

    expect(whenHeld.map(({ invoice_id }) => invoice_id)).toEqual(Array(20).fill(never))
    expect(freed.map(({ invoice_id }) => invoice_id)).toEqual(Array(20).fill(null))
    const draft = await makeDraft(caseId, { lines: ids.map((time_entry_id) => ({ time_entry_id })) })
    expect((await getTime(ids[0] ?? '')).invoice_id).toBe(draft.id)
  })

  it('and is repeated with its key is in progress until its job has freed the entries (G14)', async () => {
    const { owner, caseId, makeTime, hold, release } = await aFirm()
    const { id } = await makeTime(caseId)
    const never = newId('invoice')
    const send = (headers: Record<string, string> = {}) =>
      owner('POST', '/api/v1/invoices', {
        body: { case_id: caseId, lines: [{ time_entry_id: id }] },
        headers,
      })
    const key = { 'Idempotency-Key': randomUUID() }

    await hold(never, [id])
    const [repeated, another] = [await send(key), await send()]
    await release(never, [id])
    const later = [await send(key), await send({ 'Idempotency-Key': randomUUID() })]

    expect([repeated, another, ...later].map(({ status, body }) => body.error?.code ?? status)).toEqual([
      'REQUEST_IN_PROGRESS',
      'TIME_ENTRY_INVOICED',
      201,
      'TIME_ENTRY_INVOICED',
    ])
    expect(repeated.headers.get('retry-after')).toBe('1')
  })

  it('and wakes up after its entries were freed does not write its invoice any more', async () => {
    const { workspaceId, caseId, makeTime, getTime, makeDraft, hold, release, invoices, stored, line } =
      await aFirm()
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await makeTime(caseId)).id))
    const late = { ...stored, id: newId('invoice'), lines: ids.map(line), version: 1 }

    await hold(late.id, ids)
    await release(late.id, ids)
    await release(late.id, ids)
    const other = await makeDraft(caseId, { lines: ids.map((time_entry_id) => ({ time_entry_id })) })
    const written = invoices.add(plain(late))

    await expect(written).rejects.toThrow(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }))
    expect(await invoices.find(workspaceId, late.id)).toBeUndefined()
    expect((await getTime(ids[0] ?? '')).invoice_id).toBe(other.id)
  })

  it('after the invoice was written loses nothing by its job, however often it runs', async () => {
    const { caseId, makeTime, getTime, hold, release, invoices, stored, line } = await aFirm()
    const { id } = await makeTime(caseId)
    const record = { ...stored, id: newId('invoice'), lines: [line(id)], version: 1 }

    await hold(record.id, [id])
    await invoices.add(plain(record))
    await release(record.id, [id])
    await release(record.id, [id])

    expect((await getTime(id)).invoice_id).toBe(record.id)
  })

  it('before it freed the entries of a cancelled invoice has them freed by its job', async () => {
    const { workspaceId, caseId, makeTime, getTime, makeDraft, release, invoices } = await aFirm()
    const { id } = await makeTime(caseId)
    const draft = await makeDraft(caseId, { lines: [{ time_entry_id: id }] })

    await invoices.change(workspaceId, draft.id, (current) => plain({ ...current, status: 'cancelled' }))
    const before = (await getTime(id)).invoice_id
    await release(draft.id, [id])

    expect([before, (await getTime(id)).invoice_id]).toEqual([draft.id, null])
  })
})

it('an invoice that was read before one of its entries was freed cannot be written with it', async () => {
  const { workspaceId, caseId, makeTime, getTime, hold, entries, invoices, draft, line } = await aFirm()
  const { id } = await makeTime(caseId)
  const reads: number[] = []

  const after = await invoices.change(workspaceId, draft.id, async (current) => {
    reads.push(current.version)
    await hold(draft.id, [id])
    // An older job of the same draft frees the entry that this change is about to bill.
    if (reads.length === 1) await entries.release(workspaceId, draft.id, [id], billedEntries)
    const record = { ...current, lines: [line(id)] }
    return { record, answer: record }
  })

  expect(reads).toHaveLength(2)
  expect([(await getTime(id)).invoice_id, after.lines[0]?.time_entry_id]).toEqual([draft.id, id])
})

it('a new invoice keeps a time entry as it was checked, until it is written', async () => {
  const { workspaceId, caseId, makeTime, hold, entries } = await aFirm()
  const { id } = await makeTime(caseId)
  const holders: unknown[] = []

  await hold(newId('invoice'), [id])
  await entries.change(workspaceId, id, (_, holder) => {
    holders.push(holder)
    return { answer: undefined }
  })

  expect(holders).toEqual(['missing'])
})
