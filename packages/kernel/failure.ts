import { nilUuid } from './nil-uuid.ts'

/** The kinds of failure that the API reports. `http/refusal.ts` maps each kind to a status. */
export type FailureKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'conflict'
  | 'gone'
  | 'precondition_failed'
  | 'too_large'
  | 'range_not_satisfiable'
  | 'unsupported_media'
  | 'unprocessable'
  | 'rate_limited'
  | 'upstream'
  | 'unavailable'

/** Every error code of the API. A code that is not listed here cannot be thrown or declared. */
export const failureCodes = [
  'VALIDATION_ERROR',
  'AUTH_INVALID_KEY',
  'AUTH_INSUFFICIENT_SCOPE',
  'ROUTE_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'CASE_NOT_FOUND',
  'PARTY_NOT_FOUND',
  'USER_NOT_FOUND',
  'LINK_NOT_FOUND',
  'API_KEY_NOT_FOUND',
  'DOCUMENT_NOT_FOUND',
  'FOLDER_NOT_FOUND',
  'WORKSPACE_NOT_FOUND',
  'DEADLINE_NOT_FOUND',
  'EVENT_NOT_FOUND',
  'ICAL_TOKEN_NOT_FOUND',
  'SYNC_ACCOUNT_NOT_FOUND',
  'ICAL_TOKEN_INVALID',
  'INVALID_DATE_RANGE',
  'SLOT_CONFLICT',
  'IS_DEADLINE',
  'SYNC_CREDENTIALS_REFUSED',
  'SYNC_NOT_CONNECTED',
  'SYNC_FAILED',
  'DUAL_CONTROL_REQUIRED',
  'DELEGATED_TO_OTHER',
  'CHAIN_OCCUPIED',
  'DEADLINE_COMPLETED',
  'DEADLINE_NOT_COMPLETED',
  'DEADLINE_PROVISIONAL',
  'EXTENSION_NOT_REQUESTED',
  'REGISTER_NOT_SIGNED',
  'DUE_DATE_MISMATCH',
  'FILE_NUMBER_TAKEN',
  'LINK_EXISTS',
  'HOLD_NOT_FOUND',
  'AUDIT_ENTRY_NOT_FOUND',
  'LEGAL_HOLD',
  'DISPOSAL_NOT_FOUND',
  'NOT_DUE',
  'CASE_HAS_OPEN_WORK',
  'CASE_IN_DISPOSAL',
  'DISPOSAL_NOT_PROPOSED',
  'DISPOSAL_NOT_DONE',
  'PARTY_IN_USE',
  'ACCESS_REPORT_NOT_FOUND',
  'RETENTION_APPLIES',
  'FOLDER_NOT_EMPTY',
  'LAST_ADMIN',
  'UPLOAD_INCOMPLETE',
  'UPLOAD_MISMATCH',
  'EXTRACTION_PENDING',
  'EXTRACTION_FAILED',
  'WEBHOOK_TOKEN_INVALID',
  'DRAFT_NOT_FOUND',
  'DRAFT_ALREADY_SENT',
  'DRAFT_NOT_UNKNOWN',
  'CORRESPONDENCE_NOT_FOUND',
  'MAIL_SIGNATURE_INVALID',
  'RECIPIENT_UNKNOWN',
  'INBOX_ITEM_NOT_FOUND',
  'SHARED_LINK_NOT_FOUND',
  'ATTACHMENT_TOO_LARGE',
  'ATTACHMENT_GONE',
  'IDEMPOTENCY_KEY_REUSED',
  'REQUEST_IN_PROGRESS',
  'SEND_IN_PROGRESS',
  'MAIL_NOT_SENT',
  'NO_DOCUMENTS',
  'NO_SIGNERS',
  'ENVELOPE_NOT_FOUND',
  'SIGNER_NOT_FOUND',
  'ENVELOPE_NOT_DRAFT',
  'ENVELOPE_NOT_SENT',
  'ENVELOPE_ENDED',
  'NOT_YOUR_TURN',
  'DOCUMENT_IN_USE',
  'SIGNING_LINK_NOT_FOUND',
  'SIGNING_LINK_ENDED',
  'SIGNING_LINK_LOCKED',
  'ACCESS_CODE_REQUIRED',
  'ENVELOPE_NOT_OPENED',
  'ALREADY_SIGNED',
  'SIGNATURE_INVALID',
  'INVALID_SOURCE',
  'INVALID_FILTER',
  'CONFIG_NOT_FOUND',
  'EXPORT_TOKEN_INVALID',
  'EXPORT_TOKEN_NOT_FOUND',
  'TOKEN_EXPIRED',
  'RUN_NOT_FOUND',
  'RUN_NOT_FINISHED',
  'DATEV_SETTINGS_MISSING',
  'TIME_ENTRY_NOT_FOUND',
  'TIME_ENTRY_INVOICED',
  'INVOICE_NOT_FOUND',
  'INVOICE_NOT_DRAFT',
  'INVOICE_NOT_ISSUED',
  'XRECHNUNG_INCOMPLETE',
  'BEA_NOT_AUTHENTICATED',
  'BEA_ACCOUNT_LOCKED',
  'BEA_ACCOUNT_NOT_FOUND',
  'BEA_ACCOUNT_EXISTS',
  'BEA_POSTBOX_NOT_FOUND',
  'BEA_CERTIFICATE_INVALID',
  'BEA_GATEWAY_ERROR',
  'BEA_LOCAL_LOGIN_REQUIRED',
  'BEA_RIGHT_MISSING',
  'BEA_MESSAGE_NOT_FOUND',
  'ATTACHMENT_NOT_FOUND',
  'BEA_PREFLIGHT_FAILED',
  'BEA_RECEIPT_MISSING',
  'EEB_NOT_REQUESTED',
  'EEB_ANSWERED',
  'EEB_DEADLINE_REQUIRED',
  'EVENTS_EXPIRED',
  'URL_NOT_ALLOWED',
  'WEBHOOK_ENDPOINT_LIMIT',
  'WEBHOOK_ENDPOINT_NOT_FOUND',
  'WEBHOOK_DELIVERY_NOT_FOUND',
  'WEBHOOK_TEST_RUNNING',
  'WEBHOOK_REPLAY_LIMIT',
  'PRECONDITION_FAILED',
  'PAYLOAD_TOO_LARGE',
  'RANGE_NOT_SATISFIABLE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'REQUEST_BLOCKED',
  'SERVICE_UNAVAILABLE',
  'BYTES_MISSING',
  'INTERNAL_ERROR',
] as const

