import { createHash } from 'node:crypto'
import { isOfAnother, type RemoteAttachment, type RemoteMessage } from '#bea/network/gateway-ports.ts'
import { FormatFault } from '#formats/format-fault.ts'
import { readXJustizReceipt, type XJustizReceipt } from '#formats/xjustiz.ts'
import type { Log } from '#kernel/log.ts'
import { type Container, childTexts, keysOfAttachments, readContainer, sameName } from './container.ts'
import { aesKey, base64Bytes, decryptCbc, decryptGcm, isNothing } from './envelope.ts'
import {
  listOf,
  type Members,
  membersOf,
  optionalFlag,
  optionalId,
  optionalText,
  optionalTime,
  requiredId,
  requiredText,
  UnreadableAnswer,
} from './fields.ts'
import { LongText } from './long-text.ts'
import { decryptEnc, factsOf, type ReadingContext, subjectOf } from './overview.ts'

/** The identity of the requested message. */
export type Expected = { messageId: string; postboxSafeId: string }

/**
 * Reads the answer of `bea_get_message` in this order: the subject, the encrypted objects, the containers in them, and
 * the attachments, each when it is read.
 *
 * Removes the texts of the attachments from the answer, so that read ones can be freed.
 *
 * @throws UnreadableAnswer if something is missing or does not decrypt, or if it is another message or belongs to
 *   another postbox
 */
export async function messageOf(
  answer: Members,
  expected: Expected,
  context: ReadingContext,
  log: Log,
): Promise<RemoteMessage> {
  const messageId = requiredId(answer, 'messageId')
  if (messageId !== expected.messageId) throw new UnreadableAnswer('It is another message.')
  if (isNothing(answer.metaData)) throw new UnreadableAnswer('The member metaData is missing.')
  const metaData = membersOf(answer.metaData)
  const facts = factsOf(metaData, context)
  const objects = objectsOf(answer, context)
  const container = (name: string) => {
    const object = objects.get(name)
    return object && readContainer(object)
  }
  const project = container('project_coco')
  const inner = innerTexts(container('beaMessage.json'), [project, container('govello_coco')])
  const sender = facts.sender && {
    ...facts.sender,
    safe_id: facts.sender.safe_id ?? inner.senderSafeId,
  }
  if (isOfAnother(expected.postboxSafeId, { ...facts, sender }))
    throw new UnreadableAnswer('The message is of another postbox.')

  const attachments = attachmentsOf(answer, project, { messageId, log, algorithm: answer.symEncAlgorithm })
  const xjustiz = await receiptOf(attachments, { messageId, log })
  return {
    message_id: messageId,
    subject: subjectOf(metaData.subject, context) ?? inner.subject,
    ...facts,
    sender,
    received_at:
      optionalTime(metaData.receptionTime, context.timeZone) ??
      optionalTime(metaData.zugegangen, context.timeZone),
    sent_at:
      optionalTime(metaData.sent, context.timeZone) ?? optionalTime(metaData.created, context.timeZone),
    reference_sender: facts.reference_sender ?? inner.referenceSender,
    reference_recipient: optionalText(metaData.referenceJustice) ?? inner.referenceRecipient,
    osci_message_id: optionalId(answer.osciMessageId),
    body: inner.body ?? '',
    is_eeb_requested:
      optionalFlag(metaData.eebAngefordert) === true || xjustiz?.is_receipt_requested === true,
    xjustiz_id: xjustiz?.own_message_id ?? null,
    attachments,
    proof_of_origin: rawOf(answer.vhn2attachments),
  }
}

/** The decrypted objects by name. @throws UnreadableAnswer */
function objectsOf(answer: Members, { sessionKey }: ReadingContext): Map<string, Buffer> {
  const objects = new Map<string, Buffer>()
  for (const value of listOf(answer.encryptedObjects, 'encryptedObjects')) {
    const object = membersOf(value)
    const key = aesKey(decryptEnc(membersOf(object.encKeyInfo).encKey, sessionKey))
    const { enc_iv: iv, enc_tag: tag, enc_data: data } = object
    const content =
      isNothing(iv) && isNothing(tag) ? decryptCbc({ iv, data }, key) : decryptGcm({ iv, tag, data }, key)
    objects.set(requiredText(object, 'enc_name'), content)
  }
  return objects
}

type InnerTexts = {
  subject: string | null
  body: string | null
  senderSafeId: string | null
  referenceSender: string | null
  referenceRecipient: string | null
}

