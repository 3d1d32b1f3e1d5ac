import type { CalendarDate } from '#german-time/calendar-date.ts'
import type { Job } from '#jobs/job.ts'
import type { FailureDetail } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Decision } from '#timeline/schema.ts'
import type { Seller } from './firm-schema.ts'
import type { Invoice, InvoiceSummary, TimeEntry } from './schema.ts'

/** A time entry as it is stored. `version` counts its changes. */
export type TimeEntryRecord = TimeEntry & { workspace_id: string; version: number }

/**
 * An invoice as it is stored. `version` counts its changes. If a time entry that a draft holds is changed or freed, the
 * version of the draft increases, too. So a request that has read the older entry can no longer write the draft.
 */
export type InvoiceRecord = Invoice & {
  workspace_id: string
  /** Whether the caller gave the date. Otherwise it is the day of creation, and issuing sets it to the day of issue. */
  has_given_date: boolean
  /** The firm as it was when the invoice was issued; null for a draft. */
  seller: Seller | null
  /** When the draft was deleted. A deleted draft stays stored for the audit (G13). */
  deleted_at: string | null
  version: number
}

/** A range of days, both included. */
type Days = { date_from?: CalendarDate | undefined; date_to?: CalendarDate | undefined }

export type TimeEntryFilters = Days & {
  user_id?: string | undefined
  case_id?: string | undefined
  billable?: boolean | undefined
}

export type InvoiceFilters = Days & {
  status?: Invoice['status'] | undefined
  case_id?: string | undefined
  party_id?: string | undefined
}

/**
 * Time entries. `invoice_id` of an entry names the invoice that *holds* it; null means that the entry is free. Only a
 * free entry can get a holder, and the lines of an invoice name only entries that it holds.
 */
export type TimeEntryStore = {
  find: (workspaceId: string, id: string) => Promise<TimeEntryRecord | undefined>
  /** The entries that exist, in any order. */
  findAll: (workspaceId: string, ids: readonly string[]) => Promise<TimeEntryRecord[]>
  /** A page of entries, the newest day first. */
  page: (workspaceId: string, filters: TimeEntryFilters, request: PageRequest) => Promise<Page<TimeEntry>>
  /** @throws Failure CASE_NOT_FOUND */
  add: <Answer>(change: { record: TimeEntryRecord; answer: Answer }) => Promise<Answered<Answer>>
  /**
   * Replaces an entry with the result of `decide`, like `CaseStore.change`.
   *
   * @param decide gets the entry and the invoice that holds it. If the entry, or a draft that holds it, changes before
   *   the entry is written, `decide` runs again.
   * @throws Failure TIME_ENTRY_NOT_FOUND, CASE_NOT_FOUND, and what `decide` throws
   */
  change: <Answer>(
    workspaceId: string,
    id: string,
    decide: (
      current: TimeEntryRecord,
      holder: Holder,
    ) => { record?: TimeEntryRecord | undefined; answer: Answer },
  ) => Promise<Answered<Answer>>
  /** Deletes an entry, unless `allow` throws. @throws as `change` */
  remove: (
    workspaceId: string,
    id: string,
    allow: (current: TimeEntryRecord, holder: Holder) => void,
    deletedAt: string,
  ) => Promise<void>
  /**
   * Makes an invoice hold these entries, and returns the entries that exist. Many entries take several transactions. If
   * an entry has changed since it was read, the method reads all entries again and repeats the check.
   *
   * @param check gets the entries that exist, and throws if the invoice must not hold them
   * @throws what `check` throws. The invoice may already hold some of the entries; `release` frees them.
   */
  hold: (
    workspaceId: string,
    invoiceId: string,
    ids: readonly string[],
    check: (records: TimeEntryRecord[]) => void | Promise<void>,
  ) => Promise<TimeEntryRecord[]>
  /** Frees the given entries that the invoice holds but does not bill. `billedBy` returns the ids that it bills. */
  release: (
    workspaceId: string,
    invoiceId: string,
    ids: readonly string[],
    billedBy: (invoice: InvoiceRecord | undefined) => ReadonlySet<string>,
  ) => Promise<void>
}

/** The invoice that holds a time entry. `missing`: a request holds the entry and has not written its invoice yet. */
export type Holder = InvoiceRecord | 'none' | 'missing'

/** A change of an invoice. `added` is a new invoice, written in the same transaction. */
export type InvoiceDecision<Answer> = Decision<InvoiceRecord, Answer> & { added?: InvoiceRecord }

export type InvoiceStore = {
  /** The invoice of this workspace. Undefined if it does not exist or was deleted. */
  find: (workspaceId: string, id: string) => Promise<InvoiceRecord | undefined>
  /** A page of invoices, the newest date first. */
  page: (workspaceId: string, filters: InvoiceFilters, request: PageRequest) => Promise<Page<InvoiceSummary>>
  /** @throws Failure CASE_NOT_FOUND */
  add: <Answer>(change: { record: InvoiceRecord; answer: Answer }) => Promise<Answered<Answer>>
  /**
   * Like `CaseStore.change`. A record with `deleted_at` is in no list.
   *
   * @throws Failure INVOICE_NOT_FOUND, CASE_NOT_FOUND, and what `decide` throws
   */
  change: <Answer>(
    workspaceId: string,
    id: string,
    decide: (current: InvoiceRecord) => Promise<InvoiceDecision<Answer>> | InvoiceDecision<Answer>,
  ) => Promise<Answered<Answer>>
  /**
   * The same with the next number of a year, such as `R-2026-0001`, for the record or for `added`. The counter is
   * incremented in the transaction of the change, so there are no gaps. `decide` runs once before the number is known,
   * with an empty one. If it returns no record, no number is used.
   *
   * @throws Failure also 503 SERVICE_UNAVAILABLE if the time of the request ends before its turn comes
   */
  changeNumbered: <Answer>(
    workspaceId: string,
    id: string,
    year: string,
    decide: (
      current: InvoiceRecord,
      number: string,
    ) => Promise<InvoiceDecision<Answer>> | InvoiceDecision<Answer>,
  ) => Promise<Answered<Answer>>
}

export type BillingCases = { exists: (workspaceId: string, id: string) => Promise<boolean> }

export type BillingUsers = { names: (workspaceId: string, ids: string[]) => Promise<Map<string, string>> }

export type BillingParties = {
  find: (workspaceId: string, id: string) => Promise<{ name: string; email: string | null } | undefined>
  /**
   * Prevents the deletion of these parties while the invoice is written.
   *
   * @returns a function that allows their deletion again; it never fails
   * @throws Failure PARTY_NOT_FOUND if one does not exist
   */
  reserve: (workspaceId: string, ids: string[], invoiceId: string) => Promise<() => Promise<void>>
}

export type BillingWorkspaces = {
  find: (id: string) => Promise<{ time_zone: string; seller: Seller } | undefined>
}

/**
 * Returns an issued invoice as XRechnung, or the fields that are missing for it (X8). `preceding` is the invoice that
 * `invoice` cancels; null if it cancels none, or one that is not stored any more.
 */
export type WriteXrechnung = (
  invoice: Invoice,
  seller: Seller,
  preceding: Pick<Invoice, 'number' | 'invoice_date'> | null,
) => Promise<{ xml: string } | { missing: FailureDetail[] }>

/**
 * Stores jobs, and returns a function that runs them. If it is not called, the sweeper runs them one to two minutes
 * later.
 */
export type StoreJobs = (jobs: Job[]) => Promise<() => Promise<void>>
