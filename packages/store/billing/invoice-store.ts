import type { InvoiceRecord, InvoiceStore, NextNumber } from '#billing/ports.ts'
import { required } from '#kernel/failure.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { turnstile } from '#kernel/turnstile.ts'
import { eventsAbout, type NewEvent } from '#webhooks/catalogue-schema.ts'
import { caseActions } from '../cases/case-actions.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { counterEntity } from '../cases/counter-entity.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { noteRemoved } from '../retention/removed-in-case.ts'
import { type Action, change, put, retryStale, transact } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { pageOfSource } from './by-day.ts'
import { invoiceLists } from './invoice-lists.ts'
import { invoiceRecords } from './invoice-record.ts'

/** Invoices in the table. */
export function invoiceStore(deps: { db: Db; cursors: Cursors; outbox: Outbox }): InvoiceStore {
  const { db, cursors, outbox } = deps
  const records = invoiceRecords(db)
  const counters = counterEntity(db)
  const cases = caseEntity(db)
  const lists = invoiceLists(db)
  const ofCase = caseActions(db)
  const recordEvents = eventActions(db)

  const find = async (workspaceId: string, id: string): Promise<InvoiceRecord | undefined> => {
    const record = await records.find(workspaceId, id)
    return record === undefined || record.deleted_at !== null ? undefined : record
  }

  /** Whether the case of an issued invoice was disposed of, and has no timeline any more (R3). */
  const outlivesCase = async ({ workspace_id, case_id, status }: InvoiceRecord): Promise<boolean> => {
    if (status === 'draft') return false
    const { data } = await cases.get({ workspace_id, id: case_id }).go(strongly)
    return data === null || data.disposal_id !== undefined
  }

  /** `next` returns the next number. `taken` has the action that increments the counter, for the transaction. */
  const numbers = (workspaceId: string) => {
    const taken: Action[] = []
    const next: NextNumber = async (year) => {
      const key = { workspace_id: workspaceId, series: `invoice/${year}` }
      const { data: counter } = await counters.get(key).go(strongly)
      const last = (counter?.last ?? 0) + 1
      const moved = counter
        ? change(
            counters
              .patch(key)
              .set({ last })
              .where((attributes, { eq }) => eq(attributes.last, counter.last)),
          )
        : put(counters.create({ ...key, last }))
      taken.push(moved)
      return `R-${year}-${String(last).padStart(4, '0')}`
    }
    return { next, taken }
  }

  /** A process changes the invoices of a workspace one after the other, so that requests for numbers seldom collide. */
  const inTurn = turnstile()

  return {
    find,

    page: (workspaceId, filters, request) => {
      const { status, case_id, party_id, date_from, date_to } = filters
      const binding = [workspaceId, 'invoices', status, case_id, party_id, date_from, date_to]
      return pageOfSource(cursors, binding, request, lists.source(workspaceId, filters))
    },

    add: (change) => {
      const { record } = change
      const actions = [
        ofCase.isThere(record.workspace_id, record.case_id),
        records.add(record),
        ...lists.changes(undefined, record),
      ]
      return transact(db, actions, change)
    },

    change: async (workspaceId, id, decide) => {
      const attempt = async () => {
        const before = required(await find(workspaceId, id), 'INVOICE_NOT_FOUND')
        const { next, taken } = numbers(workspaceId)
        const change = await decide(before, next)
        if (change.record === undefined) return async () => unchanged(change.answer)
        const { record, added, jobs = [] } = change
        const timeline = (await outlivesCase(before)) ? [] : (change.timeline ?? [])
        const actions = [
          ...ofCase.inCase(record, before),
          records.replace(before, record),
          ...(record.deleted_at === null ? [] : noteRemoved(db, record)),
          ...lists.changes(before, record),
          ...(added ? [records.add(added), ...lists.changes(undefined, added)] : []),
          ...taken,
          ...ofCase.recordTimelines(workspaceId, timeline),
          ...recordEvents(workspaceId, [...statusEvents(before, record), ...statusEvents(undefined, added)]),
        ]
        return outbox.enqueue(actions, jobs, change)
      }
      const follow = await inTurn(workspaceId, () => retryStale(attempt))
      return follow()
    },
  }
}

/** The webhook event for a changed status of an invoice (E1). */
function statusEvents(before: InvoiceRecord | undefined, after: InvoiceRecord | undefined): NewEvent[] {
  if (after === undefined || after.status === 'draft' || after.status === before?.status) return []
  return eventsAbout(after, `invoice.${after.status}`)
}
