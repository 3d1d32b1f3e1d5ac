import type { InvoiceDecision, InvoiceRecord, InvoiceStore } from '#billing/ports.ts'
import { required } from '#kernel/failure.ts'
import { type Answered, unchanged } from '#kernel/idempotency.ts'
import { eventsAbout, type NewEvent } from '#webhooks/catalogue-schema.ts'
import { caseActions } from '../cases/case-actions.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { strongly } from '../db.ts'
import { gaplessNumbers, type NumberUse } from '../gapless-numbers.ts'
import { noteRemoved } from '../retention/removed-in-case.ts'
import type { StoreDeps } from '../store-deps.ts'
import { type Action, retryStale, transact } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { pageOfSource } from './by-day.ts'
import { invoiceLists } from './invoice-lists.ts'
import { invoiceRecords } from './invoice-record.ts'

/** Invoices in the table. */
export function invoiceStore(deps: StoreDeps): InvoiceStore {
  const { db, cursors, outbox } = deps
  const records = invoiceRecords(db)
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

  const numbers = gaplessNumbers(db)

  type Decide<Answer> = (current: InvoiceRecord) => Promise<InvoiceDecision<Answer>> | InvoiceDecision<Answer>

  /**
   * One attempt of a change.
   *
   * @param first actions whose conditions are checked first
   * @returns a function that runs its jobs and returns the answer, and whether anything was written
   */
  const attempt = async <Answer>(
    workspaceId: string,
    id: string,
    decide: Decide<Answer>,
    ...first: Action[]
  ): Promise<NumberUse<() => Promise<Answered<Answer>>>> => {
    const before = required(await find(workspaceId, id), 'INVOICE_NOT_FOUND')
    const change = await decide(before)
    if (change.record === undefined) return { isUsed: false, result: async () => unchanged(change.answer) }
    const { record, added, jobs = [] } = change
    const timeline = (await outlivesCase(before)) ? [] : (change.timeline ?? [])
    const actions = [
      ...first,
      ...ofCase.inCase(record, before),
      records.replace(before, record),
      ...(record.deleted_at === null ? [] : noteRemoved(db, record)),
      ...lists.changes(before, record),
      ...(added ? [records.add(added), ...lists.changes(undefined, added)] : []),
      ...ofCase.recordTimelines(workspaceId, timeline),
      ...recordEvents(workspaceId, [...statusEvents(before, record), ...statusEvents(undefined, added)]),
    ]
    return { isUsed: true, result: await outbox.enqueue(actions, jobs, change) }
  }

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
      const { result: follow } = await retryStale(
        () => attempt(workspaceId, id, decide),
        `${workspaceId} ${id}`,
      )
      return follow()
    },

    changeNumbered: async <Answer>(
      workspaceId: string,
      id: string,
      year: string,
      decide: (current: InvoiceRecord, number: string) => ReturnType<Decide<Answer>>,
    ) => {
      // A call that is refused or changes nothing does not wait for its turn.
      const before = required(await find(workspaceId, id), 'INVOICE_NOT_FOUND')
      const judged = await decide(before, '')
      if (judged.record === undefined) return unchanged(judged.answer)
      const follow = await numbers.next(
        { workspace_id: workspaceId, series: `invoice/${year}` },
        (last, advance) => {
          const number = `R-${year}-${String(last).padStart(4, '0')}`
          return retryStale(() => attempt(workspaceId, id, (current) => decide(current, number), advance))
        },
      )
      return follow()
    },
  }
}

/** The webhook event for a changed status of an invoice (E1). */
function statusEvents(before: InvoiceRecord | undefined, after: InvoiceRecord | undefined): NewEvent[] {
  if (after === undefined || after.status === 'draft' || after.status === before?.status) return []
  return eventsAbout(after, `invoice.${after.status}`)
}
