import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import type { Actor } from '#kernel/actor.ts'
import { Failure, failureOf, invalid } from '#kernel/failure.ts'
import { withTimeLimit } from '#kernel/time-limit.ts'
import { preferredType } from './accept.ts'
import {
  type Endpoint,
  type Endpoints,
  isToken,
  type KeyAccess,
  methodsOf,
  type RenderedType,
} from './endpoint.ts'
import { envelope, statusOf } from './envelope.ts'
import { etagOf, ifMatchHolds, ifNoneMatchHits } from './etag.ts'
import { contentDisposition, type FileContent, fileAnswer, type StreamedAnswer } from './file-output.ts'
import type { ReadForm } from './form.ts'
import { readInput, readParams } from './read-input.ts'
import { header } from './request-event.ts'

/** Finds out who acts from the `Authorization` header; a Failure 401 where it shows no valid key. */
export type Authenticate = (authorization: string | undefined) => Promise<Actor>

/** Where a request's outcome is written down. */
export type RequestLog = {
  info: (message: string, fields: Record<string, unknown>) => void
  error: (message: string, fields: Record<string, unknown>) => void
}

export type LambdaHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/** Left of a Lambda's time for sending the answer once the work has been given up. */
const answeringMilliseconds = 1_000

/**
 * The handler of a Lambda that serves these endpoints behind API Gateway (REST, proxy integration).
 *
 * Checks in the order of G3: key, scope, shape of the input; then the endpoint's handler, whose result is
 * parsed by the declared output, so that nothing undeclared leaves. Every failure answers the envelope (G1).
 */
export function serve<Services>(endpoints: Endpoints<Services>, deps: Deps<Services>): LambdaHandler {
  const answer = answerer(endpoints, deps)
  return async (event, context) => {
    const { body, ...answered } = await answer(event, context)
    if (typeof body === 'string') return { ...answered, body }
    throw new Error(`${event.resource} answers a file: serve it with serveStreamed.`)
  }
}

/** What a group of endpoints is served with. */
export type Deps<Services> = {
  services: Services
  authenticate: Authenticate
  log: RequestLog
  /** Demanded by endpoints that take files. */
  readForm?: ReadForm
}

/** As `serve`, for endpoints whose answers may be streamed: the answer's head is final once the body begins. */
export function answerer<Services>(
  endpoints: Endpoints<Services>,
  deps: Deps<Services>,
): (event: APIGatewayProxyEvent, context: Context) => Promise<StreamedAnswer> {
  const takingFiles = Object.values(endpoints).find(({ files }) => files !== undefined)
  if (takingFiles !== undefined && deps.readForm === undefined)
    throw new Error(`${takingFiles.path} takes files: serve it with readForm.`)
  const routes = new Map<string, Endpoint<Services>>(
    // Of an answer to HEAD the gateway leaves out the body, and sends the length that it has.
    Object.values(endpoints).flatMap((endpoint) =>
      methodsOf(endpoint).map((method) => [`${method} ${endpoint.path}`, endpoint] as const),
    ),
  )

  return async (event, context) => {
    const startedAt = performance.now()
    const requestId = event.requestContext.requestId
    const seen: { actor?: Actor } = {}
    const answer = await withTimeLimit(context.getRemainingTimeInMillis() - answeringMilliseconds, () =>
      respond(routes.get(`${event.httpMethod} ${event.resource}`), event, deps, seen),
    ).catch((error: unknown) => {
      const failure = failureOf(error)
      if (failure === undefined || failure.kind === 'unavailable') {
        deps.log.error('request failed', {
          request_id: requestId,
          resource: event.resource,
          error: causes(error),
        })
      }
      return refusal(failure ?? internalError, requestId)
    })
    deps.log.info('request', {
      request_id: requestId,
      method: event.httpMethod,
      resource: event.resource,
      status: answer.statusCode,
      milliseconds: Math.round(performance.now() - startedAt),
      workspace_id: seen.actor?.workspace_id,
      user_id: seen.actor?.user_id,
    })
    return { ...answer, headers: { ...commonHeaders, 'X-Request-Id': requestId, ...answer.headers } }
  }
}

const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
}

const internalError = {
  kind: undefined,
  code: 'INTERNAL_ERROR',
  message: 'Something went wrong on our side. Try again; if it stays, report the request id.',
  details: undefined,
  retryAfterSeconds: undefined,
  headers: {},
} as const

async function respond<Services>(
  endpoint: Endpoint<Services> | undefined,
  event: APIGatewayProxyEvent,
  deps: Deps<Services>,
  seen: { actor?: Actor },
): Promise<StreamedAnswer> {
  if (endpoint === undefined) {
    throw new Failure('not_found', 'ROUTE_NOT_FOUND', 'There is no such path, or not with this method.')
  }
  const actor = await admit(endpoint, event, deps, seen)
  try {
    return await carryOut(endpoint, event, deps, actor)
  } catch (error) {
    const failure = failureOf(error)
    if (failure?.kind !== 'invalid' || endpoint.malformed === 400) throw error
    const { code, message, details } = failure
    throw new Failure('unprocessable', code, message, { ...(details && { details }), cause: error })
  }
}

