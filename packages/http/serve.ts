import { AsyncLocalStorage } from 'node:async_hooks'
import middy from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import type { Actor } from '#kernel/actor.ts'
import { Failure, failureOf, invalid } from '#kernel/failure.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import { withTimeLimit } from '#kernel/time-limit.ts'
import { unavailable } from '#kernel/unavailable.ts'
import { isCredential, type KeyAccess, scopeRefusal } from './access.ts'
import { answerOf, fixedAnswer } from './answer.ts'
import { readCaller } from './caller.ts'
import { type Endpoint, type Endpoints, methodsOf, namesUnread, readsBody } from './endpoint.ts'
import { areEntityTags, etagOf, ifMatchHolds, ifNoneMatchHits } from './etag.ts'
import type { ReadForm } from './form.ts'
import { answerOnce, type FirstAnswers, readIdempotencyKey } from './idempotency.ts'
import { commonHeaders, type RequestLog, refusals, requestLog, TookTooLong } from './middleware.ts'
import { prefersStrict, strictApplied } from './prefer.ts'
import { type Progress, progressOf } from './progress.ts'
import { type Form, readFormOf, readInput, readParams } from './read-input.ts'
import { header, onlyHeader, refuseLongHeaders } from './request-event.ts'
import { routeNotFound } from './route-not-found.ts'
import type { StreamedAnswer } from './streamed-answer.ts'
import { weightOf } from './weight.ts'

/**
 * Finds the actor by the `Authorization` header. The argument is undefined if the header is missing or sent twice. Throws
 * a Failure 401 without a valid key.
 */
export type Authenticate = (authorization: string | undefined) => Promise<Actor>

/**
 * Counts a request with an API key against the allowance of the workspace and the key (G17). `weight`: the number of
 * usual requests that it counts as. Every answer to the request has the returned headers. If `retryAfterSeconds` is
 * returned, the request is refused.
 */
export type CountRequest = (
  actor: Actor,
  weight: number,
) => Promise<{ headers: Record<string, string>; retryAfterSeconds?: number; message?: string }>

/** The dependencies of a group of endpoints. */
export type Deps<Services> = {
  services: Services
  authenticate: Authenticate
  /** Counts requests with an API key (G17). Without it no request is counted or refused. */
  countRequest?: CountRequest
  log: RequestLog
  /** The store of answers. Required for requests with an Idempotency-Key. */
  firstAnswers?: FirstAnswers
  /** Required by endpoints that take multipart forms. Its code is large, so functions without such endpoints omit it. */
  readForm?: ReadForm
}

export type LambdaHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/**
 * The handler of a Lambda that serves these endpoints behind API Gateway (REST, proxy integration).
 *
 * Middy handles the time limit, the request log, common headers and refusals. Each request is checked in the order of G3:
 * authentication, scope, shape of the input. Then the endpoint's handler runs, and its result is parsed by the declared
 * output. Every failure is answered in the envelope (G1) or with the endpoint's error page.
 */
export function serve<Services>(endpoints: Endpoints<Services>, deps: Deps<Services>): LambdaHandler {
  return withMiddleware(deps, {})
    .after(({ event, response }) => {
      if (response && typeof response.body !== 'string')
        throw new Error(`${event.resource} answers a file: serve it with serveStreamed.`)
    })
    .handler(responder(endpoints, deps)) as unknown as LambdaHandler
}

/** How long before the end of the function's time the store gives up, and how long before the end the request ends. */
const answeringMilliseconds = 1_000
const lastMilliseconds = 500

/** Middy with the middleware of every function. The middleware that is added last sees answers and errors first. */
export function withMiddleware<Services>({ services, log }: Deps<Services>, options: middy.PluginObject) {
  return middy<APIGatewayProxyEvent, StreamedAnswer>({
    ...options,
    timeoutEarlyInMillis: lastMilliseconds,
    timeoutEarlyResponse: () => {
      throw new TookTooLong()
    },
  })
    .use(requestLog(log))
    .use(commonHeaders())
    .use(refusals(services, log))
}

/** Finds the endpoint of a request and runs it. */
export function responder<Services>(
  endpoints: Endpoints<Services>,
  deps: Deps<Services>,
): (event: APIGatewayProxyEvent, context: Context) => Promise<StreamedAnswer> {
  const takingForms = Object.values(endpoints).find(({ encodings }) => encodings.includes('form'))
  if (takingForms !== undefined && deps.readForm === undefined)
    throw new Error(`${takingForms.path} takes forms: serve it with readForm.`)
  const routes = new Map<string, Endpoint<Services>>(
    Object.values(endpoints).flatMap((endpoint) =>
      methodsOf(endpoint).map((method) => [`${method} ${endpoint.path}`, endpoint] as const),
    ),
  )
  const byPath = Map.groupBy(Object.values(endpoints), ({ path }) => path)
  return (event, context) =>
    withTimeLimit(context.getRemainingTimeInMillis() - answeringMilliseconds, async () => {
      const endpoint = routes.get(`${event.httpMethod} ${event.resource}`)
      const progress = progressOf(event)
      if (endpoint === undefined) throw otherMethod(byPath.get(event.resource) ?? [], progress)
      progress.endpoint = endpoint
      // Bound to this request, because the message depends on whether the request has changed something.
      progress.tooLate = AsyncLocalStorage.bind(() => unavailable('This took too long.'))
      return respond(endpoint, event, deps, progress)
    })
}

