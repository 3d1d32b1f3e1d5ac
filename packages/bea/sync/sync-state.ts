import type { BeaSync } from '../accounts/account-schema.ts'

/**
 * The last synchronisation of an account, as stored. `holder` is its worker, `heartbeat_at` the time of the worker's last
 * heartbeat. `succeeded_at` is the time when a synchronisation last read all folders, even if messages could not be
 * imported: these have their own alarm (`missing-messages.ts`). Older records have no `kept_out`.
 */
export type StoredSync = Omit<BeaSync, 'kept_out'> & {
  kept_out?: number
  holder: string | null
  heartbeat_at: string
  succeeded_at: string | null
}

/** The interval of a worker's heartbeats. */
export const heartbeatMilliseconds = 10_000

/** After this time without a heartbeat, another worker takes over. */
const takenOverMilliseconds = 3 * heartbeatMilliseconds

/** After this time without a heartbeat, a synchronisation no longer counts as running (B5). */
const runningMilliseconds = 60_000

/** Whether a synchronisation is running. If its worker died, it counts as running for at most a minute (B5). */
export function isRunning(sync: Pick<StoredSync, 'status' | 'heartbeat_at'> | null, now: Date): boolean {
  return sync?.status === 'running' && silence(sync, now) < runningMilliseconds
}

/** The synchronisation as shown to users. If its worker died, it is shown as failed. */
export function shownSync(sync: StoredSync | null, now: Date): BeaSync | null {
  if (sync === null) return null
  const { status, started_at, finished_at, new_messages, kept_out = 0, error } = sync
  const shown = { status, started_at, finished_at, new_messages, kept_out, error }
  if (status === 'running' && !isRunning(sync, now))
    return { ...shown, status: 'failed', finished_at: sync.heartbeat_at, error: interrupted }
  return shown
}

/** A synchronisation that was requested at `at` and waits for its worker. */
export function requestedSync(before: StoredSync | null, at: string): StoredSync {
  return {
    status: 'running',
    started_at: at,
    finished_at: null,
    new_messages: 0,
    kept_out: 0,
    error: null,
    holder: null,
    heartbeat_at: at,
    succeeded_at: before?.succeeded_at ?? null,
  }
}

/**
 * Decides whether a worker does the synchronisation that was started at `startedAt`. `take`: it does. `busy`: another
 * worker does. `over`: it has ended, or another one was started.
 */
export function claimOf(sync: StoredSync | null, startedAt: string, now: Date): 'take' | 'busy' | 'over' {
  if (sync === null || sync.status !== 'running' || sync.started_at !== startedAt) return 'over'
  return sync.holder !== null && silence(sync, now) < takenOverMilliseconds ? 'busy' : 'take'
}

const interrupted = 'The synchronisation was interrupted. Start it again.'

function silence({ heartbeat_at }: Pick<StoredSync, 'heartbeat_at'>, now: Date): number {
  return now.getTime() - Date.parse(heartbeat_at)
}
