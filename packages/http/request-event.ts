/** The parts of an API Gateway REST event that a request is read from. */
export type RequestEvent = {
  body: string | null
  isBase64Encoded: boolean
  headers: Record<string, string | undefined> | null
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

/** The media type of the body in lower case, without its parameters; empty where the request names none. */
export function mediaTypeOf(event: Pick<RequestEvent, 'headers'>): string {
  return (header(event, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}
