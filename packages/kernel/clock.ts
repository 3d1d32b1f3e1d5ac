/** The current time as a port, so that tests can set it. */
export type Clock = { now(): Date }

/**
 * By how many milliseconds `npm start` has moved the time of its service (E9). Threads that read the time share the
 * variable (`SHARE_ENV`), and processes that work on the same data get it with their environment. On AWS nothing sets
 * it.
 */
export const clockOffsetVariable = 'LOCAL_CLOCK_OFFSET'

export function clockOffset(): number {
  return Number(process.env[clockOffsetVariable] ?? 0)
}

/** The time of the service. Nothing reads it elsewhere; the linter refuses `Date.now()` and `new Date()`. */
export const systemClock: Clock = { now: () => new Date(Date.now() + clockOffset()) }

/**
 * The time of the machine in epoch milliseconds, however the service's clock was moved: for durations over which a
 * process may be frozen, when timers and `performance.now()` stand still.
 */
export function machineMilliseconds(): number {
  return Date.now()
}

/** The current time as it is stored and returned: UTC with `Z` and milliseconds (G6). */
export function timestamp(clock: Clock = systemClock): string {
  return clock.now().toISOString()
}

/** The time of the service in epoch milliseconds. */
export function epochMilliseconds(): number {
  return systemClock.now().getTime()
}
