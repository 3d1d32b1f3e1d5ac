import { expect, it } from 'vitest'
import type { InvoiceDeps } from '#billing/invoice-deps.ts'
import { issuedInvoices } from '#billing/issued-invoices.ts'
import type { InvoiceStore } from '#billing/ports.ts'
import { jobRunner } from '#jobs/runner.ts'
import { invoiceStore } from '#store/billing/invoice-store.ts'
import { counterEntity } from '#store/counter-entity.ts'
import { tableCursors } from '#store/cursor.ts'
import { outbox } from '#store/outbox.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { billing } from '#test/support/billing.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'

it('two processes that were told the same next number give two numbers, and the next one is the third', async () => {
  const db = await sharedTable()
  const firm = await newFirm()
  const { makeCase, makeDraft } = billing(firm)
  const caseId = await makeCase()
  const drafts = [await makeDraft(caseId), await makeDraft(caseId), await makeDraft(caseId)]
  const told: string[] = []
  const bothAreTold = Promise.withResolvers<void>()
  const issue = async (id: string) => {
    // A store of its own, as another process has: nothing but the table is between them.
    const store = invoiceStore({
      db,
      cursors: tableCursors(db),
      outbox: outbox(db, jobRunner(), { error: () => {} }),
    })
    return store.changeNumbered(firm.workspace.id, id, '2031', async (current, given) => {
      // Before the number is known, the change is judged without it.
      if (given !== '') told.push(given)
      if (told.length === 2) bothAreTold.resolve()
      if (given !== '') await bothAreTold.promise
      return { record: { ...current, status: 'issued', number: given }, answer: given }
    })
  }

  const numbers = await Promise.all([issue(drafts[0].id), issue(drafts[1].id)])

  expect(told.slice(0, 2)).toEqual(['R-2031-0001', 'R-2031-0001'])
  expect(numbers.toSorted()).toEqual(['R-2031-0001', 'R-2031-0002'])
  expect(await issue(drafts[2].id)).toBe('R-2031-0003')
})

it('what is refused or changes nothing takes no number, and draws no ticket', async () => {
  const db = await sharedTable()
  const firm = await newFirm()
  const { makeCase, makeDraft } = billing(firm)
  const draft = await makeDraft(await makeCase())
  const store = invoiceStore({
    db,
    cursors: tableCursors(db),
    outbox: outbox(db, jobRunner(), { error: () => {} }),
  })
  const change = (decide: () => { answer: string }) =>
    store.changeNumbered(firm.workspace.id, draft.id, '2031', decide)

  const answer = await change(() => ({ answer: 'unchanged' }))
  const refused = change(() => {
    throw new Error('It is refused.')
  })

  await expect(refused).rejects.toThrow('It is refused.')
  const line = { workspace_id: firm.workspace.id, series: 'invoice/2031/line' }
  expect([answer, (await counterEntity(db).get(line).go()).data]).toEqual(['unchanged', null])
})

it('what waits for its number until the next year gets date, number and time of that year', async () => {
  const db = await sharedTable()
  const firm = await newFirm()
  const { makeCase, makeDraft } = billing(firm)
  const draft = await makeDraft(await makeCase())
  const store = invoiceStore({
    db,
    cursors: tableCursors(db),
    outbox: outbox(db, jobRunner(), { error: () => {} }),
  })
  let [time, whenNumbered] = ['', '']
  const changeNumbered: InvoiceStore['changeNumbered'] = (workspaceId, id, year, decide) =>
    store.changeNumbered(workspaceId, id, year, (current, number) => {
      if (number !== '') time = whenNumbered
      return decide(current, number)
    })
  const deps: Partial<InvoiceDeps> = {
    store: { ...store, changeNumbered },
    entries: { findAll: async () => [] } as unknown as InvoiceDeps['entries'],
    workspaces: workspaceStore(db),
    clock: { now: () => new Date(time) },
  }
  const invoices = issuedInvoices(deps as InvoiceDeps)
  const actor = { workspace_id: firm.workspace.id, user_id: firm.ownerUser.id, user_name: 'Rita Roth' }

  ;[time, whenNumbered] = ['2031-12-31T22:59:59.999Z', '2031-12-31T23:00:00.000Z']
  const issued = await invoices.issue(actor as never, draft.id)
  ;[time, whenNumbered] = ['2032-12-31T22:59:59.999Z', '2032-12-31T23:00:00.000Z']
  const cancelled = await invoices.cancel(actor as never, draft.id)
  const cancellation = await store.find(firm.workspace.id, cancelled.cancelled_by ?? '')

  expect([issued, cancellation]).toMatchObject([
    { number: 'R-2032-0001', invoice_date: '2032-01-01', issued_at: '2031-12-31T23:00:00.000Z' },
    { number: 'R-2033-0001', invoice_date: '2033-01-01', issued_at: '2032-12-31T23:00:00.000Z' },
  ])
})
