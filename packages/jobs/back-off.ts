/**
 * During this time, only the request that enqueued a job runs it; then the sweeper may run it. No request takes longer.
 */
export const graceMilliseconds = 60_000

/** A job is parked after this number of failed attempts of the sweeper, which takes about a day. */
export const maxAttempts = 30

const firstPauseMilliseconds = 60_000
const maxPauseMilliseconds = 60 * 60_000

/**
 * The time of the next attempt after `attempts` failed attempts (1 or more). The pause is one minute after the first,
 * and doubles with each attempt up to an hour. Each pause is randomly up to a quarter longer, so that jobs that failed
 * at the same time do not all run again at the same time.
 */
export function nextAttemptAt(now: Date, attempts: number, random: () => number = Math.random): Date {
  const pause = Math.min(maxPauseMilliseconds, firstPauseMilliseconds * 2 ** (attempts - 1))
  return new Date(now.getTime() + Math.round(pause * (1 + random() / 4)))
}
