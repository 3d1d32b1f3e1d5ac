import { timeLeft } from '#kernel/time-limit.ts'

/** The time that a request needs after the gateway: to store the session and to answer. */
const afterMilliseconds = 4_000

/**
 * The signal that ends calls of the gateway in a request of the API: in time for the answer 502, before API Gateway gives
 * up the request.
 */
export function networkTime(): AbortSignal {
  return AbortSignal.timeout(Math.max(1, Math.floor(timeLeft() - afterMilliseconds)))
}
