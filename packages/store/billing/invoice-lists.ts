import type { InvoiceFilters, InvoiceRecord } from '#billing/ports.ts'
import type { InvoiceSummary } from '#billing/schema.ts'
import type { Db } from '../db.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { type Entry, type Source, sortedList } from '../sorted-list.ts'
import type { Action } from '../transact.ts'
import { placeOn, rangeOfDays } from './by-day.ts'
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
      const { status, case_id, party_id } = filters
      return list.source(workspaceId, drivingTerm(filters), rangeOfDays(filters), ({ data }) => {
        const invoice = withNulls(data as InvoiceSummary, nullableInLists)
        const isWanted =
          (status === undefined || invoice.status === status) &&
          (case_id === undefined || invoice.case_id === case_id) &&
          (party_id === undefined || invoice.party_id === party_id)
        return isWanted ? invoice : undefined
      })
    },
  }
}

/** The fields of entries that may be null. */
const { seller: _, deleted_at: __, ...nullableInLists } = invoiceEntity.nullable

function entriesOf(record: InvoiceRecord): Entry<object>[] {
  if (record.deleted_at !== null) return []
  const { workspace_id, version, has_given_date, seller, lines, ...data } = withoutNulls(record)
  const { id, invoice_date, status, case_id, party_id } = record
  const terms = [
    'all',
    `status=${status}`,
    `case=${case_id}`,
    ...(party_id === null ? [] : [`party=${party_id}`, `party=${party_id} status=${status}`]),
  ]
  return terms.map((term) => ({ term, place: placeOn(invoice_date, id), data }))
}

function drivingTerm({ status, case_id, party_id }: InvoiceFilters): string {
  if (case_id !== undefined) return `case=${case_id}`
  if (party_id !== undefined && status !== undefined) return `party=${party_id} status=${status}`
  if (party_id !== undefined) return `party=${party_id}`
  return status === undefined ? 'all' : `status=${status}`
}
