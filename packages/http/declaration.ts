import type * as z from 'zod'
import type { Actor } from '#kernel/actor.ts'
import type { FailureCode } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Precondition } from '#kernel/precondition.ts'
import type { Scope } from '#kernel/scope.ts'
import type { Credential, KeyAccess } from './access.ts'
import type { CallerFacts, CallerOf } from './caller.ts'
import type { FileContent, StreamContent } from './file-output.ts'
import type { FilePart } from './form.ts'
import type { FormLimits } from './form-fields.ts'
import type { Redirect } from './redirect.ts'
import type { Refusal } from './refusal.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The placeholders of a path: `PathParam<'/cases/{id}/links/{link_id}'>` is `'id' | 'link_id'`. */
type PathParam<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParam<Rest>
  : never

export type Shape = Record<string, z.ZodType>
type Values<Schemas extends Shape> = { [Name in keyof Schemas]: z.output<Schemas[Name]> }

/** How a body is sent. */
export type Encoding = 'json' | 'form' | 'urlencoded'

/** The files that a form may hold under one name. */
export type FileField = {
  /** The maximum number of files. At least one is required, unless the field is `optional`. */
  max: number
  optional?: true
  /**
   * The names of the files in the form, if they differ from the name in the declaration. In `attachment-N`, `N` stands
   * for any number; `*` means every file whose name is not declared.
   */
  named?: `${string}-N` | '*'
  description?: string
}

export type FileFields = Record<string, FileField>

/** The files that a handler receives for each declared name: one, one or none, or a list. */
type FilesOf<Files extends FileFields> = {
  [Name in keyof Files]: Files[Name] extends { max: 1; named?: never }
    ? Files[Name] extends { optional: true }
      ? FilePart | undefined
      : FilePart
    : FilePart[]
}

/** The input of a handler, parsed by the declared schemas. */
export type Request<
  ActsAs,
  Params extends Shape,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Files extends FileFields,
  Facts extends CallerFacts,
> = {
  actor: ActsAs
  params: Values<Params>
  query: z.output<Query>
  /** The JSON body, or the fields of the form. */
  body: z.output<Body>
  /** The files of the form, by their declared names. */
  files: FilesOf<Files>
  /** The declared facts about the caller. */
  caller: CallerOf<Facts>
  precondition: Precondition<unknown>
  /** Whether this is a HEAD request. Only a handler with effects needs to know. */
  isHead: boolean
  /** The service's own address, without a trailing slash. */
  baseUrl: string
}

/** The actor: the user of the API key, or the result of the credential's `verify`; undefined for a public endpoint. */
type ActsAs<A, Caller> = [Caller] extends [never] ? (A extends 'public' ? undefined : Actor) : Caller

/** The error codes of an endpoint by status, in addition to the codes that all endpoints have. */
export type DeclaredErrors = {
  [Status in
    | 400
    | 401
    | 403
    | 404
    | 406
    | 409
    | 410
    | 413
    | 415
    | 416
    | 422
    | 500
    | 502]?: readonly FailureCode[]
}

/** The kinds of answers: JSON, another text, a file, a stream of unknown length, or a redirect. */
export type Produces =
  | 'application/json'
  | 'text/html'
  | 'text/javascript'
  | 'text/calendar'
  | 'application/xml'
  | 'file'
  | 'stream'
  | 'redirect'

/** The part of a declaration that depends on the kind of the answer. */
type AnswerOf<P extends Produces> = P extends 'file'
  ? {
      output?: never
      /** With `inline`, the browser shows PDF, PNG, JPEG and plain text, and saves files of any other type. */
      disposition?: 'attachment' | 'inline'
      status?: 200
    }
  : P extends 'stream'
    ? {
        output?: never
        /** The media types that the stream can have. */
        types: readonly [string, ...string[]]
        /** The schema and an example of a JSON stream, for the documentation. */
        json?: { schema: z.ZodType; example: unknown }
        status?: 200
      }
    : P extends 'redirect'
      ? { output?: never; status?: 302 | 303 | 307 }
      : P extends `text/${string}` | 'application/xml'
        ? { output: z.ZodType<string>; status?: 200 | 201 }
        : { output: z.ZodType; status?: 200 | 201 | 202 | 204 }

/** The result of the handler for each kind of answer. */
type ResultOf<P extends Produces, Output extends z.ZodType> = P extends 'file'
  ? FileContent
  : P extends 'stream'
    ? StreamContent
    : P extends 'redirect'
      ? Redirect
      : z.input<Output>

/**
 * The type that a handler must return. A POST with an API key takes an Idempotency-Key (G14), so it must return an answer
 * that the store has stored with the change, unless the endpoint is `storedAlone`.
 */
type Handled<M extends Method, A, Caller, Alone, Result> = [M, Caller, Alone] extends ['POST', never, never]
  ? [A] extends ['public']
    ? Result
    : Answered<Result>
  : Result

/** The media types in which a JSON answer can also be rendered. */
export type RenderedType = 'text/csv' | 'text/html' | 'application/x-ndjson'

/**
 * How an answer is rendered. With `filename`, the browser saves it as a file instead of showing it. `nextCursor`: the
 * cursor of the next page, for the header `Next-Cursor`, if the rendering itself has no place for it.
 */
export type Rendering<Output> = {
  render: (output: Output) => string
  filename?: (output: Output) => string
  nextCursor?: (output: Output) => string | null
}

