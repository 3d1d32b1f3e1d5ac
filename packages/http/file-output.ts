import { Failure } from '#kernel/failure.ts'
import { withoutDirectionChanges } from '#kernel/text.ts'
import { ifNoneMatchHits } from './etag.ts'
import type { StreamedAnswer } from './streamed-answer.ts'

/** A part of a file: its first and its last byte, counted from 0. */
export type ByteRange = { first: number; last: number }

export type FileContent = {
  filename: string
  mimeType: string
  sizeBytes: number
  /** Changes exactly when the bytes do. */
  version: string
  /**
   * Opens the file, or a part of it. It is called before the answer begins, so that a failure is answered as an error.
   */
  open: (range: ByteRange | undefined) => Promise<AsyncIterable<Uint8Array>>
}

/** Bytes to send, whose number is not known in advance. */
export type StreamContent = {
  filename: string
  /** One of the declared types, with its parameters if it has any (`text/csv; charset=utf-8`). */
  mimeType: string
  /** Opens the bytes. It is called before the answer begins, so that a failure is answered as an error. */
  open: () => Promise<AsyncIterable<Uint8Array>>
}

/** The conditions of a request for a file. `isHead`: only headers are requested, so the file is not opened. */
type Conditions = {
  isHead: boolean
  range: string | undefined
  ifRange: string | undefined
  ifNoneMatch: string | undefined
}

/**
 * The answer with a file (RFC 9110): whole, one part of it (206), or 304 if the caller has it. If the caller requests
 * several parts, or a range that cannot be read, the answer is the whole file.
 *
 * @throws Failure 416 RANGE_NOT_SATISFIABLE for a part beyond its end.
 */
export async function fileAnswer(
  file: FileContent,
  disposition: Disposition,
  conditions: Conditions,
): Promise<StreamedAnswer> {
  const isText = /^text\/plain(?:;|$)/.test(file.mimeType)
  const isShown = disposition === 'inline' && (isText || shownTypes.has(file.mimeType))
  const etag = `"${file.version}"`
  const headers = {
    'Content-Type': file.mimeType,
    'Content-Disposition': contentDisposition(file.filename, isShown ? 'inline' : 'attachment'),
    'Content-Security-Policy': isShown && !isText ? policyOfShown : policyOfSaved,
    'Accept-Ranges': 'bytes',
    ETag: etag,
  }
  if (conditions.ifNoneMatch !== undefined && ifNoneMatchHits(conditions.ifNoneMatch, etag)) {
    return { statusCode: 304, headers: { ETag: etag }, body: '' }
  }
  const isForThisVersion = conditions.ifRange === undefined || conditions.ifRange.trim() === etag
  const range = isForThisVersion ? rangeOf(conditions.range, file.sizeBytes) : undefined
  if (range === undefined) {
    return {
      statusCode: 200,
      headers: { ...headers, 'Content-Length': String(file.sizeBytes) },
      body: conditions.isHead ? '' : await file.open(undefined),
    }
  }
  return {
    statusCode: 206,
    headers: {
      ...headers,
      'Content-Length': String(range.last - range.first + 1),
      'Content-Range': `bytes ${range.first}-${range.last}/${file.sizeBytes}`,
    },
    body: await file.open(range),
  }
}

/**
 * The answer with the whole stream.
 *
 * @throws Error if the endpoint does not declare the type, which is a fault of the handler.
 */
export async function streamAnswer(
  { filename, mimeType, open }: StreamContent,
  types: readonly string[],
  isHead: boolean,
): Promise<StreamedAnswer> {
  if (!types.includes(mimeType.split(';')[0] ?? ''))
    throw new Error(`A handler streams ${mimeType}, which its endpoint does not declare.`)
  return {
    statusCode: 200,
    headers: {
      'Content-Type': mimeType,
      'Content-Disposition': contentDisposition(filename),
      'Content-Security-Policy': policyOfSaved,
      'Accept-Ranges': 'none',
    },
    body: isHead ? '' : await open(),
  }
}

export type Disposition = 'attachment' | 'inline'

/** The types that a browser displays without running code in them. */
const shownTypes = new Set(['application/pdf', 'image/png', 'image/jpeg'])

const policyOfSaved = "default-src 'none'; sandbox"

/** Without `sandbox`, because the PDF viewers of Chrome and Safari display nothing in a sandbox. */
const policyOfShown =
  "default-src 'self'; script-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The part that a `Range` header requests; undefined if the whole file must be sent. */
function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined
  const range =
    first === ''
      ? { first: Math.max(0, sizeBytes - Number(last)), last: sizeBytes - 1 }
      : { first: Number(first), last: Math.min(last === '' ? Infinity : Number(last), sizeBytes - 1) }
  const isEmpty = first === '' && Number(last) === 0
  if (!isEmpty && range.first < sizeBytes) return range
  throw new Failure(
    'range_not_satisfiable',
    'RANGE_NOT_SATISFIABLE',
    `The file has ${sizeBytes} bytes; ask for a part of them.`,
    { headers: { 'Content-Range': `bytes */${sizeBytes}` } },
  )
}

/**
 * `Content-Disposition` for any name (RFC 6266): an ASCII form for old clients, and the name itself in UTF-8,
 * percent-encoded, so that nothing in it can end the header. Slashes are replaced, so a name like `../../x` cannot choose
 * the folder in which the file is saved. Characters that change the direction of the text are left out, so that a
 * program does not look like a PDF.
 */
export function contentDisposition(filename: string, disposition: Disposition = 'attachment'): string {
  const name = withoutDirectionChanges(filename)
    .replace(/[/\\]/g, '_')
    .replace(/^\.{0,2}$/, '_')
  const ascii = name
    .replace(/[äöüÄÖÜß]/g, (letter) => transliterations[letter] ?? letter)
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^\x20-\x7e]/gu, '_')
    .replace(/["\\%]/g, '_')
  return `${disposition}; filename="${ascii}"; filename*=UTF-8''${encodeRfc8187(name)}`
}

const transliterations: Record<string, string> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
  ß: 'ss',
}

function encodeRfc8187(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
