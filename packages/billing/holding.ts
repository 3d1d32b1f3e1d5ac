import * as z from 'zod'
import { defineFollowUp, type Job, type JobHandler } from '#jobs/job.ts'
import { conflict, invalid, requireKnown } from '#kernel/failure.ts'
import { idempotencyKey } from '#kernel/idempotency.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import { billedEntries } from './billed-schema.ts'
import type { InvoiceRecord, StoreJobs, TimeEntryRecord, TimeEntryStore } from './ports.ts'

/** Frees the given entries that the invoice holds but does not bill. */
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

/** The `releaseEntries` job for these entries of an invoice; no job if there are no entries. */
export function releaseJobs(invoice: InvoiceKey, entryIds: readonly string[]): Job[] {
  if (entryIds.length === 0) return []
  const { workspace_id, id: invoice_id } = invoice
  return [releaseEntries.of({ workspace_id, invoice_id, entry_ids: [...entryIds] })]
}

type InvoiceKey = Pick<InvoiceRecord, 'workspace_id' | 'id'>

/**
 * Runs work that holds these entries for an invoice, and afterwards frees the entries that the invoice does not bill.
 *
 * A transaction has no room for the entries of a large invoice. So this takes several steps:
 *
 * 1. Store a job. It will free the named entries that the invoice holds but does not bill.
 * 2. `work` holds the entries: it writes the id of the invoice into each.
 * 3. `work` writes the invoice with its lines.
 * 4. Run the job. After a crash the sweeper runs it.
 *
 * Nothing is billed twice. Only a free entry can be held. The job reads the invoice and frees the entries that it does
 * not bill. If the invoice is a draft that is not deleted, the same transaction increments its version. A request that
 * has read the older version can then no longer write the draft. If the invoice does not exist, the job writes a
 * placeholder under the invoice's key for one day. A stalled request can then no longer write the invoice.
 */
export async function whileHolding<Result>(
  storeJobs: StoreJobs,
  invoice: InvoiceKey,
  entryIds: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  if (entryIds.length === 0) return work()
  const follow = await storeJobs(releaseJobs(invoice, entryIds))
  try {
    return await work()
  } finally {
    await follow()
  }
}

/**
 * Requires that the invoice may bill these entries.
 *
 * @param ids the ids of the entries, each with the index of its line
 * @param records the entries that exist
 * @param findInvoice reads another invoice that holds one of them
 * @throws Failure TIME_ENTRY_NOT_FOUND; VALIDATION_ERROR if an entry belongs to another case or is not billable;
 *   TIME_ENTRY_INVOICED if another invoice holds it; REQUEST_IN_PROGRESS if that invoice does not bill it, and the
 *   request has an Idempotency-Key
 */
export async function requireBillable(
  ids: ReadonlyMap<string, number>,
  records: readonly TimeEntryRecord[],
  invoice: { id: string; case_id: string },
  findInvoice: (id: string) => Promise<InvoiceRecord | undefined>,
): Promise<void> {
  const placeOf = (id: string) => `body.lines.${ids.get(id)}.time_entry_id`
  const found = new Set(records.map(({ id }) => id))
  for (const id of ids.keys()) requireKnown([id], found, 'TIME_ENTRY_NOT_FOUND', placeOf(id))
  const faults = records.flatMap(({ id, case_id, billable }) => {
    const path = placeOf(id)
    if (case_id !== invoice.case_id) return { path, message: 'The time entry belongs to another case.' }
    return billable ? [] : { path, message: 'The time entry is not billable.' }
  })
  if (faults.length > 0) throw invalid('Some time entries cannot be on this invoice.', faults)
  for (const { id, invoice_id } of records) {
    if (invoice_id === null || invoice_id === invoice.id) continue
    // The request may be a repetition: its first attempt is still running, or died and its job frees the entry (G14).
    if (idempotencyKey() !== undefined && !billedEntries(await findInvoice(invoice_id)).has(id))
      throw conflict('REQUEST_IN_PROGRESS', 'Send this request again in a moment.', { retryAfterSeconds: 1 })
    throw conflict('TIME_ENTRY_INVOICED', `The time entry ${id} is already on the invoice ${invoice_id}.`, {
      details: [{ path: placeOf(id), message: `The time entry is on the invoice ${invoice_id}.` }],
    })
  }
}
