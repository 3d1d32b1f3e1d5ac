import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { conflict, type Failure, notFound, required, unknownAt } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page } from '#kernel/page.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import { amountOfTime } from './amounts.ts'
import { billedEntries } from './billed-schema.ts'
import { requireDaysInOrder } from './days.ts'
import type { TimeEntryChanges, TimeEntryInput, TimeEntryQuery } from './input-schema.ts'
import type { BillingCases, BillingUsers, Holder, TimeEntryRecord, TimeEntryStore } from './ports.ts'
import type { TimeEntry } from './schema.ts'

export type TimeEntryService = ReturnType<typeof timeEntryService>

/** The use cases of time entries (X6). */
export function timeEntryService(deps: {
  store: TimeEntryStore
  cases: BillingCases
  users: BillingUsers
  clock: Clock
}) {
  const { store, cases, users, clock } = deps

  const requireUser = async ({ workspace_id }: Actor, id: string): Promise<void> => {
    if (!(await users.names(workspace_id, [id])).has(id))
      throw notFound('USER_NOT_FOUND', unknownAt('body.user_id', id))
  }

  const requireCase = async ({ workspace_id }: Actor, id: string): Promise<void> => {
    if (!(await cases.exists(workspace_id, id)))
      throw notFound('CASE_NOT_FOUND', unknownAt('body.case_id', id))
  }

  return {
    /** A page of time entries, the newest day first (X6). @throws Failure INVALID_DATE_RANGE */
    async list(actor: Actor, { limit, cursor, ...filters }: TimeEntryQuery): Promise<Page<TimeEntry>> {
      requireDaysInOrder(filters)
      return store.page(actor.workspace_id, filters, { limit, cursor })
    },

    /** Records time, for the caller if the input names no user. @throws Failure CASE_NOT_FOUND, USER_NOT_FOUND */
    async add(actor: Actor, input: TimeEntryInput): Promise<Answered<TimeEntry>> {
      await requireCase(actor, input.case_id)
      const user_id = input.user_id ?? actor.user_id
      if (user_id !== actor.user_id) await requireUser(actor, user_id)
      const record = {
        workspace_id: actor.workspace_id,
        id: newId('timeEntry'),
        ...input,
        user_id,
        amount: amountOfTime(input),
        invoice_id: null,
        created_at: timestamp(clock),
        version: 1,
      }
      return store.add({ record, answer: record })
    },

    /** @throws Failure TIME_ENTRY_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<TimeEntry> {
      return required(await store.find(actor.workspace_id, id), 'TIME_ENTRY_NOT_FOUND')
    },

    /**
     * Changes the fields that are in `input`; a `user_id` of null means the caller. An entry on an issued invoice
     * cannot change. An entry on a draft must stay billable and in its case. The lines of the draft do not change.
     *
     * @throws Failure TIME_ENTRY_NOT_FOUND, CASE_NOT_FOUND, USER_NOT_FOUND, TIME_ENTRY_INVOICED, PRECONDITION_FAILED
     */
    async change(
      actor: Actor,
      id: string,
      input: TimeEntryChanges,
      precondition: Precondition<TimeEntry> = anyState,
    ): Promise<TimeEntry> {
      const changes = { ...input, user_id: input.user_id === null ? actor.user_id : input.user_id }
      const before = required(await store.find(actor.workspace_id, id), 'TIME_ENTRY_NOT_FOUND')
      if (changes.case_id !== undefined && changes.case_id !== before.case_id)
        await requireCase(actor, changes.case_id)
      if (changes.user_id !== undefined && changes.user_id !== before.user_id)
        await requireUser(actor, changes.user_id)
      return store.change(actor.workspace_id, id, (current, holder) => {
        precondition(current)
        const differing = fields.filter(
          (field) => changes[field] !== undefined && changes[field] !== current[field],
        )
        if (differing.length === 0) return { answer: current }
        const values = Object.fromEntries(differing.map((field) => [field, changes[field]]))
        const changed = { ...current, ...values, version: current.version + 1 }
        const staysOnDraft = changed.case_id === current.case_id && changed.billable
        refuseInvoiced(current, holder, { staysOnDraft })
        const record = { ...changed, amount: amountOfTime(changed) }
        return { record, answer: record }
      })
    },

    /**
     * Deletes a time entry that is on no invoice and no draft.
     *
     * @throws Failure TIME_ENTRY_NOT_FOUND, TIME_ENTRY_INVOICED, PRECONDITION_FAILED
     */
    remove: (actor: Actor, id: string, precondition: Precondition<TimeEntry> = anyState): Promise<void> =>
      store.remove(
        actor.workspace_id,
        id,
        (current, holder) => {
          precondition(current)
          refuseInvoiced(current, holder, { staysOnDraft: false })
        },
        timestamp(clock),
      ),
  }
}

const fields = ['case_id', 'user_id', 'date', 'minutes', 'activity', 'billable', 'rate'] as const

/**
 * Refuses a change or deletion of an entry that is on an invoice.
 *
 * @param staysOnDraft whether a draft can still bill the entry after the change
 * @throws Failure TIME_ENTRY_INVOICED
 */
function refuseInvoiced(
  { id }: TimeEntryRecord,
  holder: Holder,
  { staysOnDraft }: { staysOnDraft: boolean },
): void {
  if (holder === 'none') return
  if (holder === 'missing')
    throw invoiced('Another request is adding this time entry to an invoice. Try again later.')
  if (holder.deleted_at !== null) return
  if (holder.status === 'draft') {
    // Even if no line of the draft names the entry yet, a request may be adding one.
    if (!staysOnDraft) throw invoiced(`Remove the time entry from the draft ${holder.id} first.`)
  } else if (billedEntries(holder).has(id)) {
    throw invoiced(`The time entry is on the invoice ${holder.number}. Cancel that first.`)
  }
}

function invoiced(message: string): Failure {
  return conflict('TIME_ENTRY_INVOICED', message)
}
