import type { InvoiceRecord, TimeEntryRecord } from '#billing/ports.ts'
import { tableCursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import type { StoredItem } from '../pages-of.ts'
import { records } from '../records.ts'
import { transact } from '../transact.ts'
import { invoiceLists } from './invoice-lists.ts'
import { invoiceRecords } from './invoice-record.ts'
import { timeEntryEntity } from './time-entry-entity.ts'
import { timeEntryLists } from './time-entry-lists.ts'
import { timeEntryStore } from './time-entry-store.ts'

/**
 * Keeps billing right when invoices and time entries come back from another table: nothing is billed twice, and no entry
 * is held by an invoice that does not bill it.
 */
export function returningBilling({ source, target }: { source: Db; target: Db }) {
  const entries = timeEntryStore({ db: target, cursors: tableCursors(target) })
  const invoices = invoiceRecords(target)
  const restored = records<TimeEntryRecord>(source, timeEntryEntity, { missing: 'TIME_ENTRY_NOT_FOUND' })

  const entriesTakenFrom = async (item: StoredItem): Promise<boolean> => {
    const records = await entries.findAll(String(item.workspace_id), billedBy(item))
    return records.some(({ invoice_id }) => invoice_id !== null && invoice_id !== item.id)
  }

  return {
    /** Whether another invoice of the table bills a time entry of this invoice by now. */
    isBilledElsewhere: async (item: StoredItem): Promise<boolean> =>
      item.__edb_e__ === 'invoice' && (await entriesTakenFrom(item)),

    /** Before an invoice comes back: it holds its time entries, and a cancellation cancels its invoice. */
    async prepareInvoice(item: StoredItem): Promise<void> {
      const [workspaceId, id] = [String(item.workspace_id), String(item.id)]
      await entries.hold(workspaceId, id, billedBy(item), (records) => {
        if (records.some(({ invoice_id }) => invoice_id !== null && invoice_id !== id))
          throw new Error(`Another invoice bills time entries of ${id} by now. Run the command again.`)
      })
      const cancelled = item.cancels ? await invoices.find(workspaceId, String(item.cancels)) : undefined
      if (cancelled === undefined || !['issued', 'paid'].includes(cancelled.status)) return
      const after: InvoiceRecord = { ...cancelled, status: 'cancelled', cancelled_by: id }
      await transact(target, [
        invoices.replace(cancelled, after),
        ...invoiceLists(target).changes(cancelled, after),
      ])
      await entries.release(workspaceId, cancelled.id, idsIn(cancelled.lines), () => new Set())
    },

    /**
     * Before a time entry comes back: it becomes free, unless its invoice bills it.
     *
     * @param returns whether an invoice comes back too
     * @returns the item to write
     */
    async prepareEntry(item: StoredItem, returns: (invoiceId: string) => boolean): Promise<StoredItem> {
      const { invoice_id, ...free } = item
      if (invoice_id === undefined || returns(String(invoice_id))) return item
      const [workspaceId, id] = [String(item.workspace_id), String(item.id)]
      const invoice = await invoices.find(workspaceId, String(invoice_id))
      const bills =
        invoice?.deleted_at === null && invoice.status !== 'cancelled' && idsIn(invoice.lines).includes(id)
      if (bills) return item
      const record = { ...(await restored.found(workspaceId, id)), invoice_id: null }
      await transact(target, timeEntryLists(target).changes(undefined, record))
      return free as StoredItem
    },
  }
}

/** The time entries that the item of an invoice bills. */
function billedBy({ status, lines }: StoredItem): string[] {
  return status === 'cancelled' ? [] : idsIn((lines ?? []) as InvoiceRecord['lines'])
}

function idsIn(lines: InvoiceRecord['lines']): string[] {
  return lines.flatMap(({ time_entry_id }) => time_entry_id ?? [])
}
