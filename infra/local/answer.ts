import type { Readable } from 'node:stream'
import { isObject } from '#kernel/is-object.ts'
import { errorEnvelope, gatewayAnswers, gatewayHeaders } from '../gateway-answers.ts'
import { binaryMediaType, mediaType } from './rest-event.ts'

/** An answer to send: with a whole body or a stream. */
export type Answer = {
  status: number
  headers: [name: string, value: string | string[]][]
  body: string | Buffer | Readable
}

/** A refusal with a known status. For `refused`, API Gateway chooses the status. */
export type Refusal = Exclude<keyof typeof gatewayAnswers, 'refused'>

/** An answer of the gateway itself, in the error envelope (G1). */
export function refuse(refusal: Refusal, requestId: string): Answer & { body: string } {
  const answer = gatewayAnswers[refusal]
  return {
    status: answer.status,
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Request-Id', requestId],
      ...Object.entries(gatewayHeaders(answer)),
    ],
    body: errorEnvelope(answer, requestId),
  }
}

/** Lambda's limit for the event and for the result of a function, as JSON. */
const lambdaPayloadBytes = 6 * 1024 * 1024

/** A large body as it is sent, and its bytes as JSON. */
type Encoded = { bytes: Buffer; bytesAsJson: number }

/** Recent large bodies: a burst of requests for one answer encodes it once. */
const recent = new Map<string, Encoded>()
const momentMilliseconds = 1_000

function encodedOf(body: string): Encoded {
  const known = recent.get(body)
  if (known !== undefined) return known
  const encoded = { bytes: Buffer.from(body), bytesAsJson: bytesAsJson(body) }
  recent.set(body, encoded)
  setTimeout(() => recent.delete(body), momentMilliseconds).unref()
  return encoded
}

function bytesAsJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text))
}

/** Whether a text is short enough to fit with any content: a character has up to six bytes in JSON (\u0001). */
function isShort(text: string | null | undefined): boolean {
  return (text?.length ?? 0) * 6 < lambdaPayloadBytes / 2
}

/** Whether this is within Lambda's limit, as JSON. It is measured only if it may be too large. */
export function fitsLambda(
  payload: { body?: string | null; isBase64Encoded?: boolean },
  measure = bytesAsJson,
): boolean {
  const { body, ...rest } = payload
  // Everything except the body is small.
  if (body == null || isShort(body)) return true
  // Base64 has the same length in JSON, so a large form need not be serialised.
  const bodyBytes = payload.isBase64Encoded ? body.length + 2 : measure(body)
  return Buffer.byteLength(JSON.stringify({ ...rest, body: 0 })) - 1 + bodyBytes <= lambdaPayloadBytes
}

/**
 * Turns the result of a function into an answer like the proxy integration: `multiValueHeaders` take precedence over
 * `headers` of the same name, and a base64 body is decoded only if the request accepts the API's binary media type.
 *
 * @returns undefined if it is not a proxy result, or is over Lambda's limit: API Gateway answers with an error then
 */
export function answerFrom(result: unknown, accept: string | undefined): Answer | undefined {
  if (!isProxyResult(result) || !fitsLambda(result, (body) => encodedOf(body).bytesAsJson)) return undefined
  const headers = new Map<string, [string, string | string[]]>()
  for (const [name, value] of Object.entries(result.headers ?? {}))
    headers.set(name.toLowerCase(), [name, String(value)])
  for (const [name, values] of Object.entries(result.multiValueHeaders ?? {}))
    headers.set(name.toLowerCase(), [name, values.map(String)])
  for (const name of ownedByGateway) headers.delete(name)
  if (!headers.has('content-type')) headers.set('content-type', ['Content-Type', 'application/json'])

  const decodes = result.isBase64Encoded === true && mediaType(accept) === binaryMediaType
  return {
    status: Number(result.statusCode),
    headers: [...headers.values()],
    body: decodes ? Buffer.from(result.body ?? '', 'base64') : sentBody(result.body ?? ''),
  }
}

function sentBody(text: string): string | Buffer {
  return isShort(text) ? text : encodedOf(text).bytes
}

const ownedByGateway = ['connection', 'content-length', 'transfer-encoding']

type ProxyResult = {
  statusCode: number | string
  headers?: Record<string, unknown> | null
  multiValueHeaders?: Record<string, unknown[]> | null
  body?: string | null
  isBase64Encoded?: boolean
}

function isProxyResult(result: unknown): result is ProxyResult {
  if (!isObject(result)) return false
  const { statusCode, headers, multiValueHeaders, body } = result
  return (
    /^[2-5]\d\d$/.test(String(statusCode)) &&
    (headers == null || isObject(headers)) &&
    (multiValueHeaders == null ||
      (isObject(multiValueHeaders) && Object.values(multiValueHeaders).every(Array.isArray))) &&
    (body == null || typeof body === 'string')
  )
}
