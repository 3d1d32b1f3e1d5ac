import type { BeaSync } from '../accounts/account-schema.ts'

/**
 * The last synchronisation of an account as it is stored. `holder` is the worker that does it, `heartbeat_at` when it last
 * gave a sign of life; `succeeded_at` when one last read all folders of the postbox. A message
 * that could not be imported has an alarm of its own (`missing-messages.ts`). `kept_out` was not stored earlier.
 */
export type StoredSync = Omit<BeaSync, 'kept_out'> & {
  kept_out?: number
  holder: string | null
  heartbeat_at: string
  succeeded_at: string | null
}

/** How often a worker gives a sign of life. */
export const heartbeatMilliseconds = 10_000

/** A worker that is silent for longer is dead for other workers: they take over its work. */
const takenOverMilliseconds = 3 * heartbeatMilliseconds

/** A worker that is silent for longer counts as running no more (B5). */
const runningMilliseconds = 60_000

/** Whether a synchronisation is under way: a worker that died counts as running for at most a minute (B5). */
export function isRunning(sync: Pick<StoredSync, 'status' | 'heartbeat_at'> | null, now: Date): boolean {
  return sync?.status === 'running' && silence(sync, now) < runningMilliseconds
}

/** The synchronisation as it is shown: one whose worker died has failed. */
export function shownSync(sync: StoredSync | null, now: Date): BeaSync | null {
  if (sync === null) return null
  const { status, started_at, finished_at, new_messages, kept_out = 0, error } = sync
  const shown = { status, started_at, finished_at, new_messages, kept_out, error }
  if (status === 'running' && !isRunning(sync, now))
    return { ...shown, status: 'failed', finished_at: sync.heartbeat_at, error: interrupted }
  return shown
}

/** A synchronisation that is asked for now and waits for its worker. */
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
 * A worker's next step for the synchronisation that began then: `take` it, leave it because another worker is `busy`
 * with it, or forget it because it is `over` or another one has begun.
 */
export function claimOf(sync: StoredSync | null, startedAt: string, now: Date): 'take' | 'busy' | 'over' {
  if (sync === null || sync.status !== 'running' || sync.started_at !== startedAt) return 'over'
  return sync.holder !== null && silence(sync, now) < takenOverMilliseconds ? 'busy' : 'take'
}

const interrupted = 'The synchronisation was interrupted. Start it again.'

function silence({ heartbeat_at }: Pick<StoredSync, 'heartbeat_at'>, now: Date): number {
  return now.getTime() - Date.parse(heartbeat_at)
}