/** Makes the error page for a refusal, from the part of the request that was read before the refusal. */
export type ErrorPage<Services, Facts extends CallerFacts, Holder = unknown> = (
  services: Services,
  refusal: Refusal,
  request: {
    /** The result of the credential's `verify`; undefined if `verify` refused. */
    actor: Holder | undefined
    /** The placeholders of the path as they were sent. */
    params: Record<string, string>
    /** The fields of the form as they were sent, so that a page can show them again. */
    fields: Record<string, string | string[]>
    caller: CallerOf<Facts>
  },
) => string | Promise<string>

/** The declaration of an endpoint. `endpointsOf` has an example. */
export type Declaration<
  Services,
  Path extends string,
  A extends KeyAccess | 'public',
  Caller,
  Params extends Shape,
  Query extends z.ZodType,
  Body extends z.ZodType,
  P extends Produces,
  Output extends z.ZodType,
  Files extends FileFields,
  Facts extends CallerFacts,
  M extends Method = Method,
  Alone extends string = string,
> = {
  method: M
  path: Path
  /** The permitted callers. */
  access: A | Credential<Services, Caller>
  /**
   * Throws a Failure if the holder of a valid credential may not do this now. It runs before the rest of the request is
   * read, and corresponds to the scope of an API key.
   */
  permit?: (
    services: Services,
    request: { actor: ActsAs<A, Caller>; caller: CallerOf<NoInfer<Facts>> },
  ) => Promise<void> | void
  /** One line, imperative: "Open a case". */
  summary: string
  description?: string
  /** One schema per placeholder of the path. */
  params?: Params
  query?: Query
  /** How the body is sent; default `json`. A list lets the caller choose. */
  encoding?: Encoding | readonly ('form' | 'urlencoded')[]
  /** The schema of the JSON body, or of the fields of a form. A field is a text, or a list of texts if it is repeated. */
  body?: Body
  files?: Files
  /** Whether files with undeclared names are refused. By default they are ignored, like unknown fields (G8). */
  undeclaredFiles?: 'ignore' | 'refuse'
  formLimits?: FormLimits
  /** The facts about the caller that the handler receives. */
  caller?: Facts
  /** The status for input of the wrong shape; default 400. */
  malformed?: 400 | 422
  /** The kind of the answer if it is not JSON. */
  produces?: P
  output?: Output
  /** Streams the answer, so that it may be longer than the 6 MB that Lambda can return. Default for files and streams. */
  streamed?: boolean
  /**
   * Whether the answer is the same for everybody as long as the process runs, except for the service's address. Then it
   * is made once and kept, with its ETag. For a large public GET without parameters and renderings.
   */
  fixed?: boolean
  /** Other media types of the same answer, for callers whose `Accept` prefers them to JSON. */
  renderings?: { [Type in RenderedType]?: Rendering<z.output<Output>> }
  /** Headers of every successful answer, and of error pages. */
  headers?: Record<string, string>
  errors?: DeclaredErrors
  /** Makes the HTML page of a refusal, for callers whose `Accept` does not prefer JSON to HTML. */
  errorPage?: ErrorPage<Services, NoInfer<Facts>, ActsAs<A, Caller>>
  /**
   * Members of the answer that are shown only once. They are not stored, so a replayed answer (G14) does not have them,
   * and the output must declare them as optional.
   */
  secrets?: readonly (keyof z.output<Output> & string)[]
  /**
   * Whether a POST has an effect outside the table, which no transaction can guard (G14). Then the stored answer is read
   * first, and the request is handled only if there is none. Handling it twice must do no harm.
   */
  actsOutside?: boolean
  /** The reason why the answer to a POST is stored on its own, and not with a change (G14). */
  storedAlone?: Alone
  /**
   * Whether a POST promises that nothing of it is stored. Then only a digest is kept for an Idempotency-Key (G14), and
   * the answer to a repeated request is made again. Such a POST must change nothing.
   */
  storesNothing?: boolean
  /**
   * Scopes that show more in the answer to a POST, in addition to the scopes in `access`. A stored answer (G14) is
   * returned only to keys with all of them.
   */
  showsMoreTo?: readonly Scope[]
  /** The member of the body that may contain an idempotency key. If it is sent, `Idempotency-Key` does not count (M1). */
  ownKey?: string
  /** If each entry of the JSON body causes work: the number of usual requests that one entry counts as (G17). */
  weightOfEntry?: number
  /** The resource to which `If-Match` and `If-None-Match` refer. Answers that show it have its strong ETag (G10). */
  etag?: z.ZodType
  /** The resource to which `If-Match` refers, if the answer shows another resource and so has no ETag. */
  condition?: z.ZodType
  /** A valid request and its answer, for the documentation. The tests send this request. */
  example?: {
    params?: Record<keyof Params, string>
    query?: z.input<Query>
    body?: z.input<Body>
    answer?: z.input<Output>
  }
  handle: (
    services: Services,
    request: Request<ActsAs<A, Caller>, Params, Query, Body, Files, Facts>,
  ) => Promise<Handled<M, A, Caller, Alone, ResultOf<P, Output>>>
} & AnswerOf<P> &
  ([PathParam<Path>] extends [never] ? { params?: never } : { params: Record<PathParam<Path>, z.ZodType> }) &
  ([keyof Files] extends [never] ? unknown : { encoding: 'form' | readonly ['form', 'urlencoded'] })
