import { decodeBase64, decodeQuotedPrintable } from './transfer-encodings.ts'

/**
 * A part that contains no other parts, as offsets into the bytes of the message. `bodyEnd` is exclusive. A multipart
 * whose boundary never occurs counts as such a part.
 */
export type MimePart = {
  headerStart: number
  bodyStart: number
  bodyEnd: number
  /** The first value of each header field, unfolded and in Latin-1, by its name in lower case. */
  fields: ReadonlyMap<string, string>
  /** The media type of the part that contains it, in lower case; undefined for a whole message. */
  container: string | undefined
  /** Whether it is the first part in its container. */
  isFirst: boolean
}

/** A part that contains other parts, with its boundary lines. `begun` is the number of parts that have begun in it. */
type Container = { opening: string; closing: string; type: string; begun: number }

/** The deepest nesting that is read. Deeper parts stay in the body of the part that contains them. */
const maxDepth = 60

/**
 * The parts of a message in their order. Only lines and boundaries are read, and nothing is decoded. An attached
 * message is one part.
 */
export function mimeParts(raw: Buffer): MimePart[] {
  const parts: MimePart[] = []
  const containers: Container[] = []
  let headerStart = headerStartOf(raw)
  let leaf: Omit<MimePart, 'bodyEnd'> | undefined
  const end = (at: number) => {
    if (leaf !== undefined) parts.push({ ...leaf, bodyEnd: Math.max(leaf.bodyStart, at) })
    leaf = undefined
  }
  const endHeader = (bodyStart: number) => {
    const fields = fieldsOf(raw.toString('latin1', headerStart, bodyStart))
    const boundary = boundaryOf(fields.get('content-type') ?? '')
    const container = containers.at(-1)
    const part = {
      headerStart,
      bodyStart,
      fields,
      container: container?.type,
      isFirst: (container?.begun ?? 1) === 1,
    }
    leaf = part
    if (boundary !== undefined && containers.length < maxDepth)
      containers.push({ opening: boundary.trimEnd(), closing: `${boundary}--`, type: typeOf(part), begun: 0 })
  }
  let inHeader = true
  for (let start = headerStart; start < raw.length; ) {
    const lineEnd = raw.indexOf(10, start)
    const next = lineEnd === -1 ? raw.length : lineEnd + 1
    const mark =
      raw[start] === 0x2d && raw[start + 1] === 0x2d ? boundaryAt(raw, start, next, containers) : undefined
    if (mark !== undefined) {
      if (inHeader) endHeader(start)
      // A multipart that ends before its first part counts as text, unless this line also ends an outer multipart.
      const isOuter = () => boundaryAt(raw, start, next, containers.slice(0, mark.level)) !== undefined
      if (containers[mark.level]?.begun === 0 && (!mark.isLast || isOuter())) leaf = undefined
      end(beforeLineBreak(raw, start))
      containers.length = mark.isLast ? mark.level : mark.level + 1
      const container = containers[mark.level]
      if (container !== undefined) container.begun += 1
      inHeader = !mark.isLast
      headerStart = next
    } else if (inHeader && isBlank(raw, start, next)) {
      endHeader(next)
      inHeader = false
    }
    start = next
  }
  if (inHeader) endHeader(raw.length)
  // The boundary after the last part may be missing.
  end(raw.length)
  return parts
}

/** The boundary in a line, if there is one: its nesting level, and whether it is the last of its level. */
function boundaryAt(
  raw: Buffer,
  start: number,
  next: number,
  containers: Container[],
): { level: number; isLast: boolean } | undefined {
  if (next - start > maxBoundaryLine) return undefined
  const line = raw.toString('latin1', start + 2, next).trimEnd()
  const level = containers.findLastIndex(({ opening, closing }) => line === opening || line === closing)
  return level === -1 ? undefined : { level, isLast: line !== containers[level]?.opening }
}

const maxBoundaryLine = 300

function isBlank(raw: Buffer, start: number, next: number): boolean {
  return next - start <= 2 && (raw[start] === 10 || (raw[start] === 13 && raw[start + 1] === 10))
}

/** The line break before a boundary belongs to the boundary (RFC 2046, 5.1.1). */
function beforeLineBreak(raw: Buffer, at: number): number {
  if (raw[at - 1] !== 10) return at
  return raw[at - 2] === 13 ? at - 2 : at - 1
}

function fieldsOf(header: string): Map<string, string> {
  return new Map(headerFields(header).toReversed())
}

/**
 * The start of the header of a message, after a byte order mark and empty lines, which some programs write before it. If
 * no field follows the empty lines, the first of them ends a header without fields.
 */
export function headerStartOf(raw: Buffer): number {
  const start = raw.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? 3 : 0
  let field = start
  while (raw[field] === 10 || raw[field] === 13) field += 1
  return /^[!-9;-~]{1,80}:/.test(raw.toString('latin1', field, field + 81)) ? field : start
}

/** The end of the header of a message, before and after the empty line. Undefined if there is no empty line. */
export function headerEndOf(raw: Buffer): { headerEnd: number; bodyStart: number } | undefined {
  const ends = ['\r\n\r\n', '\n\n'].map((end) => {
    const headerEnd = raw.indexOf(end)
    return { headerEnd, bodyStart: headerEnd + end.length }
  })
  return ends
    .filter(({ headerEnd }) => headerEnd !== -1)
    .toSorted((one, other) => one.headerEnd - other.headerEnd)[0]
}

/** The fields of a header in their order, unfolded, with names in lower case. */
export function headerFields(header: string): [name: string, value: string][] {
  return header
    .replace(/\r?\n(?=[ \t])/g, '')
    .split(/\r?\n/)
    .flatMap((line) => {
      const colon = line.indexOf(':')
      return colon > 0
        ? [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as [string, string]]
        : []
    })
}

/** One parameter of a header field. A quoted value may contain text that looks like another parameter. */
const parameter =
  /;\s{0,99}([^\s=;"]{1,40})\s{0,9}=\s{0,9}(?:"((?:[^"\\]|\\.){0,200})"|([^;"]{0,200})(?![^;"]))/g

/**
 * The boundary in a `Content-Type`, as postal-mime reads it; undefined if there is none, or if it is continued (RFC
 * 2231, 3).
 */
export function boundaryOf(contentType: string): string | undefined {
  if (!/^multipart\//i.test(contentType)) return undefined
  for (const [, name, quoted, bare = ''] of contentType.matchAll(parameter))
    if (name?.toLowerCase() === 'boundary')
      return quoted?.replace(/\\(.)/g, '$1') || bare.replace(/\s\([^()]*\)\s*$/, '').trim() || undefined
  return undefined
}

/** The media type of a part, in lower case. */
export function typeOf({ fields }: Pick<MimePart, 'fields'>): string {
  return (fields.get('content-type') ?? 'text/plain').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** The transfer encoding of a part. `none`: the encoding does not change the bytes, or is unknown. */
export function encodingOf({ fields }: MimePart): 'base64' | 'quoted-printable' | 'none' {
  const named = (fields.get('content-transfer-encoding') ?? '').toLowerCase()
  if (named.includes('base64')) return 'base64'
  return named.includes('quoted-printable') ? 'quoted-printable' : 'none'
}

/** The decoded body of a part. */
export function bytesOf(raw: Buffer, part: MimePart): Uint8Array {
  const body = raw.subarray(part.bodyStart, part.bodyEnd)
  const encoding = encodingOf(part)
  if (encoding === 'base64') return decodeBase64(body)
  return encoding === 'quoted-printable' ? decodeQuotedPrintable(body) : body
}
