import type * as z from 'zod'
import type { Actor } from '#kernel/actor.ts'
import type { FailureCode } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Precondition } from '#kernel/precondition.ts'
import type { Credential, KeyAccess } from './access.ts'
import type { CallerFacts, CallerOf } from './caller.ts'
import type { FileContent, StreamContent } from './file-output.ts'
import type { FilePart } from './form.ts'
import type { FormLimits } from './form-fields.ts'
import type { Redirect } from './redirect.ts'
import type { Refusal } from './refusal.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The placeholders of a path: `PathParam<'/cases/{id}/links/{link_id}'>` is `'id' | 'link_id'`. */
export type PathParam<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParam<Rest>
  : never

export type Shape = Record<string, z.ZodType>
type Values<Schemas extends Shape> = { [Name in keyof Schemas]: z.output<Schemas[Name]> }

/** How a body is sent. */
export type Encoding = 'json' | 'form' | 'urlencoded'

/** The files that a form may hold under one name. */
export type FileField = {
  /** How many there may be. There must be one, unless it is `optional`. */
  max: number
  optional?: true
  /**
   * Their names in the form, if they differ from the handler's name for them. In `attachment-N`, `N` stands for any
   * number; `*` means every file whose name is not declared.
   */
  named?: `${string}-N` | '*'
  description?: string
}

export type FileFields = Record<string, FileField>

/** One file, one or none, or a list, as it is declared. */
type FilesOf<Files extends FileFields> = {
  [Name in keyof Files]: Files[Name] extends { max: 1; named?: never }
    ? Files[Name] extends { optional: true }
      ? FilePart | undefined
      : FilePart
    : FilePart[]
}

/** The input of a handler: everything parsed by the declared schemas. */
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
  /** The files of the form, by the names that are declared. */
  files: FilesOf<Files>
  /** The declared facts about the caller. */
  caller: CallerOf<Facts>
  precondition: Precondition<unknown>
  /** The service's own address, without a trailing slash. */
  baseUrl: string
}

/**
 * The actor: the holder of the credential as its verifier returns it, undefined for a public endpoint, or the user of
 * the key.
 */
type ActsAs<A, Caller> = [Caller] extends [never] ? (A extends 'public' ? undefined : Actor) : Caller

