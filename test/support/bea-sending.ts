import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import type { WireEncryptedMessage, WireMessageInfos } from '#bea-wire/wire.ts'
import { type BeaClient, decryptGcm } from './bea-client.ts'

/** The data with which a message is sent; missing members get usual values. */
export function beaInfos(given: Partial<WireMessageInfos>): WireMessageInfos {
  return {
    betreff: 'Betreff',
    msg_text: 'Text',
    aktz_sender: '',
    aktz_rcv: '',
    receivers: [],
    attachments: [],
    dringend: false,
    pruefen: false,
    nachrichten_typ: 'ALLGEMEINE_NACHRICHT',
    xj: true,
    xj_version3: true,
    gericht_code: '',
    verfahrensgegenstand: '',
    eeb_erforderlich: false,
    is_eeb: false,
    is_eeb_response: false,
    eeb_accept: false,
    eeb_fremdid: '',
    eeb_date: '',
    eeb_reject_code: '',
    eeb_reject_grund: '',
    ...given,
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer has any form; tests assert what it is
type Initialised = { messageToken: string; messageKey: Buffer; answer: any }

/** Initialises a new message, or a draft. @throws Error with the gateway's error */
export async function initBea(
  session: BeaClient,
  postboxSafeId: string,
  infos: WireMessageInfos | undefined,
  messageId?: string,
): Promise<Initialised> {
  const answer =
    infos === undefined
      ? await session.call('bea_init_message_draft', { messageId })
      : await session.call('bea_init_message', { postboxSafeId, msg_infos: infos })
  if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error))
  return {
    messageToken: answer.messageToken,
    messageKey: decryptGcm(session.sessionKey, answer.key),
    answer,
  }
}

/** The body with which a message is saved or sent. */
export function encryptedFor(
  { messageToken, messageKey }: Pick<Initialised, 'messageToken' | 'messageKey'>,
  infos: WireMessageInfos,
  files: readonly { name: string; bytes: Buffer }[],
): WireEncryptedMessage {
  const encrypted = (plain: Buffer) => {
    const iv = randomBytes(16)
    const cipher = createCipheriv('aes-256-gcm', messageKey, iv)
    const data = Buffer.concat([cipher.update(plain), cipher.final()]).toString('base64')
    const key = messageKey.toString('base64')
    return { iv: iv.toString('base64'), tag: cipher.getAuthTag().toString('base64'), data, key }
  }
  const attachments = files.map(({ name, bytes }) => ({
    name,
    ...encrypted(bytes),
    sizeKB: Math.floor(bytes.length / 1024),
    hash: createHash('sha256').update(bytes).digest('base64'),
    att_type: 'SCHRIFTSATZ' as const,
  }))
  const encrypted_data = { encSubject: encrypted(Buffer.from(infos.betreff)), attachments }
  return structuredClone({ messageToken, encrypted_data, msg_infos: infos })
}

type Validations = { validations?: { id: string; iv: string; tag: string; data: string }[] }

/** The validations that the last step sends back for the answer of `bea_send_message`. */
export function validationsOf(
  { sessionKey }: BeaClient,
  { validations = [] }: Validations,
): { id: string; data: string }[] {
  return validations.map(({ id, iv, tag, data }) => ({
    id,
    data: decryptGcm(sessionKey, { iv, tag, value: data }).toString('base64'),
  }))
}

/** Sends a message through the whole chain. @returns the last answer */
export async function sendBea(
  session: BeaClient,
  from: string,
  infos: WireMessageInfos,
  files: readonly { name: string; bytes: Buffer }[],
) {
  const sent = await session.call(
    'bea_send_message',
    encryptedFor(await initBea(session, from, infos), infos, files),
  )
  if (sent.error !== undefined) throw new Error(JSON.stringify(sent.error))
  const { validationTokenMSG } = sent
  return session.call('bea_send_message_validation', {
    validationTokenMSG,
    validations: validationsOf(session, sent),
  })
}
