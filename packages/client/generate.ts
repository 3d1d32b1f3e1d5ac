import { readFileSync } from 'node:fs'
import type { Answer, OpenApiDocument, Operation, Schema } from '#http/openapi/types.ts'

const sourceOf = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')
const runtime = sourceOf('runtime.ts')
const verification = sourceOf('verify-webhook.ts')

/**
 * The typed client of the service that this document describes: one TypeScript module without an import, with a method
 * for each operation, named as the operation.
 */
export function generate(document: OpenApiDocument): string {
  const methods = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) =>
      methodOf(document, method.toUpperCase(), path, operation),
    ),
  )
  const { Error: envelope, ...schemas } = document.components.schemas
  const payloads = Object.values(document.webhooks ?? {}).flatMap(({ post: { requestBody } }): Schema[] => {
    const json = requestBody?.content['application/json']
    return json === undefined ? [] : [json.schema]
  })
  const codes = envelope?.properties?.error?.properties?.code

  return `${[
    `// ${document.info.title} ${document.info.version}: the client, generated from the description of the interface. Do not edit.`,
    ...Object.entries(schemas).map(
      ([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')}`,
    ),
    ...methods.flatMap(({ requestName, requestType }) =>
      requestType === undefined ? [] : [`export type ${requestName} = ${requestType}`],
    ),
    webhookSource(payloads),
    `export type Client = {\n${methods.map(({ member }) => member).join('\n')}\n}`,
    createClientSource(methods),
    runtime
      .replace('export type ErrorCode = string', `export type ErrorCode = ${typeOf(codes ?? {}, '')}`)
      .replace('\nexport { methodOf }\n', '')
      .trim(),
    verification
      .replace('export type WebhookPayload = { type: string; timestamp: string; data: unknown }\n\n', '')
      .trim(),
  ].join('\n\n')}\n`
}

/** The bodies of the messages that the service sends, by their types. */
function webhookSource(payloads: readonly Schema[]): string {
  const types = payloads.length === 0 ? ['never'] : payloads.map((schema) => typeOf(schema, '    '))
  return `/** The body of a message that the service sends to a webhook. */\nexport type WebhookPayload =\n  | ${types.join('\n  | ')}`
}

type Method = {
  name: string
  httpMethod: string
  path: string
  /** The source of the traits that `methodOf` of the runtime is given; empty if it has none. */
  traits: string
  requestName: string
  /** Absent if a call takes nothing. */
  requestType: string | undefined
  member: string
}

function createClientSource(methods: Method[]): string {
  return `/**
 * @example
 * const aktenlage = createClient({ baseUrl: 'https://api.example.de', apiKey: 'ak_…' })
 * const opened = await aktenlage.createCase({ body: { name: 'Meier ./. Schulze' } })
 * for await (const summary of aktenlage.listCases.all({ query: { status: 'active' } })) console.log(summary.name)
 */
