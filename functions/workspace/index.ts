import { auditService } from '#audit/audit.ts'
import { affectedDeadlines } from '#deadlines/affected.ts'
import { rescheduleExports } from '#exports/rescheduling.ts'
import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import { mailHtml } from '#mail/mail-html.ts'
import { auditLog } from '#store/audit/audit-log.ts'
import { completeDeadlines } from '#store/deadlines/complete-deadlines.ts'
import { dueLists } from '#store/deadlines/due-lists.ts'
import { exportConfigStore } from '#store/exports/export-config-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { workspaceJobs } from '#workspace/jobs.ts'
import { workspaceService } from '#workspace/workspace.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('workspace')
const users = userStore(base)
const deadlines = { due: dueLists(base.db).due, complete: completeDeadlines(base.db) }
const configs = exportConfigStore(base)
base.jobs.handle(...workspaceJobs({ users, keys: base.keys }))

export const handler = serve(endpoints, {
  ...base,
  services: {
    audit: auditService({ log: auditLog(base) }),
    workspace: workspaceService({
      ...base,
      workspaces: workspaceStore(base.db),
      users,
      deadlines: affectedDeadlines({ store: deadlines, clock: base.clock }),
      rescheduleExports: (id, timeZone) => rescheduleExports(configs, id, timeZone),
      cleanHtml: mailHtml.clean,
    }),
  },
})
