import { readFileSync } from 'node:fs'
import type { Answer, OpenApiDocument, Operation, Schema } from '#http/openapi/types.ts'

const runtime = readFileSync(new URL('runtime.ts', import.meta.url), 'utf8')

/**
 * The typed client of the service that this document describes: one TypeScript module without an import, with a
 * method for each operation that answers JSON to holders of an API key or to everybody.
 */
export function generate(document: OpenApiDocument): string {
  const methods = Object.entries(document.paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) =>
        methodOf(document, method.toUpperCase(), path, operation),
      ),
    )
    .filter((method) => method !== undefined)
  const { Error: envelope, ...schemas } = document.components.schemas
  const codes = envelope?.properties?.error?.properties?.code

  return `${[
    `// ${document.info.title} ${document.info.version}: the client, generated from the description of the interface. Do not edit.`,
    ...Object.entries(schemas).map(
      ([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')}`,
    ),
    ...methods.flatMap(({ requestName, requestType }) =>
      requestType === undefined ? [] : [`export type ${requestName} = ${requestType}`],
    ),
    `export type Client = {\n${methods.map(({ member }) => member).join('\n')}\n}`,
    createClientSource(methods),
    runtime
      .replace('export type ErrorCode = string', `export type ErrorCode = ${typeOf(codes ?? {}, '')}`)
      .replace('\nexport { methodOf }\n', '')
      .trim(),
  ].join('\n\n')}\n`
}

type Method = {
  name: string
  httpMethod: string
  path: string
  requestName: string
  /** Absent where a call takes nothing. */
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
${methods.map(({ name, httpMethod, path }) => `    ${name}: methodOf(options, '${httpMethod}', '${path}'),`).join('\n')}
  } as Client
}`
}

function methodOf(
  document: OpenApiDocument,
  httpMethod: string,
  path: string,
  operation: Operation,
): Method | undefined {
  const [status = '', success] =
    Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? []
  // The client shows an API key, and no other credential.
  if (success === undefined || operation['x-credential'] !== undefined) return undefined
  const answer = success as Answer
  const schema = answer.content?.['application/json']?.schema
  if (schema === undefined && status !== '204') return undefined

  const name = operation.operationId
  const requestName = `${name.charAt(0).toUpperCase()}${name.slice(1)}Request`
  const requestType = requestTypeOf(operation)
  const kind = isPaged(document, operation, schema)
    ? 'PagedCall'
    : answer.headers?.ETag
      ? 'TaggedCall'
      : 'Call'
  const type = `${kind}<${requestType === undefined ? 'Record<never, never>' : requestName}, ${schema ? typeOf(schema, '  ') : 'undefined'}>`
  return {
    name,
    httpMethod,
    path,
    requestName,
    requestType,
    member: `${comment(`${operation.summary}.\n\n${operation.description}`, '  ')}  ${name}: ${type}`,
  }
}

function requestTypeOf({ parameters = [], requestBody }: Operation): string | undefined {
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
  const body = requestBody?.content['application/json']?.schema ?? formSchema(requestBody)
  const takesIfMatch = parameters.some(({ name }) => name === 'If-Match')
  const properties = {
    ...(hasProperties(params) && { params }),
    ...(hasProperties(query) && { query }),
    ...(body && { body }),
    ...(takesIfMatch && {
      ifMatch: { type: 'string', description: 'The ETag of the state this change builds on.' },
    }),
  }
  if (Object.keys(properties).length === 0) return undefined
  const required = [
    ...(hasProperties(params) ? ['params'] : []),
    ...(query.required?.length ? ['query'] : []),
    ...(requestBody?.required ? ['body'] : []),
  ]
  return typeOf({ type: 'object', properties, required }, '')
}

/** A form goes out as the platform's own object, whose fields and files are in its description. */
function formSchema(requestBody: Operation['requestBody']): Schema | undefined {
  const multipart = requestBody?.content['multipart/form-data']?.schema
  const form = multipart ?? requestBody?.content['application/x-www-form-urlencoded']?.schema
  if (form === undefined) return undefined
  const names = Object.keys(form.properties ?? {}).map((name) => `\`${name}\``)
  return {
    $ref: multipart === undefined ? '#/URLSearchParams' : '#/FormData',
    description: `A form with ${names.join(', ')}.`,
  }
}

function hasProperties({ properties = {} }: Schema): boolean {
  return Object.keys(properties).length > 0
}

function isPaged(
  document: OpenApiDocument,
  { parameters = [] }: Operation,
  answer: Schema | undefined,
): boolean {
  const name = answer?.$ref?.split('/').at(-1)
  const schema = name === undefined ? answer : document.components.schemas[name]
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
