import { calendarStore } from '#store/calendar-store.ts'
import { caseStore } from '#store/case-store.ts'
import { deadlineStore } from '#store/deadline-store.ts'
import { partyStore } from '#store/party-store.ts'
import { userStore } from '#store/workspace-store.ts'
import { foundation } from '../foundation/index.ts'

const base = foundation('sweeper')
const parties = partyStore(base)
userStore(base)
caseStore({ ...base, parties })
calendarStore({ ...base, deadlines: deadlineStore(base) })

/** The kinds of jobs that it can do: all that any function records. */
export const kinds = base.outbox.kinds()

/** Does the jobs whose request died before it had done them. @throws where one failed again, so that an alarm sees it */
export async function handler(): Promise<void> {
  const { done, failed } = await base.outbox.sweep(base.clock.now())
  if (done > 0) base.log.warn('jobs caught up', { done })
  if (failed > 0) throw new Error(`${failed} recorded jobs failed again.`)
}
