import { serve } from '#http/serve.ts'
import { userStore, workspaceStore } from '#store/workspace-store.ts'
import { workspaceService } from '#workspace/service.ts'
import { foundation } from '../foundation/index.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('workspace')

export const handler = serve(endpoints, {
  ...base,
  services: {
    workspace: workspaceService({
      ...base,
      workspaces: workspaceStore(base.db),
      users: userStore(base),
    }),
  },
})
