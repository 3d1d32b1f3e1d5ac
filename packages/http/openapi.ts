import * as z from 'zod'
import { type FailureCode, notFound } from '#kernel/failure.ts'
import { type Endpoint, isToken } from './endpoint.ts'
import { ErrorEnvelope } from './error-envelope.ts'

/** What a document says about the service as a whole. */
export type ServiceInfo = {
  title: string
  version: string
  description: string
  license: { name: string; identifier: string }
  /** Name and meaning of each group of endpoints, by the first segment of its paths (`cases`, `api-keys`). */
  groups: Record<string, { name: string; description: string }>
}

/** The JSON Schema (2020-12) that zod gives, as far as this document and the client look into it. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  prefixItems?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  description?: string
  default?: unknown
  [keyword: string]: unknown
}

type Reference = { $ref: string }
type Content = Record<
  string,
  { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
>
type Header = { description: string; schema: Schema }

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
  example?: unknown
}

export type Answer = { description: string; headers?: Record<string, Reference>; content?: Content }

export type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security?: []
  'x-required-scope'?: readonly string[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Answer | Reference>
}

export type OpenApiDocument = {
  openapi: '3.1.1'
  info: Pick<ServiceInfo, 'title' | 'version' | 'description' | 'license'>
  servers: { url: string; description?: string }[]
  tags: { name: string; description?: string }[]
  security: Record<string, []>[]
  paths: Record<string, Record<string, Operation>>
  components: {
    securitySchemes: Record<string, Record<string, string>>
    schemas: Record<string, Schema>
    headers: Record<string, Header>
    responses: Record<string, Answer>
  }
}

/**
 * The OpenAPI 3.1 document of these endpoints.
 *
 * Schemas registered with an `id` become components of that name; error answers list the codes that the endpoint
 * declares and those that every endpoint of its kind has.
 *
 * @throws Error for two shapes under one component name, a schema that JSON Schema cannot express, and an
 * operation name or a route that occurs twice. Each names where.
 */
export function openapi(
  endpoints: readonly { operation: string; endpoint: Endpoint<never> }[],
  info: ServiceInfo,
): OpenApiDocument {
  const { groups, ...about } = info
  const components = collectComponents()
  const paths: OpenApiDocument['paths'] = {}
  const tags = new Map<string, OpenApiDocument['tags'][number]>()
  const operations = new Set<string>()

  components.schemaOf(ErrorEnvelope, 'output', 'the error envelope')
  for (const { operation, endpoint } of inReadingOrder(endpoints, groups)) {
    const tag = tagOf(endpoint.path, groups)
    const methods = paths[endpoint.path] ?? {}
    const method = endpoint.method.toLowerCase()
    if (operations.has(operation)) throw new Error(`Two endpoints are named ${operation}.`)
    if (methods[method] !== undefined)
      throw new Error(`${endpoint.method} ${endpoint.path} is declared twice.`)
    paths[endpoint.path] = methods
    tags.set(tag.name, tag)
    operations.add(operation)
    methods[method] = operationOf(operation, endpoint, tag.name, components)
  }

  return {
    openapi: '3.1.1',
    info: about,
    servers: [{ url: '/', description: 'Where this document was found.' }],
    tags: [...tags.values()],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'ak_<uuid>_<secret>',
          description: 'An API key of a user.',
        },
      },
      schemas: components.schemas,
      headers: referredTo(answerHeaders, paths),
      responses: components.responses,
    },
  }
}

/** Of the headers that answers can have those that some answer has. */
function referredTo(
  headers: Record<string, Header>,
  paths: OpenApiDocument['paths'],
): Record<string, Header> {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !ofFiles.has(name) || text.includes(`#/components/headers/${name}"`),
    ),
  )
}

const ofFiles = new Set(['ContentDisposition', 'ContentRange'])

const methodOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Groups as they are listed, then paths by name, then methods: the same whatever order the declarations have. */
function inReadingOrder<Declared extends { endpoint: Endpoint<never> }>(
  endpoints: readonly Declared[],
  groups: ServiceInfo['groups'],
): Declared[] {
  const names = [...new Set(Object.values(groups).map(({ name }) => name))]
  const place = (path: string): number => {
    const index = names.indexOf(tagOf(path, groups).name)
    return index === -1 ? names.length : index
  }
  return endpoints.toSorted(
    ({ endpoint: one }, { endpoint: other }) =>
      place(one.path) - place(other.path) ||
      (one.path === other.path ? 0 : one.path < other.path ? -1 : 1) ||
      methodOrder.indexOf(one.method) - methodOrder.indexOf(other.method),
  )
}

