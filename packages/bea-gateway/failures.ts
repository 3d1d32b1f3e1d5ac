import { MessageTooLarge, notAuthenticated } from '#bea/network/gateway-ports.ts'
import { Failure } from '#kernel/failure.ts'

/** The outcome of a call that failed. */
export type CallFault = {
  /**
   * `not_connected`: no connection was made, so the gateway has received nothing. `no_answer`: the connection broke or
   * the time ran out. `unreadable`: an answer of an unexpected form. `refused`: the gateway gives a reason.
   */
  kind: 'not_connected' | 'no_answer' | 'unreadable' | 'refused'
  /** The name of the function of the gateway. */
  function: string
  /** The HTTP status of the answer, if one came. */
  status?: number
  /** The gateway's text, without secrets; for the log only. */
  text?: string
  /** Whether the time ran out: another attempt would take as long. */
  isLate?: boolean
  /** Whether the answer exceeds its limit: another attempt would be as long. */
  isTooLong?: boolean
  /** Our description of the fault, without sent or received data. */
  reason: string
}

/** A call of the gateway that did not succeed. It is the `cause` of the Failure that callers see. */
export class GatewayFault extends Error {
  readonly fault: CallFault

  constructor(fault: CallFault, cause?: unknown) {
    super(`${fault.function}: ${fault.reason}`, { cause })
    this.name = 'GatewayFault'
    this.fault = fault
  }
}

/** A row of the table: refusals of these functions with a matching text become this Failure. */
type Row = { functions: RegExp; text: RegExp; failure: (cause: GatewayFault) => Failure }

/** The account identifier of the subscription is refused: a fault of our settings, never of the user. */
const ourIdentifier = /bex[-_ ]?ident|account identifier|subscription|abonnement|api[-_ ]?key/i

/** The certificate or the signature, in steps 1 and 2 of a login. */
const aboutCertificates =
  /thumbprint|fingerprint|certificate|zertifikat|signatur|challenge|revoked|expired|widerrufen|abgelaufen|unknown (user|identity)|unbekannt/i

/** A PIN that was entered wrongly too often locks the card. */
const aboutLocks =
  /\bpin\b.{0,40}(retr(y|ies)|counter|exceeded|attempts|tries|fehlversuch|fehlbedien|versuche|verbraucht|abgelaufen)|\b(un)?locked\b|blocked|gesperrt|sperre\b|deactivated|deaktiviert|disabled|(not|nicht)\b.{0,30}(released|activated|freigeschaltet|freigegeben|aktiviert)/i

const aboutSessions =
  /token|session|sitzung|not logged in|log ?in|log ?on|anmeld|angemeldet|unauthori[sz]ed|(not|nicht|un)[- ]?(authenti|authori)/i

/** A fault inside the network, whatever else its text mentions. */
const aboutTheNetwork = /general fault|allgemeiner fehler|(service|dienst)\b.{0,20}(not|nicht|un)/i

const aboutRecipients = /recipient|receiver|addressee|empf(ä|ae)nger|adressat/i

const recipientRefused =
  'The beA network does not accept a recipient of this message. Look the recipient up in the directory, and send it again.'

const anything = /^/

/**
 * Functions that concern one message. Their refusals may mean the receiver's postbox, the message's token or a lock on
 * the message, so their texts prove nothing about the account.
 */
const oneMessage =
  /^bea_(get_message|init_message|init_message_draft|save_message|send_message|send_message_validation|cleanup_message)$/

/** A server behind the gateway did not answer in time. */
const aboutTime = /time[-_ ]?out|timed out|zeit(ü|ue)berschreitung|abgebrochen|interrupted|aborted/i

/**
 * The meaning of the gateway's refusals; the first row that fits counts. The refusal of one message concerns only that
 * message. If its text speaks of a session or a lock, the session must confirm that (`connection.ts`). The
 * vocabulary of the gateway is not documented. A text that no row knows becomes BEA_GATEWAY_ERROR. It is in the log, so
 * that a row can be added.
 */
