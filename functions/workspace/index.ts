import { auditService } from '#audit/audit.ts'
import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import { mailHtml } from '#mail/mail-html.ts'
import { auditLog } from '#store/audit/audit-log.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { workspaceJobs } from '#workspace/jobs.ts'
import { workspaceService } from '#workspace/workspace.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('workspace')
const users = userStore(base)
base.jobs.handle(...workspaceJobs({ users, keys: base.keys }))

export const handler = serve(endpoints, {
  ...base,
  services: {
    audit: auditService({ log: auditLog(base) }),
    workspace: workspaceService({
      ...base,
      workspaces: workspaceStore(base.db),
      users,
      cleanHtml: mailHtml.clean,
    }),
  },
})
