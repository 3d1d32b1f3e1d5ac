import type * as z from 'zod'
import { Failure, type FailureCode, type FailureDetail, invalid } from '#kernel/failure.ts'
import { isCredential } from './access.ts'
import type { FileField, FileFields } from './declaration.ts'
import { type Endpoint, isOfApi, namesUnread } from './endpoint.ts'
import { faultText } from './fault-text.ts'
import type { FilePart, ReadForm } from './form.ts'
import { defaultLimits, type FormFields } from './form-fields.ts'
import { type IgnoredField, ignoredFields, pathName } from './ignored-fields.ts'
import { readJson } from './json-body.ts'
import { unknownMessage } from './nearest.ts'
import { parameterNamesOf, repeatableOf } from './query-shape.ts'
import { mediaTypeOf, type RequestEvent } from './request-event.ts'
import { readUrlencoded, urlencodedType } from './urlencoded.ts'

/** A fault of the input. If it has a `code`, this replaces `VALIDATION_ERROR` (`refusedAs`). */
type Fault = FailureDetail & { code?: FailureCode | undefined }

/** The content of a form: its fields by name, and its files in their order. */
export type Form = { fields: FormFields; files: FilePart[] }

/** The input of a handler, parsed by the declared schemas. */
export type Input = {
  params: Record<string, string>
  query: unknown
  body: unknown
  files: Record<string, FilePart | FilePart[] | undefined>
}

/**
 * Reads the form of a request, in the declared encoding that its content type names. Undefined if the endpoint takes JSON
 * or no body.
 *
 * @throws Failure 413, 415 and 400, as `readForm` and `readUrlencoded` do.
 */
export async function readFormOf(
  { encodings, files, formLimits }: Endpoint<never>,
  event: RequestEvent,
  readForm: ReadForm | undefined,
): Promise<Form | undefined> {
  const limits = { ...defaultLimits, ...formLimits }
  const takesUrlencoded = encodings.includes('urlencoded')
  if (takesUrlencoded && (!encodings.includes('form') || mediaTypeOf(event) === urlencodedType))
    return { fields: readUrlencoded(event, limits), files: [] }
  if (!encodings.includes('form')) return undefined
  if (readForm === undefined) throw new Error('A form needs `readForm`.')
  const otherTypes = takesUrlencoded ? [urlencodedType] : []
  return readForm(event, { ...limits, files: maxFilesOf(files) }, otherTypes)
}

/** The placeholders of the path, read by the endpoint's schemas. @throws Failure 400 */
export function readParams(endpoint: Endpoint<never>, event: RequestEvent): Record<string, string> {
  const faults: Fault[] = []
  const params = paramsOf(endpoint, event, faults)
  refuseFaults(faults)
  return params
}

/**
 * Reads path, query, body and files as the endpoint declares them. Under `/api/v1` an undeclared query parameter is
 * refused, because without a misspelt filter the answer would show too much (G15). Elsewhere, on pages to which mails
 * link, it is ignored, because other programs may have added it to the address.
 *
 * @param isStrict refuses fields of the body that are not read (`Prefer: handling=strict`)
 * @param noteIgnored receives the fields of the body that are not read, also if the request is refused. It is not called
 * if `isStrict`
 * @throws Failure 415 for a body with another content type. Otherwise 400, with the code of the first violated rule that
 * has one (`refusedAs`), or VALIDATION_ERROR with all faults.
 */
export function readInput(
  endpoint: Endpoint<never>,
  event: RequestEvent,
  form: Form | undefined,
  isStrict: boolean,
  noteIgnored: (fields: IgnoredField[]) => void,
): Input {
  const faults: Fault[] = []
  const sent: unknown = form?.fields ?? (endpoint.body && readJson(event))
  if (isOfApi(endpoint)) refuseUnknownParameters(endpoint, event, faults)
  if (namesUnread(endpoint)) {
    const read = endpoint.body === undefined ? unexpectedBody(event, isStrict, faults) : sent
    const ignored = form === undefined ? ignoredFields(endpoint.body, read) : ignoredOfForm(endpoint, form)
    if (!isStrict) noteIgnored(ignored)
    else
      for (const { path, name, known } of ignored)
        faults.push({ path: `body.${path}`, message: unknownMessage('field', name, known) })
  }
  const input = {
    params: paramsOf(endpoint, event, faults),
    query: queryOf(endpoint.query, event, faults),
    body: parse(endpoint.body, 'body', () => sent, faults),
    files: form === undefined ? {} : readFiles(endpoint, form.files, faults),
  }
  refuseFaults(faults)
  return input
}

