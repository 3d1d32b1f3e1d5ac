import type { Holder, InvoiceRecord, TimeEntryRecord, TimeEntryStore } from '#billing/ports.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { chunks } from '../batch.ts'
import { caseActions } from '../cases/case-actions.ts'
import { usualEvents } from '../changes.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import { records } from '../records.ts'
import { noteRemoved } from '../retention/removed-in-case.ts'
import { workspaceOf } from '../sorted-list.ts'
import { type Action, retryStale, transact } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { pageOfSource } from './by-day.ts'
import { invoiceRecords } from './invoice-record.ts'
import { timeEntryEntity } from './time-entry-entity.ts'
import { timeEntryLists } from './time-entry-lists.ts'

/**
 * Each entry takes seven actions: its record, five list entries and its event. A transaction has 99 actions, and the
 * invoice takes one.
 */
const entriesPerTransaction = 14

/** The webhook events about time entries (E1). */
const eventsOf = usualEvents<TimeEntryRecord>('time_entry', ({ id, case_id }) => ({ id, case_id }))

/** Time entries in the table. */
export function timeEntryStore({ db, cursors }: { db: Db; cursors: Cursors }): TimeEntryStore {
  const entries = records<TimeEntryRecord>(db, timeEntryEntity, { missing: 'TIME_ENTRY_NOT_FOUND' })
  const lists = timeEntryLists(db)
  const invoices = invoiceRecords(db)
  const ofCase = caseActions(db)
  const recordEvents = eventActions(db)

  /** The actions that follow a change of an entry: its places in lists, and its event. */
  const follow = (before: TimeEntryRecord | undefined, after: TimeEntryRecord | undefined): Action[] => [
    ...lists.changes(before, after),
    ...recordEvents(workspaceOf(before, after), eventsOf(before, after)),
  ]

  const holderOf = async (workspaceId: string, { invoice_id }: TimeEntryRecord): Promise<Holder> =>
    invoice_id === null ? 'none' : ((await invoices.find(workspaceId, invoice_id)) ?? 'missing')

  const replace = (before: TimeEntryRecord, after: TimeEntryRecord): Action[] => [
    entries.replace(before, { ...after, version: before.version + 1 }),
    ...follow(before, after),
  ]

  /**
   * Requires that a draft that holds an entry has not changed since it was read. Makes concurrent writes of it fail.
   * They begin again and see the changed entry. An invoice that is not written yet must still be missing. Any other
   * invoice never bills another entry, so nothing is required of it.
   */
  const requireHolder = (
    workspaceId: string,
    invoiceId: string,
    holder: InvoiceRecord | undefined,
  ): Action[] => {
    if (holder === undefined) return [invoices.isMissing(workspaceId, invoiceId)]
    return holder.status === 'draft' && holder.deleted_at === null ? [invoices.touch(holder)] : []
  }

  const holderActions = (workspaceId: string, { invoice_id }: TimeEntryRecord, holder: Holder): Action[] =>
    holder === 'none' || invoice_id === null
      ? []
      : requireHolder(workspaceId, invoice_id, holder === 'missing' ? undefined : holder)

  const found = async (workspaceId: string, id: string) => {
    const before = await entries.found(workspaceId, id)
    return { before, holder: await holderOf(workspaceId, before) }
  }

  return {
    find: entries.find,
    findAll: entries.findAll,

    page: (workspaceId, filters, request) => {
      const { user_id, case_id, billable, date_from, date_to } = filters
      const binding = [workspaceId, 'time_entries', user_id, case_id, billable, date_from, date_to]
      return pageOfSource(cursors, binding, request, lists.source(workspaceId, filters))
    },

    add: (change) => {
      const { record } = change
      const actions = [
        ofCase.isThere(record.workspace_id, record.case_id),
        entries.add(record),
        ...follow(undefined, record),
      ]
      return transact(db, actions, change)
    },

    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const { before, holder } = await found(workspaceId, id)
        const change = decide(before, holder)
        const { record: after } = change
        if (after === undefined) return unchanged(change.answer)
        const actions = [
          ...ofCase.inCase(after, before),
          ...replace(before, after),
          ...holderActions(workspaceId, before, holder),
        ]
        return transact(db, actions, change)
      }),

    remove: (workspaceId, id, allow, deletedAt) =>
      retryStale(async () => {
        const { before, holder } = await found(workspaceId, id)
        allow(before, holder)
        await transact(db, [
          entries.remove(before, deletedAt),
          ...noteRemoved(db, before),
          ...follow(before, undefined),
          ...holderActions(workspaceId, before, holder),
        ])
      }),

    hold: (workspaceId, invoiceId, ids, check) =>
      retryStale(async () => {
        const records = await entries.findAll(workspaceId, ids)
        await check(records)
        // In the order of their ids: if several invoices want the same entries, one of them gets them all.
        const free = records
          .filter(({ invoice_id }) => invoice_id !== invoiceId)
          .toSorted((one, other) => (one.id < other.id ? -1 : 1))
        // One transaction after the other: after a failure no other one is still running.
        for (const some of chunks(free, entriesPerTransaction))
          await transact(
            db,
            some.flatMap((record) => replace(record, { ...record, invoice_id: invoiceId })),
          )
        return records.map((record) => ({ ...record, invoice_id: invoiceId }))
      }),

    release: (workspaceId, invoiceId, ids, billedBy) =>
      retryStale(async () => {
        const [invoice, records] = await Promise.all([
          invoices.find(workspaceId, invoiceId),
          entries.findAll(workspaceId, ids),
        ])
        const billed = billedBy(invoice)
        const held = records.filter(({ id, invoice_id }) => invoice_id === invoiceId && !billed.has(id))
        let holder = invoice
        for (const some of chunks(held, entriesPerTransaction)) {
          await transact(db, [
            ...(holder === undefined
              ? [invoices.abandon(workspaceId, invoiceId)]
              : requireHolder(workspaceId, invoiceId, holder)),
            ...some.flatMap((record) => replace(record, { ...record, invoice_id: null })),
          ])
          holder = holder && { ...holder, version: holder.version + 1 }
        }
      }),
  }
}
