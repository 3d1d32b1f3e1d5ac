import type { InvoiceFilters, InvoiceRecord } from '#billing/ports.ts'
import type { InvoiceSummary } from '#billing/schema.ts'
import type { Db } from '../db.ts'
import { withoutNulls } from '../nulls.ts'
import { type Entry, filedList, type Source } from '../sorted-list.ts'
import { daySource, placeOn } from './by-day.ts'
import { filterPlan } from './filter-plan.ts'
import { invoiceEntity } from './invoice-entity.ts'

/** The lists of invoices by date, newest first. An entry contains the invoice as a list shows it, without lines. */
export function invoiceLists(db: Db) {
  const list = filedList(db, 'invoices', 'descending', entriesOf)
  return {
    /** The actions that bring the lists from `before` to `after`. A deleted invoice is in no list. */
    changes: list.changes,

    /** The invoices that pass the filters, the newest date first. */
    source(workspaceId: string, filters: InvoiceFilters): Source<InvoiceSummary> {
      return daySource(list, invoiceFilters, workspaceId, filters, nullableInLists)
    },
  }
}

const { seller: _, deleted_at: __, basis: ___, ...nullable } = invoiceEntity.nullable

/** The fields of entries that may be null. */
export const nullableInLists = nullable

export const invoiceFilters = filterPlan([['case_id'], ['party_id', 'status']])

function entriesOf(record: InvoiceRecord): Entry<object>[] {
  if (record.deleted_at !== null) return []
  const { workspace_id, version, has_given_date, seller, lines, basis, ...data } = withoutNulls(record)
  const place = placeOn(record.invoice_date, record.id)
  return invoiceFilters.allTermsOf(record).map((term) => ({ term, place, data }))
}
