import { billedEntries } from '#billing/billed-schema.ts'
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
  const restored = {
    invoices: invoiceRecords(source),
    entries: records<TimeEntryRecord>(source, timeEntryEntity, { missing: 'TIME_ENTRY_NOT_FOUND' }),
  }

  /** The time entries that a restored invoice bills. */
  const billedBy = async ({ workspace_id, id }: StoredItem): Promise<string[]> => [
    ...billedEntries(await restored.invoices.find(String(workspace_id), String(id))),
  ]

  /** A cancellation cancels its invoice, whose time entries become free. */
  const cancelBy = async ({ workspace_id, id, cancels }: StoredItem): Promise<void> => {
    const workspaceId = String(workspace_id)
    const cancelled = cancels ? await invoices.find(workspaceId, String(cancels)) : undefined
    if (cancelled === undefined || !['issued', 'paid'].includes(cancelled.status)) return
    const after: InvoiceRecord = { ...cancelled, status: 'cancelled', cancelled_by: String(id) }
    await transact(target, [
      invoices.replace(cancelled, after),
      ...invoiceLists(target).changes(cancelled, after),
    ])
    await entries.release(workspaceId, cancelled.id, [...billedEntries(cancelled)], billedEntries)
  }

  /** An invoice that is a draft by now is issued again. Time entries that only the draft bills become free. */
  const replaceDraft = async (workspaceId: string, id: string): Promise<void> => {
    const issued = await restored.invoices.find(workspaceId, id)
    const billed = [...billedEntries(await invoices.find(workspaceId, id))]
    await entries.release(workspaceId, id, billed, () => billedEntries(issued))
    const draft = await invoices.find(workspaceId, id)
    if (issued === undefined || draft === undefined || draft.deleted_at !== null) return
    await transact(target, [invoices.replace(draft, issued), ...invoiceLists(target).changes(draft, issued)])
  }

  return {
    /** Whether another invoice of the table bills a time entry of this invoice by now. */
    async isBilledElsewhere(item: StoredItem): Promise<boolean> {
      if (item.__edb_e__ !== 'invoice') return false
      const found = await entries.findAll(String(item.workspace_id), await billedBy(item))
      return found.some(isHeldByOther(String(item.id)))
    },

    /**
     * Before an invoice comes back: it holds its time entries, a cancellation cancels its invoice, and an issued invoice
     * replaces its draft. That is last, since an issued invoice is no longer lost: another run would not do the rest.
     */
    async prepareInvoice(item: StoredItem): Promise<void> {
      const [workspaceId, id] = [String(item.workspace_id), String(item.id)]
      await entries.hold(workspaceId, id, await billedBy(item), (found) => {
        if (found.some(isHeldByOther(id)))
          throw new Error(`Another invoice bills time entries of ${id} by now. Run the command again.`)
      })
      await cancelBy(item)
      await replaceDraft(workspaceId, id)
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
      if (billedEntries(await invoices.find(workspaceId, String(invoice_id))).has(id)) return item
      const record = { ...(await restored.entries.found(workspaceId, id)), invoice_id: null }
      await transact(target, timeEntryLists(target).changes(undefined, record))
      return free as StoredItem
    },
  }
}

function isHeldByOther(invoiceId: string) {
  return ({ invoice_id }: TimeEntryRecord): boolean => invoice_id !== null && invoice_id !== invoiceId
}
