import { randomUUID } from 'node:crypto'
import { sweepingOnly } from '#jobs/sweeping.ts'
import { attempted } from '#kernel/attempted.ts'
import { invoke } from './invoke.ts'
import type { LocalFunction } from './load-functions.ts'

/** Running schedules. */
export type Ticker = {
  /**
   * After the clock was moved from one time to another, runs each function once that would have run in between.
   * Functions with an interval of a minute sweep only the partitions in which something is due.
   */
  run: (passed: { from: number; to: number }) => Promise<void>
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
 *
 * @param duePartitions the partitions in which something is due, which functions with an interval of a minute sweep. If
 *   it is absent or fails, they sweep all.
 */
export function startTicker(
  functions: readonly LocalFunction[],
  duePartitions?: () => ReadonlySet<string>,
): Ticker {
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

  function sweep(fn: LocalFunction): Promise<void> {
    const partitions = duePartitions && attempted(duePartitions)
    return partitions === undefined ? tick(fn) : sweepingOnly(partitions, () => tick(fn))
  }

  const timers = scheduled.map(({ fn, interval }) =>
    setInterval(() => void (interval <= minute ? sweep(fn) : tick(fn)), interval),
  )
  /** The first multiple of an interval after a time. */
  const after = (time: number, interval: number) => (Math.floor(time / interval) + 1) * interval

  return {
    run: async ({ from, to }) => {
      while (underWay.size > 0) await Promise.all(underWay.values())
      await Promise.all(
        scheduled.map(({ fn, interval }) => {
          if (interval <= minute) return sweep(fn)
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
