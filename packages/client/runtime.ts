/** Every error code of the service. */
export type ErrorCode = string

export type ClientOptions = {
  /** The address of the service, without `/api/v1`: `https://api.example.de`. */
  baseUrl: string
  /** `ak_…`; without it, only what is public answers. */
  apiKey?: string | undefined
  /** Takes the place of the global `fetch`. */
  fetch?: typeof fetch
  /**
   * How often a request is repeated, each time after the wait that the answer asks for, or a growing one; 2 unless
   * told. Every method is repeated if nothing was changed: after 429, and after 503 with `Retry-After`. If no answer
   * came, or only a part of one, only requests that are safe to repeat are repeated: GET, PUT of a resource with an ETag
   * if it is sent without `ifMatch`, and POST, which carries an `Idempotency-Key`.
   */
  retries?: number
  /**
   * Fields of a body that the service does not know are refused, with the nearest known name (`Prefer: handling=strict`).
   * `false`: they are ignored, and listed in the header `X-Ignored-Fields`.
   */
  strict?: boolean
  /** How long each attempt waits for its answer, of a file for its beginning; 120 unless told. */
  timeoutSeconds?: number
}

export type CallOptions = {
  signal?: AbortSignal
  /**
   * Of a POST: a text of up to 255 characters that you choose for this request. Repeat the request with the same one, and
   * it takes effect once; you get the first answer again. Without it each call has a random one, so that its own
   * repetitions take effect once.
   */
  idempotencyKey?: string
  /** Further headers, such as `Accept-Language` of a page or, outside of browsers, `Cookie`. */
  headers?: Record<string, string>
}

/** The bytes of an answer. They are read once: as `stream`, with `bytes()` or with `text()`. */
export type Download = {
  /** The name that the service gives the file. */
  filename: string | undefined
  /** Its media type. */
  type: string
  /** How many bytes come; undefined if the service does not know yet. */
  size: number | undefined
  etag: string | undefined
  /** Of a part that was asked for with `range`: `bytes 0-1023/4096`. */
  contentRange: string | undefined
  /** The bytes as they come. It fails if they break off. */
  stream: ReadableStream<Uint8Array>
  bytes: () => Promise<Uint8Array>
  text: () => Promise<string>
}

/** The address that a redirect leads to, and its cookie. Browsers show neither to scripts; they keep the cookie by themselves. */
export type Redirect = {
  location: string | undefined
  /** `name=value`, to be sent as the header `Cookie` from now on; undefined if none was set. */
  cookie: string | undefined
}

/**
 * The error of every refused or failed request. `code` is `UNEXPECTED_ANSWER` if something between here and the
 * service answered, and `NOT_MODIFIED` if what `ifNoneMatch` names is still the same. No answer at all is the error
 * of `fetch`.
 */
export class AktenlageError extends Error {
  readonly status: number
  readonly code: ErrorCode | 'UNEXPECTED_ANSWER' | 'NOT_MODIFIED'
  /** Name it when you report a fault. */
  readonly requestId: string | undefined
  /** The seconds after which the service may be asked again; undefined if it did not say. */
  readonly retryAfter: number | undefined
  /** For `VALIDATION_ERROR`: each fault with its place. */
  readonly details: readonly {
    path: string
    message: string
    /** These of `SLOT_CONFLICT`: whose event it is, the event, and its times. */
    user_id?: string
    event_id?: string
    start?: string
    end?: string
  }[]
  /** For `PARTY_IN_USE`: cases that name the party. */
  readonly cases: readonly { id: string; file_number: string }[]

  constructor(
    status: number,
    error: {
      code: AktenlageError['code']
      message: string
      request_id?: string
      details?: AktenlageError['details']
      cases?: AktenlageError['cases']
    },
    retryAfter?: number,
  ) {
    super(error.message)
    this.name = 'AktenlageError'
    this.status = status
    this.code = error.code
    this.requestId = error.request_id
    this.retryAfter = retryAfter
    this.details = error.details ?? []
    this.cases = error.cases ?? []
  }
}

type Arguments<Request> =
  Record<never, never> extends Request
    ? [request?: Request, options?: CallOptions]
    : [request: Request, options?: CallOptions]

