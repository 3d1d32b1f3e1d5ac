import { createHash } from 'node:crypto'
import type {
  EncData,
  WireAttachment,
  WireEncryptedObject,
  WireMessage,
  WireSummary,
} from '#bea-wire/wire.ts'
import { base64, encrypt, encryptCbc, encryptData, nothingEncrypted } from '../ciphers.ts'
import type { StoredMessage } from '../network/network.ts'
import type { Randomness } from '../randomness.ts'
import type { Attachment, Packaging } from './postbox-message.ts'

const cbc = 'http://www.w3.org/2001/04/xmlenc#aes256-cbc'
const gcm = 'http://www.w3.org/2009/xmlenc11#aes256-gcm'
const keyBytes = 32

/** An entry of an overview, for the session with this key. */
export function wireSummary(message: StoredMessage, sessionKey: Buffer, random: Randomness): WireSummary {
  return {
    messageId: message.id,
    encSubject: subjectOf(message, sessionKey, random),
    sender: senderOf(message),
    addressees: message.addressees,
    zugegangen: message.zugegangen,
    sent: message.sent,
    received: message.received,
    egvpStatus: message.egvpStatus,
    attachments: message.attachments.length,
    referenceNumber: message.referenceNumber,
    referenceNumberJustice: message.referenceJustice,
    osciSubjectType: 'ALLGEMEINE_NACHRICHT',
    deletion: null,
    urgent: message.urgent,
    checkRequired: message.checkRequired,
    confidential: message.confidential,
    folderId: message.folderId,
    exported: false,
  }
}

/** The whole message with its attachments, for the session with this key. */
export async function wireMessage(
  message: StoredMessage,
  attachments: readonly Attachment[],
  sessionKey: Buffer,
  random: Randomness,
): Promise<WireMessage> {
  const { packaging } = message
  const one = random.bytes(keyBytes, 'messageKey')
  const keyed = attachments.map((attachment) => ({
    attachment,
    key: packaging.keys === 'each' ? random.bytes(keyBytes, 'messageKey') : one,
  }))
  return {
    messageId: message.id,
    osciMessageId: message.osciMessageId,
    osciSubject: 'BRAK-beA-Nachricht',
    newEGVPMessage: packaging.text === 'beaMessage',
    version: '3.2',
    symEncAlgorithm: packaging.cipher === 'gcm' ? gcm : cbc,
    metaData: {
      created: message.created,
      receptionTime: message.received,
      zugegangen: message.zugegangen,
      sender: senderOf(message),
      addressees: message.addressees,
      subject: subjectOf(message, sessionKey, random),
      referenceNumber: message.referenceNumber,
      referenceJustice: message.referenceJustice,
      messageSigned: false,
      oneAttachmentSigned: false,
      urgent: message.urgent,
      checkRequired: message.checkRequired,
      confidential: message.confidential,
      eebAngefordert: message.eebRequested,
      messageStructureType: packaging.text === 'beaMessage' ? 'BEA' : 'GOVELLO',
      originatorCertificate: null,
      originatorSignatureCertificate: null,
    },
    encryptedObjects: await objectsOf(message, keyed, sessionKey, random),
    attachments:
      attachments.length === 0
        ? null
        : keyed.map(({ attachment, key }) => wireAttachment(attachment, key, packaging, random)),
  }
}

type Keyed = { attachment: Attachment; key: Buffer }

/** The encrypted objects with their names. */
async function objectsOf(
  message: StoredMessage,
  keyed: readonly Keyed[],
  sessionKey: Buffer,
  random: Randomness,
): Promise<WireEncryptedObject[]> {
  const { beaMessage, containedTexts, contentContainer } = await import('./containers.ts')
  const { cipher, text, layout, keys } = message.packaging
  const all = keyed.map(({ attachment, key }) => ({ name: attachment.name, key }))
  const contained = { each: all, one: all.slice(0, 1), attachment: [] }[keys]
  const texts = text === 'project_coco' ? containedTexts(message) : {}
  const objects = [
    ['project_coco', contentContainer(contained, texts, layout)],
    ...(text === 'govello_coco'
      ? [['govello_coco', contentContainer([], containedTexts(message), layout)]]
      : []),
    ...(text === 'beaMessage' ? [['beaMessage.json', beaMessage(message)]] : []),
  ]
  return objects.map(([name = '', content = '']) => {
    const key = random.bytes(keyBytes, 'messageKey')
    const plain = Buffer.from(content)
    const encrypted = cipher === 'gcm' ? encryptData(key, plain, random) : withLeadingIv(key, plain, random)
    return {
      enc_name: name,
      enc_data: encrypted.data,
      enc_iv: encrypted.iv,
      enc_tag: encrypted.tag,
      encKeyInfo: { encKey: encrypt(sessionKey, key, random) },
    }
  })
}

function wireAttachment(
  { name, type, bytes }: Attachment,
  key: Buffer,
  { cipher, keys }: Packaging,
  random: Randomness,
): WireAttachment {
  return {
    reference: name,
    ...encryptedWith(cipher, key, bytes, random),
    key: keys === 'attachment' ? base64(key) : '',
    symEncAlgorithm: cipher === 'gcm' ? gcm : cbc,
    type,
    sizeKB: Math.floor(bytes.length / 1024),
    hashValue: createHash('sha256').update(bytes).digest('base64'),
  }
}

function encryptedWith(cipher: Packaging['cipher'], key: Buffer, plain: Buffer, random: Randomness): EncData {
  if (cipher === 'gcm') return encryptData(key, plain, random)
  if (cipher === 'cbc') return withLeadingIv(key, plain, random)
  const { iv, data } = encryptCbc(key, plain, random)
  return { iv: base64(iv), tag: '', data: base64(data) }
}

function withLeadingIv(key: Buffer, plain: Buffer, random: Randomness): EncData {
  const { iv, data } = encryptCbc(key, plain, random)
  return { iv: '', tag: '', data: base64(Buffer.concat([iv, data])) }
}

function subjectOf({ subject, packaging }: StoredMessage, sessionKey: Buffer, random: Randomness) {
  const isShown = packaging.showsSubject && subject !== ''
  return isShown ? encrypt(sessionKey, subject, random) : nothingEncrypted
}

function senderOf({ sender, packaging }: StoredMessage) {
  return packaging.showsSender ? sender : { ...sender, safeId: '' }
}
