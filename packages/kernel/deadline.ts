import { AsyncLocalStorage } from 'node:async_hooks'

const deadlines = new AsyncLocalStorage<number>()

/** Runs `work` with a limit: whatever it waits for should give up `milliseconds` from now. */
export function withDeadline<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  return deadlines.run(performance.now() + milliseconds, work)
}

/** Milliseconds left before the current work must be over; 25 000 where nobody set a limit. */
export function timeLeft(): number {
  const deadline = deadlines.getStore()
  return deadline === undefined ? 25_000 : deadline - performance.now()
}