/**
 * The JSON of a request to an endpoint that takes no body. Its fields count as not read. Other content is ignored.
 *
 * @throws Failure 415 or 400 if `isStrict` and the body is not JSON
 */
function unexpectedBody(event: RequestEvent, isStrict: boolean, faults: Fault[]): unknown {
  if (!event.body) return undefined
  if (!isStrict) return jsonIfReadable(event)
  const sent = readJson(event)
  const isObject = typeof sent === 'object' && !Array.isArray(sent)
  if (!isObject) faults.push({ path: 'body', message: 'No body is expected here.' })
  return sent
}

function jsonIfReadable(event: RequestEvent): unknown {
  try {
    return readJson(event)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Throws a failure with the first fault of each place. Later faults of the same value follow from the first. */
function refuseFaults(found: Fault[]): void {
  if (found.length === 0) return
  for (const { code, path, message } of found)
    if (code !== undefined) throw new Failure('invalid', code, message, { details: [{ path, message }] })
  const faults = found.filter(({ path }, at) => found.findIndex((fault) => fault.path === path) === at)
  const places = faults.map((fault) => fault.path).join(', ')
  const details = faults.slice(0, 100).map(({ path, message }) => ({ path, message }))
  throw invalid(`The request is not valid: see ${places.slice(0, 200)}.`, details)
}

function parse(schema: z.ZodType | undefined, place: string, value: () => unknown, faults: Fault[]): unknown {
  if (schema === undefined) return undefined
  // `jitless`: an instance reads few requests, so compiling schemas would cost a cold start more than it saves later.
  const result = schema.safeParse(value(), { reportInput: true, error: faultText, jitless: true })
  if (result.success) return result.data
  faults.push(...result.error.issues.flatMap((issue) => describe(issue, place)))
  return undefined
}

function paramsOf({ params }: Endpoint<never>, event: RequestEvent, faults: Fault[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, schema]) => [
      name,
      parse(schema, `path.${name}`, () => event.pathParameters?.[name], faults) as string,
    ]),
  )
}

function refuseUnknownParameters(endpoint: Endpoint<never>, event: RequestEvent, faults: Fault[]): void {
  const { access } = endpoint
  const known = parameterNamesOf(endpoint.query)
  if (known === undefined) return
  if (isCredential(access) && access.in === 'query') known.push(access.name)
  for (const name of Object.keys(event.multiValueQueryStringParameters ?? {})) {
    if (known.includes(name)) continue
    const shown = name.slice(0, 100)
    faults.push({ path: `query.${shown}`, message: unknownMessage('parameter', shown, known) })
  }
}

/** The fields that are neither declared nor part of the credential, and the files that are not declared. */
function ignoredOfForm(
  { access, body, files, undeclaredFiles }: Endpoint<never>,
  form: Form,
): IgnoredField[] {
  const credential = isCredential(access) && access.in === 'form' ? access.names : []
  const fields = ignoredFields(body, form.fields)
  const isDeclared = ({ name }: FilePart) =>
    Object.keys(files).some((declared) => isCalled(name, declared, files[declared]))
  const undeclared = undeclaredFiles === 'refuse' ? [] : form.files.filter((file) => !isDeclared(file))
  // The message suggests names of fields and of files, because one may be sent instead of the other.
  const ofFiles = Object.entries(files).map(([name, { named = name }]) => named)
  const known = [...(parameterNamesOf(body) ?? []), ...ofFiles.filter((name) => name !== '*')]
  return [
    ...fields.filter(({ name }) => !credential.includes(name)).map((field) => ({ ...field, known })),
    ...[...new Set(undeclared.map(({ name }) => name))].map((name) => ({
      path: pathName(name),
      name,
      known,
    })),
  ]
}

/** The parsed query. If a value is wrong only because its plus sign was read as a blank, the fault says so. */
function queryOf(schema: z.ZodType | undefined, event: RequestEvent, faults: Fault[]): unknown {
  if (schema === undefined) return undefined
  const sent = readQuery(schema, event, faults)
  const own: Fault[] = []
  const query = parse(schema, 'query', () => sent, own)
  faults.push(
    ...own.map((fault) => (isCausedByPlus(schema, sent, fault) ? { ...fault, message: plusMessage } : fault)),
  )
  return query
}

const plusMessage = 'A plus sign in a query means a blank: percent-encode it as %2B.'

