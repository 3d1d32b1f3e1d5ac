import type { DueIndex } from '#jobs/sweeping.ts'
/** An account whose synchronisation is due. */
export type DueSync = { workspace_id: string; account_id: string; due_at: string }

/** The accounts that the schedule synchronises, over all workspaces. They are spread over shards, as jobs are. */
export type ScheduledSyncs = DueIndex<DueSync> & {
  /** Moves one to its next time. @returns false if somebody else has moved it */
  advance: (due: DueSync, next: string) => Promise<boolean>
  /** The account was disconnected. */
  forget: (due: DueSync) => Promise<void>
}
