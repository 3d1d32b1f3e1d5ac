import { randomUUID } from 'node:crypto'
import { invoke } from './invoke.ts'
import type { LocalFunction } from './load-functions.ts'

/** The running schedules. */
export type Ticker = {
  /** No further run begins; resolves when those that are under way have ended. */
  stop: () => Promise<void>
}

/**
 * Runs every function that has `everyMinutes` on that clock, the first time one interval from now, with an
 * empty event. A run that takes longer than the interval is not overtaken by the next; one that fails is
 * reported and tried again at its next time.
 */
export function startTicker(functions: readonly LocalFunction[]): Ticker {
  const underWay = new Map<LocalFunction, Promise<void>>()

  function tick(fn: LocalFunction): void {
    if (underWay.has(fn)) return
    const run = invoke(fn, {}, randomUUID())
      .catch((error: unknown) => console.error(`The scheduled function ${fn.name} failed:`, error))
      .then(() => {
        underWay.delete(fn)
      })
    underWay.set(fn, run)
  }

  const timers = functions.flatMap((fn) =>
    fn.everyMinutes === undefined ? [] : [setInterval(() => tick(fn), fn.everyMinutes * 60_000)],
  )
  return {
    stop: async () => {
      timers.forEach(clearInterval)
      await Promise.all(underWay.values())
    },
  }
}
