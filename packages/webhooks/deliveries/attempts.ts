const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** The pauses after the first, the second and each later attempt that failed (E4). */
const pauses = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** An attempt that is due within this time has its own delayed message: SQS delays a message for 15 minutes at most. */
export const remindedMilliseconds = 15 * minute

/** The sweep finds other attempts. It comes every minute. */
const sweepMilliseconds = minute

/** The longest pause for which an endpoint may ask. */
const maxRetryAfterMilliseconds = 24 * hour

/**
 * The time of the next attempt of a delivery after `attempts` failed ones (1 or more); undefined after the tenth, which
 * is the last. A random time of up to a tenth is added to each pause, so deliveries that failed together are not all sent
 * again together. If the sweep starts the attempt, this time is a minute shorter, since the sweep may find it a minute late.
 *
 * @param retryAfter the time that the last answer asked for (`retryAfterOf`): the attempt is not before it
 */
export function nextDeliveryAt(
  now: Date,
  attempts: number,
  retryAfter?: Date,
  random: () => number = Math.random,
): Date | undefined {
  const pause = pauses[attempts - 1]
  if (pause === undefined) return undefined
  const spread = pause / 10 - (pause > remindedMilliseconds ? sweepMilliseconds : 0)
  const scheduled = now.getTime() + Math.round(pause + spread * random())
  return new Date(Math.max(scheduled, retryAfter?.getTime() ?? 0))
}

/**
 * The time that an answer asks for: `Retry-After` of 429 and 503, in seconds or as a date (RFC 9110), at most 24 hours
 * from now. Undefined for another status, and if the header is missing or unreadable.
 */
export function retryAfterOf(
  { status, header }: { status: number; header: string | null },
  now: Date,
): Date | undefined {
  if (header === null || (status !== 429 && status !== 503)) return undefined
  const text = header.trim()
  const at = /^\d{1,15}$/.test(text)
    ? now.getTime() + Number(text) * second
    : isHttpDate.test(text)
      ? Date.parse(text)
      : Number.NaN
  return Number.isNaN(at) ? undefined : new Date(Math.min(at, now.getTime() + maxRetryAfterMilliseconds))
}

/** `Wed, 21 Oct 2026 07:28:00 GMT`. `Date.parse` alone takes almost any text for a date. */
const isHttpDate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/