export type Call<Request, Answer> = (...args: Arguments<Request>) => Promise<Answer>

/** A call that answers a file as well, in each of these media types: `getRegister.as('text/csv', request)`. */
export type RenderedCall<Request, Type extends string> = {
  as: (type: Type, ...args: Arguments<Request>) => Promise<Download>
}

/** A call whose answer carries an ETag; send it as `ifMatch` of the change that builds on this answer. */
export type TaggedCall<Request, Answer> = Call<Request, Answer> & {
  withEtag: (...args: Arguments<Request>) => Promise<{ answer: Answer; etag: string }>
}

/** A call that answers a page; `all` walks over the items of this and every following page. */
export type PagedCall<Request, Page extends { data: unknown[] }> = Call<Request, Page> & {
  all: (...args: Arguments<Request>) => AsyncGenerator<Page['data'][number], void, undefined>
}

/** A call that answers the records of a list or, with `updated_since`, what has changed: then some may be deleted. */
export type ChangesCall<Request extends { query?: object }, Page extends { data: unknown[] }> = {
  (request: Since<Request>, options?: CallOptions): Promise<Page & { as_of: string }>
  (...args: Arguments<Whole<Request>>): Promise<Omit<Page, 'data' | 'as_of'> & { data: Existing<Page>[] }>
  all: {
    (request: Since<Request>, options?: CallOptions): AsyncGenerator<Page['data'][number], void, undefined>
    (...args: Arguments<Whole<Request>>): AsyncGenerator<Existing<Page>, void, undefined>
  }
  /** The changes of every page, and the `as_of` to send next time. */
  changes: (
    request: Since<Request>,
    options?: CallOptions,
  ) => Promise<{ data: Page['data'][number][]; as_of: string }>
}

type Since<Request> = Request & { query: { updated_since: string } }
type Whole<Request extends { query?: object }> = Omit<Request, 'query'> & {
  query?: Omit<NonNullable<Request['query']>, 'updated_since'> & { updated_since?: never }
}
type Existing<Page extends { data: unknown[] }> = Exclude<Page['data'][number], { deleted_at: string }>

type AnyRequest = {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  /** Headers, by their names in camelCase. */
  [header: string]: unknown
}
type AnyPage = { data: unknown[]; pagination: { cursor: string | null }; as_of?: string }

/** In what a method differs from the default: JSON in the answer, sent with the API key. */
type Traits = {
  /** `json` unless told. */
  answers?: keyof typeof readers
  /** It takes neither the API key nor, as a POST, an `Idempotency-Key`. */
  isPublic?: true
  /** A PUT that may create something each time, such as a party that its body describes. */
  creates?: true
}

/** One method of the client, with everything that some of them have. */
function methodOf(client: ClientOptions, httpMethod: string, path: string, traits: Traits = {}) {
  const { answers = 'json', isPublic = false, creates = false } = traits
  const ask =
    <Answer>(accept: string, read: (response: Response) => Promise<Answer>) =>
    (request?: AnyRequest, options?: CallOptions): Promise<Answer> =>
      send(
        client,
        { method: httpMethod, path, accept, isPublic, creates, follows: answers !== 'redirect' },
        read,
        request,
        options,
      )
  // A page may refuse with a page; JSON says more.
  const accept = answers === 'json' ? 'application/json' : 'application/json, */*;q=0.9'
  const read: (response: Response) => Promise<unknown> = readers[answers]

  const call = ask(accept, read)

  const withEtag = ask(accept, async (response) => ({
    answer: await read(response),
    etag: etagOf(response) ?? '',
  }))

  const as = (type: string, request?: AnyRequest, options?: CallOptions) =>
    ask(type, readers.file)(request, options)

  async function* pages(request?: AnyRequest, options?: CallOptions) {
    let query = request?.query
    for (;;) {
      const page = (await call({ ...request, ...(query && { query }) }, options)) as AnyPage
      yield page
      if (page.pagination.cursor === null) return
      query = { ...query, cursor: page.pagination.cursor }
    }
  }

  async function* all(request?: AnyRequest, options?: CallOptions) {
    for await (const { data } of pages(request, options)) yield* data
  }

  const changes = async (request?: AnyRequest, options?: CallOptions) => {
    const data: unknown[] = []
    let asOf: string | undefined
    for await (const page of pages(request, options)) {
      data.push(...page.data)
      asOf ??= page.as_of
    }
    return { data, as_of: asOf }
  }

  return Object.assign(call, { withEtag, all, changes, as })
}

