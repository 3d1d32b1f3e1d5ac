import { AsyncLocalStorage } from 'node:async_hooks'
import { withoutClaim } from './idempotency.ts'

const changes = new AsyncLocalStorage<{ made: boolean; counts: boolean }>()

/** Runs `work` and watches whether it changes anything that is stored: `mayHaveChanged` tells. */
export function watchChanges<Result>(work: () => Promise<Result>): Promise<Result> {
  return changes.run({ made: false, counts: true }, work)
}

/**
 * Runs writes that are no change the caller asked for, such as noting when a key was used: they do not count, also
 * where their outcome is unknown.
 */
export function bookkeeping<Result>(work: () => Promise<Result>): Promise<Result> {
  return changes.run({ made: mayHaveChanged(), counts: false }, () => withoutClaim(work))
}

/** Notes that something was changed, or that it is unknown whether it was: a write whose answer was lost. */
export function noteChange(): void {
  const watched = changes.getStore()
  if (watched?.counts) watched.made = true
}

/** Whether the current work has changed something, or may have. Where nobody watches, it may have. */
export function mayHaveChanged(): boolean {
  return changes.getStore()?.made ?? true
}