function operationOf(
  operation: string,
  endpoint: Endpoint<never>,
  tag: string,
  components: Components,
): Operation {
  const parameters = parametersOf(operation, endpoint, components)
  const { body, example, access } = endpoint
  return {
    operationId: operation,
    tags: [tag],
    summary: endpoint.summary,
    description: [
      endpoint.description,
      endpoint.answersHead && 'HEAD is answered as well.',
      accessSentence(endpoint),
    ]
      .filter(Boolean)
      .join('\n\n'),
    ...((access === 'public' || isToken(access)) && { security: [] }),
    ...(scopesOf(endpoint).length > 0 && { 'x-required-scope': scopesOf(endpoint) }),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.files && { requestBody: formOf(operation, endpoint, endpoint.files, components) }),
    ...(body &&
      endpoint.files === undefined && {
        requestBody: {
          required: !body.safeParse(undefined).success,
          content: {
            'application/json': {
              schema: components.schemaOf(body, 'input', `the body of ${operation}`),
              ...(example.body !== undefined && { example: example.body }),
            },
          },
        },
      }),
    responses: { ...answersOf(operation, endpoint, components), ...errorAnswersOf(endpoint, components) },
  }
}

/** A form: the files that are declared, each with its bytes, and the fields of the body's schema. */
function formOf(
  operation: string,
  { body }: Endpoint<never>,
  files: NonNullable<Endpoint<never>['files']>,
  components: Components,
): NonNullable<Operation['requestBody']> {
  const fields = body && components.schemaOf(body, 'input', `the fields of ${operation}`)
  const properties = Object.entries(files).map(([name, { most, description }]): [string, Schema] => {
    const file = { type: 'string', format: 'binary', ...(description && { description }) }
    return [name, most === 1 ? file : { type: 'array', items: file, minItems: 1, maxItems: most }]
  })
  return {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { ...Object.fromEntries(properties), ...fields?.properties },
          required: [...Object.keys(files), ...(fields?.required ?? [])],
        },
      },
    },
  }
}

/** Name and description of the group a path belongs to: that of its first segment after `/api/v1`. */
function tagOf(path: string, groups: ServiceInfo['groups']): { name: string; description?: string } {
  const segment = path.replace(/^\/api\/v1(?=\/)/, '').split('/')[1] ?? ''
  return groups[segment] ?? { name: segment.charAt(0).toUpperCase() + segment.slice(1).replaceAll('-', ' ') }
}

function scopesOf({ access }: Endpoint<never>): readonly string[] {
  if (access === 'public' || access === 'any key' || isToken(access)) return []
  return typeof access === 'string' ? [access] : access
}

function accessSentence(endpoint: Endpoint<never>): string {
  if (endpoint.access === 'public') return 'Needs no key.'
  if (endpoint.access === 'any key') return 'Any valid key will do.'
  if (isToken(endpoint.access)) {
    return `Needs no API key, but the header \`${endpoint.access.header}\`: ${endpoint.access.description}`
  }
  const scopes = scopesOf(endpoint).map((scope) => `\`${scope}\``)
  return scopes.length === 1
    ? `Needs the scope ${scopes[0]}.`
    : `Needs one of the scopes ${scopes.join(', ')}.`
}

function parametersOf(operation: string, endpoint: Endpoint<never>, components: Components): Parameter[] {
  const examples = {
    path: endpoint.example.params ?? {},
    query: (endpoint.example.query ?? {}) as Record<string, unknown>,
  }
  const parameter = (
    place: 'path' | 'query',
    name: string,
    type: z.ZodType,
    required: boolean,
  ): Parameter => {
    const { description, ...schema } = components.parameterSchemaOf(type, `${place}.${name} of ${operation}`)
    const example = examples[place][name]
    return {
      name,
      in: place,
      required,
      ...(description !== undefined && { description }),
      schema,
      ...(example !== undefined && {
        example: schema.type === 'string' ? example : fromWire(example, schema),
      }),
    }
  }

  const query = endpoint.query && shapeOf(endpoint.query, operation)
  return [
    ...Object.entries(endpoint.params).map(([name, type]) => parameter('path', name, type, true)),
    ...Object.entries(query ?? {}).map(([name, type]) =>
      parameter('query', name, type, !type.safeParse(undefined).success),
    ),
    ...(isToken(endpoint.access) ? [tokenHeader(endpoint.access)] : []),
    ...((endpoint.etag || endpoint.produces === 'file') && endpoint.method === 'GET' ? [ifNoneMatch] : []),
    ...(endpoint.produces === 'file' ? [range, ifRange] : []),
    ...(hasPrecondition(endpoint) ? [ifMatch] : []),
  ]
}

