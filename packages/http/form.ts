import busboy from 'busboy'
import { Failure, type FailureDetail, invalid } from '#kernel/failure.ts'
import type { FileField } from './endpoint.ts'
import { header, type RequestEvent } from './request-event.ts'

/** A file of a form: what it was called where it came from, and its bytes. */
export type FilePart = { filename: string; bytes: Uint8Array }

/** What a form holds: its fields, a list where a name is repeated, and its files by name. */
export type Form = { fields: Record<string, string | string[]>; files: Record<string, FilePart[]> }

/** What reads the forms of a function that takes files. It weighs: who takes none does not have it. */
export type ReadForm = typeof readForm

/**
 * A request reaches a function as base64 in JSON of at most 6 MB; with all that comes beside the body, so much
 * of it is safe (D3).
 */
export const mostFormBytes = Math.floor(4.4 * 1024 * 1024)

const mostFields = 250
const longestFieldBytes = 64 * 1024

/**
 * Reads the form of a request (`multipart/form-data`, RFC 7578). Names that end in `[]` are those without;
 * files under names that are not declared are ignored, as unknown fields are (G8). A file that was not chosen
 * in a browser, without name and bytes, is none.
 *
 * @throws Failure 413 for a body over `mostFormBytes`, 415 for another content type, 400 for what is no
 * complete form, holds too many parts, or lacks a declared file.
 */
export async function readForm(event: RequestEvent, declared: Record<string, FileField>): Promise<Form> {
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  if (body.length > mostFormBytes) throw tooLarge()
  const contentType = header(event, 'content-type')?.trim() ?? ''
  if (body.length === 0 && contentType === '') throw malformed('It is empty.')
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new Failure('unsupported_media', 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as multipart/form-data.')
  }
  const { fields, files } = await parse(body, contentType, declared)
  const faults = Object.entries(declared).flatMap(([name, { most }]) =>
    faultsOf(name, files[name]?.length ?? 0, most),
  )
  if (faults.length > 0) throw invalid(`The form is not valid: see ${faults[0]?.path}.`, faults)
  return { fields, files }
}

function faultsOf(name: string, count: number, most: number): FailureDetail[] {
  if (count === 0) return [{ path: `body.${name}`, message: 'A file is required.' }]
  if (count > most) return [{ path: `body.${name}`, message: `At most ${most}.` }]
  return []
}

/** A part as it stands in the form: a field with its value, or a file with its bytes. */
type Part = { name: string | undefined } & ({ value: string; isCut: boolean } | FilePart)

async function parse(body: Buffer, contentType: string, declared: Record<string, FileField>): Promise<Form> {
  const maxFiles = Object.values(declared).reduce((sum, { most }) => sum + most, 0)
  const fields = new Map<string, string[]>()
  const files = new Map<string, FilePart[]>(Object.keys(declared).map((name) => [name, []]))
  for (const part of await partsOf(body, contentType, maxFiles + mostFields)) {
    if (part.name === undefined) throw malformed('A part has no name.')
    const name = plain(part.name)
    if ('value' in part) {
      if (part.isCut) throw malformed('A field is too long.')
      append(fields, name, part.value)
      continue
    }
    const wasNotChosen = part.filename === '' && part.bytes.length === 0
    if (!wasNotChosen && files.has(name))
      append(files, name, { filename: unescaped(nameOf(part.filename)), bytes: part.bytes })
  }
  return { fields: onceOrRepeated(fields), files: Object.fromEntries(files) }
}

/**
 * The parts of the form in their order. The listeners collect and do nothing else: Node calls them outside every
 * promise, so an error thrown in one would end the process. What the parts mean is decided by the caller.
 */
function partsOf(body: Buffer, contentType: string, maxParts: number): Promise<Part[]> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const collected: (() => Part)[] = []
  const refuse = (why: string) => reject(malformed(why))

  try {
    const parser = busboy({
      headers: { 'content-type': contentType },
      // One character for each byte: what they mean is decided by `nameOf`.
      defParamCharset: 'latin1',
      limits: {
        fields: mostFields,
        files: maxParts,
        parts: maxParts,
        fieldSize: longestFieldBytes,
        fieldNameSize: 200,
        headerPairs: 50,
      },
    })
    // The types say that a part always has a name; it has none where its head names none.
    parser.on('field', (name: string | undefined, value, { nameTruncated, valueTruncated }) => {
      collected.push(() => ({ name, value, isCut: nameTruncated || valueTruncated }))
    })
    parser.on('file', (name: string | undefined, stream, { filename = '' }) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', (error) => refuse(error.message))
      collected.push(() => ({ name, filename, bytes: joined(chunks) }))
    })
    parser.on('fieldsLimit', () => refuse(`It has more than ${mostFields} fields.`))
    parser.on('partsLimit', () => refuse('It has too many parts.'))
    parser.on('filesLimit', () => refuse('It has too many files.'))
    parser.on('error', (error) => refuse(error instanceof Error ? error.message : String(error)))
    parser.on('close', () => resolve())
    parser.end(body)
    // The parser has the whole body, so it ends within this turn of the event loop, or never: it waits for a file
    // that begins after the form's end.
    setImmediate(() => refuse('It goes on after its end.'))
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error))
  }
  return promise.then(() => collected.map((part) => part()))
}

/** As a rule a file comes in one piece, which need not be copied. */
function joined(chunks: Buffer[]): Buffer {
  const [only, ...more] = chunks
  return only !== undefined && more.length === 0 ? only : Buffer.concat(chunks)
}

function append<Value>(values: Map<string, Value[]>, name: string, value: Value): void {
  const list = values.get(name)
  if (list === undefined) values.set(name, [value])
  else list.push(value)
}

function plain(name: string): string {
  return name.endsWith('[]') ? name.slice(0, -2) : name
}

/** Built from entries, so that `__proto__` is a name like any other. */
function onceOrRepeated(fields: Map<string, string[]>): Form['fields'] {
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  )
}

/**
 * A file's name from its bytes: UTF-8, as browsers send it, or Windows-1252, as some scanners do. One that came as
 * `filename*` is decoded already; as long as it fits into bytes it cannot be told apart, and hardly ever matters.
 */
function nameOf(characters: string): string {
  if (/[^\0-\xff]/.test(characters)) return characters
  const bytes = Buffer.from(characters, 'latin1')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The three characters that browsers escape in a file's name (HTML, "multipart/form-data encoding algorithm"). */
function unescaped(filename: string): string {
  return filename.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')
}

function malformed(why: string): Failure {
  return invalid(`The body is no complete multipart/form-data: ${why}`, [
    { path: 'body', message: 'Send a complete form with its boundary in the Content-Type.' },
  ])
}

function tooLarge(): Failure {
  return new Failure(
    'too_large',
    'PAYLOAD_TOO_LARGE',
    'At most 4.4 MiB can be sent in one form. Larger files, up to 200 MiB: POST /api/v1/documents/uploads.',
  )
}

/** The file of a field that takes one: the form was read, so it is there. */
export function onlyFile(parts: readonly FilePart[]): FilePart {
  const [part] = parts
  if (part === undefined) throw new Error('A form without its file was let through.')
  return part
}
