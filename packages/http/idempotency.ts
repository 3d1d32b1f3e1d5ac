import { createHash, createHmac } from 'node:crypto'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Actor } from '#kernel/actor.ts'
import { conflict, Failure, failureOf, invalidAt } from '#kernel/failure.ts'
import {
  type Claim,
  type FirstAnswer,
  idempotently,
  type KeptAnswer,
  type KeyedRequest,
} from '#kernel/idempotency.ts'
import { isObject } from '#kernel/is-object.ts'
import type { Scope } from '#kernel/scope.ts'
import { timeLeft } from '#kernel/time-limit.ts'
import { unavailable } from '#kernel/unavailable.ts'
import { needsKey, scopeRefusal } from './access.ts'
import { etagHeader } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { readJson } from './json-body.ts'
import type { Form } from './read-input.ts'
import { header, onlyHeader } from './request-event.ts'
import type { StreamedAnswer } from './streamed-answer.ts'

/** The store of the answers to requests with an Idempotency-Key. */
export type FirstAnswers = {
  /** Notes a request before it is handled, so that a later erasure can find its answer. */
  note: (request: Omit<KeyedRequest, 'content'>) => Promise<void>
  /** The answer that is stored for a user's key, and the digest of the request that it answered. */
  find: (
    request: Omit<KeyedRequest, 'content'>,
  ) => Promise<{ content: string; answer: KeptAnswer } | undefined>
  /**
   * Stores the answer to a request that changed nothing.
   *
   * @param isBodyKept false: only the digest of the request and the status are stored, and the body is made again
   * @throws KeyHasAnswer
   */
  add: (claim: Claim, options: { isBodyKept: boolean }) => Promise<void>
}

/** Whether an endpoint takes the header `Idempotency-Key`: every POST with an API key does (G14). */
export function takesIdempotencyKey({ method, access }: Pick<Endpoint<never>, 'method' | 'access'>): boolean {
  return method === 'POST' && needsKey(access)
}

/**
 * Reads the header `Idempotency-Key`.
 *
 * @param body if it contains an idempotency key (`ownKey`), that key counts and the header does not (M1)
 * @returns digests of the key and of the content of the request; undefined if it has no key, or the endpoint takes none
 * @throws Failure 400 for a key that is empty, longer than 255 characters, not printable ASCII, or sent twice
 */