/** The refusal of a method that a path does not have. If the path has an error page, the refusal uses it. */
function otherMethod(atPath: readonly Endpoint<never>[], progress: Progress): Failure {
  const page = atPath.find(({ errorPage }) => errorPage !== undefined)
  if (page !== undefined) progress.endpoint = page
  const allow = [...new Set(atPath.flatMap(methodsOf))].toSorted().join(', ')
  if (allow === '') return new Failure('not_found', routeNotFound.code, routeNotFound.message)
  return new Failure('method_not_allowed', 'METHOD_NOT_ALLOWED', `This path accepts only ${allow}.`, {
    headers: { Allow: allow },
  })
}

async function respond<Services>(
  endpoint: Endpoint<Services>,
  event: APIGatewayProxyEvent,
  deps: Deps<Services>,
  progress: Progress,
): Promise<StreamedAnswer> {
  const baseUrl = baseUrlOf(event)
  if (endpoint.produces === 'text/html' && /[^/]\/$/.test(event.path)) return withoutSlash(endpoint, event)
  try {
    const { actor, form: formOfCredential } = await admit(endpoint, event, deps, progress)
    refuseLongHeaders(event)
    const caller = readCaller(endpoint.caller, event)
    await endpoint.permit?.(deps.services, { actor, caller })
    const form = formOfCredential ?? (await formOf(endpoint, event, deps, progress))
    const isStrict =
      namesUnread(endpoint) && (readsBody(endpoint) || Boolean(event.body)) && prefersStrict(event)
    if (isStrict) progress.headers = { ...progress.headers, ...strictApplied }
    const request = {
      ...readInput(endpoint, event, form, isStrict, (fields) => {
        progress.ignored = fields
      }),
      actor,
      caller,
      isHead: event.httpMethod === 'HEAD',
      baseUrl,
      precondition: preconditionOf(endpoint, event),
    }
    const handle = () => endpoint.handle(deps.services, request)
    if (endpoint.fixed) return await fixedAnswer(endpoint, event, handle, baseUrl)
    const answer = (result: unknown) => answerOf(endpoint, event, result, baseUrl)
    const keyed = readIdempotencyKey(endpoint, event, actor, { form, body: request.body })
    if (keyed === undefined) return await answer(await handle())
    if (deps.firstAnswers === undefined) throw new Error(`${endpoint.path} needs \`firstAnswers\`.`)
    return await answerOnce(endpoint, keyed, deps.firstAnswers, handle, answer, (actor as Actor).scopes)
  } catch (error) {
    throw asDeclared(endpoint, error)
  }
}

/**
 * Redirects to the address of a page without the slash at its end, which API Gateway ignores: the links and forms of a page
 * are relative to its address. The redirect is relative as well, so it works below the path of a stage.
 */
function withoutSlash({ headers }: Endpoint<never>, event: APIGatewayProxyEvent): StreamedAnswer {
  const pairs = Object.entries(event.multiValueQueryStringParameters ?? {})
  const query = new URLSearchParams(
    pairs.flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value])),
  )
  const name = event.path.split('/').at(-2) ?? ''
  const location = `../${name}${query.size === 0 ? '' : `?${query}`}`
  return { statusCode: 308, headers: { ...headers, Location: location }, body: '' }
}

/**
 * Authenticates the caller as the endpoint's `access` requires. Returns the actor, and the form if it has the credential.
 *
 * @throws Failure 401, 403, 413 for a long body without a credential, and the failures of the credential's verifier and of
 *   the form
 */
async function admit<Services>(
  endpoint: Endpoint<Services>,
  event: APIGatewayProxyEvent,
  deps: Deps<Services>,
  progress: Progress,
): Promise<{ actor: unknown; form?: Form | undefined }> {
  const { access } = endpoint
  if (access === 'public') {
    refuseLongBody(event)
    return { actor: undefined }
  }
  if (!isCredential(access)) {
    const actor = await deps.authenticate(onlyHeader(event, 'authorization'))
    Object.assign(progress, { workspaceId: actor.workspace_id, userId: actor.user_id })
    await deps
      .countRequest?.(actor, weightOf(endpoint, event))
      .then((counted) => requireAllowance(counted, progress))
    requireScope(access, actor)
    return { actor }
  }

  const request = { params: readParams(endpoint, event) }
  if (access.in !== 'form') {
    const actor = await access.verify(deps.services, shownIn(access, event), request)
    return { actor: noteHolder(actor, progress) }
  }
  const form = await formOf(endpoint, event, deps, progress)
  const shown = Object.fromEntries(access.names.map((name) => [name, textOf(form?.fields[name])]))
  return { actor: noteHolder(await access.verify(deps.services, shown, request), progress), form }
}

