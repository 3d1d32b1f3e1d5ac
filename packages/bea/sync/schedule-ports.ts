import type { DueIndex } from '#jobs/sweeping.ts'
/** An account whose synchronisation is due. */
export type DueSync = { workspace_id: string; account_id: string; due_at: string }

/** The accounts that the schedule synchronises, of all workspaces. They are spread over shards, like jobs. */
export type ScheduledSyncs = DueIndex<DueSync> & {
  /** Moves an account to its next time. @returns false if another process has moved it */
  advance: (due: DueSync, next: string) => Promise<boolean>
  /** Removes a disconnected account. */
  forget: (due: DueSync) => Promise<void>
}
