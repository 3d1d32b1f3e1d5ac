import { billedEntries } from '#billing/billed-schema.ts'
import type { InvoiceRecord, TimeEntryRecord } from '#billing/ports.ts'
import { tableCursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import type { StoredItem } from '../pages-of.ts'
import { records } from '../records.ts'
import { type Action, retryStale, transact } from '../transact.ts'
import { invoiceLists } from './invoice-lists.ts'
import { invoiceRecords } from './invoice-record.ts'
import { timeEntryEntity } from './time-entry-entity.ts'
import { timeEntryLists } from './time-entry-lists.ts'
import { timeEntryStore } from './time-entry-store.ts'

/** An item that comes back from another table, and the actions that are written with it. */
export type Returning = { item: StoredItem; actions: Action[] }

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

  /**
   * Time entries that only the draft of an issued invoice bills become free.
   *
   * @returns the actions that replace the draft in the lists
   */
  const replaceDraft = async (workspaceId: string, id: string): Promise<Action[]> => {
    const issued = await restored.invoices.find(workspaceId, id)
    const draft = await invoices.find(workspaceId, id)
    await entries.release(workspaceId, id, [...billedEntries(draft)], () => billedEntries(issued))
    const isListed = issued !== undefined && draft !== undefined && draft.deleted_at === null
    return isListed ? invoiceLists(target).changes(draft, issued) : []
  }

  /** Makes an invoice hold these time entries. @throws Error if another invoice holds one of them */
  const hold = (workspaceId: string, id: string, entryIds: string[]) =>
    entries.hold(workspaceId, id, entryIds, (found) => {
      if (found.some(isHeldByOther(id)))
        throw new Error(`Another invoice bills time entries of ${id} by now. Run the command again.`)
    })

  return {
    /** Whether another invoice of the table bills a time entry of this invoice by now. */
    async isBilledElsewhere(item: StoredItem): Promise<boolean> {
      if (item.__edb_e__ !== 'invoice') return false
      const found = await entries.findAll(String(item.workspace_id), await billedBy(item))
      return found.some(isHeldByOther(String(item.id)))
    },

    /**
     * Before an invoice comes back: it holds its time entries, a cancellation cancels its invoice, and an issued invoice
     * replaces its draft. It is written last, since it is no longer lost then: another run would not do the rest.
     *
     * @returns the actions to write with it
     */
    async prepareInvoice(item: StoredItem): Promise<Action[]> {
      const [workspaceId, id] = [String(item.workspace_id), String(item.id)]
      await hold(workspaceId, id, await billedBy(item))
      await cancelBy(item)
      return replaceDraft(workspaceId, id)
    },

    /** An invoice that was lost was issued anew meanwhile: only that is in the lists and holds its time entries. */
    async keepInvoice(item: StoredItem): Promise<void> {
      const [workspaceId, id] = [String(item.workspace_id), String(item.id)]
      const lost = await restored.invoices.find(workspaceId, id)
      await retryStale(async () => {
        const kept = await invoices.find(workspaceId, id)
        if (kept === undefined || kept.deleted_at !== null) return
        await transact(target, [invoices.unchanged(kept), ...invoiceLists(target).changes(lost, kept)])
        await hold(workspaceId, id, [...billedEntries(kept)])
      })
      await entries.release(workspaceId, id, await billedBy(item), billedEntries)
    },

    /**
     * Before a time entry comes back: it becomes free, unless its invoice bills it.
     *
     * @param returns whether an invoice comes back too
     * @returns the item to write, and the actions to write with it
     */
    async prepareEntry(item: StoredItem, returns: (invoiceId: string) => boolean): Promise<Returning> {
      const { invoice_id, ...free } = item
      if (invoice_id === undefined || returns(String(invoice_id))) return { item, actions: [] }
      const [workspaceId, id] = [String(item.workspace_id), String(item.id)]
      const holder = await invoices.find(workspaceId, String(invoice_id))
      if (billedEntries(holder).has(id)) return { item, actions: [] }
      const record = { ...(await restored.entries.found(workspaceId, id)), invoice_id: null }
      return { item: free as StoredItem, actions: timeEntryLists(target).changes(undefined, record) }
    },
  }
}

function isHeldByOther(invoiceId: string) {
  return ({ invoice_id }: TimeEntryRecord): boolean => invoice_id !== null && invoice_id !== invoiceId
}
