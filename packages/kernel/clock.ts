/** The current time as a port, so that tests can set it. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

/** The current time as it is stored and returned: UTC with `Z` and milliseconds (G6). */
export function timestamp(clock: Clock): string {
  return clock.now().toISOString()
}