export type FailureCode = (typeof failureCodes)[number]

/** One fault of an input: its place (`body.parties.0.id`) and a description. */
export type FailureDetail = { path: string; message: string } & Partial<CollidingEvent>

/** For `SLOT_CONFLICT`: the other event, its user, and its times (ISO 8601). */
type CollidingEvent = { user_id: string; event_id: string; start: string; end: string }

/** A case that prevents a change. */
export type NamedCase = { id: string; file_number: string }

type FailureOptions = {
  details?: FailureDetail[]
  cases?: NamedCase[]
  retryAfterSeconds?: number
  headers?: Record<string, string>
  cause?: unknown
}

/**
 * A failure that the API reports to the caller: `code` for programs, `message` for people (English, safe to show, says
 * what to do), `details` for validation failures and missing values. Any other error is a fault of the service: the
 * answer is 500 without the cause.
 */
export class Failure extends Error {
  readonly kind: FailureKind
  readonly code: FailureCode
  readonly details: FailureDetail[] | undefined
  /** Cases that prevent the change, for example because they name a party. */
  readonly cases: NamedCase[] | undefined
  readonly retryAfterSeconds: number | undefined
  /** Headers of the answer, such as the `Content-Range` of a part that does not exist. */
  readonly headers: Record<string, string>

  constructor(kind: FailureKind, code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'Failure'
    this.kind = kind
    this.code = code
    this.details = options.details
    this.cases = options.cases
    this.retryAfterSeconds = options.retryAfterSeconds
    this.headers = options.headers ?? {}
  }
}

/** The error itself if it is a Failure, otherwise the Failure that caused it: libraries wrap errors of callbacks. */
export function failureOf(error: unknown): Failure | undefined {
  for (
    let current = error, depth = 0;
    current instanceof Error && depth < 5;
    current = current.cause, depth += 1
  ) {
    if (current instanceof Failure) return current
  }
  return undefined
}

/**
 * Whether an error proves that a change was not stored. After a 503, and after an error that is not a Failure, the
 * change may be stored nevertheless, so objects that it names must stay.
 */
export function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && error.kind !== 'unavailable'
}

/** A Failure for malformed input, with one detail per fault. */
export function invalid(message: string, details?: FailureDetail[]): Failure {
  return new Failure('invalid', 'VALIDATION_ERROR', message, details ? { details } : {})
}

/** A Failure for one fault of the input. Its only detail has the same message. */
export function invalidAt(path: string, message: string): Failure {
  return invalid(message, [{ path, message }])
}

/** A Failure for a request that the current state of the record does not allow. */
export function conflict(code: FailureCode, message: string, options: FailureOptions = {}): Failure {
  return new Failure('conflict', code, message, options)
}

