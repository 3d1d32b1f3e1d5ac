import type { Actor } from '#kernel/actor.ts'
import { required } from '#kernel/failure.ts'
import type { Page } from '#kernel/page.ts'
import { requireDaysInOrder } from './days.ts'
import type { InvoiceQuery } from './input-schema.ts'
import { type InvoiceDeps, sellerOf, todayAndSeller } from './invoice-deps.ts'
import { invoiceDrafts } from './invoice-drafts.ts'
import { shownInvoice } from './invoice-warnings.ts'
import { issuedInvoices } from './issued-invoices.ts'
import type { InvoiceSummary, ShownInvoice } from './schema.ts'

export type InvoiceService = ReturnType<typeof invoiceService>

/** Lists and reads invoices, and joins the use cases of drafts and of issued invoices (X7). */
export function invoiceService(deps: InvoiceDeps) {
  const { store, parties } = deps
  return {
    /** A page of invoices without their lines, the newest date first (X7). @throws Failure INVALID_DATE_RANGE */
    async list(actor: Actor, { limit, cursor, ...filters }: InvoiceQuery): Promise<Page<InvoiceSummary>> {
      requireDaysInOrder(filters)
      return store.page(actor.workspace_id, filters, { limit, cursor })
    },

    /** @throws Failure INVOICE_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<ShownInvoice> {
      const [found, now] = await Promise.all([
        store.find(actor.workspace_id, id),
        todayAndSeller(deps, actor),
      ])
      const invoice = required(found, 'INVOICE_NOT_FOUND')
      const { status, party_id } = invoice
      const hasParty = status === 'draft' && party_id !== null
      const party = hasParty ? await parties.find(actor.workspace_id, party_id) : undefined
      return shownInvoice(invoice, sellerOf(invoice, now.seller), party)
    },

    ...invoiceDrafts(deps),
    ...issuedInvoices(deps),
  }
}
