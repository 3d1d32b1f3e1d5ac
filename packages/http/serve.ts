import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import type { Actor } from '#kernel/actor.ts'
import { withDeadline } from '#kernel/deadline.ts'
import { Failure, failureOf } from '#kernel/failure.ts'
import { preferredType } from './accept.ts'
import type { Access, Endpoint, Endpoints, RenderedType } from './endpoint.ts'
import { envelope, statusOf } from './envelope.ts'
import { etagOf, ifMatchHolds, ifNoneMatchHits } from './etag.ts'
import { header, readInput } from './read-input.ts'

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
export function serve<Services>(
  endpoints: Endpoints<Services>,
  world: { services: Services; authenticate: Authenticate; log: RequestLog },
): LambdaHandler {
  const routes = new Map(
    Object.values(endpoints).map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]),
  )

  return async (event, context) => {
    const startedAt = performance.now()
    const requestId = event.requestContext.requestId
    const seen: { actor?: Actor } = {}
    const answer = await withDeadline(context.getRemainingTimeInMillis() - answeringMilliseconds, () =>
      respond(routes.get(`${event.httpMethod} ${event.resource}`), event, world, seen),
    ).catch((error: unknown) => {
      const failure = failureOf(error)
      if (failure === undefined || failure.kind === 'unavailable') {
        world.log.error('request failed', {
          request_id: requestId,
          resource: event.resource,
          error: causes(error),
        })
      }
      return refusal(failure ?? internalError, requestId)
    })
    world.log.info('request', {
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
} as const

async function respond<Services>(
  endpoint: Endpoint<Services> | undefined,
  event: APIGatewayProxyEvent,
  world: { services: Services; authenticate: Authenticate },
  seen: { actor?: Actor },
): Promise<APIGatewayProxyResult> {
  if (endpoint === undefined) {
    throw new Failure('not_found', 'ROUTE_NOT_FOUND', 'There is no such path, or not with this method.')
  }
  if (endpoint.access !== 'public') {
    seen.actor = await world.authenticate(header(event, 'authorization'))
    requireScope(endpoint.access, seen.actor)
  }

  const input = readInput(endpoint, event)
  const ifMatch = header(event, 'if-match')
  const result = await endpoint.handle(world.services, {
    ...input,
    actor: seen.actor as Actor,
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
  const output = endpoint.output.parse(result)
  const { type, body } = represent(endpoint, output, header(event, 'accept'))
  const headers: Record<string, string> = {
    'Content-Type': `${type}; charset=utf-8`,
    ...(Object.keys(endpoint.renderings).length > 0 && { Vary: 'Accept' }),
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
): { type: string; body: string } {
  const type = preferredType(accept, [produces, ...Object.keys(renderings)]) ?? produces
  const render: ((output: never) => string) | undefined = renderings[type as RenderedType]
  if (render !== undefined) return { type, body: render(output as never) }
  return { type, body: type === 'application/json' ? JSON.stringify(output) : String(output) }
}

function requireScope(access: Exclude<Access, 'public'>, actor: Actor): void {
  if (access === 'any key') return
  const sufficient = typeof access === 'string' ? [access] : access
  if (sufficient.some((scope) => actor.scopes.includes(scope))) return
  throw new Failure(
    'forbidden',
    'AUTH_INSUFFICIENT_SCOPE',
    `This needs the scope ${sufficient.join(' or ')}.`,
  )
}

/** The service's own address as the caller used it; the stage is part of it on execute-api only. */
function baseUrlOf(event: APIGatewayProxyEvent): string {
  const { domainName, stage } = event.requestContext
  const host = domainName ?? header(event, 'host') ?? ''
  const scheme = header(event, 'x-forwarded-proto') ?? 'https'
  return `${scheme}://${host}${host.endsWith('.amazonaws.com') ? `/${stage}` : ''}`
}

function refusal(
  failure: Pick<Failure, 'code' | 'message' | 'details' | 'retryAfterSeconds'> & {
    kind: Failure['kind'] | undefined
  },
  requestId: string,
): APIGatewayProxyResult {
  return {
    statusCode: failure.kind === undefined ? 500 : statusOf[failure.kind],
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...(failure.retryAfterSeconds !== undefined && { 'Retry-After': String(failure.retryAfterSeconds) }),
    },
    body: JSON.stringify(envelope(failure, requestId)),
  }
}

/** An error with what caused it, for the log alone. */
function causes(error: unknown): { name: string; message: string; stack: string | undefined }[] {
  const chain = []
  for (let current = error; current instanceof Error && chain.length < 5; current = current.cause) {
    chain.push({ name: current.name, message: current.message, stack: current.stack })
  }
  return chain.length > 0 ? chain : [{ name: 'unknown', message: String(error), stack: undefined }]
}
