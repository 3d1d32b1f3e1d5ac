// Aktenlage 1.0.0: the client, generated from the description of the interface. Do not edit.

export type CaseSummary = {
  id: string
  name: string
  /** The Aktenzeichen of the office, unique in the workspace. */
  file_number: string
  status: 'active' | 'closed' | 'archived'
}

export type Pagination = {
  /** Send it as `cursor` to get the next page; null on the last. */
  cursor: string | null
  has_more: boolean
}

export type CaseInput = {
  name: string
  /** Omitted, it is the next of the year: `0001/26`. */
  file_number?: string | null
  type?: string | null
  description?: string | null
  dezernat?: string | null
}

export type Case = {
  id: string
  name: string
  /** The Aktenzeichen of the office, unique in the workspace. */
  file_number: string
  status: 'active' | 'closed' | 'archived'
  type: string | null
  description: string | null
  dezernat: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string
  parties: CaseParty[]
  staff: CaseStaff[]
}

/** A party of a case in one role. */
export type CaseParty = {
  id: string
  role: string
  name: string
}

/** A user who works on a case, in one role. */
export type CaseStaff = {
  id: string
  name: string
  role: string
}

export type CaseChanges = {
  name?: string
  file_number?: string
  status?: 'active' | 'closed' | 'archived'
  type?: string | null
  description?: string | null
  dezernat?: string | null
}

