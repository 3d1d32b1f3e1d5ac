import type { DueIndex } from '#jobs/sweeping.ts'
/** An account whose synchronisation is due. */
export type DueSync = { workspace_id: string; account_id: string; due_at: string }

/** The accounts of all workspaces that are synchronised by schedule. They are spread over shards, like jobs. */
export type ScheduledSyncs = DueIndex<DueSync> & {
  /** Schedules the next synchronisation of an account. @returns false if another process has done it */
  advance: (due: DueSync, next: string) => Promise<boolean>
  /** Removes a disconnected account. */
  forget: (due: DueSync) => Promise<void>
}
