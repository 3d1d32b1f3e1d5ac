import { timeLeft } from '#kernel/time-limit.ts'

/** The time that a request needs after the gateway: to store the session and to answer. */
const afterMilliseconds = 4_000

/** The signal that ends gateway calls in an API request, in time for the answer 502 before API Gateway times out. */
export function gatewaySignal(): AbortSignal {
  return AbortSignal.timeout(Math.max(1, Math.floor(timeLeft() - afterMilliseconds)))
}