export type CaseLink = {
  id: string
  case_id: string
  linked_case_id: string
  type: string | null
  note: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type CaseLinkInput = {
  /** The other case. */
  case_id: string
  type?: string | null
  note?: string | null
}

export type CasePartiesInput = ({
  type?: 'person' | 'organization'
  name: string
  email?: string | null
  phone?: string | null
  address?: string | null
  id?: null
  role: string
} | {
  /** `pty_` and a UUID; taken with or without the prefix. */
  id: string
  role: string
})[] | {
  parties: ({
    type?: 'person' | 'organization'
    name: string
    email?: string | null
    phone?: string | null
    address?: string | null
    id?: null
    role: string
  } | {
    /** `pty_` and a UUID; taken with or without the prefix. */
    id: string
    role: string
  })[]
}

export type CaseStaffAssignments = {
  /** `usr_` and a UUID; taken with or without the prefix. */
  id: string
  role: string
}[] | {
  staff: {
    /** `usr_` and a UUID; taken with or without the prefix. */
    id: string
    role: string
  }[]
}

export type CaseStaffRemoval = {
  staff_ids: string[]
}

export type TimelineEntry = {
  id: string
  /** What happened, for programs: `case.created`, `parties.added`, … */
  type: string
  /** ISO 8601, UTC, with milliseconds. */
  occurred_at: string
  actor: {
    type: 'user' | 'system' | 'external'
    id: string | null
    name: string
  }
  /** What happened, for people, in German. */
  summary: string
  /** What it happened to. */
  ref: {
    type: string
    id: string
  } | null
}

export type Party = {
  id: string
  type: 'person' | 'organization'
  name: string
  email: string | null
  phone: string | null
  address: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string
}

export type PartyInput = {
  type?: 'person' | 'organization'
  name: string
  email?: string | null
  phone?: string | null
  address?: string | null
}

export type PartyChanges = {
  type?: 'person' | 'organization'
  name?: string
  email?: string | null
  phone?: string | null
  address?: string | null
}

export type ApiKey = {
  id: string
  user_id: string
  name: string
  scopes: Scope[]
  expires_at: string | null
  /** To the hour. */
  last_used_at: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

/** What an API key may do. */
export type Scope = 'cases:read' | 'cases:write' | 'cases:delete' | 'documents:read' | 'documents:write' | 'documents:delete' | 'calendar:read' | 'calendar:write' | 'deadlines:read' | 'deadlines:write' | 'reports:read' | 'reports:write' | 'inbox:read' | 'inbox:write' | 'bea:read' | 'bea:write' | 'bea:admin' | 'contacts:read' | 'contacts:write' | 'billing:read' | 'billing:write' | 'workspace:admin'

export type ApiKeyInput = {
  /** `usr_` and a UUID; taken with or without the prefix. */
  user_id: string
  name: string
  scopes: Scope[]
  expires_at?: string | null
}

export type CreatedApiKey = {
  id: string
  user_id: string
  name: string
  scopes: Scope[]
  expires_at: string | null
  /** To the hour. */
  last_used_at: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** The key itself, shown this once: `ak_<uuid>_<secret>`. */
  key: string
}

export type User = {
  id: string
  name: string
  email: string
  signature_html: string | null
  active: boolean
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type UserInput = {
  name: string
  email: string
  signature_html?: string | null
}

export type UserChanges = {
  name?: string
  email?: string
  signature_html?: string | null
  /** A deactivated user’s keys stop working at once. */
  active?: boolean
}

export type Workspace = {
  id: string
  name: string
  time_zone: string
  holiday_region: 'DE-BW' | 'DE-BY' | 'DE-BE' | 'DE-BB' | 'DE-HB' | 'DE-HH' | 'DE-HE' | 'DE-MV' | 'DE-NI' | 'DE-NW' | 'DE-RP' | 'DE-SL' | 'DE-SN' | 'DE-ST' | 'DE-SH' | 'DE-TH'
  /** Mail to this address arrives in the inbox. */
  inbound_address: string
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type WorkspaceChanges = {
  name?: string
  time_zone?: string
  holiday_region?: 'DE-BW' | 'DE-BY' | 'DE-BE' | 'DE-BB' | 'DE-HB' | 'DE-HH' | 'DE-HE' | 'DE-MV' | 'DE-NI' | 'DE-NW' | 'DE-RP' | 'DE-SL' | 'DE-SN' | 'DE-ST' | 'DE-SH' | 'DE-TH'
}

export type WebhookSettings = {
  token: string
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** Where documents are pushed to. */
  url: string
}

export type Health = {
  status: 'ok'
}

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = {
  openapi: string
  info: Record<string, unknown>
  paths: Record<string, unknown>
} & Record<string, unknown>

export type ListCasesRequest = {
  query?: {
    /** How many items a page holds at most, 1 to 100. */
    limit?: number
    /** The `cursor` of the page before. */
    cursor?: string
    status?: 'active' | 'closed' | 'archived'
    /** Words that all stand in the name or the file number: three and more characters anywhere, fewer at the beginning of a word; upper and lower case, `ä` and `ae`, `ß` and `ss` alike. */
    search?: string
    type?: string
    dezernat?: string
  }
}

export type CreateCaseRequest = {
  body: CaseInput
}

export type GetCaseRequest = {
  params: {
    /** A UUID. */
    id: string
  }
}

export type UpdateCaseRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  body: CaseChanges
  /** The ETag of the state this change builds on. */
  ifMatch?: string
}

export type DeleteCaseRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  /** The ETag of the state this change builds on. */
  ifMatch?: string
}

export type ListCaseLinksRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  query?: {
    /** How many items a page holds at most, 1 to 100. */
    limit?: number
    /** The `cursor` of the page before. */
    cursor?: string
  }
}

export type CreateCaseLinkRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  body: CaseLinkInput
}

export type DeleteCaseLinkRequest = {
  params: {
    /** A UUID. */
    id: string
    /** `link_` and a UUID; taken with or without the prefix. */
    link_id: string
  }
}

export type ListCasePartiesRequest = {
  params: {
    /** A UUID. */
    id: string
  }
}

export type AddCasePartiesRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  body: CasePartiesInput
}

export type ReplaceCasePartiesRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  body: CasePartiesInput
}

export type ListCaseStaffRequest = {
  params: {
    /** A UUID. */
    id: string
  }
}

export type AddCaseStaffRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  body: CaseStaffAssignments
}

export type RemoveCaseStaffRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  query?: {
    /** `usr_` and a UUID; taken with or without the prefix. */
    staff_id?: string
  }
  body?: CaseStaffRemoval
}

export type GetCaseTimelineRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  query?: {
    /** How many items a page holds at most, 1 to 100. */
    limit?: number
    /** The `cursor` of the page before. */
    cursor?: string
  }
}

export type ListPartiesRequest = {
  query?: {
    /** How many items a page holds at most, 1 to 100. */
    limit?: number
    /** The `cursor` of the page before. */
    cursor?: string
    /** Words that all stand in the name or the e-mail address. */
    search?: string
    type?: 'person' | 'organization'
  }
}

export type CreatePartyRequest = {
  body: PartyInput
}

