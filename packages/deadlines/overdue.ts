import { overBefore } from '#german-time/time-limit.ts'
import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import type { DueDeadlines } from './ports.ts'

/**
 * Records that a deadline is overdue when its due time is over (E1), once for each due time. If this fails for a
 * deadline, the next sweep retries it.
 */
export async function noteOverdueDeadlines(
  { due, log }: { due: DueDeadlines; log: SweepLog },
  now: Date,
  milliseconds: number,
): Promise<{ overdue: number; failed: number }> {
  const sweep = sweeping({ name: 'deadlines', milliseconds, log })
  let overdue = 0
  // The index also gives what is due at the moment itself.
  const last = new Date(overBefore(now).getTime() - 1)
  await sweep.eachDue(due, last, async (one) => {
    if (await due.note(one)) overdue += 1
  })
  return { overdue, failed: sweep.failed() }
}