/** Statuses and the codes that are answered with them, beyond those every endpoint has. */
export type DeclaredErrors = {
  [Status in 400 | 401 | 403 | 404 | 406 | 409 | 410 | 413 | 415 | 416 | 422 | 502]?: readonly FailureCode[]
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

/** The result of the handler for each kind of answer. */
type AnswerOf<P extends Produces> = P extends 'file'
  ? {
      output?: never
      /** `inline` shows PDF, PNG, JPEG and plain text in the browser, and offers every other type to be saved. */
      disposition?: 'attachment' | 'inline'
      status?: 200
    }
  : P extends 'stream'
    ? {
        output?: never
        /** The media types that the stream can have. */
        types: readonly [string, ...string[]]
        /** Its content if it is JSON, for the documentation. */
        json?: { schema: z.ZodType; example: unknown }
        status?: 200
      }
    : P extends 'redirect'
      ? { output?: never; status?: 302 | 303 | 307 }
      : P extends `text/${string}` | 'application/xml'
        ? { output: z.ZodType<string>; status?: 200 | 201 }
        : { output: z.ZodType; status?: 200 | 201 | 202 | 204 }

/** The return type of the handler. */
type ResultOf<P extends Produces, Output extends z.ZodType> = P extends 'file'
  ? FileContent
  : P extends 'stream'
    ? StreamContent
    : P extends 'redirect'
      ? Redirect
      : z.input<Output>

/**
 * The result of the handler of the endpoint. A POST with an API key takes an Idempotency-Key (G14): its answer is one
 * that the store has kept with the change, unless the endpoint says why it is `storedAlone`.
 */
type Handled<M extends Method, A, Caller, Alone, Result> = [M, Caller, Alone] extends ['POST', never, never]
  ? [A] extends ['public']
    ? Result
    : Answered<Result>
  : Result

/** The media types that an answer can be rendered as, besides JSON. */
export type RenderedType = 'text/csv' | 'text/html' | 'application/x-ndjson'

/**
 * How an answer is rendered. With a `filename` it is a file to be saved under that name instead of a page. `nextCursor`: the
 * cursor of the next page, for the header `Next-Cursor` of a rendering without a place for it.
 */
export type Rendering<Output> = {
  render: (output: Output) => string
  filename?: (output: Output) => string
  nextCursor?: (output: Output) => string | null
}

/** Makes an error page from the refusal, and from the part of the request that was read before it. */
export type ErrorPage<Services, Facts extends CallerFacts, Holder = unknown> = (
  services: Services,
  refusal: Refusal,
  request: {
    /** The actor, as the verifier of the credential returns it; undefined if the verifier refused. */
    actor: Holder | undefined
    /** The placeholders of the path as they were sent. */
    params: Record<string, string>
    /** The fields of the form as they were sent, so that a page can show again what was entered. */
    fields: Record<string, string | string[]>
    caller: CallerOf<Facts>
  },
) => string | Promise<string>

/** Everything that the declaration of an endpoint says. `endpointsOf` explains it by example. */
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
   * Refuses an action that the holder of a valid credential may not do now, before the rest of the request is read. It
   * does for a credential what the scope does for an API key. It throws a Failure.
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
  /** How the body is sent, by default as `json`. A list if the caller chooses. */
  encoding?: Encoding | readonly ('form' | 'urlencoded')[]
  /** The JSON body; of a form, its fields: each a text, or a list of texts if it is repeated. */
  body?: Body
  /** The files of a form. */
  files?: Files
  /** Files of a form that are not declared are ignored, as unknown fields are (G8), unless they are refused. */
  undeclaredFiles?: 'ignore' | 'refuse'
  formLimits?: FormLimits
  /** The facts about the caller that the handler receives. */
  caller?: Facts
  /** The status for an input of the wrong shape, if another one than 400 is specified. */
  malformed?: 400 | 422
  /** The kind of the answer if it is not JSON. */
  produces?: P
  output?: Output
  /** Streams the answer, which may be longer than the 6 MB that Lambda returns at once. Default for files and streams. */
  streamed?: boolean
  /**
   * The answer is the same for everybody as long as the process runs, except for the service's address. It is made once and
   * kept, with its ETag: for a large public GET without parameters and renderings.
   */
  fixed?: boolean
  /** Other forms of the same answer, for callers whose `Accept` prefers them to JSON. */
  renderings?: { [Type in RenderedType]?: Rendering<z.output<Output>> }
  /** Headers of every successful answer, and of error pages. */
  headers?: Record<string, string>
  errors?: DeclaredErrors
  /** Refusals are pages for callers whose `Accept` does not prefer JSON to HTML. Its result is sent as HTML. */
  errorPage?: ErrorPage<Services, NoInfer<Facts>, ActsAs<A, Caller>>
  /**
   * Members of the answer that are shown once. They are not stored: a replayed answer (G14) leaves them out, so the output
   * says that they are optional.
   */
  secrets?: readonly (keyof z.output<Output> & string)[]
  /**
   * A POST whose effect lies outside the table, so that no transaction guards it (G14). A repeated request must do no
   * harm, and is answered without being handled once its first answer is stored.
   */
  actsOutside?: boolean
  /** Why the answer to a POST need not be stored with a change (G14): it is stored on its own. */
  storedAlone?: Alone
  /** The member of the body that names a key of its own: if it is sent, `Idempotency-Key` does not count (M1). */
  ownKey?: string
  /** The number of usual requests as which each entry of the JSON body counts (G17), if each entry causes work. */
  weightOfEntry?: number
  /** The resource whose state `If-Match` and `If-None-Match` are about. An answer that shows it has its strong ETag (G10). */
  etag?: z.ZodType
  /** The resource that `If-Match` is about, if the answer shows another resource and so has no ETag. */
  condition?: z.ZodType
  /** A true request and its answer, for the documentation; the tests send it. */
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
