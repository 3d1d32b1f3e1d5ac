import { randomUUID } from 'node:crypto'
import { invoke } from './invoke.ts'
import type { LocalFunction } from './load-functions.ts'

/** Running schedules. */
export type Ticker = {
  /** Starts no further runs. Resolves when the current ones have ended. */
  stop: () => Promise<void>
}

/**
 * Runs every function with `everyMinutes` at that interval, with an empty event; the first run is one interval from now.
 * Runs of a function do not overlap. A failed run is logged; the next run starts at its usual time.
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