/** The fields of a query's schema, also where checks or a transform follow the object. */
function shapeOf(query: z.core.$ZodType, operation: string): Record<string, z.ZodType> {
  if (query instanceof z.ZodObject) return query.shape as Record<string, z.ZodType>
  if (query instanceof z.ZodPipe) return shapeOf(query.def.in, operation)
  throw new Error(`The query of ${operation} is not an object.`)
}

/** A value of the query string as its parameter's schema speaks of it: `'50'` is the integer 50. */
function fromWire(example: unknown, schema: Schema): unknown {
  if (schema.type === 'integer' || schema.type === 'number') return Number(example)
  if (schema.type === 'boolean') return String(example) === 'true'
  return example
}

function answersOf(
  operation: string,
  endpoint: Endpoint<never>,
  components: Components,
): Record<string, Answer> {
  const { status, example, produces } = endpoint
  const headers = {
    ...requestIdHeader,
    ...(endpoint.etag && status !== 204 && { ETag: { $ref: '#/components/headers/ETag' } }),
    ...(Object.values(endpoint.renderings).some(({ filename }) => filename !== undefined) && {
      'Content-Disposition': { $ref: '#/components/headers/ContentDisposition' },
    }),
  }
  if (status === 204) return { 204: { description: 'Done; there is nothing to answer.', headers } }
  if (produces === 'file') return fileAnswersOf()
  const success: Answer = {
    description: status === 201 ? 'Created.' : 'Done.',
    headers,
    content: {
      [produces]: {
        schema: components.schemaOf(endpoint.output, 'output', `the answer of ${operation}`),
        ...(example.answer !== undefined && { example: example.answer }),
      },
      ...Object.fromEntries(
        Object.keys(endpoint.renderings).map((type) => [type, { schema: { type: 'string' } }]),
      ),
    },
  }
  if (!endpoint.etag || endpoint.method !== 'GET') return { [status]: success }
  return { [status]: success, 304: { description: 'Not changed since the ETag that was sent.', headers } }
}

