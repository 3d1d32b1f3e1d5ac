import { invalid } from '#kernel/failure.ts'

/** The parts of an API Gateway REST event from which a request is read. */
export type RequestEvent = {
  body: string | null
  isBase64Encoded: boolean
  headers: Record<string, string | undefined> | null
  /** Absent only in hand-made events; then each header occurs once. */
  multiValueHeaders?: Record<string, string[] | undefined> | null
  pathParameters: Record<string, string | undefined> | null
  multiValueQueryStringParameters: Record<string, string[] | undefined> | null
}

type SentHeaders = Pick<RequestEvent, 'headers' | 'multiValueHeaders'>

/** The headers that the service reads, besides the headers of credentials. */
const readHeaders = [
  'accept',
  'accept-language',
  'content-type',
  'cookie',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'if-range',
  'prefer',
  'range',
  'user-agent',
] as const

type ReadHeader = (typeof readHeaders)[number]

/** The longest header that is read, in characters. API Gateway takes 10 240 for all of them together. */
const maxHeaderCharacters = 4_096

/** The headers that are lists: several lines of one count like a single line (RFC 9110, 5.3). */
const listHeaders: ReadonlySet<string> = new Set<ReadHeader>([
  'accept',
  'accept-language',
  'if-match',
  'if-none-match',
  'prefer',
])

/**
 * The value of a header; upper and lower case of its name do not matter. Undefined if the value is longer than
 * `maxHeaderCharacters`, so that no parser gets it; `refuseLongHeaders` refuses such a request.
 */
export function header(event: SentHeaders, name: ReadHeader): string | undefined {
  const lines = listHeaders.has(name) ? linesOf(event, name) : []
  if (lines.length < 2) return boundedHeader(event, name)
  const whole = lines.join(', ')
  return whole.length <= maxHeaderCharacters ? whole : undefined
}

/** The value of a header that must be unique. Undefined if it is sent twice, because it is unclear which one counts. */
export function onlyHeader(event: SentHeaders, name: string): string | undefined {
  const wanted = name.toLowerCase()
  return linesOf(event, wanted).length > 1 ? undefined : boundedHeader(event, wanted)
}

function linesOf({ multiValueHeaders }: SentHeaders, wanted: string): string[] {
  const lines: string[] = []
  for (const name in multiValueHeaders)
    if (isCalled(name, wanted)) lines.push(...(multiValueHeaders[name] ?? []))
  return lines
}

/**
 * Refuses a request with a header that is too long to be read, because without the header the request would mean
 * something else. A credential that is too long counts as missing.
 *
 * @throws Failure 400
 */
export function refuseLongHeaders(event: SentHeaders): void {
  for (const name in event.headers) {
    const read = readHeaders.find((one) => isCalled(name, one))
    if (read === undefined || event.headers[name] === undefined || header(event, read) !== undefined) continue
    const message = `This header is too long: at most ${maxHeaderCharacters} characters.`
    throw invalid(message, [{ path: `header.${name}`, message }])
  }
}

function boundedHeader({ headers }: SentHeaders, wanted: string): string | undefined {
  for (const name in headers) {
    if (!isCalled(name, wanted)) continue
    const value = headers[name]
    return value !== undefined && value.length <= maxHeaderCharacters ? value : undefined
  }
  return undefined
}

/** Whether a header has the wanted name, which is in lower case. */
function isCalled(name: string, wanted: string): boolean {
  return name.length === wanted.length && name.toLowerCase() === wanted
}

/** The media type of the body in lower case, without its parameters; empty if the request names none. */
export function mediaTypeOf(event: SentHeaders): string {
  return (header(event, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}