function isCausedByPlus(
  schema: z.ZodType,
  sent: Record<string, string | string[]>,
  { path }: Fault,
): boolean {
  const name = path.split('.')[1] ?? ''
  const value = Object.hasOwn(sent, name) ? sent[name] : undefined
  if (typeof value !== 'string' || !value.includes(' ')) return false
  const { error } = schema.safeParse({ ...sent, [name]: value.replaceAll(' ', '+') })
  return !error?.issues.some((issue) => issue.path[0] === name)
}

function readQuery(
  schema: z.ZodType,
  event: RequestEvent,
  faults: Fault[],
): Record<string, string | string[]> {
  const repeatable = repeatableOf(schema)
  const query: Record<string, string | string[]> = {}
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    if (values === undefined || values[0] === undefined) continue
    const isList = repeatable.has(name)
    if (values.length > 1 && !isList)
      faults.push({ path: `query.${name}`, message: 'Send this parameter once.' })
    if (values.some((value) => value.includes('\ufffd')))
      faults.push({ path: `query.${name}`, message: 'Percent-encode this in UTF-8: ü is %C3%BC.' })
    Object.defineProperty(query, name, { value: isList ? values : values[0], enumerable: true })
  }
  return query
}

/** Assigns each file to a declared name: exact names take precedence over patterns, patterns over `*`. */
function readFiles(
  { files: declared, undeclaredFiles }: Endpoint<never>,
  parts: readonly FilePart[],
  faults: Fault[],
): Input['files'] {
  const names = Object.keys(declared)
  const ranked = names.toSorted((one, other) => rank(declared[one]) - rank(declared[other]))
  const found = new Map<string, FilePart[]>(names.map((name) => [name, []]))
  for (const part of parts) {
    const name = ranked.find((candidate) => isCalled(part.name, candidate, declared[candidate]))
    if (name !== undefined) found.get(name)?.push(part)
    else if (undeclaredFiles === 'refuse')
      faults.push({ path: `body.${part.name.slice(0, 100)}`, message: 'No file is expected here.' })
  }
  return Object.fromEntries(
    names.map((name) => {
      const { max, optional, named } = declared[name] as FileField
      const files = found.get(name) ?? []
      if (files.length === 0 && !optional)
        faults.push({ path: `body.${named ?? name}`, message: 'A file is required.' })
      if (files.length > max) faults.push({ path: `body.${named ?? name}`, message: `At most ${max}.` })
      return [name, max === 1 && named === undefined ? files[0] : files]
    }),
  )
}

function rank(field: FileField | undefined): number {
  if (field?.named === undefined) return 0
  return field.named === '*' ? 2 : 1
}

function isCalled(partName: string, name: string, field: FileField | undefined): boolean {
  if (field?.named === undefined) return partName === name
  if (field.named === '*') return true
  const start = field.named.slice(0, -1)
  return partName.startsWith(start) && /^\d{1,9}$/.test(partName.slice(start.length))
}

function maxFilesOf(files: FileFields): number {
  return Object.values(files).reduce((sum, { max }) => sum + max, 0)
}

function describe(issue: z.core.$ZodIssue, place: string): Fault[] {
  const code = issue.code === 'custom' ? (issue.params?.code as FailureCode | undefined) : undefined
  return leaves(issue, [place]).map((leaf) => ({ path: leaf.path.join('.'), message: leaf.message, code }))
}

type Leaf = { path: string[]; message: string; isTypeFault: boolean }

/** The faults of an issue. For a union, these are the faults of the alternative that fits best. */
function leaves(issue: z.core.$ZodIssue, above: string[]): Leaf[] {
  const path = [...above, ...issue.path.map(String)]
  if (issue.code !== 'invalid_union') {
    const isMissing = issue.code === 'invalid_type' && issue.input === undefined
    const isTypeFault =
      issue.code === 'invalid_type' ||
      (issue.code === 'invalid_value' && issue.values.every((value) => typeof value !== typeof issue.input))
    return [{ path, message: isMissing ? 'This is required.' : issue.message, isTypeFault }]
  }
  const shapes = issue.errors.map((issues) => issues.flatMap((inner) => leaves(inner, path)))
  return shapes.toSorted(closerFirst(path.length))[0] ?? [{ path, message: issue.message, isTypeFault: true }]
}

/** Sorts the alternatives of a union: first the right type, then the greater depth to which it fits, then fewer faults. */
function closerFirst(depth: number) {
  const isOfType = (faults: Leaf[]) =>
    Number(!faults.some((fault) => fault.isTypeFault && fault.path.length === depth))
  const reach = (faults: Leaf[]) => Math.max(...faults.map((fault) => fault.path.length))
  return (one: Leaf[], other: Leaf[]) =>
    isOfType(other) - isOfType(one) || reach(other) - reach(one) || one.length - other.length
}