type Sent = {
  method: string
  path: string
  accept: string
  isPublic: boolean
  creates: boolean
  follows: boolean
}

async function send<Answer>(
  { baseUrl, apiKey, fetch: ownFetch, retries = 2, strict = true, timeoutSeconds = 120 }: ClientOptions,
  { method, path, accept, isPublic, creates, follows }: Sent,
  read: (response: Response) => Promise<Answer>,
  { params = {}, query = {}, body, ...named }: AnyRequest = {},
  { signal, idempotencyKey, headers }: CallOptions = {},
): Promise<Answer> {
  const request = ownFetch ?? fetch
  const url = `${baseUrl.replace(/(?<!\/)\/+$/, '')}${fill(path, params)}${queryString(query)}`
  const takesKey = method === 'POST' && !isPublic
  const init: RequestInit = {
    method,
    headers: {
      Accept: accept,
      ...(apiKey !== undefined && !isPublic && { Authorization: `Bearer ${apiKey}` }),
      // A form says its own type, with the boundary it has.
      ...(body !== undefined && !isForm(body) && { 'Content-Type': 'application/json' }),
      ...(takesKey && { 'Idempotency-Key': idempotencyKey ?? randomKey() }),
      ...headersOf(named),
      ...(body !== undefined && strict ? withStrict(headers) : headers),
    },
    ...(body !== undefined && { body: isForm(body) ? body : JSON.stringify(body) }),
    ...(!follows && { redirect: 'manual' as const }),
  }
  const replaces = method === 'PUT' && !creates && named.ifMatch === undefined
  const mayDoTwice = method === 'GET' || takesKey || replaces
  for (let attempt = 0; ; attempt += 1) {
    const limit = timeLimit(timeoutSeconds)
    try {
      const response = await request(url, {
        ...init,
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      })
      if (!response.ok && (follows || !isRedirect(response))) throw await errorOf(response)
      return await read(response)
    } catch (error) {
      const pause = signal?.aborted || attempt >= retries ? undefined : pauseAfter(error, mayDoTwice, attempt)
      if (pause === undefined) throw error
      await wait(pause, signal)
    } finally {
      limit.end()
    }
  }
}

/** A signal that aborts after this number of seconds, unless it is ended before. */
function timeLimit(seconds: number): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController()
  const late = () => controller.abort(new DOMException('No answer came in time.', 'TimeoutError'))
  const timer = setTimeout(late, seconds * 1000)
  return { signal: controller.signal, end: () => clearTimeout(timer) }
}

/** The seconds after which a failed request is sent again; undefined if that is not safe, or would take too long. */
function pauseAfter(error: unknown, mayDoTwice: boolean, attempt: number): number | undefined {
  if (!(error instanceof AktenlageError)) return mayDoTwice ? growing(attempt) : undefined
  const { status, code, retryAfter } = error
  const isUndone = status === 429 || (status === 503 && retryAfter !== undefined)
  // An earlier attempt may be at work, or something on the way to the service has lost the answer.
  const isUnknown =
    status === 503 ||
    code === 'REQUEST_IN_PROGRESS' ||
    (code === 'UNEXPECTED_ANSWER' && (status === 502 || status === 504))
  if (!isUndone && !(isUnknown && mayDoTwice)) return undefined
  if (retryAfter === undefined) return growing(attempt)
  return retryAfter <= maxWaitSeconds ? retryAfter : undefined
}