/** The longest body that is read without any credential, in characters. */
const maxPublicBody = 16_384

/**
 * Refuses a long body of a caller who has shown no credential. Nobody counts such requests by weight, and JSON of some
 * megabytes can take a second to parse.
 *
 * @throws Failure PAYLOAD_TOO_LARGE
 */
function refuseLongBody({ body }: APIGatewayProxyEvent): void {
  if ((body?.length ?? 0) <= maxPublicBody) return
  throw new Failure('too_large', 'PAYLOAD_TOO_LARGE', `Send a body of at most ${maxPublicBody} characters.`)
}

/** The credential in the request. Undefined if it is sent twice, because it is unclear which one counts. */
function shownIn(
  { in: place, name }: { in: 'header' | 'query' | 'path'; name: string },
  event: APIGatewayProxyEvent,
): string | undefined {
  if (place === 'header') return onlyHeader(event, name)
  if (place === 'path') return event.pathParameters?.[name]
  return textOf(event.multiValueQueryStringParameters?.[name])
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.length === 1 ? value[0] : undefined
}

/** Notes the holder of a credential and the workspace, for the error page and the log. */
function noteHolder(actor: unknown, progress: Progress): unknown {
  progress.holder = actor
  if (typeof actor !== 'object' || actor === null || !('workspace_id' in actor)) return actor
  progress.workspaceId = String(actor.workspace_id)
  return actor
}

async function formOf<Services>(
  endpoint: Endpoint<Services>,
  event: APIGatewayProxyEvent,
  { readForm }: Deps<Services>,
  progress: Progress,
): Promise<Form | undefined> {
  try {
    const form = await readFormOf(endpoint, event, readForm)
    if (form !== undefined) progress.fields = form.fields
    return form
  } catch (error) {
    // If the endpoint answers malformed input with 422, this includes another content type.
    const isOther = error instanceof Failure && error.kind === 'unsupported_media'
    throw isOther && endpoint.malformed === 422 ? invalid(error.message) : error
  }
}

/** Gives malformed input the status that the endpoint declares for it. */
function asDeclared({ malformed }: Endpoint<never>, error: unknown): unknown {
  const failure = failureOf(error)
  if (failure?.kind !== 'invalid' || malformed === 400) return error
  const { code, message, details } = failure
  return new Failure('unprocessable', code, message, { ...(details && { details }), cause: error })
}

function preconditionOf(
  { condition, etag }: Endpoint<never>,
  event: APIGatewayProxyEvent,
): Precondition<unknown> {
  const ifMatch = header(event, 'if-match')
  const resource = condition ?? etag
  if (ifMatch === undefined || resource === undefined) return anyState
  return (current) => {
    const now = etagOf(resource.parse(current))
    if (ifMatchHolds(ifMatch, now)) return
    throw new Failure(
      'precondition_failed',
      'PRECONDITION_FAILED',
      !areEntityTags(ifMatch)
        ? 'Send `If-Match` with the quotes that the `ETag` has: `"…"`.'
        : ifNoneMatchHits(ifMatch, now)
          ? 'A weak `ETag` never matches. A proxy that compresses answers adds `W/`: send `If-Match` without it.'
          : 'It has changed since: get it again, then repeat your change.',
    )
  }
}

function requireAllowance(
  { headers, retryAfterSeconds, message = 'Too many requests.' }: Awaited<ReturnType<CountRequest>>,
  progress: Progress,
): void {
  progress.headers = headers
  if (retryAfterSeconds === undefined) return
  throw new Failure('rate_limited', 'RATE_LIMITED', message, { retryAfterSeconds })
}

function requireScope(access: KeyAccess, actor: Actor): void {
  const message = scopeRefusal(access, actor.scopes)
  if (message !== undefined) throw new Failure('forbidden', 'AUTH_INSUFFICIENT_SCOPE', message)
}

/**
 * The service's own address, for use in answers. It is `SERVICE_BASE_URL`, which is set for a stage with a domain and on
 * a laptop; otherwise the address that API Gateway gave the API. The caller cannot change it.
 */
function baseUrlOf({ requestContext: { domainName = '', stage } }: APIGatewayProxyEvent): string {
  if (process.env.SERVICE_BASE_URL) return process.env.SERVICE_BASE_URL
  return `https://${domainName}${domainName.endsWith('.amazonaws.com') ? `/${stage}` : ''}`
}
