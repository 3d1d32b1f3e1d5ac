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
 * An invoice as it is stored. `version` counts its changes, and the changes and releases of time entries that it holds.
 * A write that relies on these entries has the condition that the version is the same.
 */
export type InvoiceRecord = Invoice & {
  workspace_id: string
  /** Its date was given. Otherwise the date of a draft is the day of its creation, and becomes the day of issue. */
  has_given_date: boolean
  /** The firm as it was when the invoice was issued; null for a draft. */
  seller: Seller | null
  /** A draft that was deleted stays for the audit (G13). */
  deleted_at: string | null
  version: number
}

/** Days are inclusive. */
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
 * Time entries. An entry names the invoice that *holds* it; another invoice takes it only if it is free. The lines of
 * an invoice name only entries that it holds.
 */
export type TimeEntryStore = {
  find: (workspaceId: string, id: string) => Promise<TimeEntryRecord | undefined>
  /** The entries that exist, in any order. */
  findAll: (workspaceId: string, ids: readonly string[]) => Promise<TimeEntryRecord[]>
  /** The newest day first. */
  page: (workspaceId: string, filters: TimeEntryFilters, request: PageRequest) => Promise<Page<TimeEntry>>
  /** @throws Failure CASE_NOT_FOUND */
  add: <Answer>(change: { record: TimeEntryRecord; answer: Answer }) => Promise<Answered<Answer>>
  /**
   * Changes an entry as `decide` says, like `CaseStore.change`.
   *
   * @param decide gets the invoice that holds the entry, `missing` if it does not exist yet. The invoice does not
   *   change before the entry is changed.
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
   * Lets an invoice hold these entries. Takes several transactions if there are many, and begins again if an entry
   * changed meanwhile.
   *
   * @param check throws if the invoice must not hold one of them; gets the entries that exist
   * @throws what `check` throws; then the invoice may hold some of them
   */
  hold: (
    workspaceId: string,
    invoiceId: string,
    ids: readonly string[],
    check: (records: TimeEntryRecord[]) => void,
  ) => Promise<TimeEntryRecord[]>
  /** Frees the given entries that the invoice holds and does not bill (`billedBy`). */
  release: (
    workspaceId: string,
    invoiceId: string,
    ids: readonly string[],
    billedBy: (invoice: InvoiceRecord | undefined) => ReadonlySet<string>,
  ) => Promise<void>
}

/** The invoice that holds a time entry, if any. */
export type Holder = InvoiceRecord | 'none' | 'missing'

/** The next number of a year: `R-2026-0001`. The change that requests it takes it. */
export type NextNumber = (year: string) => Promise<string>

/** A change of an invoice. `added`: an invoice that is added with it. */
export type InvoiceDecision<Answer> = Decision<InvoiceRecord, Answer> & { added?: InvoiceRecord }

export type InvoiceStore = {
  /** The invoice, unless it does not exist, was deleted, or is another workspace's. */
  find: (workspaceId: string, id: string) => Promise<InvoiceRecord | undefined>
  /** The newest date first. */
  page: (workspaceId: string, filters: InvoiceFilters, request: PageRequest) => Promise<Page<InvoiceSummary>>
  /** @throws Failure CASE_NOT_FOUND */
  add: <Answer>(change: { record: InvoiceRecord; answer: Answer }) => Promise<Answered<Answer>>
  /**
   * Like `CaseStore.change`. A number that `decide` requests is taken in the transaction of the change, so there are no
   * gaps. A record with `deleted_at` leaves every list.
   *
   * @throws Failure INVOICE_NOT_FOUND, CASE_NOT_FOUND, and what `decide` throws
   */
  change: <Answer>(
    workspaceId: string,
    id: string,
    decide: (
      current: InvoiceRecord,
      nextNumber: NextNumber,
    ) => Promise<InvoiceDecision<Answer>> | InvoiceDecision<Answer>,
  ) => Promise<Answered<Answer>>
}

export type BillingCases = { exists: (workspaceId: string, id: string) => Promise<boolean> }

export type BillingUsers = { names: (workspaceId: string, ids: string[]) => Promise<Map<string, string>> }

export type BillingParties = {
  find: (workspaceId: string, id: string) => Promise<{ name: string; email: string | null } | undefined>
  /** Like `reserve` of `CaseParties`. */
  reserve: (workspaceId: string, ids: string[], invoiceId: string) => Promise<() => Promise<void>>
}

export type BillingWorkspaces = {
  find: (id: string) => Promise<{ time_zone: string; seller: Seller } | undefined>
}

/**
 * Writes an issued invoice as XRechnung, or returns the missing fields (X8). `preceding` is the invoice that a
 * cancellation cancels.
 */
export type WriteXrechnung = (
  invoice: Invoice,
  seller: Seller,
  preceding: Pick<Invoice, 'number' | 'invoice_date'> | null,
) => Promise<{ xml: string } | { missing: FailureDetail[] }>

/** Stores jobs, and returns a function that runs them. The sweeper runs the remaining ones a minute later. */
export type StoreJobs = (jobs: Job[]) => Promise<() => Promise<void>>
