import type { Failure, FailureKind } from '#kernel/failure.ts'
import type { ErrorEnvelope } from './error-envelope.ts'

/** The one table from what went wrong to the status it is answered with. */
export const statusOf: Record<FailureKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  range_not_satisfiable: 416,
  unsupported_media: 415,
  unprocessable: 422,
  rate_limited: 429,
  upstream: 502,
  unavailable: 503,
}

/** The envelope of a failure, ready to be sent. */
export function envelope(
  failure: Pick<Failure, 'code' | 'message' | 'details'>,
  requestId: string,
): ErrorEnvelope {
  const { code, message, details } = failure
  return { error: { code, message, request_id: requestId, ...(details && { details }) } }
}
