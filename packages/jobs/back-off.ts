/**
 * During this time a job belongs to the request that enqueued it, afterwards to the sweeper. No request takes longer.
 */
export const graceMilliseconds = 60_000

/** A job is parked after this number of failed attempts, which takes about a day. */
export const maxAttempts = 30

const firstPauseMilliseconds = 60_000
const maxPauseMilliseconds = 60 * 60_000

/**
 * The time of the next attempt after `attempts` failed ones (1 or more): after one minute, then two, four, eight and so
 * on up to an hour. Each pause is randomly up to a quarter longer, so that jobs that failed together are not all tried
 * again together.
 */
export function nextAttemptAt(now: Date, attempts: number, random: () => number = Math.random): Date {
  const pause = Math.min(maxPauseMilliseconds, firstPauseMilliseconds * 2 ** (attempts - 1))
  return new Date(now.getTime() + Math.round(pause * (1 + random() / 4)))
}