/** The texts in the decrypted objects; the newer `beaMessage.json` takes precedence over `nachricht.xml`. */
function innerTexts(beaMessage: Container | undefined, containers: (Container | undefined)[]): InnerTexts {
  const content = (id: string) =>
    containers.map((container) => container?.contents.get(id)).find((it) => it !== undefined)
  const record = content('nachricht.xml')
  const texts = record === undefined ? new Map<string, string>() : childTexts(record)
  const child = (name: string) => optionalText(texts.get(name))
  const json = beaMessage === undefined ? {} : jsonOf(beaMessage)
  const userId = /^user_id=(.+)$/m.exec(content('additional_infos')?.toString('utf8') ?? '')?.[1]
  return {
    subject: optionalText(json.messageSubject) ?? child('Betreff'),
    body: optionalText(json.messageBody) ?? child('Freitext'),
    senderSafeId: optionalText(userId)?.trim() ?? null,
    referenceSender: child('Aktenzeichen_Absender'),
    referenceRecipient: child('Aktenzeichen_Empfaenger'),
  }
}

/** The JSON in the only content of `beaMessage.json`. @throws UnreadableAnswer */
function jsonOf({ contents }: Container): Members {
  const [content] = contents.values()
  if (content === undefined) return {}
  try {
    return membersOf(JSON.parse(content.toString('utf8')))
  } catch {
    throw new UnreadableAnswer('The texts of a message are not JSON.')
  }
}

/** `algorithm`: the algorithm of the message, for attachments that name none. */
type Context = { messageId: string; log: Log; algorithm?: unknown }

/** @throws UnreadableAnswer also if the message names an attachment that the answer does not contain */
function attachmentsOf(
  answer: Members,
  container: Container | undefined,
  context: Context,
): RemoteAttachment[] {
  const keyOf = container ? keysOfAttachments(container) : (_: string, own: unknown) => base64Bytes(own)
  const attachments = listOf(answer.attachments, 'attachments').map((value) =>
    attachmentOf(membersOf(value), keyOf, context),
  )
  for (const name of container?.attachmentNames ?? []) {
    if (!attachments.some(({ filename }) => sameName(filename, name)))
      throw new UnreadableAnswer('An attachment is missing.')
  }
  return attachments
}

const cbcAlgorithm = 'http://www.w3.org/2001/04/xmlenc#aes256-cbc'

function attachmentOf(
  members: Members,
  keyOf: ReturnType<typeof keysOfAttachments>,
  context: Context,
): RemoteAttachment {
  const algorithm = optionalText(members.symEncAlgorithm) ?? context.algorithm
  const filename = requiredText(members, 'reference')
  const key = keyOf(filename, members.key)
  return {
    filename,
    type: optionalId(members.type),
    size_bytes: sizeOf(members.data),
    read: async () => {
      const { iv, tag, data } = members
      const digest = optionalText(members.hashValue)
      if (isNothing(data) && isNothing(tag)) {
        const isEmpty = digest === null ? data === '' : isDigestOf(digest, Buffer.alloc(0))
        if (isEmpty) return Buffer.alloc(0)
        throw new UnreadableAnswer('An attachment has no contents.')
      }
      const isCbc = algorithm === cbcAlgorithm || (isNothing(iv) && isNothing(tag))
      const plain = isCbc ? decryptCbc({ iv, data }, aesKey(key)) : decryptGcm({ iv, tag, data }, aesKey(key))
      members.data = undefined
      if (digest !== null && !isDigestOf(digest, plain)) {
        context.log.warn('The digest of an attachment in a beA message does not fit.', {
          message_id: context.messageId,
        })
      }
      return plain
    },
  }
}

/** The size of contents in base64, before they are decrypted. */
function sizeOf(data: unknown): number {
  const length = data instanceof LongText ? data.bytes : typeof data === 'string' ? data.length : 0
  return Math.floor((length * 3) / 4)
}

/** Presumably SHA-256 in base64; hexadecimal digits are accepted too. */
function isDigestOf(digest: string, bytes: Buffer): boolean {
  const hash = createHash('sha256').update(bytes).digest()
  const given = digest.trim()
  return /^[\da-f]{64}$/i.test(given)
    ? hash.toString('hex') === given.toLowerCase()
    : hash.equals(Buffer.from(given, 'base64'))
}

/** Reads the XJustiz record among the attachments. A broken one is imported like other attachments. */
async function receiptOf(
  attachments: RemoteAttachment[],
  { messageId, log }: Context,
): Promise<XJustizReceipt | undefined> {
  const record = attachments.find(({ filename }) => filename.toLowerCase() === 'xjustiz_nachricht.xml')
  if (record === undefined) return undefined
  const bytes = await record.read()
  record.read = async () => bytes
  try {
    return readXJustizReceipt(bytes)
  } catch (error) {
    if (!(error instanceof FormatFault)) throw error
    log.warn('The XJustiz record of a beA message cannot be read.', { message_id: messageId })
    return undefined
  }
}

/** Unspecified values are kept unchanged, as JSON. */
function rawOf(value: unknown): string | null {
  if (isNothing(value) || (Array.isArray(value) && value.length === 0)) return null
  return JSON.stringify(value, (_, member) => (member instanceof LongText ? member.text() : member))
}
