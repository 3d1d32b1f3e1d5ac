import { type FailureCode, notFound } from '#kernel/failure.ts'
import { needsKey, scopeRefusal, scopesOf } from '../access.ts'
import { type Endpoint, isOfApi, sendsStoredBytes } from '../endpoint.ts'
import type { ErrorEnvelope } from '../error-envelope.ts'
import { takesIdempotencyKey } from '../idempotency.ts'
import { urlencodedType } from '../urlencoded.ts'
import type { Components } from './components.ts'
import { errorTexts } from './error-texts.ts'
import { commonHeadersOf } from './headers.ts'
import { hasPrecondition } from './preconditions.ts'
import type { Answer, Reference } from './types.ts'

export function errorAnswersOf(endpoint: Endpoint<never>, components: Components): Record<string, Reference> {
  const common = commonErrorsOf(endpoint)
  const statuses = [...new Set([...Object.keys(common), ...Object.keys(endpoint.errors)])]
    .map(Number)
    .sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const declared = endpoint.errors[status as keyof typeof endpoint.errors] ?? []
      const codes = [...new Set([...(common[status] ?? []), ...declared])]
      const answer = errorAnswer(status, codes, endpoint)
      return [status, components.shareAnswer(codes, answer)]
    }),
  )
}

/** The errors that an endpoint need not declare, because they follow from its input and its access. */
function commonErrorsOf(endpoint: Endpoint<never>): Record<number, FailureCode[]> {
  const { access } = endpoint
  const takesBody = endpoint.body !== undefined || !endpoint.encodings.includes('json')
  const isKeyed = takesIdempotencyKey(endpoint)
  const takesInput =
    isOfApi(endpoint) || takesBody || endpoint.query !== undefined || Object.keys(endpoint.params).length > 0
  const insufficientScope: FailureCode[] = scopesOf(access).length > 0 ? ['AUTH_INSUFFICIENT_SCOPE'] : []
  return {
    ...(takesInput && { [endpoint.malformed]: ['VALIDATION_ERROR'] }),
    ...(needsKey(access) && { 401: ['AUTH_INVALID_KEY'] }),
    403: [...insufficientScope, 'REQUEST_BLOCKED'],
    ...(isKeyed && { 409: ['IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_PROGRESS'] }),
    ...(hasPrecondition(endpoint) && { 412: ['PRECONDITION_FAILED'] }),
    ...(endpoint.produces === 'file' && { 416: ['RANGE_NOT_SATISFIABLE'] }),
    ...(takesBody && { 413: ['PAYLOAD_TOO_LARGE'], 415: ['UNSUPPORTED_MEDIA_TYPE'] }),
    429: ['RATE_LIMITED'],
    500: ['INTERNAL_ERROR', ...(sendsStoredBytes(endpoint) ? (['BYTES_MISSING'] as const) : [])],
    503: ['SERVICE_UNAVAILABLE'],
  }
}

const statusDescriptions: Record<number, string> = {
  400: 'The request is malformed; `details` names each fault.',
  401: 'The key, token, signature or session is missing or not valid.',
  403: 'The key does not have the scope, the caller may not do this, or the firewall refused the request.',
  404: 'The workspace of the key has no such thing.',
  406: 'The request is refused permanently: do not send it again.',
  409: 'The request conflicts with the current state.',
  410: 'This has ended permanently.',
  412: 'The resource has changed since the ETag that was sent.',
  413: 'The request is too large.',
  415: 'The endpoint does not take the content type of the body.',
  416: 'The requested part is beyond the end of the file.',
  422: 'The content cannot be processed.',
  429: 'Too many requests; wait as long as `Retry-After` says.',
  500: 'A fault of the service; if it happens again, report the request id.',
  502: 'Another service failed or refused its part of the work.',
  503: 'Temporarily not available. The message says whether something may have been changed. If so, check before you send the request again.',
}

function errorAnswer(status: number, codes: readonly FailureCode[], endpoint: Endpoint<never>): Answer {
  return {
    description: [statusDescriptions[status], ...codes.map((code) => `\`${code}\``)]
      .filter(Boolean)
      .join(' '),
    headers: commonHeadersOf(endpoint, status, codes),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code, endpoint) }])),
      },
      ...(endpoint.errorPage && { 'text/html': { schema: { type: 'string' } } }),
    },
  }
}

function exampleOf(code: FailureCode, endpoint: Endpoint<never>): ErrorEnvelope {
  const details = detailsOf(code, endpoint)
  return {
    error: {
      code,
      message: messageOf(code, endpoint),
      request_id: '0f8f1b1e-53f5-4d0c-9a53-1d7a3c1f8f0e',
      ...(details && { details }),
    },
  }
}

function detailsOf(code: FailureCode, endpoint: Endpoint<never>): ErrorEnvelope['error']['details'] {
  if (code === 'EXTRACTION_FAILED') return [{ path: 'status_reason', message: 'password_protected' }]
  return code === 'VALIDATION_ERROR' ? [faultOf(endpoint)] : undefined
}

/** An example of a fault in a request to the endpoint. */
function faultOf({ body, query }: Endpoint<never>): { path: string; message: string } {
  if (body !== undefined) return { path: 'body', message: 'This must be an object.' }
  if (query !== undefined) return { path: 'query.limit', message: 'Send this parameter once.' }
  return { path: 'query.limit', message: 'This parameter is unknown. None is expected here.' }
}

function messageOf(code: FailureCode, endpoint: Endpoint<never>): string {
  if (code === 'AUTH_INSUFFICIENT_SCOPE' && needsKey(endpoint.access))
    return scopeRefusal(endpoint.access, []) ?? ''
  if (code === 'VALIDATION_ERROR') return `The request is not valid: see ${faultOf(endpoint).path}.`
  if (code === 'UNSUPPORTED_MEDIA_TYPE') return `Send the body as ${mediaTypeOf(endpoint)}.`
  const message = errorTexts[code]
  if (message !== undefined) return message
  if (isNotFound(code)) return notFound(code).message
  throw new Error(`errorTexts has no example of ${code}.`)
}

function mediaTypeOf({ encodings: [encoding = 'json'] }: Endpoint<never>): string {
  if (encoding === 'json') return 'application/json'
  return encoding === 'form' ? 'multipart/form-data' : urlencodedType
}

function isNotFound(code: FailureCode): code is Extract<FailureCode, `${string}_NOT_FOUND`> {
  return code.endsWith('_NOT_FOUND')
}
