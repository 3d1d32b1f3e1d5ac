import { createHash } from 'node:crypto'
import type { EebRejectCode } from '#bea/eeb/eeb-schema.ts'
import { isCourt } from '#bea/messages/message-schema.ts'
import type { OutgoingMessage } from '#bea/network/gateway-ports.ts'
import type { WireEncryptedMessage, WireMessageInfos } from '#bea-wire/wire.ts'
import { Failure } from '#kernel/failure.ts'
import type { Client, SessionCall } from './client.ts'
import { type AesKey, decryptGcm, encryptGcm } from './envelope.ts'
import { GatewayFault, isDefiniteRefusal } from './failures.ts'
import { listOf, membersOf, optionalId, requiredText, UnreadableAnswer } from './fields.ts'
import type { Answer } from './transport.ts'

/** The message to send, and the postbox that sends it. */
type Order = {
  postboxSafeId: string
  message: OutgoingMessage
  beforeLastStep: () => Promise<void>
  signal: AbortSignal
}

type Deps = {
  client: Client
  /** Calls `bea_init_message` with the token of the session. */
  initialise: (request: { postboxSafeId: string; msg_infos: WireMessageInfos }) => Promise<Answer>
  /** Calls one of the next functions, which have their own tokens. */
  next: SessionCall
  sessionKey: AesKey
  /** The key of the message, from the answer to `bea_init_message`. */
  keyOf: (answer: Answer) => Promise<AesKey>
  newIv: () => Buffer
}

export type Sent = { outcome: 'sent'; message_id: string } | { outcome: 'unknown' }

/** The time limit for cleaning up a message. */
const cleanUpMilliseconds = 10_000

/**
 * Sends a message in three steps: initialise, send, confirm. No step is repeated. Only the answer to the
 * last one means "sent".
 *
 * @returns `unknown` if that answer is lost, unreadable, or a server error (5xx), which a proxy may have given. Also if
 *   it reports a fault or a timeout inside the network
 * @throws Failure if the message was certainly not sent, and what `beforeLastStep` throws. Then the initialised message
 *   is cleaned up.
 */
export async function sendMessage(order: Order, deps: Deps): Promise<Sent> {
  const { postboxSafeId, message, signal } = order
  const infos = messageInfos(message)
  const answer = await deps.initialise({ postboxSafeId, msg_infos: infos })
  const messageToken = await deps.client.reading('bea_init_message', () =>
    requiredText(answer, 'messageToken'),
  )
  let confirmation: Confirmation
  try {
    const key = await deps.keyOf(answer)
    const encrypted = encryptMessage(message, { messageToken, key, infos, newIv: deps.newIv })
    const accepted = await deps.next('bea_send_message', encrypted, signal)
    confirmation = await deps.client.reading('bea_send_message', () =>
      confirmationOf(accepted, deps.sessionKey),
    )
    await order.beforeLastStep()
  } catch (error) {
    await cleanUp(messageToken, deps)
    throw error
  }
  return confirm(confirmation, messageToken, order, deps)
}

/** The last step. Only a connection that was never made, or a refusal by the gateway itself, means "not sent". */
async function confirm(
  confirmation: Confirmation,
  messageToken: string,
  { signal }: Order,
  deps: Deps,
): Promise<Sent> {
  try {
    const answer = await deps.next('bea_send_message_validation', confirmation, signal)
    const id = optionalId(answer.messageId)
    return id === null ? { outcome: 'unknown' } : { outcome: 'sent', message_id: id }
  } catch (error) {
    if (!isCertainlyNotSent(error)) return { outcome: 'unknown' }
    await cleanUp(messageToken, deps)
    throw error
  }
}

function isCertainlyNotSent(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : error
  if (!(cause instanceof GatewayFault)) return false
  return cause.fault.kind === 'not_connected' || isDefiniteRefusal(cause.fault)
}

/** Abandons an initialised message. Its result does not matter, and it ignores the caller's time limit. */
async function cleanUp(messageToken: string, { next }: Deps): Promise<void> {
  await next('bea_cleanup_message', { messageToken }, AbortSignal.timeout(cleanUpMilliseconds)).catch(
    () => {},
  )
}

/** The codes of the XJustiz list EEB.Stoerungs-ID, which the record of a refused receipt has. */
const rejectCodes: Readonly<Record<EebRejectCode, string>> = {
  not_party: '1',
  unclear: '2',
  incomplete: '2',
  certificate: '3',
}

/** The message's data for the gateway, which is not encrypted. */
function messageInfos({ eeb, ...message }: OutgoingMessage): WireMessageInfos {
  if (eeb !== null && message.attachments.length > 0) throw new TypeError('An eEB has no attachments.')
  if (eeb?.action === 'confirm' && !/^\d{4}-\d\d-\d\d$/.test(eeb.date))
    throw new TypeError('The confirmation of an eEB names the day of reception.')
  const isReject = eeb?.action === 'reject'
  const hasRecord = eeb === null && (message.is_eeb_requested || message.receivers.some(isCourt))
  return {
    betreff: message.subject,
    msg_text: message.body,
    aktz_sender: message.reference_sender,
    aktz_rcv: message.reference_recipient,
    receivers: message.receivers,
    attachments: message.attachments.map(({ filename }) => filename),
    dringend: false,
    pruefen: false,
    nachrichten_typ: 'ALLGEMEINE_NACHRICHT',
    xj: hasRecord,
    xj_version3: hasRecord,
    gericht_code: '',
    verfahrensgegenstand: '',
    eeb_erforderlich: message.is_eeb_requested,
    is_eeb: eeb !== null,
    is_eeb_response: eeb !== null,
    eeb_accept: eeb?.action === 'confirm',
    eeb_fremdid: eeb?.foreign_id ?? '',
    eeb_date: eeb?.action === 'confirm' ? eeb.date : '',
    eeb_reject_code: isReject ? rejectCodes[eeb.code] : '',
    eeb_reject_grund: isReject ? eeb.reason : '',
  }
}

type Envelope = { messageToken: string; key: AesKey; infos: WireMessageInfos; newIv: () => Buffer }

/** A request whose large texts are encrypted while they are written. */
type SentOnTheWay<Value> = { [Member in keyof Value]: unknown }

function encryptMessage(
  { subject, attachments }: OutgoingMessage,
  { messageToken, key, infos, newIv }: Envelope,
): SentOnTheWay<WireEncryptedMessage> {
  const keyText = key.toString('base64')
  return {
    messageToken,
    encrypted_data: {
      encSubject: { ...encryptGcm(Buffer.from(subject), key, newIv()), key: keyText },
      attachments: attachments.map(({ filename, type, bytes }) => ({
        name: filename,
        ...encryptGcm(bytes, key, newIv()),
        key: keyText,
        sizeKB: Math.floor(bytes.length / 1024),
        hash: createHash('sha256').update(bytes).digest('base64'),
        att_type: type,
      })),
    },
    msg_infos: infos,
  }
}

type Confirmation = { validationTokenMSG: string; validations: { id: unknown; data: string }[] }

/** Decrypts the values that the gateway expects back, with the session key. @throws UnreadableAnswer */
function confirmationOf(answer: Answer, sessionKey: AesKey): Confirmation {
  const validations = listOf(answer.validations, 'validations').map((value) => {
    const { id, iv, tag, data } = membersOf(value)
    if (optionalId(id) === null) throw new UnreadableAnswer('A validation has no id.')
    return { id, data: decryptGcm({ iv, tag, data }, sessionKey).toString('base64') }
  })
  return { validationTokenMSG: requiredText(answer, 'validationTokenMSG'), validations }
}