export type GetPartyRequest = {
  params: {
    /** `pty_` and a UUID; taken with or without the prefix. */
    id: string
  }
}

export type UpdatePartyRequest = {
  params: {
    /** `pty_` and a UUID; taken with or without the prefix. */
    id: string
  }
  body: PartyChanges
  /** The ETag of the state this change builds on. */
  ifMatch?: string
}

export type DeletePartyRequest = {
  params: {
    /** `pty_` and a UUID; taken with or without the prefix. */
    id: string
  }
  /** The ETag of the state this change builds on. */
  ifMatch?: string
}

export type ListApiKeysRequest = {
  query?: {
    /** How many items a page holds at most, 1 to 100. */
    limit?: number
    /** The `cursor` of the page before. */
    cursor?: string
  }
}

export type CreateApiKeyRequest = {
  body: ApiKeyInput
}

export type DeleteApiKeyRequest = {
  params: {
    /** `ak_` and a UUID; taken with or without the prefix. */
    id: string
  }
}

export type ListUsersRequest = {
  query?: {
    /** How many items a page holds at most, 1 to 100. */
    limit?: number
    /** The `cursor` of the page before. */
    cursor?: string
  }
}

export type CreateUserRequest = {
  body: UserInput
}

export type GetUserRequest = {
  params: {
    /** `usr_` and a UUID; taken with or without the prefix. */
    id: string
  }
}

export type UpdateUserRequest = {
  params: {
    /** `usr_` and a UUID; taken with or without the prefix. */
    id: string
  }
  body: UserChanges
}

export type UpdateWorkspaceRequest = {
  body: WorkspaceChanges
}

