import { Failure } from '#kernel/failure.ts'
import {
  type FormFields,
  type FormLimits,
  groupFields,
  maxFormBytes,
  plainName,
  utf8OrWindows1252,
} from './form-fields.ts'
import { guardForm, malformed } from './form-guard.ts'
import { header, type RequestEvent } from './request-event.ts'

export type FilePart = {
  /** The name of its field. */
  name: string
  /** The name that the sender gives, with its folders if it has any. */
  filename: string
  /** The media type that the sender claims. */
  claimedType: string
  bytes: Uint8Array
}

/**
 * The function that reads multipart forms. Its code is large, so Lambdas whose endpoints take no forms do not load it.
 */
export type ReadForm = typeof readForm

/**
 * Reads the form of a request (`multipart/form-data`, RFC 7578): its fields by name, and its files in their order. A file
 * without a name and without bytes is left out, because browsers send it if the user has chosen no file.
 *
 * @param limits a form with more fields, or more parts than fields and files together, is refused
 * @param otherTypes the other content types that the endpoint takes; a 415 names them
 * @throws Failure 413 for a body over `maxFormBytes`, 415 for another content type, 400 for a form that is incomplete or
 * has too many or too long parts.
 */
export async function readForm(
  event: RequestEvent,
  limits: Required<FormLimits> & { files: number },
  otherTypes: readonly string[] = [],
): Promise<{ fields: FormFields; files: FilePart[] }> {
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  if (body.length > maxFormBytes) throw tooLarge()
  const contentType = header(event, 'content-type')?.trim() ?? ''
  if (body.length === 0 && contentType === '') throw malformed('It is empty.')
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    const types = ['multipart/form-data', ...otherTypes].join(' or ')
    throw new Failure('unsupported_media', 'UNSUPPORTED_MEDIA_TYPE', `Send the body as ${types}.`)
  }
  const fields: [string, string][] = []
  const files: FilePart[] = []
  for (const part of await partsOf(body, contentType, limits.files + limits.fields)) {
    const { name, filename, claimedType, charset, bytes } = part
    if (filename === undefined && !isOfFiles(claimedType)) {
      const isText = charset !== undefined || !limits.orWindows1252
      fields.push([name, isText ? textOf(bytes, charset) : utf8OrWindows1252(bytes)])
      continue
    }
    const wasNotChosen = !filename && bytes.length === 0
    if (!wasNotChosen)
      files.push({ name: plainName(name), filename: unescaped(filename ?? ''), claimedType, bytes })
  }
  return { fields: groupFields(fields, limits), files }
}

type Part = {
  name: string
  filename: string | undefined
  claimedType: string
  charset: string | undefined
  bytes: Uint8Array
}

/** The maximum numbers of characters in the name of a field, and of lines in the head of a part. */
const maxNameLength = 200
const maxHeadLines = 50

/**
 * The parts of a form in their order. Middy's parser reads only the heads of the parts, as files without bytes. Its own
 * result is not used: it loses the order of files, and all but the last of several fields with the same name. It is not
 * used as a middleware either, because a request is authenticated before its form is read.
 */
async function partsOf(body: Buffer, contentType: string, maxParts: number): Promise<Part[]> {
  const guarded = guardForm(body, contentType, maxParts)
  // Loaded with the first form, because most requests have none.
  const { default: httpMultipartBodyParser } = await import('@middy/http-multipart-body-parser')
  const parts: Part[] = []
  const { before } = httpMultipartBodyParser({
    disableContentTypeCheck: true,
    busboy: {
      // `Rechnung 12345/26.pdf` is not a path. Code that stores a name removes folders from it.
      preservePath: true,
      isPartAFile: (name, claimedType = '', filename) => {
        const part = guarded.parts[parts.length]
        if (!name || part === undefined) throw malformed('A part has no name.')
        parts.push({ name, claimedType, filename, ...part })
        return true
      },
      limits: { fieldNameSize: maxNameLength, files: maxParts, parts: maxParts, headerPairs: maxHeadLines },
    },
  })
  const event = {
    headers: { 'content-type': guarded.contentType },
    body: guarded.heads,
    isBase64Encoded: false,
  }
  try {
    await before?.({ event } as never)
  } catch {
    // The error of the parser is not passed on, because it contains the whole form.
    throw malformed('A part cannot be read.')
  }
  // The parser silently leaves out parts that it cannot read.
  if (parts.length !== guarded.parts.length) throw malformed('A part has no name.')
  return parts
}

/**
 * Whether a part without a file name is a file: its type is usual for files, not text, JSON or XML (RFC 7578, 4.2,
 * 4.4).
 */
function isOfFiles(type: string): boolean {
  return (
    /^(image|audio|video|font|message)\//i.test(type) ||
    /^application\/(octet-stream|pdf|zip|pkcs7-\w+|msword|vnd\.[\w.-]+)$/i.test(type)
  )
}

/** The text of a field: UTF-8, unless its part names another charset. */
function textOf(bytes: Uint8Array, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset, { ignoreBOM: true }).decode(bytes)
  } catch {
    throw malformed('A field has an unknown charset.')
  }
}

/** Decodes the three characters that browsers escape in file names (HTML, "multipart/form-data encoding algorithm"). */
function unescaped(filename: string): string {
  return filename.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')
}

function tooLarge(): Failure {
  return new Failure(
    'too_large',
    'PAYLOAD_TOO_LARGE',
    'At most 4.4 MiB can be sent in one form. Larger files, up to 200 MiB: POST /api/v1/documents/uploads, or with a webhook token /api/v1/webhooks/inbox/uploads.',
  )
}
