import { calendarJobs } from '#calendar/jobs.ts'
import { syncService } from '#calendar/sync.ts'
import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import { stageSecrets } from '#secrets/stage-secrets.ts'
import { calendarStore } from '#store/calendar/calendar-store.ts'
import { pushStore } from '#store/calendar/push-store.ts'
import { syncAccountStore } from '#store/calendar/sync-account-store.ts'
import { caseTitles } from '#store/cases/case-titles.ts'
import { deadlineStore } from '#store/deadlines/deadline-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { caldavCalendar } from '#sync/caldav.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('sync')
const { clock } = base
const store = calendarStore({ ...base, deadlines: deadlineStore(base) })
const pushes = pushStore(base)
base.jobs.handle(calendarJobs({ store, pushes, clock }))

export const handler = serve(endpoints, {
  ...base,
  services: {
    sync: syncService({
      store,
      pushes,
      accounts: syncAccountStore(base.db),
      workspaces: workspaceStore(base.db),
      cases: caseTitles(base.db),
      remote: caldavCalendar({ allowPrivate: process.env.SYNC_ALLOW_PRIVATE_NETWORKS === 'true' }),
      secrets: stageSecrets(),
      pageOut: base.pageOut,
      clock,
    }),
  },
})
