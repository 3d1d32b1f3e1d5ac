import type { InvoiceFilters, InvoiceRecord } from '#billing/ports.ts'
import type { InvoiceSummary } from '#billing/schema.ts'
import type { Db } from '../db.ts'
import { withoutNulls } from '../nulls.ts'
import { type Entry, type Source, sortedList } from '../sorted-list.ts'
import type { Action } from '../transact.ts'
import { daySource, placeOn } from './by-day.ts'
import { filterPlan } from './filter-plan.ts'
import { invoiceEntity } from './invoice-entity.ts'

/** The lists of invoices by date, newest first, with what each invoice shows but its lines. */
export function invoiceLists(db: Db) {
  const list = sortedList<object>(db, 'invoices', 'descending')
  return {
    /** The actions that bring the lists from `before` to `after`. A deleted invoice is in no list. */
    changes(before: InvoiceRecord | undefined, after: InvoiceRecord): Action[] {
      return list.changes(after.workspace_id, before ? entriesOf(before) : [], entriesOf(after))
    },

    /** A range of the term that fits the filters best; what it does not filter is filtered on the way. */
    source(workspaceId: string, filters: InvoiceFilters): Source<InvoiceSummary> {
      return daySource(list, invoiceFilters, workspaceId, filters, nullableInLists)
    },
  }
}

/** The fields of entries that may be null. */
const { seller: _, deleted_at: __, basis: ___, ...nullableInLists } = invoiceEntity.nullable

/** The filters of the list. */
export const invoiceFilters = filterPlan([['case_id'], ['party_id', 'status']])

function entriesOf(record: InvoiceRecord): Entry<object>[] {
  if (record.deleted_at !== null) return []
  const { workspace_id, version, has_given_date, seller, lines, basis, ...data } = withoutNulls(record)
  const place = placeOn(record.invoice_date, record.id)
  return invoiceFilters.allTermsOf(record).map((term) => ({ term, place, data }))
}
