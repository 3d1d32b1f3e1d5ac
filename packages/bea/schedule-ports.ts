/** An account whose synchronisation is due. */
export type DueSync = { workspace_id: string; account_id: string; due_at: string }

/** The accounts that the schedule synchronises, over all workspaces. They are spread over shards, as jobs are. */
export type ScheduledSyncs = {
  shards: readonly string[]
  /** Those of a shard that are due at a time. */
  due: (shard: string, at: Date) => AsyncIterable<DueSync>
  /** Moves one to its next time. @returns false where somebody else has moved it */
  advance: (due: DueSync, next: string) => Promise<boolean>
  /** The account was disconnected. */
  forget: (due: DueSync) => Promise<void>
}
