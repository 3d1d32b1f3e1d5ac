import * as z from 'zod'
import { defineFollowUp, type Job, type JobHandler } from '#jobs/job.ts'
import { Failure, invalid, requireKnown } from '#kernel/failure.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import type { InvoiceRecord, StoreJobs, TimeEntryRecord, TimeEntryStore } from './ports.ts'

/**
 * How an invoice gets its time entries and leaves them again.
 *
 * A transaction has no room for the entries of a large invoice, so it takes several steps:
 *
 * 1. A job is stored that frees the entries that the invoice does not bill in the end.
 * 2. The entries are held: each names the invoice that holds it.
 * 3. The invoice is written with its lines.
 * 4. The job runs.
 *
 * Nothing is billed twice. Only a free entry can be held. An entry is freed together with a new version of the invoice
 * that held it, in one transaction, after a read has shown that the invoice does not bill it. So an invoice that was
 * read before can no longer be written. If the invoice does not exist yet, its place is occupied, so that a stalled
 * request cannot write it later. After a crash the sweeper runs the job.
 */

/** Frees the given entries that the invoice holds and does not bill. */
export const releaseEntries = defineFollowUp({
  name: 'invoice.release_entries',
  version: 1,
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    invoice_id: z.string(),
    entry_ids: z.array(z.string()),
  })),
})

/** The handlers of the jobs that follow a change of an invoice. */
export function billingJobs({ entries }: { entries: Pick<TimeEntryStore, 'release'> }): JobHandler[] {
  return [
    releaseEntries.handledBy(({ workspace_id, invoice_id, entry_ids }) =>
      entries.release(workspace_id, invoice_id, entry_ids, billedEntries),
    ),
  ]
}

/** The entries that an invoice bills. A missing, deleted or cancelled invoice bills none. */
export function billedEntries(invoice: InvoiceRecord | undefined): ReadonlySet<string> {
  if (invoice === undefined || invoice.deleted_at !== null || invoice.status === 'cancelled') return new Set()
  return new Set(invoice.lines.flatMap(({ time_entry_id }) => time_entry_id ?? []))
}

/** The job that frees the given entries that the invoice holds and does not bill; no job without entries. */
export function freeingJobs(invoice: InvoiceKey, entryIds: readonly string[]): Job[] {
  if (entryIds.length === 0) return []
  const { workspace_id, id: invoice_id } = invoice
  return [releaseEntries.of({ workspace_id, invoice_id, entry_ids: [...entryIds] })]
}

type InvoiceKey = Pick<InvoiceRecord, 'workspace_id' | 'id'>

/**
 * Runs work that holds these entries for an invoice, and afterwards frees the entries that the invoice does not bill.
 */
export async function whileHolding<Result>(
  storeJobs: StoreJobs,
  invoice: InvoiceKey,
  entryIds: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  if (entryIds.length === 0) return work()
  const follow = await storeJobs(freeingJobs(invoice, entryIds))
  try {
    return await work()
  } finally {
    await follow()
  }
}

/**
 * Throws if an invoice of this case must not bill these entries.
 *
 * @param ids the entries by the lines that name them
 * @throws Failure TIME_ENTRY_NOT_FOUND, VALIDATION_ERROR for one of another case or one that is not billable,
 *   TIME_ENTRY_INVOICED
 */
export function requireBillable(
  ids: ReadonlyMap<string, number>,
  records: readonly TimeEntryRecord[],
  invoice: { id: string; case_id: string },
): void {
  const found = new Set(records.map(({ id }) => id))
  for (const [id, line] of ids)
    requireKnown([id], found, 'TIME_ENTRY_NOT_FOUND', `body.lines.${line}.time_entry_id`)
  const faults = records.flatMap(({ id, case_id, billable }) => {
    const path = `body.lines.${ids.get(id)}.time_entry_id`
    if (case_id !== invoice.case_id) return { path, message: 'The time entry belongs to another case.' }
    return billable ? [] : { path, message: 'The time entry is not billable.' }
  })
  if (faults.length > 0) throw invalid('Not every time entry can be on this invoice.', faults)
  const taken = records.find(({ invoice_id }) => invoice_id !== null && invoice_id !== invoice.id)
  if (taken !== undefined)
    throw new Failure(
      'conflict',
      'TIME_ENTRY_INVOICED',
      `The time entry ${taken.id} is on the invoice ${taken.invoice_id} already.`,
    )
}
