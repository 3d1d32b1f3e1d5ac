import busboy from 'busboy'
import { Failure, invalid } from '#kernel/failure.ts'
import type { FormLimits } from './declaration.ts'
import { type FormFields, groupFields, plainName, tooMany } from './form-fields.ts'
import { header, type RequestEvent } from './request-event.ts'

/** A file of a form. */
export type FilePart = {
  /** The name of its field. */
  name: string
  /** What it was called where it came from. */
  filename: string
  /** The media type that the sender says it has. */
  claimedType: string
  bytes: Uint8Array
}

/** What reads the forms of a function that takes files. It weighs: who takes none does not have it. */
export type ReadForm = typeof readForm

/**
 * A request reaches a function as base64 in JSON of at most 6 MB; with all that comes beside the body, so much
 * of it is safe (D3).
 */
export const maxFormBytes = Math.floor(4.4 * 1024 * 1024)

/**
 * Reads the form of a request (`multipart/form-data`, RFC 7578): its fields by name, and its files in their order. A
 * file that was not chosen in a browser, without name and bytes, is none.
 *
 * @param limits fields beyond which a form is refused, and files beyond which it is certainly wrong
 * @throws Failure 413 for a body over `maxFormBytes`, 415 for another content type, 400 for what is no complete form
 * or holds too many or too long parts.
 */
export async function readForm(
  event: RequestEvent,
  limits: Required<FormLimits> & { files: number },
): Promise<{ fields: FormFields; files: FilePart[] }> {
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  if (body.length > maxFormBytes) throw tooLarge()
  const contentType = header(event, 'content-type')?.trim() ?? ''
  if (body.length === 0 && contentType === '') throw malformed('It is empty.')
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new Failure('unsupported_media', 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as multipart/form-data.')
  }
  const fields: [string, string][] = []
  const files: FilePart[] = []
  for (const part of await partsOf(body, contentType, limits)) {
    if (part.name === undefined) throw malformed('A part has no name.')
    if ('value' in part) {
      if (part.isCut) throw malformed('A field is too long.')
      if (part.value === undefined) throw malformed('A field has an unknown charset.')
      fields.push([part.name, part.value])
      continue
    }
    const { filename, claimedType, bytes } = part
    const wasNotChosen = filename === '' && bytes.length === 0
    if (!wasNotChosen)
      files.push({ name: plainName(part.name), filename: unescaped(nameOf(filename)), claimedType, bytes })
  }
  return { fields: groupFields(fields, limits), files }
}

/** A part as it stands in the form: a field with its value, or a file with its bytes. */
type Part = { name: string | undefined } & (
  | { value: string | undefined; isCut: boolean }
  | Omit<FilePart, 'name'>
)

/**
 * The parts of the form in their order. The listeners collect and do nothing else: Node calls them outside every
 * promise, so an error thrown in one would end the process. What the parts mean is decided by the caller.
 */
function partsOf(
  body: Buffer,
  contentType: string,
  limits: Required<FormLimits> & { files: number },
): Promise<Part[]> {
  const maxParts = limits.files + limits.fields
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const collected: (() => Part)[] = []
  const refuse = (why: string) => reject(malformed(why))

  try {
    const parser = busboy({
      headers: { 'content-type': contentType },
      // One character for each byte: what they mean is decided by `nameOf`.
      defParamCharset: 'latin1',
      limits: {
        fields: limits.fields,
        files: maxParts,
        parts: maxParts,
        fieldSize: limits.fieldBytes,
        fieldNameSize: 200,
        headerPairs: 50,
      },
    })
    // The types say that a part always has a name; it has none where its head names none.
    parser.on(
      'field',
      (name: string | undefined, value: string | undefined, { nameTruncated, valueTruncated }) => {
        collected.push(() => ({ name, value, isCut: nameTruncated || valueTruncated }))
      },
    )
    parser.on('file', (name: string | undefined, stream, { filename = '', mimeType: claimedType }) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', (error) => refuse(error.message))
      collected.push(() => ({ name, filename, claimedType, bytes: joined(chunks) }))
    })
    parser.on('fieldsLimit', () => reject(tooMany(limits.fields)))
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
