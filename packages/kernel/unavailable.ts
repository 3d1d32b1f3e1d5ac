import { mayHaveChanged } from './changes.ts'
import { Failure } from './failure.ts'
import { idempotencyKey } from './idempotency.ts'

/**
 * Failure 503 for a dependency that did not answer in time. It says whether the request may be sent again. If nothing
 * was changed, it has a Retry-After. Otherwise the caller has to check first, because a repetition could do the work
 * twice. An Idempotency-Key makes a repetition safe.
 *
 * @param what a sentence that names the dependency that did not answer
 */
export function unavailable(
  what: string,
  { cause, retryAfterSeconds = 2 }: { cause?: unknown; retryAfterSeconds?: number } = {},
): Failure {
  const retry = { cause, retryAfterSeconds }
  if (mayHaveChanged() && idempotencyKey() !== undefined) {
    const message = `${what} It is not known whether the change was made: send it again with the same Idempotency-Key.`
    return new Failure('unavailable', 'SERVICE_UNAVAILABLE', message, retry)
  }
  const [advice, options] = mayHaveChanged()
    ? ['It is not known whether the change was made: check before you send it again.', { cause }]
    : ['Nothing was changed: try again in a moment.', retry]
  return new Failure('unavailable', 'SERVICE_UNAVAILABLE', `${what} ${advice}`, options)
}
