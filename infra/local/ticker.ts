import { randomUUID } from 'node:crypto'
import { sweepingOnly } from '#jobs/sweeping.ts'
import { invoke } from './invoke.ts'
import type { LocalFunction } from './load-functions.ts'

/** Running schedules. */
export type Ticker = {
  /**
   * After the clock was moved from one time to another, runs each function once that would have run in between.
   * Functions with an interval of a minute sweep only these partitions.
   */
  run: (passed: { from: number; to: number; partitions: ReadonlySet<string> }) => Promise<void>
  /** The first run time, up to `to`, of a function with an interval of more than a minute. */
  next: (passed: { from: number; to: number }) => number | undefined
  /** Whether no function runs. */
  isIdle: () => boolean
  /** Starts no further runs. Resolves when the current ones have ended. */
  stop: () => Promise<void>
}

const minute = 60_000

/**
 * Runs every function with `everyMinutes` at that interval, with an empty event; the first run is one interval from now.
 * Runs of a function do not overlap. A failed run is logged; the next run starts at its usual time.
 */
export function startTicker(functions: readonly LocalFunction[]): Ticker {
  const underWay = new Map<LocalFunction, Promise<void>>()
  const scheduled = functions.flatMap((fn) =>
    fn.everyMinutes === undefined ? [] : [{ fn, interval: fn.everyMinutes * minute }],
  )

  function tick(fn: LocalFunction): Promise<void> {
    const running = underWay.get(fn)
    if (running !== undefined) return running
    const run = invoke(fn, {}, randomUUID())
      .catch((error: unknown) => console.error(`The scheduled function ${fn.name} failed:`, error))
      .then(() => {
        underWay.delete(fn)
      })
    underWay.set(fn, run)
    return run
  }

  const timers = scheduled.map(({ fn, interval }) => setInterval(() => void tick(fn), interval))
  /** The first multiple of an interval after a time. */
  const after = (time: number, interval: number) => (Math.floor(time / interval) + 1) * interval

  return {
    run: async ({ from, to, partitions }) => {
      while (underWay.size > 0) await Promise.all(underWay.values())
      await Promise.all(
        scheduled.map(({ fn, interval }) => {
          if (interval <= minute) return sweepingOnly(partitions, () => tick(fn))
          return after(from, interval) <= to ? tick(fn) : undefined
        }),
      )
    },
    next: ({ from, to }) => {
      const times = scheduled
        .filter(({ interval }) => interval > minute)
        .map((one) => after(from, one.interval))
      const first = Math.min(...times)
      return first <= to ? first : undefined
    },
    isIdle: () => underWay.size === 0,
    stop: async () => {
      timers.forEach(clearInterval)
      await Promise.all(underWay.values())
    },
  }
}