export function createClient(options: ClientOptions): Client {
  return {
${methods.map(({ name, httpMethod, path, traits }) => `    ${name}: methodOf(options, '${httpMethod}', '${path}'${traits}),`).join('\n')}
  } as Client
}`
}

function methodOf(document: OpenApiDocument, httpMethod: string, path: string, operation: Operation): Method {
  const name = operation.operationId
  const requestName = `${name.charAt(0).toUpperCase()}${name.slice(1)}Request`
  const requestType = requestTypeOf(document, operation)
  const request = requestType === undefined ? 'Record<never, never>' : requestName
  const answer = successOf(operation)
  const [[type, { schema }] = ['', { schema: undefined }], ...others] = Object.entries(answer.content ?? {})
  const answers = kindOf(answer, type)
  const isEmpty = schema === undefined || operation.responses[204] !== undefined
  const answerType = {
    json: () =>
      [...(schema === undefined ? [] : [typeOf(schema, '  ')]), ...(isEmpty ? ['undefined'] : [])].join(
        ' | ',
      ),
    text: () => 'string',
    file: () => 'Download',
    redirect: () => 'Redirect',
  }[answers]()
  const call = isPaged(document, operation, schema)
    ? operation.parameters?.some((parameter) => parameter.name === 'updated_since')
      ? 'ChangesCall'
      : 'PagedCall'
    : answers !== 'file' && answer.headers?.ETag
      ? 'TaggedCall'
      : 'Call'
  // A file has one type of several; other answers have each of theirs, at the caller's choice.
  const rendered = answers === 'file' ? [] : others.map(([other]) => literal(other))
  const renderings = rendered.length === 0 ? '' : ` & RenderedCall<${request}, ${rendered.join(' | ')}>`
  const traits = [
    ...(answers === 'json' ? [] : [`answers: '${answers}'`]),
    ...(operation.security?.length === 0 ? ['isPublic: true'] : []),
    // A PUT replaces a resource that has an ETag. Without an ETag it may create something, such as parties of a case.
    ...(httpMethod === 'PUT' && !answer.headers?.ETag ? ['creates: true'] : []),
  ]
  return {
    name,
    httpMethod,
    path,
    traits: traits.length === 0 ? '' : `, { ${traits.join(', ')} }`,
    requestName,
    requestType,
    member: `${comment(`${operation.summary}.\n\n${operation.description}`, '  ')}  ${name}: ${call}<${request}, ${answerType}>${renderings}`,
  }
}

function successOf({ operationId, responses }: Operation): Answer {
  const success = /^(?:2\d\d|30[237])$/
  const found = Object.entries(responses).find(([status]) => success.test(status))
  if (found === undefined) throw new Error(`${operationId} does not say how it succeeds.`)
  return found[1] as Answer
}

/** A file is what has bytes as one of its types. */
function kindOf({ headers, content = {} }: Answer, type: string): 'json' | 'text' | 'file' | 'redirect' {
  if (headers?.Location) return 'redirect'
  if (Object.values(content).some(({ schema }) => schema.format === 'binary')) return 'file'
  return type === '' || type === 'application/json' ? 'json' : 'text'
}

function requestTypeOf(
  document: OpenApiDocument,
  { parameters = [], requestBody }: Operation,
): string | undefined {
  const inPlace = (place: 'path' | 'query'): Schema => {
    const found = parameters.filter((parameter) => parameter.in === place)
    return {
      type: 'object',
      properties: Object.fromEntries(
        found.map(({ name, schema, description }) => [
          name,
          { ...schema, ...(description && { description }) },
        ]),
      ),
      required: found.filter(({ required }) => required).map(({ name }) => name),
    }
  }
  const params = inPlace('path')
  const query = inPlace('query')
  const body = requestBody?.content['application/json']?.schema ?? formSchema(document, requestBody)
  // The key of a repeated request is an option of the call, which makes one if it is given none.
  const headers = parameters.filter(
    (parameter) => parameter.in === 'header' && !['Idempotency-Key', 'Prefer'].includes(parameter.name),
  )
  const properties = {
    ...(hasProperties(params) && { params }),
    ...(hasProperties(query) && { query }),
    ...(body && { body }),
    ...Object.fromEntries(
      headers.map(({ name, schema, description }) => [
        camelCase(name),
        { ...schema, ...(description && { description }) },
      ]),
    ),
  }
  if (Object.keys(properties).length === 0) return undefined
  const required = [
    ...(hasProperties(params) ? ['params'] : []),
    ...(query.required?.length ? ['query'] : []),
    ...(requestBody?.required ? ['body'] : []),
    ...headers.filter(({ required }) => required).map(({ name }) => camelCase(name)),
  ]
  return typeOf({ type: 'object', properties, required }, '')
}

/** `If-None-Match` as a name of a field: `ifNoneMatch`. The runtime makes the header of it again. */
function camelCase(header: string): string {
  return header
    .split('-')
    .map((word, at) => (at === 0 ? word.charAt(0).toLowerCase() : word.charAt(0)) + word.slice(1))
    .join('')
}

/** A form goes out as the platform's own object, whose fields and files are in its description. */
function formSchema(document: OpenApiDocument, requestBody: Operation['requestBody']): Schema | undefined {
  const multipart = requestBody?.content['multipart/form-data']?.schema
  const urlencoded = requestBody?.content['application/x-www-form-urlencoded']?.schema
  const form = multipart ?? urlencoded
  if (form === undefined) return undefined
  const names = Object.keys(resolved(document, form)?.properties ?? {}).map((name) => `\`${name}\``)
  return {
    anyOf: [
      ...(multipart === undefined ? [] : [{ $ref: '#/FormData' }]),
      ...(urlencoded === undefined ? [] : [{ $ref: '#/URLSearchParams' }]),
    ],
    description: names.length === 0 ? 'An empty form.' : `A form with ${names.join(', ')}.`,
  }
}

/** The schema that a reference names; any other as it is. */
function resolved(document: OpenApiDocument, schema: Schema | undefined): Schema | undefined {
  const name = schema?.$ref?.split('/').at(-1)
  return name === undefined ? schema : document.components.schemas[name]
}

function hasProperties({ properties = {} }: Schema): boolean {
  return Object.keys(properties).length > 0
}

function isPaged(
  document: OpenApiDocument,
  { parameters = [] }: Operation,
  answer: Schema | undefined,
): boolean {
  const schema = resolved(document, answer)
  return (
    schema?.properties?.pagination !== undefined &&
    schema.properties.data !== undefined &&
    parameters.some((parameter) => parameter.name === 'cursor')
  )
}

/** The TypeScript type of a schema, its lines after the first indented by `indent`. */
function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown'
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.allOf !== undefined) return schema.allOf.map((part) => grouped(typeOf(part, indent))).join(' & ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return unique(choices.map((choice) => typeOf(choice, indent))).join(' | ')
  if (Array.isArray(schema.type)) {
    return unique(schema.type.map((type) => typeOf({ ...schema, type }, indent))).join(' | ')
  }
  if (schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null') return schema.type
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'array') return arrayType(schema, indent)
  if (schema.type === 'object') return objectType(schema, indent)
  return 'unknown'
}

function arrayType({ items, prefixItems }: Schema, indent: string): string {
  if (prefixItems !== undefined) return `[${prefixItems.map((item) => typeOf(item, indent)).join(', ')}]`
  return items === undefined ? 'unknown[]' : `${grouped(typeOf(items, indent))}[]`
}

function objectType(
  { properties = {}, required = [], additionalProperties }: Schema,
  indent: string,
): string {
  const rest = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'
  const record = `Record<string, ${rest}>`
  const names = Object.keys(properties)
  if (names.length === 0) return record
  const deeper = `${indent}  `
  const lines = Object.entries(properties).map(([name, property]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
    const optional = required.includes(name) ? '' : '?'
    return `${comment(property.description, deeper)}${deeper}${key}${optional}: ${typeOf(property, deeper)}`
  })
  const closed = `{\n${lines.join('\n')}\n${indent}}`
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  return isOpen ? `${closed} & ${record}` : closed
}

function grouped(type: string): string {
  return / [|&] /.test(type) && !/^\{[^{}]*\}$/s.test(type) ? `(${type})` : type
}

function unique(types: string[]): string[] {
  return [...new Set(types)]
}

function literal(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : JSON.stringify(value)
}

function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return ''
  const lines = text.replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}
