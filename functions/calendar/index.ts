import { availabilityService } from '#calendar/availability.ts'
import { calendarService } from '#calendar/events.ts'
import { feedService } from '#calendar/feed.ts'
import { calendarJobs } from '#calendar/jobs.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { serve } from '#http/serve.ts'
import { agendasFollowUp, calendarStore } from '#store/calendar/calendar-store.ts'
import { icalTokenStore } from '#store/calendar/ical-token-store.ts'
import { pushStore } from '#store/calendar/push-store.ts'
import { caseTitles } from '#store/cases/case-titles.ts'
import { deadlineStore } from '#store/deadlines/deadline-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('calendar')
const store = calendarStore({ ...base, deadlines: deadlineStore(base) })
base.jobs.handle(agendasFollowUp(store), calendarJobs({ store, pushes: pushStore(base), clock: base.clock }))
const deps = {
  store,
  workspaces: workspaceStore(base.db),
  users: userStore(base),
  cases: caseTitles(base.db),
  tokens: icalTokenStore(base),
  keys: base.keys,
  clock: base.clock,
}

export const handler = serve(endpoints, {
  ...base,
  services: {
    calendar: calendarService(deps),
    availability: availabilityService(deps),
    feeds: feedService(deps),
  },
})