export type Client = {
  /**
   * List and search cases, newest first.
   *
   * Needs the scope `cases:read`.
   */
  listCases: PagedCall<ListCasesRequest, {
    data: CaseSummary[]
    pagination: Pagination
  }>
  /**
   * Open a case.
   *
   * Without `file_number` the case gets the next of the year. The number is unique in the workspace.
   *
   * Needs the scope `cases:write`.
   */
  createCase: TaggedCall<CreateCaseRequest, Case>
  /**
   * Get a case.
   *
   * Needs the scope `cases:read`.
   */
  getCase: TaggedCall<GetCaseRequest, Case>
  /**
   * Change a case.
   *
   * Only the fields included change; `null` clears an optional one. Parties and staff have their own paths.
   *
   * Needs the scope `cases:write`.
   */
  updateCase: TaggedCall<UpdateCaseRequest, Case>
  /**
   * Delete a case.
   *
   * The case vanishes from lists, search and links. Its documents, deadlines and mail stay; its record stays for the audit.
   *
   * Needs the scope `cases:delete`.
   */
  deleteCase: Call<DeleteCaseRequest, undefined>
  /**
   * List the cases a case is linked to.
   *
   * Needs the scope `cases:read`.
   */
  listCaseLinks: PagedCall<ListCaseLinksRequest, {
    data: CaseLink[]
    pagination: Pagination
  }>
  /**
   * Link two cases.
   *
   * Needs the scope `cases:write`.
   */
  createCaseLink: Call<CreateCaseLinkRequest, CaseLink>
  /**
   * Remove a link from both cases.
   *
   * Needs the scope `cases:write`.
   */
  deleteCaseLink: Call<DeleteCaseLinkRequest, undefined>
  /**
   * List the parties of a case.
   *
   * Needs the scope `cases:read`.
   */
  listCaseParties: Call<ListCasePartiesRequest, {
    data: CaseParty[]
  }>
  /**
   * Add parties to a case.
   *
   * An entry with `id` names a party that exists; one with `name` makes a new one. The same party is never twice in the same role.
   *
   * Needs the scope `cases:write`.
   */
  addCaseParties: Call<AddCasePartiesRequest, {
    data: CaseParty[]
  }>
  /**
   * Replace the parties of a case.
   *
   * Needs the scope `cases:write`.
   */
  replaceCaseParties: Call<ReplaceCasePartiesRequest, {
    data: CaseParty[]
  }>
  /**
   * List who works on a case.
   *
   * Needs the scope `cases:read`.
   */
  listCaseStaff: Call<ListCaseStaffRequest, {
    data: CaseStaff[]
  }>
  /**
   * Assign users to a case.
   *
   * Needs the scope `cases:write`.
   */
  addCaseStaff: Call<AddCaseStaffRequest, {
    data: CaseStaff[]
  }>
  /**
   * Take users off a case.
   *
   * Name them in the body (`staff_ids`) or in the query (`staff_id`). Who is not assigned is ignored; the answer is who remains.
   *
   * Needs the scope `cases:write`.
   */
  removeCaseStaff: Call<RemoveCaseStaffRequest, {
    data: CaseStaff[]
  }>
  /**
   * Tell what happened to a case, newest first.
   *
   * Needs the scope `cases:read`.
   */
  getCaseTimeline: PagedCall<GetCaseTimelineRequest, {
    data: TimelineEntry[]
    pagination: Pagination
  }>
  /**
   * List and search parties, newest first.
   *
   * Needs the scope `contacts:read`.
   */
  listParties: PagedCall<ListPartiesRequest, {
    data: Party[]
    pagination: Pagination
  }>
  /**
   * Add a party.
   *
   * Needs the scope `contacts:write`.
   */
  createParty: TaggedCall<CreatePartyRequest, Party>
  /**
   * Get a party.
   *
   * Needs the scope `contacts:read`.
   */
  getParty: TaggedCall<GetPartyRequest, Party>
  /**
   * Change a party.
   *
   * Only the fields included change; `null` clears an optional one.
   *
   * Needs the scope `contacts:write`.
   */
  updateParty: TaggedCall<UpdatePartyRequest, Party>
  /**
   * Delete a party that no case or document names.
   *
   * Needs the scope `contacts:write`.
   */
  deleteParty: Call<DeletePartyRequest, undefined>
  /**
   * List API keys, newest first.
   *
   * Needs the scope `workspace:admin`.
   */
  listApiKeys: PagedCall<ListApiKeysRequest, {
    data: ApiKey[]
    pagination: Pagination
  }>
  /**
   * Issue an API key to a user.
   *
   * The key itself is in this answer only.
   *
   * Needs the scope `workspace:admin`.
   */
  createApiKey: Call<CreateApiKeyRequest, CreatedApiKey>
  /**
   * Revoke an API key at once.
   *
   * Needs the scope `workspace:admin`.
   */
  deleteApiKey: Call<DeleteApiKeyRequest, undefined>
  /**
   * List users, newest first.
   *
   * Any valid key will do.
   */
  listUsers: PagedCall<ListUsersRequest, {
    data: User[]
    pagination: Pagination
  }>
  /**
   * Add a user.
   *
   * Needs the scope `workspace:admin`.
   */
  createUser: Call<CreateUserRequest, User>
  /**
   * Get a user.
   *
   * Any valid key will do.
   */
  getUser: Call<GetUserRequest, User>
  /**
   * Change a user.
   *
   * The keys of a user who is deactivated stop working at once.
   *
   * Needs the scope `workspace:admin`.
   */
  updateUser: Call<UpdateUserRequest, User>
  /**
   * Get the workspace.
   *
   * Needs the scope `workspace:admin`.
   */
  getWorkspace: Call<Record<never, never>, Workspace>
  /**
   * Change the workspace.
   *
   * Needs the scope `workspace:admin`.
   */
  updateWorkspace: Call<UpdateWorkspaceRequest, Workspace>
  /**
   * Get the token of the ingestion webhook.
   *
   * Needs the scope `workspace:admin`.
   */
  getWebhooks: Call<Record<never, never>, WebhookSettings>
  /**
   * Replace the token of the ingestion webhook.
   *
   * The old token is dead from this answer on.
   *
   * Needs the scope `workspace:admin`.
   */
  rotateWebhookToken: Call<Record<never, never>, WebhookSettings>
  /**
   * Tell whether the service and its store answer.
   *
   * Needs no key.
   */
  getHealth: Call<Record<never, never>, Health>
  /**
   * Get the description of this interface.
   *
   * An OpenAPI 3.1 document of every endpoint, this one included, for client generators and other tools.
   *
   * Needs no key.
   */
  getOpenApiDocument: TaggedCall<Record<never, never>, OpenApiDocument>
}

