import { expect } from 'vitest'
import * as z from 'zod'
import { allEndpoints } from '#functions/manifest.ts'
import { type Endpoint, methodsOf, sendsStoredBytes } from '#http/endpoint.ts'
import { ErrorEnvelope } from '#http/error-envelope.ts'

/** An answer of the service. Its body is parsed if it is JSON. */
export type Answer = {
  status: number
  headers: Headers
  bytes: Uint8Array
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they state themselves
  body: any
}

export type Send = {
  body?: unknown
  headers?: Record<string, string>
  raw?: string | Uint8Array<ArrayBuffer> | FormData | URLSearchParams
}

/** Sends requests with one key. */
export type Api = (method: string, path: string, send?: Send) => Promise<Answer>

/**
 * A caller with this key (undefined: without a key). Every answer is compared with the declaration of its endpoint:
 * status and error code must be declared, and the body must match the schema exactly.
 */
export function api(baseUrl: string, key: string | undefined): Api {
  return async (method, path, send = {}) => {
    const body = send.raw ?? (send.body === undefined ? undefined : JSON.stringify(send.body))
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        ...(send.body !== undefined && { 'Content-Type': 'application/json' }),
        ...send.headers,
      },
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const answer = {
      status: response.status,
      headers: response.headers,
      bytes,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    }
    holdAgainstDeclaration(method, new URL(baseUrl + path).pathname, answer)
    return answer
  }
}

/** The status and the error code of an answer. */
export const codeOf = ({ status, body }: Pick<Answer, 'status' | 'body'>) => [status, body.error?.code]

/** The items of all pages of a list. @param path perhaps with filters */
export async function allOf(caller: Api, path: string): Promise<Answer['body'][]> {
  const items: Answer['body'][] = []
  const address = `${path}${path.includes('?') ? '&' : '?'}limit=100`
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body }: Answer = await caller('GET', address + (cursor && `&cursor=${cursor}`))
    items.push(...body.data)
    cursor = body.pagination.cursor
  }
  return items
}

/** Statuses and codes that any endpoint may answer. */
const everywhere: Record<number, string[]> = {
  400: ['VALIDATION_ERROR'],
  401: ['AUTH_INVALID_KEY'],
  403: ['AUTH_INSUFFICIENT_SCOPE'],
  409: ['IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_PROGRESS'],
  412: ['PRECONDITION_FAILED'],
  413: ['PAYLOAD_TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  416: ['RANGE_NOT_SATISFIABLE'],
  429: ['RATE_LIMITED'],
  503: ['SERVICE_UNAVAILABLE'],
}

function holdAgainstDeclaration(method: string, path: string, answer: Answer): void {
  expect(answer.headers.get('x-request-id'), 'every answer has a request id').toBeTruthy()
  const endpoint = declarationOf(method, path)
  if (answer.status >= 400 && endpoint?.errorPage !== undefined && typeOf(answer) === 'text/html') {
    expect(statusesOf(endpoint)).toContain(answer.status)
    return
  }
  if (answer.status >= 400) {
    const { error } = ErrorEnvelope.parse(answer.body)
    expect(error.request_id).toBe(answer.headers.get('x-request-id'))
    if (endpoint === undefined) {
      expect([
        { status: 404, code: 'ROUTE_NOT_FOUND' },
        { status: 405, code: 'METHOD_NOT_ALLOWED' },
      ]).toContainEqual({ status: answer.status, code: error.code })
      return
    }
    const declared = { ...endpoint.errors } as Record<number, readonly string[]>
    if (endpoint.malformed === 422 && answer.status === 422)
      declared[422] = [...(declared[422] ?? []), 'VALIDATION_ERROR']
    if (sendsStoredBytes(endpoint)) declared[500] = ['BYTES_MISSING']
    expect(
      [...(declared[answer.status] ?? []), ...(everywhere[answer.status] ?? [])],
      `${method} ${path}`,
    ).toContain(error.code)
    return
  }
  expect(endpoint, `${method} ${path} is declared`).toBeDefined()
  if (endpoint === undefined || answer.status === 304) return
  if (endpoint.produces === 'file') {
    expect([200, 206]).toContain(answer.status)
    return
  }
  const mayAnswer = endpoint.status === 204 && endpoint.output instanceof z.ZodOptional
  if (!mayAnswer || answer.status !== 200) expect(answer.status).toBe(endpoint.status)
  if (endpoint.produces === 'stream') {
    expect(endpoint.types).toContain(typeOf(answer))
    return
  }
  if (endpoint.produces === 'redirect') {
    expect(answer.headers.get('location')).toBeTruthy()
    return
  }
  if (answer.status === 204) expect(answer.body).toBe('')
  else if (renderedTypes(endpoint).includes(typeOf(answer))) expect(answer.body).toBeTypeOf('string')
  else
    expect(
      () => strictOutputOf(endpoint).parse(answer.body),
      `${method} ${path} answers its schema`,
    ).not.toThrow()
}

function statusesOf({ errors, malformed }: Endpoint<never>): number[] {
  return [...Object.keys({ ...errors, ...everywhere }).map(Number), malformed]
}

function renderedTypes({ renderings }: Endpoint<never>): string[] {
  return Object.keys(renderings)
}

function typeOf({ headers }: Answer): string {
  return headers.get('content-type')?.split(';')[0] ?? ''
}

const declarations = allEndpoints.map(({ endpoint }) => ({ endpoint, pattern: endpoint.path.split('/') }))

function declarationOf(method: string, path: string): Endpoint<never> | undefined {
  // As the gateways do, a slash at the end is passed over.
  const segments = path.replace(/(?!^)\/$/, '').split('/')
  const fitting = declarations.filter(
    ({ endpoint, pattern }) =>
      pattern.length === segments.length &&
      pattern.every((part, at) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at])) &&
      methodsOf(endpoint).some((one) => one === method),
  )
  const literal = (pattern: string[]) => pattern.filter((part) => !part.startsWith('{')).length
  return fitting.toSorted((one, other) => literal(other.pattern) - literal(one.pattern))[0]?.endpoint
}

/** zod compiles a schema at its first use, so each is created once. */
const strictOutputs = new Map<Endpoint<never>, z.ZodType>()

function strictOutputOf(endpoint: Endpoint<never>): z.ZodType {
  const known = strictOutputs.get(endpoint)
  if (known !== undefined) return known
  const made = exactly(endpoint.output ?? z.undefined())
  strictOutputs.set(endpoint, made)
  return made
}

/** The schema, changed to refuse unknown fields, unless it explicitly accepts them. */
function exactly(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodLazy) return exactly(schema.unwrap())
  if (schema instanceof z.ZodObject && schema.def.catchall === undefined) {
    return z.strictObject(
      Object.fromEntries(Object.entries(schema.shape).map(([name, field]) => [name, exactly(field)])),
    )
  }
  if (schema instanceof z.ZodArray) return z.array(exactly(schema.def.element))
  if (schema instanceof z.ZodDiscriminatedUnion)
    return z.union(schema.def.options.map((option) => exactly(option)))
  if (schema instanceof z.ZodNullable) return exactly(schema.def.innerType).nullable()
  if (schema instanceof z.ZodOptional) return exactly(schema.def.innerType).optional()
  return schema as z.ZodType
}
