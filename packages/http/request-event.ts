/** The parts of an API Gateway REST event that a request is read from. */
export type RequestEvent = {
  body: string | null
  isBase64Encoded: boolean
  headers: Record<string, string | undefined> | null
  /** Absent only in events that are made by hand; then no header is there twice. */
  multiValueHeaders?: Record<string, string[] | undefined> | null
  pathParameters: Record<string, string | undefined> | null
  multiValueQueryStringParameters: Record<string, string[] | undefined> | null
}

/** The value of a header, whatever its case. */
export function header(event: Pick<RequestEvent, 'headers'>, name: string): string | undefined {
  const wanted = name.toLowerCase()
  for (const [key, value] of Object.entries(event.headers ?? {})) {
    if (key.toLowerCase() === wanted) return value
  }
  return undefined
}

/** The value of a header that identifies the caller. Undefined if it is there twice: it is unclear which one counts. */
export function onlyHeader(
  event: Pick<RequestEvent, 'headers' | 'multiValueHeaders'>,
  name: string,
): string | undefined {
  const wanted = name.toLowerCase()
  const lines = Object.entries(event.multiValueHeaders ?? {}).flatMap(([key, values = []]) =>
    key.toLowerCase() === wanted ? values : [],
  )
  return lines.length > 1 ? undefined : header(event, name)
}

/** The media type of the body in lower case, without its parameters; empty where the request names none. */
export function mediaTypeOf(event: Pick<RequestEvent, 'headers'>): string {
  return (header(event, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}
