import * as z from 'zod'
import type { Precondition } from '#kernel/precondition.ts'
import type { Scope } from '#kernel/scope.ts'
import type { Access, KeyAccess } from './access.ts'
import type { Caller, CallerFacts } from './caller.ts'
import type {
  Declaration,
  DeclaredErrors,
  Encoding,
  ErrorPage,
  FileFields,
  Method,
  Produces,
  RenderedType,
  Rendering,
  Shape,
} from './declaration.ts'
import type { FilePart } from './form.ts'
import type { FormLimits } from './form-fields.ts'

/** An endpoint: its declaration with all defaults filled in. */
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
  /** How its body may be sent. It is `json` if the endpoint takes no body. */
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
  /** The media types that a stream can have. */
  types: readonly string[]
  /** The schema and an example of a JSON stream. */
  json: { schema: z.ZodType; example: unknown } | undefined
  streamed: boolean
  fixed: boolean
  renderings: { [Type in RenderedType]?: Rendering<never> }
  headers: Record<string, string>
  errors: DeclaredErrors
  errorPage: ErrorPage<Services, CallerFacts> | undefined
  secrets: readonly string[]
  actsOutside: boolean
  storedAlone: string | undefined
  storesNothing: boolean
  showsMoreTo: readonly Scope[]
  weightOfEntry: number
  ownKey: string | undefined
  etag: z.ZodType | undefined
  condition: z.ZodType | undefined
  example: { params?: Record<string, string>; query?: unknown; body?: unknown; answer?: unknown }
  handle: (services: Services, request: AnyRequest) => Promise<unknown>
}

/** The input of a handler, without the types of its declaration. */
type AnyRequest = {
  actor: unknown
  params: Record<string, string>
  query: unknown
  body: unknown
  files: Record<string, FilePart | FilePart[] | undefined>
  caller: Caller
  precondition: Precondition<unknown>
  isHead: boolean
  baseUrl: string
}

/** The endpoints of one Lambda, by operation name, such as `import * as cases from './endpoints.ts'`. */
export type Endpoints<Services> = Record<string, Endpoint<Services>>

/** The HTTP methods of an endpoint. An endpoint with GET also has HEAD (G19). */
export function methodsOf({ method }: Pick<Endpoint<never>, 'method'>): (Method | 'HEAD')[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

/**
 * Whether an endpoint belongs to the API (`/api/v1`). The API refuses undeclared query parameters (G15). Pages ignore
 * them, because other programs may add them to an address.
 */
export function isOfApi({ path }: Pick<Endpoint<never>, 'path'>): boolean {
  return path.startsWith('/api/v1/')
}

/**
 * Whether body fields and files that an endpoint does not read are listed or refused (G8): everywhere but at the forms
 * of pages.
 */
export function namesUnread(endpoint: Pick<Endpoint<never>, 'path'>): boolean {
  return isOfApi(endpoint) || endpoint.path.startsWith('/webhooks/')
}

/** Whether an endpoint that names what it does not read takes a body. */
export function readsBody(endpoint: Pick<Endpoint<never>, 'path' | 'body' | 'files'>): boolean {
  return namesUnread(endpoint) && (endpoint.body !== undefined || Object.keys(endpoint.files).length > 0)
}

/**
 * Whether an answer waits for another service, such as the beA gateway or the receiver of a webhook. Such an endpoint
 * changes something there (`actsOutside`), or declares an error for a failure there (502).
 */
export function waitsForOthers({
  errors,
  actsOutside,
}: Pick<Endpoint<never>, 'errors' | 'actsOutside'>): boolean {
  return actsOutside || errors[502] !== undefined
}

/** Whether an endpoint sends stored bytes, and so may answer that they are missing (`BYTES_MISSING`). */
export function sendsStoredBytes({
  errors,
  produces,
}: Pick<Endpoint<never>, 'errors' | 'produces'>): boolean {
  return produces === 'file' || errors[500] !== undefined
}

/**
 * The endpoints of a group whose answers are streamed. A separate function serves them, because a function that streams
 * must stream every answer.
 */
export function streamed<Services>(endpoints: Endpoints<Services>): Endpoints<Services> {
  return Object.fromEntries(Object.entries(endpoints).filter(([, endpoint]) => endpoint.streamed))
}

/** The endpoints of a group whose answers are not streamed. */
export function buffered<Services>(endpoints: Endpoints<Services>): Endpoints<Services> {
  return Object.fromEntries(Object.entries(endpoints).filter(([, endpoint]) => !endpoint.streamed))
}

/**
 * Returns the function that declares the endpoints of a group. The handlers of the group use `Services`.
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
 * declared answer. It also refuses a handler that uses an undeclared file or fact about the caller.
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
    const { produces = 'application/json', encoding = 'json', output } = declaration
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
      status: produces === 'redirect' ? 303 : output instanceof z.ZodVoid ? 204 : 200,
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
      storesNothing: false,
      showsMoreTo: [],
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