/** A Failure for a range that ends before it begins. `path`: the place of its beginning in the request. */
export function invalidRange(path: string, message: string): Failure {
  return new Failure('invalid', 'INVALID_DATE_RANGE', message, { details: [{ path, message }] })
}

export type NotFoundCode = Extract<FailureCode, `${string}_NOT_FOUND`>

const nouns: Partial<Record<NotFoundCode, string>> = {
  API_KEY_NOT_FOUND: 'API key',
  ACCESS_REPORT_NOT_FOUND: 'report about this party',
  ICAL_TOKEN_NOT_FOUND: 'iCal token',
  CONFIG_NOT_FOUND: 'export configuration',
  BEA_ACCOUNT_NOT_FOUND: 'beA account',
  BEA_POSTBOX_NOT_FOUND: 'beA postbox',
  BEA_MESSAGE_NOT_FOUND: 'beA message',
}

/**
 * A Failure for something that does not exist, was deleted or belongs to another workspace: always the same one (G4,
 * G13).
 */
export function notFound(code: NotFoundCode, details?: FailureDetail[]): Failure {
  const noun = nouns[code] ?? code.replace('_NOT_FOUND', '').replaceAll('_', ' ').toLowerCase()
  const where = code === 'WORKSPACE_NOT_FOUND' ? '' : ' in your workspace'
  return new Failure('not_found', code, `There is no ${noun} with this id${where}.`, details && { details })
}

/** A handler for `catch`: returns undefined if the error has this code. @throws every other error */
export function unlessGone(code: NotFoundCode) {
  return (error: unknown): undefined => {
    if (failureOf(error)?.code !== code) throw error
  }
}

/**
 * Returns the value, which must exist.
 *
 * @param details the place of its id, if the body names it (`unknownAt`)
 * @throws Failure with this code if there is none
 */
export function required<Value>(
  value: Value | undefined,
  code: NotFoundCode,
  details?: FailureDetail[],
): Value {
  if (value === undefined) throw notFound(code, details)
  return value
}

/** The maximum number of unknown ids that a failure names, and of the characters of each. */
const maxUnknownNamed = 100
const maxIdCharacters = 100

/** The detail of a failure for an unknown id at this place of the request: `body.case_id` (G1). */
export function unknownAt(path: string, id: string): FailureDetail[] {
  const shown = id.endsWith(nilUuid) ? 'This id' : id.slice(0, maxIdCharacters)
  return [{ path, message: `${shown} is unknown.` }]
}

/** A Failure for deactivated users, who get no new tasks. @param path the place of the ids in the request */
function deactivatedAt(path: string, ids: readonly string[]): Failure {
  const message = 'This user is deactivated. Choose another, or activate the user first.'
  const details = ids.slice(0, maxUnknownNamed).map((id) => ({ path, message: `${id} is deactivated.` }))
  return new Failure('not_found', 'USER_NOT_FOUND', message, { details })
}

/**
 * Requires that each of several ids is known. The failure names the unknown ones.
 *
 * @param path the place of the ids in the request: `body.attendees`
 * @throws Failure with this code
 */
export function requireKnown(
  ids: Iterable<string>,
  known: { has: (id: string) => boolean },
  code: NotFoundCode,
  path: string,
): void {
  const unknown = [...new Set(ids)].filter((id) => !known.has(id)).slice(0, maxUnknownNamed)
  if (unknown.length === 0) return
  throw notFound(
    code,
    unknown.flatMap((id) => unknownAt(path, id)),
  )
}

/** Requires that a user exists and is active. @param path as in `requireActive` @throws Failure USER_NOT_FOUND */
export function requiredActive<User extends { active: boolean }>(
  user: User | undefined,
  path: string,
  id: string,
): User {
  const found = required(user, 'USER_NOT_FOUND', unknownAt(path, id))
  if (!found.active) throw deactivatedAt(path, [id])
  return found
}

/**
 * Requires that each of several users exists, and is active or was `present` before.
 *
 * @param path the place of the ids in the request: `body.attendees`
 * @throws Failure USER_NOT_FOUND, naming the unknown or deactivated ones
 */
export function requireActive(
  ids: Iterable<string>,
  users: ReadonlyMap<string, { active: boolean }>,
  path: string,
  present: readonly string[] = [],
): void {
  requireKnown(ids, users, 'USER_NOT_FOUND', path)
  const deactivated = [...new Set(ids)].filter((id) => !users.get(id)?.active && !present.includes(id))
  if (deactivated.length > 0) throw deactivatedAt(path, deactivated)
}
