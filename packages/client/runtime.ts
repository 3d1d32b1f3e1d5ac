/** Every error code of the service. */
export type ErrorCode = string

export type ClientOptions = {
  /** Where the service is, without `/api/v1`: `https://api.example.de`. */
  baseUrl: string
  /** `ak_…`; without it, only what is public answers. */
  apiKey?: string | undefined
  /** Takes the place of the global `fetch`. */
  fetch?: typeof fetch
  /** How often a GET is repeated after 429 or 503, each time after the wait that the answer asks for; 2 unless told. */
  retries?: number
}

export type CallOptions = { signal?: AbortSignal }

/**
 * What every refused or failed request throws. `code` is `UNEXPECTED_ANSWER` where something between here and
 * the service answered. No answer at all is the error of `fetch`.
 */
export class AktenlageError extends Error {
  readonly status: number
  readonly code: ErrorCode | 'UNEXPECTED_ANSWER'
  /** Name it when you report a fault. */
  readonly requestId: string | undefined
  /** For `VALIDATION_ERROR`: each fault with its place. */
  readonly details: readonly { path: string; message: string }[]

  constructor(
    status: number,
    error: {
      code: AktenlageError['code']
      message: string
      request_id?: string
      details?: AktenlageError['details']
    },
  ) {
    super(error.message)
    this.name = 'AktenlageError'
    this.status = status
    this.code = error.code
    this.requestId = error.request_id
    this.details = error.details ?? []
  }
}

type Arguments<Request> =
  Record<never, never> extends Request
    ? [request?: Request, options?: CallOptions]
    : [request: Request, options?: CallOptions]

export type Call<Request, Answer> = (...args: Arguments<Request>) => Promise<Answer>

/** A call whose answer carries an ETag; send it as `ifMatch` of the change that builds on this answer. */
export type TaggedCall<Request, Answer> = Call<Request, Answer> & {
  withEtag: (...args: Arguments<Request>) => Promise<{ answer: Answer; etag: string }>
}

/** A call that answers a page; `all` walks over the items of this and every following page. */
export type PagedCall<Request, Page extends { data: unknown[] }> = Call<Request, Page> & {
  all: (...args: Arguments<Request>) => AsyncGenerator<Page['data'][number], void, undefined>
}

type AnyRequest = {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  ifMatch?: string
}
type AnyPage = { data: unknown[]; pagination: { cursor: string | null } }

/** One method of the client, with everything that some of them have. */
function methodOf(client: ClientOptions, httpMethod: string, path: string) {
  const call = async (request?: AnyRequest, options?: CallOptions): Promise<unknown> =>
    read(await send(client, httpMethod, path, request, options))

  const withEtag = async (request?: AnyRequest, options?: CallOptions) => {
    const response = await send(client, httpMethod, path, request, options)
    return { answer: await read(response), etag: response.headers.get('etag') ?? '' }
  }

  async function* all(request?: AnyRequest, options?: CallOptions) {
    let query = request?.query
    for (;;) {
      const page = (await call({ ...request, ...(query && { query }) }, options)) as AnyPage
      yield* page.data
      if (page.pagination.cursor === null) return
      query = { ...query, cursor: page.pagination.cursor }
    }
  }

  return Object.assign(call, { withEtag, all })
}

async function send(
  { baseUrl, apiKey, fetch: ownFetch, retries = 2 }: ClientOptions,
  method: string,
  path: string,
  { params = {}, query = {}, body, ifMatch }: AnyRequest = {},
  { signal }: CallOptions = {},
): Promise<Response> {
  const request = ownFetch ?? fetch
  const url = `${baseUrl.replace(/\/+$/, '')}${fill(path, params)}${queryString(query)}`
  const init: RequestInit = {
    method,
    headers: {
      Accept: 'application/json',
      ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
      // A form says its own type, with the boundary it has.
      ...(body !== undefined && !isForm(body) && { 'Content-Type': 'application/json' }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    },
    ...(body !== undefined && { body: isForm(body) ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }
  for (let attempt = 0; ; attempt += 1) {
    const response = await request(url, init)
    if (response.ok) return response
    const mayRepeat = method === 'GET' && (response.status === 429 || response.status === 503)
    if (!mayRepeat || attempt >= retries) throw await errorOf(response)
    await response.body?.cancel()
    await wait(secondsToWait(response, attempt), signal)
  }
}

function isForm(body: unknown): body is FormData | URLSearchParams {
  return body instanceof FormData || body instanceof URLSearchParams
}

function fill(path: string, params: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_placeholder, name: string) => {
    const value = params[name]
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} is not an id.`)
    return encodeURIComponent(value)
  })
}

function queryString(query: Record<string, unknown>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}

async function read(response: Response): Promise<unknown> {
  return response.status === 204 ? undefined : response.json()
}

async function errorOf(response: Response): Promise<AktenlageError> {
  const answer = (await response.json().catch(() => undefined)) as {
    error?: ConstructorParameters<typeof AktenlageError>[1]
  }
  const message = `The service answered ${response.status} without saying why.`
  return new AktenlageError(response.status, answer?.error ?? { code: 'UNEXPECTED_ANSWER', message })
}

/** As long as the answer asks for, up to a minute; else one second, then two, then four. */
function secondsToWait(response: Response, attempt: number): number {
  const asked = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isNaN(asked) ? 2 ** attempt : Math.min(Math.max(asked, 0), 60)
}

function wait(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, seconds * 1000)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

export { methodOf }