/** A file's answers: whole, in part, or not at all because the caller has it. */
function fileAnswersOf(): Record<string, Answer> {
  const content: Content = { '*/*': { schema: { type: 'string', format: 'binary' } } }
  const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name.replaceAll('-', '')}` } })
  const headers = { ...requestIdHeader, ...header('ETag') }
  return {
    200: {
      description: 'The bytes, with the type that was detected.',
      headers: { ...headers, ...header('Content-Disposition') },
      content,
    },
    206: {
      description: 'The part that was asked for.',
      headers: { ...headers, ...header('Content-Disposition'), ...header('Content-Range') },
      content,
    },
    304: { description: 'Not changed since the ETag that was sent.', headers },
  }
}

function errorAnswersOf(
  endpoint: Endpoint<never>,
  components: Components,
): Record<string, Answer | Reference> {
  const common = commonErrorsOf(endpoint)
  const statuses = [...new Set([...Object.keys(common), ...Object.keys(endpoint.errors)])]
    .map(Number)
    .sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const declared = endpoint.errors[status as keyof typeof endpoint.errors] ?? []
      const codes = [...new Set([...(common[status] ?? []), ...declared])]
      const answer = errorAnswer(status, codes, endpoint)
      const [code] = codes
      return [
        status,
        codes.length === 1 && code !== undefined && code !== 'AUTH_INSUFFICIENT_SCOPE'
          ? components.shareAnswer(code, answer)
          : answer,
      ]
    }),
  )
}

/** The refusals that need no declaration: they follow from what an endpoint takes and who may call it. */
function commonErrorsOf(endpoint: Endpoint<never>): Record<number, FailureCode[]> {
  const { access } = endpoint
  const takesInput =
    endpoint.body !== undefined ||
    endpoint.files !== undefined ||
    endpoint.query !== undefined ||
    Object.keys(endpoint.params).length > 0
  const insufficientScope: FailureCode[] = scopesOf(endpoint).length > 0 ? ['AUTH_INSUFFICIENT_SCOPE'] : []
  return {
    ...(takesInput && { [endpoint.malformed]: ['VALIDATION_ERROR'] }),
    ...(access !== 'public' && !isToken(access) && { 401: ['AUTH_INVALID_KEY'] }),
    403: [...insufficientScope, 'REQUEST_BLOCKED'],
    ...(hasPrecondition(endpoint) && { 412: ['PRECONDITION_FAILED'] }),
    ...(endpoint.produces === 'file' && { 416: ['RANGE_NOT_SATISFIABLE'] }),
    ...((endpoint.body || endpoint.files) && { 413: ['PAYLOAD_TOO_LARGE'], 415: ['UNSUPPORTED_MEDIA_TYPE'] }),
    429: ['RATE_LIMITED'],
    500: ['INTERNAL_ERROR'],
    503: ['SERVICE_UNAVAILABLE'],
  }
}

/** Whether it changes something that carries an ETag, and so honours `If-Match`; what creates has nothing to match. */
function hasPrecondition({ condition, etag, method, status }: Endpoint<never>): boolean {
  return (condition ?? etag) !== undefined && method !== 'GET' && status !== 201
}

const statusDescriptions: Record<number, string> = {
  400: 'The request is malformed; `details` names each fault.',
  401: 'The key is missing, unknown, expired or revoked.',
  403: 'The key lacks the scope, or the firewall refused the request.',
  404: 'There is no such thing in the workspace of the key.',
  409: 'It contradicts the present state.',
  410: 'It is over for good.',
  412: 'It has changed since the ETag that was sent.',
  413: 'The request is too large.',
  415: 'The body is of another type than this takes.',
  416: 'The part that was asked for lies beyond the end of the file.',
  422: 'The content cannot be processed.',
  429: 'Too many requests; wait as long as `Retry-After` says.',
  500: 'A fault of the service; report the request id if it stays.',
  502: 'Another service did not do its part.',
  503: 'Not available for a moment; wait as long as `Retry-After` says.',
}

function errorAnswer(status: number, codes: readonly FailureCode[], endpoint: Endpoint<never>): Answer {
  return {
    description: [statusDescriptions[status], ...codes.map((code) => `\`${code}\``)]
      .filter(Boolean)
      .join(' '),
    headers: {
      ...requestIdHeader,
      ...((status === 429 || status === 503) && {
        'Retry-After': { $ref: '#/components/headers/RetryAfter' },
      }),
    },
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            {
              type: 'object',
              properties: {
                error: { properties: { code: { enum: [...codes] } }, additionalProperties: true },
              },
            },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code, endpoint) }])),
      },
    },
  }
}

function exampleOf(code: FailureCode, endpoint: Endpoint<never>): ErrorEnvelope {
  return {
    error: {
      code,
      message: messageOf(code, endpoint),
      request_id: '0f8f1b1e-53f5-4d0c-9a53-1d7a3c1f8f0e',
      ...(details[code] && { details: details[code] }),
    },
  }
}

const details: Partial<Record<FailureCode, NonNullable<ErrorEnvelope['error']['details']>>> = {
  VALIDATION_ERROR: [{ path: 'body.name', message: 'This is required.' }],
  EXTRACTION_FAILED: [{ path: 'status_reason', message: 'password_protected' }],
}

/**
 * What stands for a message: the code in words, as far as nothing true can be said without knowing the request.
 * The sentences themselves belong to what raises them.
 */
function messageOf(code: FailureCode, endpoint: Endpoint<never>): string {
  if (code === 'AUTH_INSUFFICIENT_SCOPE') return `This needs the scope ${scopesOf(endpoint).join(' or ')}.`
  if (isNotFound(code)) return notFound(code).message
  return `${code.charAt(0)}${code.slice(1).replaceAll('_', ' ').toLowerCase()}.`
}

function isNotFound(code: FailureCode): code is Extract<FailureCode, `${string}_NOT_FOUND`> {
  return code.endsWith('_NOT_FOUND')
}

const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }

const answerHeaders: Record<string, Header> = {
  ContentDisposition: {
    description: 'The name of the file: `attachment` with `filename` and `filename*` (RFC 6266).',
    schema: { type: 'string' },
  },
  ContentRange: {
    description: 'Which bytes these are, and of how many.',
    schema: { type: 'string' },
  },
  RequestId: {
    description: 'Names this request in our logs; equal to `request_id` of an error.',
    schema: { type: 'string' },
  },
  ETag: { description: 'Changes exactly when the answer does.', schema: { type: 'string' } },
  RetryAfter: {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
  },
}