/** 128 random bits; `crypto.randomUUID` is missing on pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

function isForm(body: unknown): body is FormData | URLSearchParams {
  return body instanceof FormData || body instanceof URLSearchParams
}

/** A `Prefer` of the caller stands beside `handling=strict`, unless it says `handling` itself. */
function withStrict(headers: Record<string, string> = {}): Record<string, string> {
  const name = Object.keys(headers).find((name) => name.toLowerCase() === 'prefer') ?? 'Prefer'
  const own = headers[name] ?? ''
  if (/(?:^|,)\s*handling\s*=/i.test(own)) return headers
  return { ...headers, [name]: own.trim() === '' ? 'handling=strict' : `handling=strict, ${own}` }
}

/** `ifNoneMatch` is the header `if-None-Match`: capital letters do not matter. */
function headersOf(named: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(named)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.replace(/[A-Z]/g, '-$&'), String(value)]),
  )
}

/** In a browser a redirect that is not followed has neither a status nor headers. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || status === 302 || status === 303 || status === 307
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
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) parameters.append(name, String(one))
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}

const readers = {
  json: async (response: Response): Promise<unknown> => {
    if (response.status === 204) return undefined
    const text = await response.text()
    try {
      return JSON.parse(text)
    } catch {
      throw new AktenlageError(response.status, unexpected(response.status))
    }
  },
  text: (response: Response): Promise<string> => response.text(),
  file: async (response: Response): Promise<Download> => downloadOf(response),
  redirect: async ({ headers }: Response): Promise<Redirect> => ({
    location: headers.get('location') ?? undefined,
    cookie: headers.get('set-cookie')?.split(';')[0],
  }),
}

function downloadOf(response: Response): Download {
  const header = (name: string) => response.headers.get(name) ?? undefined
  const length = header('content-length')
  return {
    filename: filenameOf(header('content-disposition')),
    type: header('content-type') ?? 'application/octet-stream',
    // If the body is compressed, `content-length` is not the number of bytes that come out.
    size: length === undefined || header('content-encoding') !== undefined ? undefined : Number(length),
    etag: etagOf(response),
    contentRange: header('content-range'),
    stream: response.body ?? new ReadableStream({ start: (controller) => controller.close() }),
    bytes: async () => new Uint8Array(await response.arrayBuffer()),
    text: () => response.text(),
  }
}

/** The ETag as the service sent it. A proxy that compresses adds `W/`, and then it would never match `If-Match`. */
function etagOf({ headers }: Response): string | undefined {
  return headers.get('etag')?.replace(/^W\//, '')
}

/** The name in a `Content-Disposition` (RFC 6266): the one in UTF-8, or else the ASCII one. */
function filenameOf(disposition = ''): string | undefined {
  const [, encoded] = /filename\*=UTF-8''([^;\s]+)/i.exec(disposition) ?? []
  if (encoded !== undefined) return decodeURIComponent(encoded)
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replace(/\\(.)/g, '$1')
}

async function errorOf(response: Response): Promise<AktenlageError> {
  const answer = (await response.json().catch(() => undefined)) as {
    error?: ConstructorParameters<typeof AktenlageError>[1]
  }
  const otherwise = response.status === 304 ? unchanged : unexpected(response.status)
  // Something between may answer with an `error` of its own. Every error of the service names the request.
  const error = typeof answer?.error?.request_id === 'string' ? answer.error : otherwise
  return new AktenlageError(response.status, error, retryAfterOf(response))
}

const unchanged = { code: 'NOT_MODIFIED', message: 'It has not changed.' } as const

function unexpected(status: number): { code: 'UNEXPECTED_ANSWER'; message: string } {
  return { code: 'UNEXPECTED_ANSWER', message: `Something else than the service answered, with ${status}.` }
}

/** If an answer asks for a longer wait, the caller gets the refusal at once. */
const maxWaitSeconds = 60

/** The seconds that an answer asks to wait: a number, or the date that something between has made of it. */
function retryAfterOf({ headers }: Response): number | undefined {
  const asked = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(asked)) return Number(asked)
  const seconds = Math.ceil((Date.parse(asked) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** Half a second to one, then one to two, then two to four: callers that failed together do not return together. */
function growing(attempt: number): number {
  return Math.min(2 ** attempt * (0.5 + Math.random() / 2), maxWaitSeconds)
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
