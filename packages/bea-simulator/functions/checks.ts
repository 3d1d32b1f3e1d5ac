import { createHash } from 'node:crypto'
import type { WireEncryptedMessage, WireMessageInfos } from '#bea-wire/wire.ts'
import { base64, decryptData } from '../ciphers.ts'
import { findIdentity } from '../directory/identities.ts'
import { GatewayError, lockedError } from '../gateway-error.ts'
import type { Attachment } from '../messages/postbox-message.ts'
import type { Network } from '../network/network.ts'

/** The gateway creates these two files itself, in addition to the attachments of lawyers. */
export const ownFiles: readonly string[] = ['Nachrichtentext.pdf', 'xjustiz_nachricht.xml']

const maxNameLength = 90

/**
 * Checks the data with which a message is sent. Courts must accept each file name, and no name may occur
 * twice. An answer to a request for an electronic receipt must have no files.
 *
 * @throws GatewayError
 */
export function checkInfos(infos: WireMessageInfos): void {
  const { attachments } = infos
  if (new Set(attachments).size !== attachments.length)
    throw new GatewayError('Two attachments have the same name.')
  const refused = attachments.find((name) => !isAccepted(name))
  if (refused !== undefined) throw new GatewayError('The name of an attachment is not allowed.')
  if (infos.eeb_erforderlich && !infos.xj)
    throw new GatewayError('A request for an electronic receipt needs an XJustiz record.')
  if (!infos.is_eeb_response) return
  if (!infos.is_eeb || attachments.length > 0 || infos.xj)
    throw new GatewayError('An electronic receipt has neither attachments nor an XJustiz record.')
  if (infos.eeb_fremdid === '') throw new GatewayError('The electronic receipt names no request.')
  if (!infos.eeb_accept && infos.eeb_reject_code === '')
    throw new GatewayError('The refusal of an electronic receipt has no code.')
}

function isAccepted(name: string): boolean {
  return name.length <= maxNameLength && /^[\p{L}\d_-]+\.[\p{L}\d]+$/u.test(name) && !ownFiles.includes(name)
}

/**
 * Checks that an electronic receipt answers a message in this postbox that requested one, and goes to its sender. The
 * request is identified by the id in its XJustiz record, or by the gateway's id of the message.
 *
 * @throws GatewayError
 */
export function checkReceipt(network: Network, postboxSafeId: string, infos: WireMessageInfos): void {
  if (!infos.is_eeb_response) return
  const requests = network
    .folders(postboxSafeId)
    .flatMap(({ id }) => network.messages(id))
    .filter(({ id, osciMessageId }) => [id, osciMessageId].includes(infos.eeb_fremdid))
  const isAsked = requests.some(
    ({ eebRequested, sender }) => eebRequested && infos.receivers.join() === sender.safeId,
  )
  if (!isAsked) throw new GatewayError('This electronic receipt was not requested.')
}

/**
 * Checks the receivers of a message: at least one, all known and not locked. If one is a court, it must be the only
 * one.
 *
 * @throws GatewayError
 */
export function checkReceivers({ receivers }: WireMessageInfos): void {
  if (receivers.length === 0) throw new GatewayError('The message has no receiver.')
  const found = receivers.map((safeId) => findIdentity(safeId))
  if (found.includes(undefined)) throw new GatewayError('A receiver does not exist.')
  if (found.some((it) => it?.isActive === false)) throw lockedError()
  if (receivers.length > 1 && found.some((it) => it?.kind === 'court'))
    throw new GatewayError('A message to a court has one receiver.')
}

/**
 * Decrypts the contents of a message, and checks all data that the gateway received twice: the key, the names and
 * their order, the hashes, the subject.
 *
 * @throws GatewayError
 */
export function openContents(
  { encrypted_data: { encSubject, attachments }, msg_infos: infos }: WireEncryptedMessage,
  messageKey: Buffer,
): Attachment[] {
  const key = base64(messageKey)
  if ([encSubject, ...attachments].some((it) => it.key !== key))
    throw new GatewayError('The key is not the key of the message.')
  if (decryptData(messageKey, encSubject)?.toString('utf8') !== infos.betreff)
    throw new GatewayError('The subject cannot be decrypted, or is not the announced one.')
  if (attachments.map(({ name }) => name).join('\n') !== infos.attachments.join('\n'))
    throw new GatewayError('The attachments are not the announced ones.')
  return attachments.map((attachment) => {
    const bytes = decryptData(messageKey, attachment)
    if (bytes === undefined) throw new GatewayError('An attachment cannot be decrypted.')
    if (createHash('sha256').update(bytes).digest('base64') !== attachment.hash)
      throw new GatewayError('The hash of an attachment is wrong.')
    return { name: attachment.name, type: attachment.att_type, bytes }
  })
}
