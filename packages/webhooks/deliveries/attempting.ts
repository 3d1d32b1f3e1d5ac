import type { KeyObject } from 'node:crypto'
import type { Clock } from '#kernel/clock.ts'
import type { StoredEvent } from '../catalogue-schema.ts'
import type { DeliveryAttempt } from '../endpoint-schema.ts'
import { retryAfterOf } from './attempts.ts'
import { signatureHeaders } from './signature.ts'

/** Sends texts to one address; the adapter is `posterTo` (`packages/foundation/webhooks.ts`). */
export type Poster = {
  post: (
    body: string,
    headers: Record<string, string>,
  ) => Promise<
    | { status: number; retryAfter: string | null }
    | { error: 'timeout' | 'address_not_allowed' | 'connection_failed' }
  >
  close: () => void
}

/** The outcome of an attempt. `retryAfter`: the earliest time for another attempt, as the endpoint requests it. */
export type Attempted = {
  attempt: DeliveryAttempt
  isDelivered: boolean
  /** The endpoint has answered 410: nothing more may be sent to it. */
  isGone: boolean
  retryAfter: Date | undefined
}

/** The limit of an attempt (E4). */
export const attemptMilliseconds = 15_000

/**
 * Sends an event once, as Standard Webhooks 1.0.0 says. Every status from 200 to 299 is a success, whatever the body.
 *
 * @param keys each adds a signature
 */
export async function attemptDelivery(
  { poster, clock }: { poster: Poster; clock: Clock },
  keys: readonly KeyObject[],
  event: StoredEvent,
): Promise<Attempted> {
  const at = clock.now()
  const begun = performance.now()
  const body = JSON.stringify({ type: event.type, timestamp: event.occurred_at, data: event.data })
  const answer = await poster.post(body, {
    'content-type': 'application/json',
    'user-agent': 'Aktenlage-Webhooks/1',
    ...signatureHeaders({ id: event.id, at, body }, keys),
  })
  const duration_ms = Math.round(performance.now() - begun)
  if ('error' in answer) {
    const attempt = { at: at.toISOString(), status_code: null, duration_ms, error: answer.error }
    return { attempt, isDelivered: false, isGone: false, retryAfter: undefined }
  }
  const { status, retryAfter: header } = answer
  const isDelivered = status >= 200 && status < 300
  return {
    attempt: {
      at: at.toISOString(),
      status_code: status,
      duration_ms,
      error: isDelivered ? null : 'not_2xx',
    },
    isDelivered,
    isGone: status === 410,
    retryAfter: retryAfterOf({ status, header }, clock.now()),
  }
}
