import type * as z from 'zod'
import type { Precondition } from '#kernel/precondition.ts'
import type { Access, KeyAccess } from './access.ts'
import type { Caller, CallerFacts } from './caller.ts'
import type {
  Declaration,
  DeclaredErrors,
  Encoding,
  FileFields,
  Method,
  Produces,
  RenderedType,
  Rendering,
  Shape,
} from './declaration.ts'
import type { FilePart } from './form.ts'
import type { FormLimits } from './form-fields.ts'
import type { Refusal } from './refusal.ts'

/** An endpoint as everything but its own handler sees it: its declaration with every default filled in. */
export type Endpoint<Services> = {
  method: Method
  path: string
  access: Access<Services>
  permit:
    | ((services: Services, request: { actor: unknown; caller: Caller }) => Promise<void> | void)
    | undefined
  summary: string
  description: string | undefined
  params: Shape
  query: z.ZodType | undefined
  /** How its body may be sent. If it takes no body, this is `json`. */
  encodings: readonly Encoding[]
  body: z.ZodType | undefined
  files: FileFields
  undeclaredFiles: 'ignore' | 'refuse'
  formLimits: FormLimits
  caller: CallerFacts
  malformed: 400 | 422
  status: 200 | 201 | 202 | 204 | 302 | 303 | 307
  /** The schema that parses JSON and text before it is sent. */
  output: z.ZodType | undefined
  produces: Produces
  disposition: 'attachment' | 'inline'
  /** The media types that a stream can be of. */
  types: readonly string[]
  /** The content of a stream if it is JSON. */
  json: { schema: z.ZodType; example: unknown } | undefined
  streamed: boolean
  fixed: boolean
  renderings: { [Type in RenderedType]?: Rendering<never> }
  headers: Record<string, string>
  errors: DeclaredErrors
  errorPage:
    | ((services: Services, refusal: Refusal, request: ErrorPageRequest) => string | Promise<string>)
    | undefined
  secrets: readonly string[]
  actsOutside: boolean
  storedAlone: string | undefined
  weightOfEntry: number
  ownKey: string | undefined
  etag: z.ZodType | undefined
  condition: z.ZodType | undefined
  example: { params?: Record<string, string>; query?: unknown; body?: unknown; answer?: unknown }
  handle: (services: Services, request: AnyRequest) => Promise<unknown>
}

/** The input of a handler, as its caller sees it. */
export type AnyRequest = {
  actor: unknown
  params: Record<string, string>
  query: unknown
  body: unknown
  files: Record<string, FilePart | FilePart[] | undefined>
  caller: Caller
  precondition: Precondition<unknown>
  baseUrl: string
}

/** The part of the request that an error page receives. */
export type ErrorPageRequest = {
  actor: unknown
  params: Record<string, string>
  fields: Record<string, string | string[]>
  caller: Caller
}

/** The endpoints of one Lambda, by operation name: what `import * as cases from './endpoints.ts'` gives. */
export type Endpoints<Services> = Record<string, Endpoint<Services>>

/** The methods by which an endpoint is reached: HEAD wherever there is GET (G19). */
export function methodsOf({ method }: Pick<Endpoint<never>, 'method'>): (Method | 'HEAD')[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

/**
 * Whether programs call it: under `/api/v1` a query parameter that is not declared is refused, and fields of a body that
 * are not read are listed (G15). Pages ignore such parameters: other programs may have added them to the address.
 */
export function isOfApi({ path }: Pick<Endpoint<never>, 'path'>): boolean {
  return path.startsWith('/api/v1/')
}

/** Whether programs send it a body, whose fields are read, listed as not read, or refused (G8). */
export function readsBody(endpoint: Pick<Endpoint<never>, 'path' | 'body' | 'files'>): boolean {
  return isOfApi(endpoint) && (endpoint.body !== undefined || Object.keys(endpoint.files).length > 0)
}

/**
 * Whether its answer waits for another service, such as the gateway to beA or the receiver of a webhook. Such an endpoint
 * acts there (`actsOutside`), or declares the error of a failure there (502).
 */
export function waitsForOthers({
  errors,
  actsOutside,
}: Pick<Endpoint<never>, 'errors' | 'actsOutside'>): boolean {
  return actsOutside || errors[502] !== undefined
}

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
 * The compiler refuses a placeholder without a schema, an unknown scope or code, and a result that does not match the
 * declared answer. It also refuses a handler that uses a file or a fact of the caller without declaring it.
 */
export function endpointsOf<Services>() {
  return function endpoint<
    const Path extends `/${string}`,
    const A extends KeyAccess | 'public' = never,
    Caller = never,
    // biome-ignore lint/complexity/noBannedTypes: no placeholders is exactly {}
    Params extends Shape = {},
    Query extends z.ZodType = z.ZodUndefined,
    Body extends z.ZodType = z.ZodUndefined,
    const P extends Produces = 'application/json',
    Output extends z.ZodType = z.ZodUndefined,
    // biome-ignore lint/complexity/noBannedTypes: no files is exactly {}
    const Files extends FileFields = {},
    // biome-ignore lint/complexity/noBannedTypes: no facts is exactly {}
    const Facts extends CallerFacts = {},
    const M extends Method = Method,
    Alone extends string = never,
  >(
    declaration: Declaration<
      Services,
      Path,
      A,
      Caller,
      Params,
      Query,
      Body,
      P,
      Output,
      Files,
      Facts,
      M,
      Alone
    >,
  ): Endpoint<Services> {
    const { produces = 'application/json', encoding = 'json' } = declaration
    const isOfAnyLength = produces === 'file' || produces === 'stream'
    return {
      permit: undefined,
      description: undefined,
      params: {},
      query: undefined,
      body: undefined,
      files: {},
      undeclaredFiles: 'ignore',
      formLimits: {},
      caller: {},
      malformed: 400,
      status: produces === 'redirect' ? 303 : 200,
      output: undefined,
      produces,
      disposition: 'attachment',
      types: [],
      json: undefined,
      streamed: isOfAnyLength,
      fixed: false,
      renderings: {},
      headers: {},
      errors: {},
      errorPage: undefined,
      secrets: [],
      actsOutside: false,
      storedAlone: undefined,
      weightOfEntry: 0,
      ownKey: undefined,
      etag: undefined,
      condition: undefined,
      example: {},
      ...(declaration as unknown as Pick<Endpoint<Services>, RequiredField>),
      encodings: typeof encoding === 'string' ? [encoding] : encoding,
    }
  }
}

type RequiredField = 'method' | 'path' | 'access' | 'summary' | 'handle'
