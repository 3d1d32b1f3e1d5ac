import type { Readable } from 'node:stream'
import { errorEnvelope, gatewayAnswers, gatewayHeaders } from '../gateway-answers.ts'
import { binaryMediaType, mediaType } from './rest-event.ts'

/** What goes back over the wire: whole, or as it comes. */
export type Answer = {
  status: number
  headers: [name: string, value: string | string[]][]
  body: string | Buffer | Readable
}

/** A refusal of which this gateway knows the status: all but those of API Gateway's own invention. */
export type Refusal = Exclude<keyof typeof gatewayAnswers, 'refused'>

/** An answer of the gateway itself, in the envelope that every error has (G1). */
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

/** Lambda's limit for what a function is given and what it gives back, as JSON. */
const lambdaPayloadBytes = 6 * 1024 * 1024

/** Whether Lambda would take or give this as JSON. Measured only where it could matter. */
export function fitsLambda(payload: { body?: string | null; isBase64Encoded?: boolean }): boolean {
  const characters = payload.body?.length ?? 0
  // One character becomes at most six bytes of JSON (\u0001); everything but the body is small.
  if (characters * 6 < lambdaPayloadBytes / 2) return true
  const { body, ...rest } = payload
  // Base64 is the same in JSON; a large form need not be written out to know how long it is.
  const bodyBytes = payload.isBase64Encoded ? characters + 2 : Buffer.byteLength(JSON.stringify(body))
  return Buffer.byteLength(JSON.stringify({ ...rest, body: 0 })) - 1 + bodyBytes <= lambdaPayloadBytes
}

/**
 * Turns what a function returned into an answer, as the proxy integration does: `multiValueHeaders` go before
 * `headers` of the same name, and a base64 body is decoded only for who accepts the API's binary media type.
 *
 * @returns undefined for what is no proxy result or more than Lambda gives back; API Gateway answers with an error.
 */
export function answerFrom(result: unknown, accept: string | undefined): Answer | undefined {
  if (!isProxyResult(result) || !fitsLambda(result)) return undefined
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
    body: decodes ? Buffer.from(result.body ?? '', 'base64') : (result.body ?? ''),
  }
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
  if (!isRecord(result)) return false
  const { statusCode, headers, multiValueHeaders, body } = result
  return (
    /^[2-5]\d\d$/.test(String(statusCode)) &&
    (headers == null || isRecord(headers)) &&
    (multiValueHeaders == null ||
      (isRecord(multiValueHeaders) && Object.values(multiValueHeaders).every(Array.isArray))) &&
    (body == null || typeof body === 'string')
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