/** Who acts, as the endpoint's access says. @throws Failure 401, 403, and what a door of its own answers */
async function admit<Services>(
  endpoint: Endpoint<Services>,
  event: APIGatewayProxyEvent,
  deps: { services: Services; authenticate: Authenticate },
  seen: { actor?: Actor },
): Promise<unknown> {
  const { access } = endpoint
  if (access === 'public') return undefined
  if (isToken(access)) {
    const shown = { token: header(event, access.header), params: readParams(endpoint, event) }
    return access.verify(deps.services, shown)
  }
  seen.actor = await deps.authenticate(header(event, 'authorization'))
  requireScope(access, seen.actor)
  return seen.actor
}

async function carryOut<Services>(
  endpoint: Endpoint<Services>,
  event: APIGatewayProxyEvent,
  { services, readForm }: Deps<Services>,
  actor: unknown,
): Promise<StreamedAnswer> {
  const input = await readInput(endpoint, event, readForm).catch((error: unknown) => {
    // Where the specification calls every malformed request 422, a body that is no form at all is one.
    const isOther = error instanceof Failure && error.kind === 'unsupported_media'
    throw isOther && endpoint.malformed === 422 ? invalid(error.message) : error
  })
  const ifMatch = header(event, 'if-match')
  const result = await endpoint.handle(services, {
    ...input,
    actor: actor as Actor,
    baseUrl: baseUrlOf(event),
    precondition: (current) => {
      const resource = endpoint.condition ?? endpoint.etag
      if (ifMatch === undefined || resource === undefined) return
      if (ifMatchHolds(ifMatch, etagOf(resource.parse(current)))) return
      throw new Failure(
        'precondition_failed',
        'PRECONDITION_FAILED',
        'It has changed since: get it again, then repeat your change.',
      )
    },
  })

  if (endpoint.status === 204) return { statusCode: 204, headers: endpoint.headers, body: '' }
  if (endpoint.produces === 'file') {
    return fileAnswer(result as FileContent, {
      range: header(event, 'range'),
      ifRange: header(event, 'if-range'),
      ifNoneMatch: header(event, 'if-none-match'),
    })
  }
  const output = endpoint.output.parse(result)
  const { type, body, filename } = represent(endpoint, output, header(event, 'accept'))
  const headers: Record<string, string> = {
    'Content-Type': `${type}; charset=utf-8`,
    ...(Object.keys(endpoint.renderings).length > 0 && { Vary: 'Accept' }),
    ...(filename !== undefined && { 'Content-Disposition': contentDisposition(filename) }),
    ...endpoint.headers,
  }
  if (endpoint.etag) {
    const etag = etagOf(output)
    headers.ETag = etag
    const ifNoneMatch = header(event, 'if-none-match')
    if (endpoint.method === 'GET' && ifNoneMatch !== undefined && ifNoneMatchHits(ifNoneMatch, etag)) {
      return { statusCode: 304, headers: { ...endpoint.headers, ETag: etag }, body: '' }
    }
  }
  return { statusCode: endpoint.status, headers, body }
}

/** The answer in the form that the caller prefers of those that the endpoint has. */
function represent(
  { produces, renderings }: Endpoint<never>,
  output: unknown,
  accept: string | undefined,
): { type: string; body: string; filename?: string | undefined } {
  const others = Object.keys(renderings)
  const type = others.length === 0 ? produces : (preferredType(accept, [produces, ...others]) ?? produces)
  const rendering = renderings[type as RenderedType]
  if (rendering !== undefined) {
    const { render, filename } = rendering
    return { type, body: render(output as never), filename: filename?.(output as never) }
  }
  return { type, body: type === 'application/json' ? JSON.stringify(output) : String(output) }
}

function requireScope(access: KeyAccess, actor: Actor): void {
  if (access === 'any key') return
  const sufficient = typeof access === 'string' ? [access] : access
  if (sufficient.some((scope) => actor.scopes.includes(scope))) return
  throw new Failure(
    'forbidden',
    'AUTH_INSUFFICIENT_SCOPE',
    `This needs the scope ${sufficient.join(' or ')}.`,
  )
}

/**
 * The service's own address, which answers may name: `SERVICE_BASE_URL` of the function, set for a stage with a domain
 * and on a laptop; otherwise the address that API Gateway gave the API. Nothing that the caller sends changes it.
 */
function baseUrlOf({ requestContext: { domainName = '', stage } }: APIGatewayProxyEvent): string {
  if (process.env.SERVICE_BASE_URL) return process.env.SERVICE_BASE_URL
  return `https://${domainName}${domainName.endsWith('.amazonaws.com') ? `/${stage}` : ''}`
}

function refusal(
  failure: Pick<Failure, 'code' | 'message' | 'details' | 'retryAfterSeconds' | 'headers'> & {
    kind: Failure['kind'] | undefined
  },
  requestId: string,
): StreamedAnswer {
  return {
    statusCode: failure.kind === undefined ? 500 : statusOf[failure.kind],
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...failure.headers,
      ...(failure.retryAfterSeconds !== undefined && { 'Retry-After': String(failure.retryAfterSeconds) }),
    },
    body: JSON.stringify(envelope(failure, requestId)),
  }
}

/** An error with what caused it, for the log alone. */
export function causes(error: unknown): { name: string; message: string; stack: string | undefined }[] {
  const chain = []
  for (let current = error; current instanceof Error && chain.length < 5; current = current.cause) {
    chain.push({ name: current.name, message: current.message, stack: current.stack })
  }
  return chain.length > 0 ? chain : [{ name: 'unknown', message: String(error), stack: undefined }]
}
