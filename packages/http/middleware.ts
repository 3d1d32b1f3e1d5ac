import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { failureOf } from '#kernel/failure.ts'
import { inTime } from '#kernel/in-time.ts'
import type { LogOf } from '#kernel/log.ts'
import { preferredType } from './accept.ts'
import { readCaller } from './caller.ts'
import { sendsStoredBytes, waitsForOthers } from './endpoint.ts'
import { ignoredFieldsHeader } from './ignored-fields.ts'
import { progressOf } from './progress.ts'
import { envelopeOf, type Refusal, refusalOf } from './refusal.ts'
import { header } from './request-event.ts'
import type { StreamedAnswer } from './streamed-answer.ts'

export type RequestLog = LogOf<'info' | 'error'>

/** Thrown instead of an answer when the time limit of a request has passed. */
export class TookTooLong extends Error {}

type Middleware = MiddlewareObj<APIGatewayProxyEvent, StreamedAnswer>
type Hook = NonNullable<Middleware['after']>

/** Logs one line per request, without path, query and body: any of them may contain a secret. */
export function requestLog(log: RequestLog): Middleware {
  const write: Hook = ({ event, response }) => {
    const { startedAt, endpoint, workspaceId, userId, ignored } = progressOf(event)
    log.info('request', {
      request_id: event.requestContext.requestId,
      method: event.httpMethod,
      resource: event.resource,
      status: response?.statusCode,
      milliseconds: Math.round(performance.now() - startedAt),
      workspace_id: workspaceId,
      user_id: userId,
      // The alarm for slow answers ignores these requests.
      ...(endpoint && waitsForOthers(endpoint) && { waits_for_others: true }),
      // Only their number: a field name may contain any data of the caller.
      ...(ignored?.length && { ignored_fields: ignored.length }),
    })
  }
  return { before: ({ event }) => void progressOf(event), after: write, onError: write }
}

const headersOfAll = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
}

/** Adds the headers of every answer, and the list of body fields that were not read, if there are any. */
export function commonHeaders(): Middleware {
  const add: Hook = (request) => {
    const { event, response } = request
    if (!response) return
    const requestId = event.requestContext.requestId
    const { ignored = [] } = progressOf(event)
    request.response = {
      ...response,
      headers: {
        ...headersOfAll,
        'X-Request-Id': requestId,
        ...progressOf(event).headers,
        ...(ignored.length > 0 && { 'X-Ignored-Fields': ignoredFieldsHeader(ignored) }),
        ...response.headers,
      },
    }
  }
  return { after: add, onError: add }
}

/**
 * Answers errors: as JSON in the envelope (G1), or with the endpoint's error page if the caller prefers HTML. Faults of
 * the service are logged with their causes.
 */
export function refusals<Services>(services: Services, log: RequestLog): Middleware {
  return {
    onError: async (request) => {
      const { event } = request
      const { tooLate, endpoint } = progressOf(event)
      const error = request.error instanceof TookTooLong && tooLate ? tooLate() : request.error
      const requestId = event.requestContext.requestId
      const failure = failureOf(error)
      if (failure === undefined || failure.kind === 'unavailable')
        log.error('request failed', {
          request_id: requestId,
          resource: event.resource,
          error: causes(error),
        })
      const isOfBytes = endpoint !== undefined && sendsStoredBytes(endpoint)
      const { headers, ...refusal } = refusalOf(error, requestId, isOfBytes)
      const page = await errorPageOf(event, refusal, services, log)
      request.response = {
        statusCode: refusal.status,
        headers: { ...page.headers, ...headers },
        body: page.body ?? JSON.stringify(envelopeOf(refusal)),
      }
    },
  }
}

/** The time limit for making an error page. It must fit into the time that is left after the time limit of the request. */
const errorPageMilliseconds = 300

const html = 'text/html'
const json = 'application/json'

async function errorPageOf<Services>(
  event: APIGatewayProxyEvent,
  refusal: Refusal,
  services: Services,
  log: RequestLog,
): Promise<{ headers: Record<string, string>; body?: string }> {
  const { endpoint, fields = {}, holder } = progressOf(event)
  const asJson = { headers: { 'Content-Type': `${json}; charset=utf-8` } }
  if (endpoint?.errorPage === undefined) return asJson
  const varying = { headers: { ...asJson.headers, Vary: 'Accept' } }
  if (preferredType(header(event, 'accept'), [html, json]) === json) return varying
  try {
    const page = endpoint.errorPage(services as never, refusal, {
      actor: holder,
      params: (event.pathParameters ?? {}) as Record<string, string>,
      fields,
      caller: readCaller(endpoint.caller, event),
    })
    const body = await inTime(errorPageMilliseconds, Promise.resolve(page), () => {
      throw new Error('The error page took too long.')
    })
    // An error page must never be cached, even if the page itself may be.
    const { 'Cache-Control': _, ...headers } = endpoint.headers
    return { headers: { 'Content-Type': `${html}; charset=utf-8`, Vary: 'Accept', ...headers }, body }
  } catch (error) {
    const { requestId } = refusal
    log.error('error page failed', { request_id: requestId, resource: event.resource, error: causes(error) })
    return varying
  }
}

/** An error and its causes, only for the log. */
export function causes(error: unknown): { name: string; message: string; stack: string | undefined }[] {
  const chain = []
  for (let current = error; current instanceof Error && chain.length < 5; current = current.cause) {
    chain.push({ name: current.name, message: current.message, stack: current.stack })
  }
  return chain.length > 0 ? chain : [{ name: 'unknown', message: String(error), stack: undefined }]
}
