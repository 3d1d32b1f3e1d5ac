import { AsyncLocalStorage } from 'node:async_hooks'
import { withoutClaim } from './idempotency.ts'

const changes = new AsyncLocalStorage<{ made: boolean; counts: boolean }>()

/** Runs `work` and tracks whether it changes stored data; `mayHaveChanged` returns the result. */
export function watchChanges<Result>(work: () => Promise<Result>): Promise<Result> {
  return changes.run({ made: false, counts: true }, work)
}

/**
 * Runs writes that the caller did not ask for, such as recording when a key was used. They do not count, even if their
 * outcome is unknown.
 */
export function bookkeeping<Result>(work: () => Promise<Result>): Promise<Result> {
  return changes.run({ made: mayHaveChanged(), counts: false }, () => withoutClaim(work))
}

/** Records that something was changed, or may have been: the answer to a write was lost. */
export function noteChange(): void {
  const watched = changes.getStore()
  if (watched?.counts) watched.made = true
}

/** Whether the current work has changed something, or may have. Without `watchChanges` it may have. */
export function mayHaveChanged(): boolean {
  return changes.getStore()?.made ?? true
}
