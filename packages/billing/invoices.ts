import type { Actor } from '#kernel/actor.ts'
import { required } from '#kernel/failure.ts'
import type { Page } from '#kernel/page.ts'
import { requireDaysInOrder } from './days.ts'
import type { InvoiceQuery } from './input-schema.ts'
import type { InvoiceDeps } from './invoice-deps.ts'
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
      const invoice = required(await store.find(actor.workspace_id, id), 'INVOICE_NOT_FOUND')
      const { status, party_id } = invoice
      if (status !== 'draft' || party_id === null) return shownInvoice(invoice)
      return shownInvoice(invoice, await parties.find(actor.workspace_id, party_id))
    },

    ...invoiceDrafts(deps),
    ...issuedInvoices(deps),
  }
}