export function readIdempotencyKey(
  endpoint: Endpoint<never>,
  event: APIGatewayProxyEvent,
  actor: unknown,
  { form, body }: { form: Form | undefined; body: unknown },
): KeyedRequest | undefined {
  if (!takesIdempotencyKey(endpoint) || header(event, 'idempotency-key') === undefined) return undefined
  const key = onlyHeader(event, 'idempotency-key')
  if (key === undefined || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw invalidAt(
      'header.Idempotency-Key',
      'Send one Idempotency-Key of 1 to 255 printable ASCII characters.',
    )
  const { ownKey } = endpoint
  if (ownKey !== undefined && (body as Record<string, unknown>)[ownKey] != null) return undefined
  const { workspace_id, user_id } = actor as Actor
  return { workspace_id, user_id, key: digest(key), content: contentDigest(endpoint, event, form, key) }
}

/**
 * Handles a request with a key so that it takes effect once (G14).
 *
 * Nothing is read beforehand. A repeated request is handled again, and its transaction is refused because the first
 * transaction has stored the answer under this key. It may be refused earlier, mostly because of the change that the
 * first request made. In each case the first answer is returned instead.
 *
 * If an endpoint acts outside the table, no transaction guards its effect, so the stored answer is read first.
 *
 * @param handle runs the endpoint's handler
 * @param answer makes the answer from the handler's result
 * @param held the scopes of the API key
 * @throws Failure IDEMPOTENCY_KEY_REUSED; AUTH_INSUFFICIENT_SCOPE if the first answer may show more than this API key
 *   may read; otherwise as `handle` if the key has no answer
 */
export async function answerOnce<Result>(
  endpoint: Endpoint<never>,
  request: KeyedRequest,
  answers: FirstAnswers,
  handle: () => Promise<Result>,
  answer: (result: Result) => Promise<StreamedAnswer>,
  held: readonly Scope[],
): Promise<StreamedAnswer> {
  const claimOf = (result: unknown): Claim => ({ ...request, answer: firstAnswerOf(endpoint, result) })
  const work = idempotently(request, claimOf)
  const first = async (): Promise<KeptAnswer | undefined> => {
    const found = await answers.find(request)
    if (found !== undefined && found.content !== request.content) throw reused()
    const refusal = found && scopeRefusal({ every: endpoint.showsMoreTo }, held)
    if (refusal !== undefined) throw new Failure('forbidden', 'AUTH_INSUFFICIENT_SCOPE', refusal)
    return found?.answer
  }

  const earlier = endpoint.actsOutside ? await first() : undefined
  if (earlier?.body !== undefined) return replay(endpoint, earlier, earlier.body)
  let made: StreamedAnswer | undefined
  try {
    const noted = answers.note(request)
    // It is awaited below, unless the request is refused first.
    noted.catch(() => {})
    const result = await work.run(handle)
    await noted.catch((error: unknown) => work.run(async () => Promise.reject(notNoted(error))))
    made = await answer(result)
    if (!work.isClaimed()) await answers.add(claimOf(result), { isBodyKept: !endpoint.storesNothing })
    return made
  } catch (error) {
    // If this request has stored its own answer, there is no answer to an earlier request.
    if (work.isClaimed() || timeLeft() <= 0) throw error
    // The first request was made with another key of the user. This key may not read its answer.
    if (failureOf(error)?.code === 'AUTH_INSUFFICIENT_SCOPE') throw error
    // If the table does not answer now either, the refusal says that the request can be repeated safely with the key.
    const kept = await work.run(first)
    const body = kept?.body ?? made?.body
    if (kept === undefined || body === undefined) throw error
    return replay(endpoint, kept, body)
  }
}

/** The note is written while the handler runs, so its own failure does not say what the handler has changed. */
function notNoted(error: unknown): unknown {
  return failureOf(error)?.kind === 'unavailable'
    ? unavailable('The store did not answer in time.', { cause: error })
    : error
}

function firstAnswerOf(endpoint: Endpoint<never>, result: unknown): FirstAnswer {
  const { status, secrets } = endpoint
  if (status === 204) return { status, body: '', etag: undefined }
  const output = endpoint.output?.parse(result)
  const shown = Object.entries(output as object).filter(([name]) => !secrets.includes(name))
  const body = JSON.stringify(secrets.length === 0 ? output : Object.fromEntries(shown))
  return { status, body, etag: etagHeader(endpoint, output).ETag }
}

function replay(
  endpoint: Endpoint<never>,
  { status, etag }: KeptAnswer,
  body: StreamedAnswer['body'],
): StreamedAnswer {
  const headers: Record<string, string> = {
    ...(body !== '' && { 'Content-Type': 'application/json; charset=utf-8' }),
    ...endpoint.headers,
    ...(etag !== undefined && { ETag: etag }),
    'Idempotent-Replayed': 'true',
  }
  return { statusCode: status, headers, body }
}

/**
 * A digest of method, path, query, and the fields and files of a form or the JSON of the body. Neither the boundary of a
 * form nor the order of members or parameters makes a difference. The Idempotency-Key is the key of this HMAC, and only a
 * digest of that key is stored. So nobody who reads the table can guess a password in a body by trying.
 */
function contentDigest(
  endpoint: Endpoint<never>,
  event: APIGatewayProxyEvent,
  form: Form | undefined,
  key: string,
): string {
  const { httpMethod, resource, pathParameters, multiValueQueryStringParameters } = event
  const about = [httpMethod, resource, pathParameters, multiValueQueryStringParameters]
  const content = ordered([...about, bodyOf(endpoint, event, form)])
  // A body may be nested too deeply to be sorted.
  return half(createHmac('sha256', key).update(content ?? JSON.stringify([...about, event.body])))
}

/** The content of the body that is compared: its fields and files, its JSON, or its text if the endpoint takes no body. */
function bodyOf({ body }: Endpoint<never>, event: APIGatewayProxyEvent, form: Form | undefined): unknown {
  if (form !== undefined)
    return [form.fields, form.files.map(({ name, filename, bytes }) => [name, filename, digest(bytes)])]
  return body === undefined ? event.body : readJson(event)
}

/** The JSON of a value with its members sorted; undefined if it is nested too deeply. */
function ordered(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, member: unknown) =>
      isObject(member)
        ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : member,
    )
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function digest(content: string | Uint8Array): string {
  return half(createHash('sha256').update(content))
}

/** Half of SHA-256. It is long enough that nobody finds two contents with the same digest, and keeps the item small. */
function half(hash: { digest: () => Buffer }): string {
  return hash.digest().subarray(0, 16).toString('base64url')
}

function reused(): Failure {
  return conflict(
    'IDEMPOTENCY_KEY_REUSED',
    'You sent another request with this Idempotency-Key within the last 24 hours. Use a new key.',
  )
}
