import type * as z from 'zod'
import type { Actor } from '#kernel/actor.ts'
import type { FailureCode } from '#kernel/failure.ts'
import type { Scope } from '#kernel/scope.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Who may call: a key with this scope, a key with any one of these scopes, any valid key, or everybody
 * (the handler then looks at what the caller shows, such as a token in the query).
 */
export type Access = Scope | readonly Scope[] | 'any key' | 'public'

/** The placeholders of a path: `PathParam<'/cases/{id}/links/{link_id}'>` is `'id' | 'link_id'`. */
export type PathParam<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParam<Rest>
  : never

type Shape = Record<string, z.ZodType>
type Values<Schemas extends Shape> = { [Name in keyof Schemas]: z.output<Schemas[Name]> }

/** Throws `PRECONDITION_FAILED` unless the request's `If-Match` names this state of the resource (G10). */
export type Precondition = (current: unknown) => void

/** What a handler is given: everything parsed by the declared schemas. */
export type Request<A, Params extends Shape, Query extends z.ZodType, Body extends z.ZodType> = {
  actor: A extends 'public' ? undefined : Actor
  params: Values<Params>
  query: z.output<Query>
  body: z.output<Body>
  precondition: Precondition
  /** Where the caller reached the service, without a trailing slash. */
  baseUrl: string
}

/** Statuses and the codes that are answered with them, beyond those every endpoint has. */
export type DeclaredErrors = {
  [Status in 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 502]?: readonly FailureCode[]
}

type Declaration<
  Services,
  Path extends string,
  A,
  Params extends Shape,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Output extends z.ZodType,
> = {
  method: Method
  path: Path
  access: A
  /** One line, imperative: "Open a case". */
  summary: string
  description?: string
  /** One schema per placeholder of the path. */
  params?: Params
  query?: Query
  body?: Body
  /** 201 for what creates, 204 for an answer without a body, otherwise 200. */
  status?: 200 | 201 | 204
  output: Output
  /** Content type of the answer where it is not JSON; the output is then a string. */
  produces?: 'text/html' | 'text/javascript'
  /** Other forms of the same answer, for callers whose `Accept` prefers them to JSON. */
  renderings?: { [Type in RenderedType]?: (output: z.output<Output>) => string }
  /** Headers that every answer of this endpoint carries. */
  headers?: Record<string, string>
  errors?: DeclaredErrors
  /** The resource whose state `If-Match` and `If-None-Match` are about; what answers it carries its strong ETag (G10). */
  etag?: z.ZodType
  /** The resource that `If-Match` is about where the answer shows another, so that it carries no ETag. */
  condition?: z.ZodType
  /** A true request and its answer, for the documentation; the tests send it. */
  example?: {
    params?: Record<keyof Params, string>
    query?: z.input<Query>
    body?: z.input<Body>
    answer?: z.input<Output>
  }
  handle: (services: Services, request: Request<A, Params, Query, Body>) => Promise<z.input<Output>>
}

/** What an answer can be rendered as beside its JSON. */
export type RenderedType = 'text/csv' | 'text/html'

/** An endpoint as everything but its own handler sees it. */
export type Endpoint<Services> = {
  method: Method
  path: string
  access: Access
  summary: string
  description: string | undefined
  params: Shape
  query: z.ZodType | undefined
  body: z.ZodType | undefined
  status: 200 | 201 | 204
  output: z.ZodType
  produces: 'application/json' | 'text/html' | 'text/javascript'
  renderings: { [Type in RenderedType]?: (output: never) => string }
  headers: Record<string, string>
  errors: DeclaredErrors
  etag: z.ZodType | undefined
  condition: z.ZodType | undefined
  example: { params?: Record<string, string>; query?: unknown; body?: unknown; answer?: unknown }
  handle: (services: Services, request: Request<Access, Shape, z.ZodType, z.ZodType>) => Promise<unknown>
}

type RequiredField = 'method' | 'path' | 'access' | 'summary' | 'output' | 'handle'

/** The endpoints of one Lambda, by operation name: what `import * as cases from './endpoints.ts'` gives. */
export type Endpoints<Services> = Record<string, Endpoint<Services>>

/**
 * Gives the function that declares endpoints of a group whose handlers use `Services`.
 *
 * @example
 * const endpoint = endpointsOf<{ cases: CaseService }>()
 * export const getCase = endpoint({
 *   method: 'GET', path: '/api/v1/cases/{id}', access: 'cases:read', summary: 'Get a case',
 *   params: { id: idOf('case') }, output: Case, errors: { 404: ['CASE_NOT_FOUND'] },
 *   handle: ({ cases }, { actor, params }) => cases.get(actor, params.id),
 * })
 *
 * The compiler refuses a placeholder without a schema, an unknown scope or code, and a handler whose result
 * is not the declared output.
 */
export function endpointsOf<Services>() {
  return function endpoint<
    const Path extends `/${string}`,
    const A extends Access,
    Output extends z.ZodType,
    // biome-ignore lint/complexity/noBannedTypes: no placeholders is exactly {}
    Params extends Shape = {},
    Query extends z.ZodType = z.ZodUndefined,
    Body extends z.ZodType = z.ZodUndefined,
  >(
    declaration: Declaration<Services, Path, A, Params, Query, Body, Output> &
      ([PathParam<Path>] extends [never]
        ? { params?: never }
        : { params: Record<PathParam<Path>, z.ZodType> }),
  ): Endpoint<Services> {
    return {
      status: 200,
      description: undefined,
      query: undefined,
      body: undefined,
      params: {},
      produces: 'application/json',
      renderings: {},
      headers: {},
      errors: {},
      etag: undefined,
      condition: undefined,
      example: {},
      ...(declaration as unknown as Required<Pick<Endpoint<Services>, RequiredField>>),
    }
  }
}