const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The ETag of the state that this change builds on; if it is another by now, nothing changes (412).',
  schema: { type: 'string' },
}

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the answer you have; if it is still the same, the answer is 304 without a body.',
  schema: { type: 'string' },
}

const range: Parameter = {
  name: 'Range',
  in: 'header',
  required: false,
  description: 'One part of the file: `bytes=0-1023`, `bytes=1024-`, `bytes=-512`.',
  schema: { type: 'string' },
}

const ifRange: Parameter = {
  name: 'If-Range',
  in: 'header',
  required: false,
  description: 'The ETag that the part must be of; otherwise the whole file is sent.',
  schema: { type: 'string' },
}

function tokenHeader({ header, description }: { header: string; description: string }): Parameter {
  return { name: header, in: 'header', required: true, description, schema: { type: 'string' } }
}

type Direction = 'input' | 'output'

type Components = ReturnType<typeof collectComponents>

/** Collects what is named once and referred to from many operations. */
function collectComponents() {
  const schemas: Record<string, Schema> = {}
  const responses: Record<string, Answer> = {}
  const firstPlaces = new Map<string, string>()

  const add = (name: string, schema: Schema, place: string): void => {
    const known = schemas[name]
    if (known === undefined) {
      schemas[name] = schema
      firstPlaces.set(name, place)
      return
    }
    if (JSON.stringify(known) === JSON.stringify(schema)) return
    throw new Error(
      `The schema ${name} has one shape in ${firstPlaces.get(name)} and another in ${place}: give one of them its own id.`,
    )
  }

  /** The schema as a request (`input`) or an answer (`output`) shows it; what has an id is referred to. */
  const schemaOf = (type: z.ZodType, direction: Direction, place: string): Schema => {
    const { $schema, $defs, ...root } = jsonSchemaOf(type, direction, place)
    for (const [name, definition] of Object.entries($defs ?? {})) add(name, refer(definition, place), place)
    return refer(root, place)
  }

  /**
   * The schema of a path or query parameter. Where text is read as a number or a boolean, it is shown as that:
   * in a query string they look the same.
   */
  const parameterSchemaOf = (type: z.ZodType, place: string): Schema => {
    const read = z.toJSONSchema(type, { io: 'output', unrepresentable: 'any' }).type
    const isPlain = read === 'integer' || read === 'number' || read === 'boolean'
    return schemaOf(type, isPlain ? 'output' : 'input', place)
  }

  /** A reference to an answer that many endpoints give alike, named for its code; else the answer itself. */
  const shareAnswer = (code: FailureCode, answer: Answer): Answer | Reference => {
    const name = code
      .toLowerCase()
      .replace(/(^|_)(\w)/g, (_match, _separator, letter: string) => letter.toUpperCase())
    responses[name] ??= answer
    return JSON.stringify(responses[name]) === JSON.stringify(answer)
      ? { $ref: `#/components/responses/${name}` }
      : answer
  }

  return { schemas, responses, schemaOf, parameterSchemaOf, shareAnswer }
}

function jsonSchemaOf(
  type: z.ZodType,
  direction: Direction,
  place: string,
): Schema & { $defs?: Record<string, Schema> } {
  try {
    return z.toJSONSchema(type, { io: direction, override: tidy }) as Schema & {
      $defs?: Record<string, Schema>
    }
  } catch (error) {
    throw new Error(`JSON Schema cannot express ${place}.`, { cause: error })
  }
}

/**
 * Leaves out what zod adds and a reader does not need: the pattern of a format that has a name, the bounds of
 * every JavaScript integer, and the promise that an answer never gains a field.
 */
function tidy({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes
  jsonSchema: z.core.JSONSchema.BaseSchema
}): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (zodSchema._zod.def.type === 'object' && zodSchema._zod.def.catchall === undefined)
    delete jsonSchema.additionalProperties
}

/** The same schema with its references pointing into the components. */
function refer(schema: Schema, place: string): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key !== '$ref' || typeof value !== 'string') return value
    const name = /^#\/\$defs\/(?!__)(.+)$/.exec(value)?.[1]
    if (name === undefined) throw new Error(`A schema in ${place} refers to itself: give it an id.`)
    return `#/components/schemas/${name}`
  }) as Schema
}
