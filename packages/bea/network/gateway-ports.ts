import { Failure } from '#kernel/failure.ts'
import type { EebRejectCode } from '../eeb/eeb-schema.ts'

/**
 * The beA network, as the gateway shows it (B1). Every call may throw a Failure: BEA_NOT_AUTHENTICATED if the session has
 * ended, BEA_ACCOUNT_LOCKED, BEA_CERTIFICATE_INVALID, and BEA_GATEWAY_ERROR for every other error or timeout of the
 * gateway. The gateway's own message is logged, but never shown.
 */
export type BeaGateway = {
  /** Begins a login: the gateway's challenges, to be signed with the key of the certificate. */
  startLogin: (certificate: Certificate, signal: AbortSignal) => Promise<SigningStep>
  /**
   * Checks the signatures against the certificate, then sends them.
   *
   * @throws Failure BEA_CERTIFICATE_INVALID for a wrong signature, without a call
   */
  answerChallenges: (
    step: SigningStep,
    signatures: RelayItem[],
    signal: AbortSignal,
  ) => Promise<DecryptingStep>
  /** @throws Failure BEA_CERTIFICATE_INVALID for wrong keys */
  finishLogin: (step: DecryptingStep, keys: RelayItem[], signal: AbortSignal) => Promise<GatewaySession>
  /** Continues a session. The connection uses every newer token that an answer contains. */
  connect: (session: GatewaySession) => Promise<BeaConnection>
}

/**
 * A certificate of an account. `pem` is X.509 in PEM. Times are ISO 8601 in UTC. `thumbprint` is SHA-1, 40 lower-case
 * hexadecimal digits.
 */
export type Certificate = {
  pem: string
  subject: string
  issuer: string
  serial: string
  thumbprint: string
  valid_from: string
  valid_to: string
  /** The name of its holder (the common name). */
  owner_name: string
}

/** A certificate with its RSA key (PKCS#8, PEM), which is a secret. */
export type KeyMaterial = { certificate: Certificate; private_key_pem: string }

/** Opens certificates and uses their keys, without the network. */
export type KeyTools = {
  /**
   * Opens a PKCS#12 file, or reads a certificate without a key (DER or PEM; then `private_key_pem` is null).
   *
   * @throws Failure BEA_CERTIFICATE_INVALID with the reason: the file does not open or has no RSA key, or the certificate
   *   has expired or is not valid yet
   */
  open: (
    bytes: Uint8Array,
    passphrase: string,
    now: Date,
  ) => Promise<{ certificate: Certificate; private_key_pem: string | null }>
  /** Signs the challenges as the login version requires. */
  sign: (material: KeyMaterial, challenges: RelayItem[]) => Promise<RelayItem[]>
  /** Unwraps the keys (RSA-OAEP, SHA-256). @throws Failure BEA_GATEWAY_ERROR if that fails */
  unwrap: (material: KeyMaterial, keys: RelayItem[]) => Promise<RelayItem[]>
}

/**
 * A challenge, a signature or a key that is relayed between the gateway and the holder of the private key (B4). `data`
 * is relayed unchanged.
 */
export type RelayItem = { id: string; data: string }

/** After step 1. `state` is opaque and secret. */
export type SigningStep = { certificate: Certificate; challenges: RelayItem[]; state: string }

/** After step 2: the wrapped keys. `state` is opaque and secret. */
export type DecryptingStep = { certificate: Certificate; keys: RelayItem[]; state: string }

/**
 * The data that a session needs to continue. `token` and `session_key` (32 bytes, base64) are secrets.
 * `is_key_untested`: the user has decrypted the session key with a card, and this key has not decrypted anything yet. So
 * it may be wrong.
 */
export type GatewaySession = { token: string; session_key: string; safe_id: string; is_key_untested?: true }

/** A session in use. It makes one call at a time. Its user holds the lease of the account. */
export type BeaConnection = {
  /** The session with its newest token, to be stored after every use, also a failed one. */
  session: () => GatewaySession
  /** @throws Failure BEA_NOT_AUTHENTICATED if the gateway has ended it */
  check: (signal: AbortSignal) => Promise<void>
  logout: (signal: AbortSignal) => Promise<void>
  /** The postboxes that the login sees, its own among them. */
  postboxes: (signal: AbortSignal) => Promise<RemotePostbox[]>
  /** The folders of a postbox; null for an entry that cannot be read. */
  folders: (postboxSafeId: string, signal: AbortSignal) => Promise<(RemoteFolder | null)[]>
  /**
   * All messages of a folder, without bodies. An entry without an id only shows that there is a message.
   *
   * @throws Failure also BEA_NOT_AUTHENTICATED if an untested key decrypts none of several subjects; then the session
   *   is ended
   */
  overview: (folderId: string, signal: AbortSignal) => Promise<RemoteEntry[]>
  /**
   * A whole message of a postbox, decrypted. Attachments are decrypted one by one, so that not all are in memory at once.
   *
   * @throws Failure BEA_GATEWAY_ERROR also if a part does not decrypt, or if neither the sender nor a recipient is the
   *   postbox. MessageTooLarge if the message can never be read
   */
  message: (postboxSafeId: string, messageId: string, signal: AbortSignal) => Promise<RemoteMessage>
  /** The rights that the gateway returns, as numbers ("01" to "30") by postbox and holder. */
  accessRights: (signal: AbortSignal) => Promise<RemoteRights[]>
  search: (query: DirectoryQuery, signal: AbortSignal) => Promise<RemoteIdentity[]>
  /**
   * Sends a message: initialise, encrypt, send, confirm. Only the last call sends the message. `beforeLastStep` is
   * awaited right before it; if it throws, nothing is sent. A message that was initialised and not sent is cleaned up.
   *
   * @returns `unknown` if the answer to the last call is lost: the message may be sent, so it must not be sent again (B7)
   * @throws Failure as above if it was certainly not sent. BEA_NOT_AUTHENTICATED also if an untested key does not decrypt
   *   the key of the message; then the session is ended
   */
  send: (
    postboxSafeId: string,
    message: OutgoingMessage,
    beforeLastStep: () => Promise<void>,
    signal: AbortSignal,
  ) => Promise<{ outcome: 'sent'; message_id: string } | { outcome: 'unknown' }>
}

