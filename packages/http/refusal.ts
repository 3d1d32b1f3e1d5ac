import type { Failure, FailureDetail, FailureKind, NamedCase } from '#kernel/failure.ts'
import { failureOf } from '#kernel/failure.ts'
import { isMissingObject } from '#kernel/files.ts'
import type { ErrorEnvelope } from './error-envelope.ts'

export const statusOf: Record<FailureKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
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

/** The data of a refusal, for the envelope or an error page. */
export type Refusal = {
  status: number
  code: Failure['code']
  /** English, safe to show. Says what to do. */
  message: string
  details: readonly FailureDetail[] | undefined
  cases?: readonly NamedCase[] | undefined
  requestId: string
}

/** The header of every 401, which says how to authenticate (RFC 9110, 11.6.1; G18). */
const bearerChallenge = { 'WWW-Authenticate': 'Bearer' }

/**
 * The refusal for an error. An error that is not a Failure is a fault of the service. The answer does not show its cause,
 * with one exception: an endpoint that sends stored bytes says that their object is missing.
 */
export function refusalOf(
  error: unknown,
  requestId: string,
  sendsStoredBytes: boolean,
): Refusal & { headers: Record<string, string> } {
  const failure = failureOf(error)
  if (failure === undefined) {
    const fault = sendsStoredBytes && isMissingObject(error) ? bytesMissing : internalError
    return { ...fault, requestId, ...noDetails }
  }
  const { kind, code, message, details, cases, retryAfterSeconds } = failure
  return {
    status: statusOf[kind],
    code,
    message,
    details,
    cases,
    requestId,
    headers: {
      ...(kind === 'unauthenticated' && bearerChallenge),
      ...failure.headers,
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    },
  }
}

const noDetails = { details: undefined, headers: {} }

const internalError = {
  status: 500,
  code: 'INTERNAL_ERROR',
  message:
    'Something went wrong on our side. Before you send a change again, check whether it was made. If the error persists, report the request id.',
} as const

/** A server error, because it is a fault of the service that operators must learn of. */
const bytesMissing = {
  status: 500,
  code: 'BYTES_MISSING',
  message:
    'The bytes of a stored file are missing or cannot be read. Report the request id: operators can restore lost bytes for 30 days.',
} as const

/** The envelope of a refusal (G1). */
export function envelopeOf({ code, message, details, cases, requestId }: Refusal): ErrorEnvelope {
  return {
    error: {
      code,
      message,
      request_id: requestId,
      ...(details && { details: [...details] }),
      ...(cases && { cases: [...cases] }),
    },
  }
}
