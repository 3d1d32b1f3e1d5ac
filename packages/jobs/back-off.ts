/** The request that enqueued a job has so long to run it. Then the sweeper does. Longer than any request lives. */
export const graceMilliseconds = 60_000

/** A job is parked after so many failed attempts, about a day: longer than an outage that ends by itself. */
export const maxAttempts = 30

const firstPauseMilliseconds = 60_000
const maxPauseMilliseconds = 60 * 60_000

/**
 * When a job is tried again after so many failed attempts (1 or more): after one minute, then two, four, eight and
 * so on up to an hour, each up to a quarter longer by chance, so that jobs which failed together do not all come
 * back together.
 */
export function nextAttemptAt(now: Date, attempts: number, random: () => number = Math.random): Date {
  const pause = Math.min(maxPauseMilliseconds, firstPauseMilliseconds * 2 ** (attempts - 1))
  return new Date(now.getTime() + Math.round(pause * (1 + random() / 4)))
}
