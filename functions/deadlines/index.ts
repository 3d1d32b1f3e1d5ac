import { deadlineService } from '#deadlines/service.ts'
import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import { beaEvidence } from '#store/bea/bea-evidence.ts'
import { caseTitles } from '#store/cases/case-titles.ts'
import { deadlineStore } from '#store/deadlines/deadline-store.ts'
import { documentEvidence } from '#store/documents/document-evidence.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('deadlines')

export const handler = serve(endpoints, {
  ...base,
  services: {
    deadlines: deadlineService({
      store: deadlineStore(base),
      workspaces: workspaceStore(base.db),
      users: userStore(base),
      cases: caseTitles(base.db),
      evidence: { ...documentEvidence(base.db), ...beaEvidence(base.db) },
      pageOut: base.pageOut,
      clock: base.clock,
    }),
  },
})