export type RemotePostbox = { postbox_safe_id: string; name: string | null; folders: (RemoteFolder | null)[] }

/** A folder of a postbox. `type` is INBOX, DRAFT, OUTBOX, SENT or TRASH; a folder of any other type is a custom one. */
export type RemoteFolder = {
  id: string
  parent_id: string | null
  name: string | null
  type: string
  unread: number | null
}

/** A person, an office or a court. `safe_id` is null if the gateway does not give it. */
export type RemoteIdentity = {
  safe_id: string | null
  name: string | null
  firm: string | null
  city: string | null
  is_active: boolean | null
}

/** An entry of a folder's overview. Times are ISO 8601 in UTC; null if they are missing or cannot be read. */
export type RemoteSummary = {
  message_id: string
  subject: string | null
  sender: RemoteIdentity | null
  recipients: RemoteIdentity[]
  received_at: string | null
  sent_at: string | null
  /** When it reached the recipient's postbox (`zugegangen`): the acknowledgement of a sent message. */
  delivered_at: string | null
  /** The status of the delivery as the network gives it (`egvpStatus`). */
  delivery_status: string | null
  reference_sender: string | null
  reference_recipient: string | null
  is_confidential: boolean
}

/** An entry as received. Without an id, its message can be neither fetched nor recognised again. */
export type RemoteEntry = Omit<RemoteSummary, 'message_id'> & { message_id: string | null }

export type RemoteMessage = RemoteSummary & {
  osci_message_id: string | null
  body: string
  is_eeb_requested: boolean
  /** The XJustiz record's own id (`eigeneNachrichtenID`), if there is one. */
  xjustiz_id: string | null
  /** In the order of the message. `type` is the network's (`SCHRIFTSATZ`, `ATTACHMENT`, …) or null. */
  attachments: RemoteAttachment[]
  /** The proof of origin, if there is one: the gateway's data, unchanged. */
  proof_of_origin: string | null
}

/**
 * Whether a message is another user's: the SAFE-IDs of its sender and of all its recipients are known, and none of them
 * is the postbox.
 */
export function isOfAnother(
  postboxSafeId: string,
  { sender, recipients }: Pick<RemoteSummary, 'sender' | 'recipients'>,
): boolean {
  if (recipients.length === 0) return false
  return [sender, ...recipients].every((one) => one?.safe_id && !sameSafeId(one.safe_id, postboxSafeId))
}

/** Whether two SAFE-IDs are the same; upper and lower case, and spaces around them, do not matter. */
export function sameSafeId(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase()
}

/** The refusal of a call that needs a session. @param reason why there is no session */
export function notAuthenticated(
  reason = 'This account has no session with the beA network.',
  cause?: unknown,
): Failure {
  return new Failure(
    'unauthenticated',
    'BEA_NOT_AUTHENTICATED',
    `${reason} Log in under /api/v1/bea/auth/login, or with a card under /api/v1/bea/auth/local-login.`,
    { cause },
  )
}

/** The refusal of a call that needs the session of a disconnected account: nobody can log in. @param which account */
export function accountDisconnected(which: string): Failure {
  return new Failure(
    'unauthenticated',
    'BEA_NOT_AUTHENTICATED',
    `${which} is disconnected: connect it again.`,
  )
}

/** The same for a Kanzlei postbox whose login account is disconnected. */
export function loginDisconnected(): Failure {
  return accountDisconnected('The account that logs in for this postbox')
}

/** A message that is too large for a worker's memory. Trying again does not help. */
export class MessageTooLarge extends Failure {
  constructor(cause: unknown) {
    super(
      'upstream',
      'BEA_GATEWAY_ERROR',
      'This beA message is too large to be imported. Open and save it in the beA web client.',
      { cause },
    )
  }
}

export type RemoteAttachment = {
  filename: string
  type: string | null
  /** Approximate, before it is decrypted. */
  size_bytes: number
  /** Decrypts the attachment. It may be called once. If the network's digest does not match, a warning is logged. */
  read: () => Promise<Uint8Array>
}

export type RemoteRights = {
  postbox_safe_id: string | null
  holder: RemoteIdentity
  rights: string[]
  valid_until: string | null
}

/** The search terms for the directory. At least one must be given. */
export type DirectoryQuery = { q?: string | undefined; city?: string | undefined }

/** A message to be sent. `receivers` are SAFE-IDs. */
export type OutgoingMessage = {
  subject: string
  body: string
  receivers: string[]
  reference_sender: string
  reference_recipient: string
  /** Asks for an electronic receipt. */
  is_eeb_requested: boolean
  attachments: { filename: string; type: 'SCHRIFTSATZ' | 'ATTACHMENT'; bytes: Uint8Array }[]
  /** An answer to a request for an electronic receipt (B9). Such a message has no attachments. */
  eeb: EebAnswer | null
}

/** An answer to a request for a receipt. `foreign_id` is the request's id, `date` the day that the lawyer states (`2026-03-09`). */
export type EebAnswer =
  | { action: 'confirm'; foreign_id: string; date: string }
  | { action: 'reject'; foreign_id: string; code: EebRejectCode; reason: string }
