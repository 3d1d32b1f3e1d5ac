/** The time of day as a port, so that tests can set it. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

/** A timestamp as it goes out: UTC with `Z` and milliseconds (G6). */
export function timestamp(clock: Clock): string {
  return clock.now().toISOString()
}
