import type { InvoiceSummary } from '#billing/schema.ts'
import type { BookableInvoices } from '#exports/booking-ports.ts'
import type { RowSource, SourceQuery } from '#exports/ports.ts'
import { invoiceFilters, nullableInLists } from '../billing/invoice-lists.ts'
import type { Db } from '../db.ts'
import { type WithoutNulls, withNulls } from '../nulls.ts'
import { datedEntries } from './dated-entries.ts'
import { joinedNames } from './joined-names.ts'

/** An invoice as its list has it: without its lines. */
type ListedInvoice = WithoutNulls<InvoiceSummary>

/** Invoices in the order of their dates. */
export function invoiceRows(db: Db): RowSource {
  return async function* (query) {
    // The name of the party as it stands on the invoice: the party may have another one by now.
    for await (const invoices of withFileNumbers(db, query))
      yield invoices.map(({ buyer, taxes: _, ...one }) => ({ ...one, party_name: buyer.name }))
  }
}

/** The same invoices as DATEV books them. */
export function bookableInvoices(db: Db): BookableInvoices {
  const fields = new Set(['file_number'])
  return async function* (query) {
    for await (const invoices of withFileNumbers(db, { ...query, fields }))
      yield invoices.map((one) => ({ ...one, buyer_name: one.buyer.name, buyer_vat_id: one.buyer.vat_id }))
  }
}

/** Invoices, with the numbers of their cases if the query asks for them. */
async function* withFileNumbers(
  db: Db,
  query: SourceQuery,
): AsyncGenerator<(InvoiceSummary & { file_number: string | null })[]> {
  const names = joinedNames(db, query.workspace_id)
  const hasNumber = query.fields.has('file_number')
  const list = { name: 'invoices', query, plan: invoiceFilters }
  const batches: AsyncGenerator<ListedInvoice[]> = datedEntries(db, list)
  for await (const invoices of batches) {
    const titles = await names.cases(hasNumber ? invoices.map(({ case_id }) => case_id) : [])
    yield invoices.map((one) => ({
      ...withNulls(one, nullableInLists),
      file_number: titles.get(one.case_id)?.file_number ?? null,
    }))
  }
}
