import type * as z from 'zod'
import type { Actor } from '#kernel/actor.ts'
import type { FailureCode } from '#kernel/failure.ts'
import type { Scope } from '#kernel/scope.ts'
import type { FilePart } from './form.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Who may call with an API key: one with this scope, with any one of these scopes, or any valid one. */
export type KeyAccess = Scope | readonly Scope[] | 'any key'

/**
 * A door of its own for callers without an API key: what they show in this header is verified before anything
 * but the path is read, and a Failure of `verify` is the answer. What it gives is the handler's `actor`.
 */
export type TokenAccess<Services> = {
  /** The header that holds the token. */
  header: string
  /** Which token that is and where it comes from, for the documentation. */
  description: string
  verify: (
    services: Services,
    shown: { token: string | undefined; params: Record<string, string> },
  ) => Promise<unknown>
}

/** Who may call: holders of an API key, of another token, or everybody. */
export type Access<Services = never> = KeyAccess | TokenAccess<Services> | 'public'

/** Whether callers come in with a token of another kind than an API key. */
export function isToken<Services>(access: Access<Services>): access is TokenAccess<Services> {
  return typeof access === 'object' && 'verify' in access
}

/** The placeholders of a path: `PathParam<'/cases/{id}/links/{link_id}'>` is `'id' | 'link_id'`. */
export type PathParam<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParam<Rest>
  : never

type Shape = Record<string, z.ZodType>
type Values<Schemas extends Shape> = { [Name in keyof Schemas]: z.output<Schemas[Name]> }

/** Throws `PRECONDITION_FAILED` unless the request's `If-Match` names this state of the resource (G10). */
export type Precondition = (current: unknown) => void

/** Who acts: nobody in particular, whom the token stands for, or the user of the key. */
type ActorOf<A> = A extends 'public'
  ? undefined
  : A extends { verify: (...shown: never[]) => Promise<infer Visitor> }
    ? Visitor
    : Actor

/** The files that a form may hold under one name: at least one, at most `most`. */
export type FileField = { most: number; description?: string }

type FileFields = Record<string, FileField>

/** What a handler is given: everything parsed by the declared schemas. */
export type Request<
  A,
  Params extends Shape,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Files extends FileFields,
> = {
  actor: ActorOf<A>
  params: Values<Params>
  query: z.output<Query>
  /** The JSON body, or the fields of the form. */
  body: z.output<Body>
  /** The files of the form, by the names that are declared. */
  files: { [Name in keyof Files]: FilePart[] }
  precondition: Precondition
  /** The service's own address, without a trailing slash. */
  baseUrl: string
}

/** Statuses and the codes that are answered with them, beyond those every endpoint has. */
export type DeclaredErrors = {
  [Status in 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 416 | 422 | 502]?: readonly FailureCode[]
}

type Declaration<
  Services,
  Path extends string,
  A,
  Params extends Shape,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Output extends z.ZodType,
  Files extends FileFields,
> = {
  method: Method
  path: Path
  access: A
  /** A GET that answers HEAD as well, for callers that look before they fetch. */
  answersHead?: boolean
  /** One line, imperative: "Open a case". */
  summary: string
  description?: string
  /** One schema per placeholder of the path. */
  params?: Params
  query?: Query
  /** The JSON body; of a form, its fields: each a text, or a list of texts where it is repeated. */
  body?: Body
  /** The files of a form: with them the endpoint takes `multipart/form-data` instead of JSON. */
  files?: Files
  /** The status for an input of the wrong shape, where another one than 400 is specified. */
  malformed?: 400 | 422
  /** 201 for what creates, 204 for an answer without a body, otherwise 200. */
  status?: 200 | 201 | 204
  output: Output
  /**
   * What the answer is where it is not JSON: text of this type, the output then being a string; or a `file`, the
   * output being `FileOutput`.
   */
  produces?: 'text/html' | 'text/javascript' | 'text/calendar' | 'file'
  /** The answer may be longer than the 6 MB that Lambda gives back at once. A file always is. */
  streamed?: boolean
  /** Other forms of the same answer, for callers whose `Accept` prefers them to JSON. */
  renderings?: { [Type in RenderedType]?: Rendering<z.output<Output>> }
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
  handle: (services: Services, request: Request<A, Params, Query, Body, Files>) => Promise<z.input<Output>>
}

/** What an answer can be rendered as beside its JSON. */
export type RenderedType = 'text/csv' | 'text/html'

/** How an answer is rendered. With a `filename` it is a file to be saved under that name instead of a page. */
export type Rendering<Output> = {
  render: (output: Output) => string
  filename?: (output: Output) => string
}

/** An endpoint as everything but its own handler sees it. */
export type Endpoint<Services> = {
  method: Method
  path: string
  access: Access<Services>
  answersHead: boolean
  summary: string
  description: string | undefined
  params: Shape
  query: z.ZodType | undefined
  body: z.ZodType | undefined
  files: FileFields | undefined
  malformed: 400 | 422
  status: 200 | 201 | 204
  output: z.ZodType
  produces: 'application/json' | 'text/html' | 'text/javascript' | 'text/calendar' | 'file'
  streamed: boolean
  renderings: { [Type in RenderedType]?: Rendering<never> }
  headers: Record<string, string>
  errors: DeclaredErrors
  etag: z.ZodType | undefined
  condition: z.ZodType | undefined
  example: { params?: Record<string, string>; query?: unknown; body?: unknown; answer?: unknown }
  handle: (
    services: Services,
    request: Request<KeyAccess, Shape, z.ZodType, z.ZodType, FileFields>,
  ) => Promise<unknown>
}

/** The methods by which an endpoint is reached. */
export function methodsOf({
  method,
  answersHead,
}: Pick<Endpoint<never>, 'method' | 'answersHead'>): (Method | 'HEAD')[] {
  return answersHead ? [method, 'HEAD'] : [method]
}

type RequiredField = 'method' | 'path' | 'access' | 'summary' | 'output' | 'handle'

/** The endpoints of one Lambda, by operation name: what `import * as cases from './endpoints.ts'` gives. */
export type Endpoints<Services> = Record<string, Endpoint<Services>>

/**
 * The endpoints of a group whose answers are streamed. They are served by a function of their own: one that
 * streams must do so with every answer.
 */
export function streamed<Services>(endpoints: Endpoints<Services>): Endpoints<Services> {
  return Object.fromEntries(Object.entries(endpoints).filter(([, endpoint]) => endpoint.streamed))
}

/** The endpoints of a group whose answers go out at once. */
export function buffered<Services>(endpoints: Endpoints<Services>): Endpoints<Services> {
  return Object.fromEntries(Object.entries(endpoints).filter(([, endpoint]) => !endpoint.streamed))
}

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
    const A extends Access<Services>,
    Output extends z.ZodType,
    // biome-ignore lint/complexity/noBannedTypes: no placeholders is exactly {}
    Params extends Shape = {},
    Query extends z.ZodType = z.ZodUndefined,
    Body extends z.ZodType = z.ZodUndefined,
    // biome-ignore lint/complexity/noBannedTypes: no files is exactly {}
    Files extends FileFields = {},
  >(
    declaration: Declaration<Services, Path, A, Params, Query, Body, Output, Files> &
      ([PathParam<Path>] extends [never]
        ? { params?: never }
        : { params: Record<PathParam<Path>, z.ZodType> }),
  ): Endpoint<Services> {
    return {
      status: 200,
      answersHead: false,
      description: undefined,
      query: undefined,
      body: undefined,
      files: undefined,
      malformed: 400,
      params: {},
      produces: 'application/json',
      streamed: declaration.produces === 'file',
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
