import type { InvoiceSummary } from '#billing/schema.ts'
import type { BookableInvoices } from '#exports/booking-ports.ts'
import type { RowSource, SourceQuery } from '#exports/ports.ts'
import { invoiceFilters } from '../billing/invoice-lists.ts'
import type { Db } from '../db.ts'
import type { WithoutNulls } from '../nulls.ts'
import { datedEntries } from './dated-entries.ts'
import { joinedNames } from './joined-names.ts'

/** An invoice as its list has it: without its lines. */
type ListedInvoice = WithoutNulls<InvoiceSummary>

/** Invoices in the order of their dates. */
export function invoiceRows(db: Db): RowSource {
  return async function* (query) {
    for await (const invoices of withFileNumbers(db, query))
      yield invoices.map(({ listed: one, file_number }) => ({
        number: one.number ?? null,
        status: one.status,
        invoice_date: one.invoice_date,
        due_date: one.due_date ?? null,
        case_id: one.case_id,
        file_number,
        party_id: one.party_id ?? null,
        // As it stands on the invoice: the party may have another name by now.
        party_name: one.buyer.name ?? null,
        net: one.net,
        tax: one.tax,
        gross: one.gross,
        currency: one.currency,
        paid_at: one.paid_at ?? null,
        cancels: one.cancels ?? null,
        cancelled_by: one.cancelled_by ?? null,
        id: one.id,
        created_at: one.created_at,
      }))
  }
}

/** The same invoices as DATEV books them. */
export function bookableInvoices(db: Db): BookableInvoices {
  const fields = new Set(['file_number'])
  return async function* (query) {
    for await (const invoices of withFileNumbers(db, { ...query, fields }))
      yield invoices.map(({ listed: one, file_number }) => ({
        number: one.number ?? null,
        status: one.status,
        invoice_date: one.invoice_date,
        due_date: one.due_date ?? null,
        taxes: one.taxes,
        cancels: one.cancels ?? null,
        file_number,
        buyer_name: one.buyer.name ?? null,
      }))
  }
}

type NumberedInvoice = { listed: ListedInvoice; file_number: string | null }

/** Invoices, with the numbers of their cases if the query asks for them. */
async function* withFileNumbers(db: Db, query: SourceQuery): AsyncGenerator<NumberedInvoice[]> {
  const names = joinedNames(db, query.workspace_id)
  const hasNumber = query.fields.has('file_number')
  const list = { name: 'invoices', query, plan: invoiceFilters }
  const batches: AsyncGenerator<ListedInvoice[]> = datedEntries(db, list)
  for await (const invoices of batches) {
    const titles = await names.cases(hasNumber ? invoices.map(({ case_id }) => case_id) : [])
    yield invoices.map((listed) => ({
      listed,
      file_number: titles.get(listed.case_id)?.file_number ?? null,
    }))
  }
}
