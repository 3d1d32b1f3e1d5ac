import type { FailureCode } from '#kernel/failure.ts'
import { needsKey } from '../access.ts'
import { type Endpoint, readsBody } from '../endpoint.ts'
import type { Header, Reference } from './types.ts'

const referTo = (name: string): Reference => ({ $ref: `#/components/headers/${name}` })

/**
 * The headers that every answer of this status may have.
 *
 * @param codes the codes of a refusal
 */
export function commonHeadersOf(
  endpoint: Endpoint<never>,
  status: number,
  codes: readonly FailureCode[] = [],
): Record<string, Reference> {
  const isBodyRead = codes.length === 0 || codes.some((code) => !beforeBody.has(code))
  return {
    'X-Request-Id': referTo('RequestId'),
    // An unknown key has no allowance.
    ...(needsKey(endpoint.access) &&
      status !== 401 && { RateLimit: referTo('RateLimit'), 'RateLimit-Policy': referTo('RateLimitPolicy') }),
    ...(readsBody(endpoint) &&
      isBodyRead && {
        'X-Ignored-Fields': referTo('IgnoredFields'),
        'Preference-Applied': referTo('PreferenceApplied'),
      }),
    ...(status === 401 && { 'WWW-Authenticate': referTo('WWWAuthenticate') }),
    ...(codes.some((code) => withRetryAfter.has(code)) && { 'Retry-After': referTo('RetryAfter') }),
    ...(status === 416 && { 'Content-Range': referTo('ContentRange') }),
  }
}

/** Refusals before the body is read. */
const beforeBody = new Set<FailureCode>([
  'AUTH_INVALID_KEY',
  'AUTH_INSUFFICIENT_SCOPE',
  'REQUEST_BLOCKED',
  'RATE_LIMITED',
])

/** Refusals with `Retry-After`. */
const withRetryAfter = new Set<FailureCode>([
  'EXTRACTION_PENDING',
  'RATE_LIMITED',
  'REQUEST_IN_PROGRESS',
  'SEND_IN_PROGRESS',
  'SERVICE_UNAVAILABLE',
])

const textHeader = (description: string): Header => ({ description, schema: { type: 'string' } })

const answerHeaders: Record<string, Header> = {
  ContentDisposition: textHeader(
    'The name of the file: `attachment` with `filename` and `filename*` (RFC 6266).',
  ),
  ContentRange: textHeader('The range of the bytes, and the size of the whole file.'),
  IgnoredFields: textHeader('The fields of the body that were not read; absent if there are none.'),
  Location: textHeader('The address to go to.'),
  NextCursor: textHeader(
    'The cursor of the next page of an answer that is not JSON; absent on the last page.',
  ),
  PreferenceApplied: {
    description: '`handling=strict` if fields that are not read are refused (`Prefer`).',
    schema: { type: 'string', enum: ['handling=strict'] },
  },
  RequestId: textHeader('Names this request in our logs; equal to `request_id` of an error.'),
  ETag: textHeader('Changes exactly when the answer does.'),
  IdempotentReplayed: {
    description: '`true` if this is the stored first answer to a repeated request (`Idempotency-Key`).',
    schema: { type: 'string', enum: ['true'] },
  },
  RateLimit: textHeader(
    'The rest of the allowance: `r` requests are left, and all are available again in `t` seconds. For the firm and for this key.',
  ),
  RateLimitPolicy: textHeader('The allowance: `q` requests in `w` seconds, for the firm and for this key.'),
  RetryAfter: {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
  },
  WWWAuthenticate: textHeader('How to authenticate: always `Bearer`.'),
}

/** Headers that are listed only if an answer refers to them. */
const rare = new Set([
  'ContentDisposition',
  'ContentRange',
  'IdempotentReplayed',
  'IgnoredFields',
  'Location',
  'NextCursor',
  'PreferenceApplied',
  'RateLimit',
  'RateLimitPolicy',
  'WWWAuthenticate',
])

/** The header components that these parts of the document refer to. */
export function headersReferredTo(...parts: unknown[]): Record<string, Header> {
  const text = JSON.stringify(parts)
  return Object.fromEntries(
    Object.entries(answerHeaders).filter(
      ([name]) => !rare.has(name) || text.includes(`#/components/headers/${name}"`),
    ),
  )
}