const table: Row[] = [
  { functions: anything, text: ourIdentifier, failure: gatewayFailure },
  { functions: anything, text: aboutTheNetwork, failure: gatewayFailure },
  {
    functions: /^bea_(init|save|send)_message(_validation)?$/,
    text: aboutRecipients,
    failure: (cause) => new Failure('upstream', 'BEA_GATEWAY_ERROR', recipientRefused, { cause }),
  },
  { functions: oneMessage, text: anything, failure: gatewayFailure },
  { functions: anything, text: aboutLocks, failure: accountLocked },
  // A login took too long.
  { functions: /_login_step[23]$/, text: /token|session|sitzung/i, failure: sessionEnded },
  {
    functions: /_login_step[12]$/,
    text: aboutCertificates,
    failure: (cause) =>
      certificateInvalid('The beA network does not accept this certificate or its signature.', cause),
  },
  {
    functions: /_login_step3$/,
    text: /key|schl(ü|ue)ssel|validation/i,
    failure: (cause) => certificateInvalid('The beA network does not accept the decrypted keys.', cause),
  },
  { functions: /_login_step/, text: anything, failure: gatewayFailure },
  { functions: /^bea_check_session$/, text: anything, failure: sessionEnded },
  { functions: anything, text: aboutSessions, failure: sessionEnded },
]

/** The Failure for a fault of a call. The gateway does not document its faults. */
export function failureOfFault(error: GatewayFault): Failure {
  const { fault } = error
  if (fault.isTooLong && fault.function === 'bea_get_message') return new MessageTooLarge(error)
  const row =
    fault.kind === 'refused'
      ? table.find(({ functions, text }) => functions.test(fault.function) && text.test(fault.text ?? ''))
      : undefined
  return row === undefined ? gatewayFailure(error) : row.failure(error)
}

/**
 * Whether the session must be checked: a call for one message was refused, and the text may mean that the session has
 * ended or the account is locked.
 */
export function maySpeakOfAccount({ fault: { kind, function: name, text = '' } }: GatewayFault): boolean {
  const isOther = ourIdentifier.test(text) || aboutTheNetwork.test(text)
  return (
    kind === 'refused' &&
    oneMessage.test(name) &&
    !isOther &&
    (aboutLocks.test(text) || aboutSessions.test(text))
  )
}

/**
 * Whether the gateway itself refused, which means that nothing was done. A fault inside the network, or a timeout of
 * the gateway, does not show what the network did.
 */
export function isDefiniteRefusal({ kind, status = 0, text = '' }: CallFault): boolean {
  return kind === 'refused' && status < 500 && !aboutTheNetwork.test(text) && !aboutTime.test(text)
}

/** Whether operators must look at the fault, because neither a timeout nor the session or account explains it. */
export function isForOperators(error: GatewayFault, failure: Failure): boolean {
  return failure.code === 'BEA_GATEWAY_ERROR' && error.fault.kind !== 'no_answer' && !maySpeakOfAccount(error)
}

/** @returns Failure 401 BEA_NOT_AUTHENTICATED: the network has ended the session */
export function sessionEnded(cause?: unknown): Failure {
  return notAuthenticated('The session of this beA account has ended.', cause)
}

/** @returns Failure 401 BEA_NOT_AUTHENTICATED for a session with a wrong key */
export function wrongSessionKey(cause?: unknown): Failure {
  return new Failure(
    'unauthenticated',
    'BEA_NOT_AUTHENTICATED',
    'The `session_key` that was decrypted with the card decrypts nothing in this postbox, so this session was ended. Log in again, and send that key as the card decrypts it.',
    { cause },
  )
}

/** @returns Failure 403 BEA_ACCOUNT_LOCKED */
export function accountLocked(cause?: unknown): Failure {
  return new Failure(
    'forbidden',
    'BEA_ACCOUNT_LOCKED',
    'The beA network has locked this postbox or not released its security token. Ask the chamber of lawyers, or release the token in the beA web client.',
    { cause },
  )
}

/** @returns Failure 422 BEA_CERTIFICATE_INVALID. `message` names the fault and the remedy. */
export function certificateInvalid(message: string, cause?: unknown): Failure {
  return new Failure('unprocessable', 'BEA_CERTIFICATE_INVALID', message, { cause })
}

const messages: Record<CallFault['kind'], string> = {
  not_connected: 'The beA gateway cannot be reached. Try again later.',
  no_answer: 'The beA gateway did not answer in time. Try again later.',
  unreadable: 'The answer of the beA gateway cannot be read. Try again later.',
  refused: 'The beA gateway refused the request.',
}

/** @returns Failure 502 BEA_GATEWAY_ERROR */
function gatewayFailure(cause: GatewayFault): Failure {
  return new Failure('upstream', 'BEA_GATEWAY_ERROR', messages[cause.fault.kind], { cause })
}
