import { caseJobs } from '#cases/jobs.ts'
import { agendasFollowUp, calendarStore } from '#store/calendar-store.ts'
import { caseStore } from '#store/case-store.ts'
import { deadlineStore } from '#store/deadline-store.ts'
import { partyStore } from '#store/party-store.ts'
import { userStore } from '#store/workspace-store.ts'
import { workspaceJobs } from '#workspace/jobs.ts'
import { documentFoundation } from '../foundation/documents/index.ts'
import { foundation } from '../foundation/index.ts'

const base = foundation('sweeper')
const documents = documentFoundation(base).store
base.jobs.handle(
  ...caseJobs({ cases: caseStore(base), parties: partyStore(base) }),
  ...workspaceJobs({ users: userStore(base), keys: base.keys }),
  agendasFollowUp(calendarStore({ ...base, deadlines: deadlineStore(base) })),
)

/** The names of the jobs that it can run: all that any function enqueues. */
export const jobNames = base.jobs.names()

/** Longer than any request that recorded a job can still be at it. */
const pastEveryRequestMilliseconds = 120_000

/**
 * Does the jobs whose request died before it had done them, has documents read that have waited too long, and
 * removes uploads that never came.
 *
 * @param event `{"queues_were_lost": true}` after the messages of the queues are gone and no request is under
 * way: then it waits for nothing, and sends for every document that is still to be read.
 * @throws where a job failed again, so that an alarm sees it
 */
export async function handler(event?: { queues_were_lost?: boolean }): Promise<void> {
  const queueWasLost = event?.queues_were_lost === true
  const now = base.clock.now()
  const due = queueWasLost ? new Date(now.getTime() + pastEveryRequestMilliseconds) : now
  const { done, failed } = await base.outbox.sweep(due)
  const { sent, expired } = await documents.sweep(now, { queueWasLost })
  if (done + sent + expired > 0) {
    base.log.warn('caught up', { jobs_done: done, documents_sent: sent, uploads_removed: expired })
  }
  if (failed > 0) throw new Error(`${failed} recorded jobs failed again.`)
}
