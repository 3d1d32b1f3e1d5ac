import { AsyncLocalStorage } from 'node:async_hooks'
import { watchChanges } from './changes.ts'

const ends = new AsyncLocalStorage<number>()

/**
 * Runs `work` with a time limit. Everything that it waits for should give up `milliseconds` from now, with a Failure
 * that says whether the work has changed anything.
 */
export function withTimeLimit<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  return ends.run(performance.now() + milliseconds, () => watchChanges(work))
}

/** The milliseconds that the current work has left; 25 000 without a time limit. */
export function timeLeft(): number {
  const end = ends.getStore()
  return end === undefined ? 25_000 : end - performance.now()
}
