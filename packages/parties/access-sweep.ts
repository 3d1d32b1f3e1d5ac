import type { SendMessage } from '#jobs/job.ts'
import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import type { UnendedReport, UnendedReports } from './access-ports.ts'
import { resendMilliseconds } from './access-reports.ts'

/**
 * Sends reports that have not ended to their worker again. Normally these are the ones due at `now`, whose message was
 * lost or given up; after the queues were lost, all of them. The worker counts the attempts, so they end.
 */
export async function sweepAccessReports(
  deps: { unended: UnendedReports; send: SendMessage<Omit<UnendedReport, 'due_at'>>; log: SweepLog },
  now: Date,
  { queueWasLost = false, milliseconds }: { queueWasLost?: boolean; milliseconds: number },
): Promise<{ sentAgain: number; failed: number }> {
  const { unended, send, log } = deps
  const sweep = sweeping({ name: 'access reports', milliseconds, log })
  const later = new Date(now.getTime() + resendMilliseconds).toISOString()
  let sentAgain = 0
  await sweep.eachDue(unended, now, async (report) => {
    if (!queueWasLost && report.due_at > now.toISOString()) return
    if (!(await unended.postpone(report, later))) return
    const { workspace_id, party_id, report_id } = report
    await send({ workspace_id, party_id, report_id })
    sentAgain += 1
  })
  return { sentAgain, failed: sweep.failed() }
}
