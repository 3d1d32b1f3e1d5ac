import {
  type RemoteEntry,
  type RemoteFolder,
  type RemotePostbox,
  sameSafeId,
} from '#bea/network/gateway-ports.ts'
import type { Log } from '#kernel/log.ts'
import { type AesKey, decryptGcm, isNothing } from './envelope.ts'
import {
  listOf,
  type Members,
  membersOf,
  optionalCount,
  optionalFlag,
  optionalId,
  optionalText,
  optionalTime,
  requiredText,
  UnreadableAnswer,
} from './fields.ts'
import { identitiesOf, identityOf } from './identity.ts'

/** Decrypts and reads the answers of a session. */
export type ReadingContext = {
  sessionKey: AesKey
  /** The time zone of times without an offset. */
  timeZone: string
}

/** The postboxes of an answer. @throws UnreadableAnswer also if no folder of a postbox can be read */
export function postboxesOf(answer: Members): RemotePostbox[] {
  if (!Array.isArray(answer.postboxes)) throw new UnreadableAnswer('The member postboxes is missing.')
  return answer.postboxes.map((value) => {
    const members = membersOf(value)
    const postbox = requiredText(members, 'postboxSafeId')
    const name = optionalText(members.name) ?? optionalText(members.postboxName)
    return { postbox_safe_id: postbox, name, folders: foldersOf(members, postbox) ?? [] }
  })
}

/**
 * The folders of an answer; the name of their list is not specified.
 *
 * @returns undefined if the answer has no list of folders; null for an entry without an id, or of another postbox
 * @throws UnreadableAnswer if no entry can be read
 */
export function foldersOf(members: Members, postboxSafeId: string): (RemoteFolder | null)[] | undefined {
  const names = ['folder', 'folders', 'folderstructure', 'folderStructure']
  const list = names.map((name) => members[name]).find(Array.isArray)
  const folders = list?.map((value: unknown) => {
    const folder = membersOf(value)
    const owner = optionalText(folder.postboxSafeId)
    const id = idOf(folder.id)
    if (id === null || (owner !== null && !sameSafeId(owner, postboxSafeId))) return null
    return {
      id,
      parent_id: optionalId(folder.parentId) ?? optionalId(folder.parentFolderId),
      name: optionalText(folder.name) ?? optionalText(folder.folderName),
      type: optionalText(folder.type) ?? 'CUSTOM',
      unread: optionalCount(folder.unreadMessageCount) ?? optionalCount(folder.unread),
    }
  })
  if (folders !== undefined && folders.length > 0 && folders.every((folder) => folder === null))
    throw new UnreadableAnswer('No entry of the list of folders can be read.')
  return folders
}

/** The entries of a folder, and how many encrypted subjects the session key decrypted, and did not. */
type FolderEntries = { entries: RemoteEntry[]; opened: number; unopened: number }

/**
 * The entries of a folder. One broken entry does not hide the others: a subject that does not decrypt is null. So is
 * an id that is missing, too long or from another folder's entry. Each is logged.
 *
 * @throws UnreadableAnswer also if all entries are of another folder
 */
export function summariesOf(
  answer: Members,
  folderId: string,
  context: ReadingContext,
  log: Log,
): FolderEntries {
  const counted = { opened: 0, unopened: 0 }
  const subjectOrNull = (value: unknown, messageId: string | null) => {
    try {
      const subject = subjectOf(value, context)
      if (subject !== null) counted.opened += 1
      return subject
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error
      log.warn('The subject of a beA message does not decrypt.', { message_id: messageId })
      counted.unopened += 1
      return null
    }
  }
  if (!('messages' in answer)) throw new UnreadableAnswer('The member messages is missing.')
  const isOfFolder = (entry: Members) => (optionalId(entry.folderId) ?? folderId) === folderId
  const all = listOf(answer.messages, 'messages').map(membersOf)
  if (all.length > 0 && !all.some(isOfFolder))
    throw new UnreadableAnswer('The entries are of another folder.')
  const entries = all.map((entry) => {
    const messageId = isOfFolder(entry) ? idOf(entry.messageId) : null
    if (messageId === null) log.error('An entry of a beA folder has no id.', { folder_id: folderId })
    return {
      message_id: messageId,
      subject: subjectOrNull(entry.encSubject, messageId),
      ...factsOf(entry, context),
      received_at:
        optionalTime(entry.received, context.timeZone) ?? optionalTime(entry.zugegangen, context.timeZone),
      sent_at: optionalTime(entry.sent, context.timeZone),
      reference_recipient: optionalText(entry.referenceNumberJustice),
    }
  })
  return { entries, ...counted }
}

/** No gateway gives longer ids. */
const maxIdLength = 500

function idOf(value: unknown): string | null {
  const id = optionalId(value)
  return id === null || id.length > maxIdLength ? null : id
}

/** The facts that the entry of a folder and the whole message share. */
export function factsOf(members: Members, { timeZone }: ReadingContext) {
  return {
    sender: isNothing(members.sender) ? null : identityOf(members.sender),
    recipients: identitiesOf(members.addressees),
    delivered_at: optionalTime(members.zugegangen, timeZone),
    delivery_status: optionalId(members.egvpStatus),
    reference_sender: optionalText(members.referenceNumber),
    // An unknown mark may mean confidential.
    is_confidential: !isNothing(members.confidential) && optionalFlag(members.confidential) !== false,
  }
}

/** A subject that is encrypted with the session key; null if there is none. @throws UnreadableAnswer */
export function subjectOf(value: unknown, { sessionKey }: ReadingContext): string | null {
  const encrypted = membersOf(value)
  if ([encrypted.iv, encrypted.tag, encrypted.value].some(isNothing)) return null
  return optionalText(decryptEnc(value, sessionKey).toString('utf8'))
}

/** Decrypts `{iv, tag, value}`. @throws UnreadableAnswer */
export function decryptEnc(value: unknown, key: AesKey): Buffer {
  const { iv, tag, value: data } = membersOf(value)
  return decryptGcm({ iv, tag, data }, key)
}
