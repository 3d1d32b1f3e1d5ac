import { namedEvidence } from '#bea/messages/naming.ts'
import { beaVisibility } from '#bea/rights/visibility.ts'
import { calendarJobs } from '#calendar/jobs.ts'
import { deadlineService } from '#deadlines/deadlines.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { beaAccounts } from '#foundation/bea-access.ts'
import { serve } from '#http/serve.ts'
import { beaEvidenceNames, sentBeaMessages } from '#store/bea/bea-evidence.ts'
import { eventRecords } from '#store/calendar/event-records.ts'
import { pushStore } from '#store/calendar/push-store.ts'
import { caseTitles } from '#store/cases/case-titles.ts'
import { deadlineStore } from '#store/deadlines/deadline-store.ts'
import { documentEvidence } from '#store/documents/document-evidence.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('deadlines')
const store = deadlineStore(base)
base.jobs.handle(
  calendarJobs({
    store: {
      find: eventRecords(base.db).find,
      findDeadline: (workspaceId, id) => store.find(workspaceId, id),
    },
    pushes: pushStore(base),
    clock: base.clock,
  }),
)

export const handler = serve(endpoints, {
  ...base,
  services: {
    deadlines: deadlineService({
      store,
      workspaces: workspaceStore(base.db),
      users: userStore(base),
      cases: caseTitles(base.db),
      evidence: {
        ...documentEvidence(base.db),
        ...beaEvidenceNames(base.db, namedEvidence),
        ...sentBeaMessages(base.db, beaVisibility(beaAccounts(base)).mayRead),
      },
      pageOut: base.pageOut,
      clock: base.clock,
    }),
  },
})