/**
 * @example
 * const aktenlage = createClient({ baseUrl: 'https://api.example.de', apiKey: 'ak_…' })
 * const opened = await aktenlage.createCase({ body: { name: 'Meier ./. Schulze' } })
 * for await (const summary of aktenlage.listCases.all({ query: { status: 'active' } })) console.log(summary.name)
 */
export function createClient(options: ClientOptions): Client {
  return {
    listCases: methodOf(options, 'GET', '/api/v1/cases'),
    createCase: methodOf(options, 'POST', '/api/v1/cases'),
    getCase: methodOf(options, 'GET', '/api/v1/cases/{id}'),
    updateCase: methodOf(options, 'PUT', '/api/v1/cases/{id}'),
    deleteCase: methodOf(options, 'DELETE', '/api/v1/cases/{id}'),
    listCaseLinks: methodOf(options, 'GET', '/api/v1/cases/{id}/links'),
    createCaseLink: methodOf(options, 'POST', '/api/v1/cases/{id}/links'),
    deleteCaseLink: methodOf(options, 'DELETE', '/api/v1/cases/{id}/links/{link_id}'),
    listCaseParties: methodOf(options, 'GET', '/api/v1/cases/{id}/parties'),
    addCaseParties: methodOf(options, 'POST', '/api/v1/cases/{id}/parties'),
    replaceCaseParties: methodOf(options, 'PUT', '/api/v1/cases/{id}/parties'),
    listCaseStaff: methodOf(options, 'GET', '/api/v1/cases/{id}/staff'),
    addCaseStaff: methodOf(options, 'POST', '/api/v1/cases/{id}/staff'),
    removeCaseStaff: methodOf(options, 'DELETE', '/api/v1/cases/{id}/staff'),
    getCaseTimeline: methodOf(options, 'GET', '/api/v1/cases/{id}/timeline'),
    listParties: methodOf(options, 'GET', '/api/v1/parties'),
    createParty: methodOf(options, 'POST', '/api/v1/parties'),
    getParty: methodOf(options, 'GET', '/api/v1/parties/{id}'),
    updateParty: methodOf(options, 'PUT', '/api/v1/parties/{id}'),
    deleteParty: methodOf(options, 'DELETE', '/api/v1/parties/{id}'),
    listApiKeys: methodOf(options, 'GET', '/api/v1/api-keys'),
    createApiKey: methodOf(options, 'POST', '/api/v1/api-keys'),
    deleteApiKey: methodOf(options, 'DELETE', '/api/v1/api-keys/{id}'),
    listUsers: methodOf(options, 'GET', '/api/v1/users'),
    createUser: methodOf(options, 'POST', '/api/v1/users'),
    getUser: methodOf(options, 'GET', '/api/v1/users/{id}'),
    updateUser: methodOf(options, 'PATCH', '/api/v1/users/{id}'),
    getWorkspace: methodOf(options, 'GET', '/api/v1/workspace'),
    updateWorkspace: methodOf(options, 'PATCH', '/api/v1/workspace'),
    getWebhooks: methodOf(options, 'GET', '/api/v1/workspace/webhooks'),
    rotateWebhookToken: methodOf(options, 'POST', '/api/v1/workspace/webhooks/rotate'),
    getHealth: methodOf(options, 'GET', '/api/v1/health'),
    getOpenApiDocument: methodOf(options, 'GET', '/api/v1/openapi.json'),
  } as Client
}

/** Every error code of the service. */
export type ErrorCode = 'VALIDATION_ERROR' | 'AUTH_INVALID_KEY' | 'AUTH_INSUFFICIENT_SCOPE' | 'ROUTE_NOT_FOUND' | 'CASE_NOT_FOUND' | 'PARTY_NOT_FOUND' | 'USER_NOT_FOUND' | 'LINK_NOT_FOUND' | 'API_KEY_NOT_FOUND' | 'WORKSPACE_NOT_FOUND' | 'FILE_NUMBER_TAKEN' | 'LINK_EXISTS' | 'PARTY_IN_USE' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'RATE_LIMITED' | 'REQUEST_BLOCKED' | 'SERVICE_UNAVAILABLE' | 'INTERNAL_ERROR'

export type ClientOptions = {
  /** Where the service is, without `/api/v1`: `https://api.example.de`. */
  baseUrl: string
  /** `ak_…`; without it, only what is public answers. */
  apiKey?: string
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
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
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
