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

/**
 * The value of a header; upper and lower case of its name do not matter. Undefined if the value is longer than
 * `maxHeaderCharacters`, so that no parser gets it; `refuseLongHeaders` refuses such a request.
 */
export function header(event: Pick<RequestEvent, 'headers'>, name: ReadHeader): string | undefined {
  return boundedHeader(event, name)
}

/** The value of a header that must be unique. Undefined if it is sent twice, because it is unclear which one counts. */
export function onlyHeader(
  event: Pick<RequestEvent, 'headers' | 'multiValueHeaders'>,
  name: string,
): string | undefined {
  const wanted = name.toLowerCase()
  return linesOf(event, wanted).length > 1 ? undefined : boundedHeader(event, wanted)
}

/** The value of a header that is a list: all its lines, joined. */
export function wholeHeader(
  event: Pick<RequestEvent, 'headers' | 'multiValueHeaders'>,
  name: ReadHeader,
): string | undefined {
  const lines = linesOf(event, name)
  const whole = lines.length > 1 ? lines.join(', ') : boundedHeader(event, name)
  return whole !== undefined && whole.length <= maxHeaderCharacters ? whole : undefined
}

function linesOf({ multiValueHeaders }: Pick<RequestEvent, 'multiValueHeaders'>, wanted: string): string[] {
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
export function refuseLongHeaders({ headers }: Pick<RequestEvent, 'headers'>): void {
  for (const name in headers) {
    if ((headers[name]?.length ?? 0) <= maxHeaderCharacters) continue
    if (!(readHeaders as readonly string[]).includes(name.toLowerCase())) continue
    const message = `This header is too long: at most ${maxHeaderCharacters} characters.`
    throw invalid(message, [{ path: `header.${name}`, message }])
  }
}

function boundedHeader({ headers }: Pick<RequestEvent, 'headers'>, wanted: string): string | undefined {
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
export function mediaTypeOf(event: Pick<RequestEvent, 'headers'>): string {
  return (header(event, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}
