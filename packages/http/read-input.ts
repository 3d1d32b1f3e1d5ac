import type * as z from 'zod'
import { Failure, type FailureDetail, invalid } from '#kernel/failure.ts'
import type { Endpoint } from './endpoint.ts'
import type { FilePart, ReadForm } from './form.ts'
import { header, type RequestEvent } from './request-event.ts'

/** The placeholders of the path, read by the endpoint's schemas. @throws Failure 400 */
export function readParams(endpoint: Endpoint<never>, event: RequestEvent): Record<string, string> {
  const { params } = readAll({ ...endpoint, query: undefined, body: undefined }, event, undefined)
  return params
}

/**
 * Reads path, query and body by the endpoint's schemas.
 *
 * @throws Failure 413 and 415 as `readForm`; 415 for a body that is not JSON by its content type; 400 naming
 * every fault at once.
 */
export async function readInput(
  endpoint: Endpoint<never>,
  event: RequestEvent,
  readForm: ReadForm | undefined,
): Promise<Input & { files: Record<string, FilePart[]> }> {
  if (endpoint.files === undefined) return { ...readAll(endpoint, event, () => readJson(event)), files: {} }
  if (readForm === undefined) throw new Error('Nothing reads forms here.')
  const { fields, files } = await readForm(event, endpoint.files)
  return { ...readAll(endpoint, event, () => fields), files }
}

type Input = { params: Record<string, string>; query: unknown; body: unknown }

function readAll(
  endpoint: Endpoint<never>,
  event: RequestEvent,
  readBody: (() => unknown) | undefined,
): Input {
  const faults: FailureDetail[] = []
  const read = (schema: z.ZodType | undefined, place: string, value: () => unknown): unknown => {
    if (schema === undefined) return undefined
    const result = schema.safeParse(value(), { reportInput: true })
    if (result.success) return result.data
    faults.push(...result.error.issues.flatMap((issue) => describe(issue, place)))
    return undefined
  }

  const params: Record<string, string> = {}
  for (const [name, schema] of Object.entries(endpoint.params)) {
    params[name] = read(schema, `path.${name}`, () => event.pathParameters?.[name]) as string
  }
  const query = read(endpoint.query, 'query', () => readQuery(event, faults))
  const body = read(endpoint.body, 'body', () => readBody?.())

  if (faults.length > 0) {
    const places = faults.map((fault) => fault.path).join(', ')
    throw invalid(`The request is not valid: see ${places.slice(0, 200)}.`, faults.slice(0, 100))
  }
  return { params, query, body }
}

function readQuery(event: RequestEvent, faults: FailureDetail[]): Record<string, string> {
  const query: Record<string, string> = {}
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    if (values === undefined || values[0] === undefined) continue
    if (values.length > 1) faults.push({ path: `query.${name}`, message: 'Send this parameter once.' })
    Object.defineProperty(query, name, { value: values[0], enumerable: true })
  }
  return query
}

function readJson(event: RequestEvent): unknown {
  const type = header(event, 'content-type')
  if (type !== undefined && !isJson(type)) {
    throw new Failure('unsupported_media', 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.')
  }
  const text = event.isBase64Encoded ? decodeUtf8(event.body ?? '') : (event.body ?? '')
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('The body is not valid JSON.', [{ path: 'body', message: 'This is not valid JSON.' }])
  }
}

function decodeUtf8(base64: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    throw invalid('The body is not valid UTF-8.', [{ path: 'body', message: 'This is not valid UTF-8.' }])
  }
}

/** `application/json`, alone or with a charset that means UTF-8 (G2a). */
function isJson(contentType: string): boolean {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  if (type === '') return true
  if (type !== 'application/json') return false
  return parameters.every(
    (parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter),
  )
}

function describe(issue: z.core.$ZodIssue, place: string): FailureDetail[] {
  return leaves(issue, [place]).map((leaf) => ({ path: leaf.path.join('.'), message: leaf.message }))
}

type Leaf = { path: string[]; message: string; isTypeFault: boolean }

/** The faults behind an issue: where one of several shapes would do, those of the shape that was meant. */
function leaves(issue: z.core.$ZodIssue, above: string[]): Leaf[] {
  const path = [...above, ...issue.path.map(String)]
  if (issue.code !== 'invalid_union') {
    const missing = issue.code === 'invalid_type' && issue.input === undefined
    return [
      {
        path,
        message: missing ? 'This is required.' : issue.message,
        isTypeFault: issue.code === 'invalid_type',
      },
    ]
  }
  const shapes = issue.errors.map((issues) => issues.flatMap((inner) => leaves(inner, path)))
  return shapes.toSorted(closerFirst(path.length))[0] ?? [{ path, message: issue.message, isTypeFault: true }]
}

/** Of shapes that all do not fit, first the one that at least is of that type, then that fits further in, or with fewer faults. */
function closerFirst(depth: number) {
  const isOfType = (faults: Leaf[]) =>
    Number(!faults.some((fault) => fault.isTypeFault && fault.path.length === depth))
  const reach = (faults: Leaf[]) => Math.max(...faults.map((fault) => fault.path.length))
  return (one: Leaf[], other: Leaf[]) =>
    isOfType(other) - isOfType(one) || reach(other) - reach(one) || one.length - other.length
}
