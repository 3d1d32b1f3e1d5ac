import { graceMilliseconds } from '#jobs/back-off.ts'
import type { EnqueueJobs, JobHandler } from '#jobs/job.ts'
import type { Clock } from '#kernel/clock.ts'
import { failureOf } from '#kernel/failure.ts'
import { applyRule } from '#timeline/schema.ts'
import { noteLostMail } from './jobs.ts'
import type { CorrespondenceStore } from './ports.ts'
import { lostFrom } from './schema.ts'
import { sendStateOf } from './send-state.ts'
import { lostChange } from './settle.ts'

/**
 * The handler of the job that notes lost sends. Every reader computes that a send is lost, so the note changes no answer.
 * It is a change of the record, which an event (E1) and `updated_since` report.
 */
export function lostMailJobs({
  mails,
  enqueue,
  clock,
}: {
  mails: Pick<CorrespondenceStore, 'change'>
  enqueue: EnqueueJobs
  clock: Clock
}): JobHandler[] {
  return [
    noteLostMail.handledBy(async (payload) => {
      const { workspace_id, correspondence_id } = payload
      const now = clock.now()
      try {
        const mail = await applyRule(mails, workspace_id, correspondence_id, (current) =>
          lostChange(current, now),
        )
        if (mail.sending_since === null || sendStateOf(mail, now) !== 'sending') return
        // After the queues were lost, the sweeper runs jobs that are not due yet, of the next minute.
        const due = Math.max(lostFrom(mail.sending_since).getTime(), now.getTime() + graceMilliseconds)
        await enqueue([noteLostMail.of(payload, new Date(due))], { answer: undefined })
      } catch (error) {
        // A disposal removes mails.
        if (failureOf(error)?.code !== 'CORRESPONDENCE_NOT_FOUND') throw error
      }
    }),
  ]
}
