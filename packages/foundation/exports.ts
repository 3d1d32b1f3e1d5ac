import { exportConfigStore } from '#store/exports/export-config-store.ts'
import { exportTokenStore } from '#store/exports/export-token-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import type { foundation } from './foundation.ts'

type Base = ReturnType<typeof foundation>

/** Exports as every function that touches them has them: configurations, tokens, and what they need of the workspace. */
export function exportsFoundation(base: Base) {
  return {
    configs: exportConfigStore(base),
    tokens: exportTokenStore(base),
    workspaces: workspaceStore(base.db),
  }
}
