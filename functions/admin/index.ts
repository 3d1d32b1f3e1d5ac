import { userStore, workspaceStore } from '#store/workspace-store.ts'
import { workspaceService } from '#workspace/service.ts'
import { foundation } from '../foundation/index.ts'

/** What the office itself is made with, before it has a key to call the service (W7). */
export function admin() {
  const base = foundation('admin')
  return workspaceService({
    ...base,
    workspaces: workspaceStore(base.db),
    users: userStore(base),
    inboundDomain: process.env.INBOUND_DOMAIN ?? 'inbound.invalid',
  })
}
