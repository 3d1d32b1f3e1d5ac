import * as z from 'zod'
import { preferredType } from './accept.ts'
import type { RenderedType } from './declaration.ts'
import type { Endpoint } from './endpoint.ts'
import { etagOf, ifNoneMatchHits } from './etag.ts'
import {
  contentDisposition,
  type FileContent,
  fileAnswer,
  type StreamContent,
  streamAnswer,
} from './file-output.ts'
import { type Redirect, redirectHeaders } from './redirect.ts'
import { header, type RequestEvent } from './request-event.ts'
import type { StreamedAnswer } from './streamed-answer.ts'

/** Makes the answer from the result of a handler, in the media type that the endpoint declares and the caller prefers. */
export async function answerOf(
  endpoint: Endpoint<never>,
  event: RequestEvent & { httpMethod: string },
  result: unknown,
  baseUrl: string,
): Promise<StreamedAnswer> {
  const { headers, produces, disposition, types, status } = endpoint
  if (status === 204) return doneAnswer(endpoint, result)
  if (produces === 'redirect') {
    const redirect = redirectHeaders(result as Redirect, baseUrl)
    return { statusCode: status, headers: { ...headers, ...redirect }, body: '' }
  }
  const isHead = event.httpMethod === 'HEAD'
  if (produces === 'stream')
    return withHeaders(await streamAnswer(result as StreamContent, types, isHead), headers)
  if (produces === 'file') {
    const conditions = {
      isHead,
      range: isHead ? undefined : header(event, 'range'),
      ifRange: header(event, 'if-range'),
      ifNoneMatch: header(event, 'if-none-match'),
    }
    return withHeaders(await fileAnswer(result as FileContent, disposition, conditions), headers)
  }
  return textAnswer(endpoint, event, endpoint.output?.parse(result))
}

/** The answer 204 without a body; or 200 with the output, if the endpoint declares an optional output and there is one. */
function doneAnswer({ headers, output: declared }: Endpoint<never>, result: unknown): StreamedAnswer {
  const output = declared instanceof z.ZodOptional ? declared.parse(result) : undefined
  if (output === undefined) return { statusCode: 204, headers, body: '' }
  const type = { 'Content-Type': 'application/json; charset=utf-8' }
  return { statusCode: 200, headers: { ...type, ...headers }, body: JSON.stringify(output) }
}

/** Adds the declared headers. Headers of the file itself, such as its security policy, take precedence. */
function withHeaders(answer: StreamedAnswer, headers: Record<string, string>): StreamedAnswer {
  return { ...answer, headers: { ...headers, ...answer.headers } }
}

/** The kept fixed answers, by endpoint and by the address of the service. */
const kept = new WeakMap<Endpoint<never>, Map<string, Promise<TextAnswer>>>()

/** The maximum number of addresses: the domain of a service, and the addresses that API Gateway gives it. */
const maxAddresses = 8

/**
 * The answer of a fixed endpoint, which is made at the first request. A failure is not kept.
 *
 * @throws what the handler throws
 */
export async function fixedAnswer(
  endpoint: Endpoint<never>,
  event: RequestEvent,
  handle: () => Promise<unknown>,
  baseUrl: string,
): Promise<StreamedAnswer> {
  const byAddress = kept.get(endpoint) ?? new Map<string, Promise<TextAnswer>>()
  kept.set(endpoint, byAddress)
  let made = byAddress.get(baseUrl)
  if (made === undefined) {
    if (byAddress.size >= maxAddresses) byAddress.clear()
    made = handle().then((result) => wholeAnswer(endpoint, undefined, endpoint.output?.parse(result)))
    byAddress.set(baseUrl, made)
    made.catch(() => byAddress.delete(baseUrl))
  }
  return unlessKnown(endpoint, event, await made)
}

type TextAnswer = StreamedAnswer & { body: string }

/** The answer with the output as JSON or another text; 304 if the caller has it already. */
function textAnswer(endpoint: Endpoint<never>, event: RequestEvent, output: unknown): StreamedAnswer {
  return unlessKnown(endpoint, event, wholeAnswer(endpoint, header(event, 'accept'), output))
}

function wholeAnswer(endpoint: Endpoint<never>, accept: string | undefined, output: unknown): TextAnswer {
  const { type, body, filename, nextCursor } = represent(endpoint, output, accept)
  const headers: Record<string, string> = {
    'Content-Type': `${type}; charset=utf-8`,
    ...(Object.keys(endpoint.renderings).length > 0 && { Vary: 'Accept' }),
    ...(filename !== undefined && { 'Content-Disposition': contentDisposition(filename) }),
    ...(nextCursor != null && { 'Next-Cursor': nextCursor }),
    ...endpoint.headers,
  }
  return { statusCode: endpoint.status, headers: { ...headers, ...etagHeader(endpoint, output) }, body }
}

/** The answer; 304 if the caller has it already (`If-None-Match`). */
function unlessKnown(endpoint: Endpoint<never>, event: RequestEvent, answer: TextAnswer): StreamedAnswer {
  const { ETag: etag } = answer.headers
  const ifNoneMatch = header(event, 'if-none-match')
  if (
    etag !== undefined &&
    endpoint.method === 'GET' &&
    ifNoneMatch !== undefined &&
    ifNoneMatchHits(ifNoneMatch, etag)
  )
    return { statusCode: 304, headers: { ...endpoint.headers, ETag: etag }, body: '' }
  return answer
}

/** The header `ETag` for this output; no header if the endpoint declares none. */
export function etagHeader(
  { etag, output: declared }: Pick<Endpoint<never>, 'etag' | 'output'>,
  output: unknown,
): { ETag?: string } {
  return etag === undefined ? {} : { ETag: etagOf(etag === declared ? output : etag.parse(output)) }
}

/** The output in the media type of the endpoint that the caller prefers. */
function represent(
  { produces, renderings }: Endpoint<never>,
  output: unknown,
  accept: string | undefined,
): { type: string; body: string; filename?: string | undefined; nextCursor?: string | null | undefined } {
  const others = Object.keys(renderings)
  const type = others.length === 0 ? produces : (preferredType(accept, [produces, ...others]) ?? produces)
  const rendering = renderings[type as RenderedType]
  if (rendering !== undefined) {
    const { render, filename, nextCursor } = rendering
    return {
      type,
      body: render(output as never),
      filename: filename?.(output as never),
      nextCursor: nextCursor?.(output as never),
    }
  }
  return { type, body: type === 'application/json' ? JSON.stringify(output) : String(output) }
}
