import type { JobHandler } from '#jobs/job.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import type { CalendarStore, PushStore } from './ports.ts'
import { withdrawEvent } from './withdrawal-schema.ts'

/** The handler of the job that runs after an event or deadline was deleted or pushed. */
export function calendarJobs(deps: {
  store: Pick<CalendarStore, 'find' | 'findDeadline'>
  pushes: Pick<PushStore, 'ofEvent' | 'withdraw'>
  clock: Clock
}): JobHandler {
  const { store, pushes, clock } = deps
  return withdrawEvent.handledBy(async ({ workspace_id, event_id, pushed }) => {
    const noted = await pushes.ofEvent(workspace_id, event_id)
    if (pushed === null && noted.length === 0) return
    if ((await store.find(workspace_id, event_id)) !== undefined) return
    if ((await store.findDeadline(workspace_id, event_id)) !== undefined) return
    const isNoted = noted.some(({ account_id }) => account_id === pushed?.account_id)
    const all = pushed === null || isNoted ? noted : [...noted, { workspace_id, event_id, ...pushed }]
    await inParallel(all, (push) => pushes.withdraw(push, timestamp(clock)))
  })
}
