import { newInboxState } from '#inbox/state-schema.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { derivedId } from '#kernel/id.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import { beginningOf } from '#kernel/text.ts'
import type { XJustizFacts } from '#triage/facts-schema.ts'
import type {
  RemoteAttachment,
  RemoteFolder,
  RemoteIdentity,
  RemoteMessage,
  RemoteSummary,
} from '../network/gateway-ports.ts'
import type {
  BeaAccountRecord,
  BeaMessageFiles,
  BeaMessageRecord,
  BeaMessageStore,
  DescribeFile,
} from '../ports.ts'
import { contentBytes } from './message-content.ts'
import { attachmentKey, contentKey, messageIdOf } from './message-keys.ts'
import type { BeaAddress } from './message-schema.ts'
import { purgeDays } from './purge-days.ts'
import { readXJustizFacts } from './xjustiz-facts.ts'

/** A message with more bytes of attachments is large: its attachments are stored one by one. */
export const largeBytes = 4 * 1024 * 1024

/** Attachments of a message that are stored at once, if the message is not large. */
const maxPutsAtOnce = 4

/** The account for which a message is imported. Its postbox is known. */
export type ImportingAccount = Pick<BeaAccountRecord, 'workspace_id' | 'id' | 'created_at'> & {
  postbox_safe_id: string
}

export type ImportMessage = ReturnType<typeof importing>

/**
 * Imports messages of the network into our own store (B5): whole or not at all, and once.
 *
 * The bytes are stored first. The attachments of a large message are stored one by one, so that not all are in memory at
 * once. The record is stored last, in one transaction with the identity of the message. Keys and ids are derived from
 * the message. So a repeated import makes no duplicates, and of two concurrent imports one adds the record.
 *
 * Attachments become documents when the message is filed (B6).
 */
export function importing(deps: {
  store: Pick<BeaMessageStore, 'add'>
  files: Pick<BeaMessageFiles, 'put'>
  describe: DescribeFile
  clock: Clock
}) {
  const { store, files, describe, clock } = deps

  /** Stores the attachments and reads XJustiz records. */
  const storeAttachments = async (
    named: { workspace_id: string; id: string },
    remote: RemoteMessage,
    signal: AbortSignal,
  ) => {
    const stored: (BeaMessageRecord['attachments'][number] & { xjustiz: XJustizFacts[] })[] = []
    const store = async ([at, attachment]: [number, RemoteAttachment]) => {
      signal.throwIfAborted()
      const bytes = await attachment.read()
      const filename = shownName(attachment.filename)
      const mime_type = await describe(filename, bytes)
      const sha256 = hexDigest(bytes)
      await files.put(attachmentKey(named, { sha256 }), bytes, { mimeType: mime_type, sha256 })
      stored[at] = {
        id: derivedId('beaAttachment', named.id, at),
        filename,
        type: attachment.type,
        mime_type,
        size_bytes: bytes.length,
        document_id: null,
        sha256,
        xjustiz: /^xjustiz_nachricht\.xml$/i.test(filename) ? readXJustizFacts(bytes) : [],
      }
    }
    const atOnce = attachedBytes(remote) > largeBytes ? 1 : maxPutsAtOnce
    await inParallelUpTo(atOnce, [...remote.attachments.entries()], store)
    const attachments = stored.map(({ xjustiz: _, ...attachment }) => attachment)
    const xjustiz = stored.flatMap((attachment) => attachment.xjustiz)
    return { attachments, xjustiz }
  }

  return {
    /**
     * Imports a message that was fetched from a folder of the postbox.
     *
     * @returns the id of its record, also if it was imported before
     * @throws Failure BEA_GATEWAY_ERROR if an attachment does not decrypt, 503 if our own store does not answer
     */
    async add(
      account: ImportingAccount,
      folder: Pick<RemoteFolder, 'type' | 'name'>,
      remote: RemoteMessage,
      signal: AbortSignal,
    ): Promise<string> {
      const direction = directionOf(account, folder, remote)
      const at = momentOf(remote, direction)
      const id = messageIdOf(account, remote.message_id, new Date(at ?? account.created_at))
      const named = { workspace_id: account.workspace_id, id }
      const { attachments, xjustiz } = await storeAttachments(named, remote, signal)
      const { body, proof_of_origin, osci_message_id } = remote
      const all = remote.recipients.map(addressOf)
      const recipients = all.length > maxRecipients ? all : undefined
      const content = contentBytes({ body, proof_of_origin, osci_message_id, xjustiz, recipients })
      await files.put(contentKey(named), content, {
        mimeType: 'application/json',
        sha256: hexDigest(content),
      })
      const isInbound = direction === 'inbound'
      const imported_at = timestamp(clock)
      const record: BeaMessageRecord = {
        ...entryFields(account, folder, remote, at),
        id,
        is_missing: false,
        subject: beginningOf(remote.subject ?? '', maxSubjectLength),
        recipients: remote.recipients.slice(0, maxRecipients).map(storedAddress),
        eeb_requested: remote.is_eeb_requested,
        eeb: isInbound && remote.is_eeb_requested ? { status: 'requested', date: null } : null,
        eeb_foreign_id:
          isInbound && remote.is_eeb_requested ? (remote.xjustiz_id ?? remote.message_id) : null,
        attachments,
        size_bytes: attachments.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
        imported_at,
        receipt: receiptOf(direction, remote),
        // If the network's clock is fast, the message must not stay above all others.
        inbox: isInbound ? newInboxState(at === null || at > imported_at ? imported_at : at) : null,
      }
      return store.add({ record })
    },
  }
}

/** The fields of a new record that the entry of the message in a folder gives. The message is in no case yet. */
export function entryFields(
  account: ImportingAccount,
  folder: Pick<RemoteFolder, 'type' | 'name'>,
  entry: RemoteSummary,
  at: string | null,
) {
  return {
    workspace_id: account.workspace_id,
    account_id: account.id,
    postbox_safe_id: account.postbox_safe_id,
    remote_id: entry.message_id,
    folder: folderName(folder),
    direction: directionOf(account, folder, entry),
    sender: storedAddress(entry.sender),
    received_at: entry.received_at,
    sent_at: entry.sent_at,
    reference_sender: storedText(entry.reference_sender),
    reference_recipient: storedText(entry.reference_recipient),
    confidential: entry.is_confidential,
    case_id: null,
    party_id: null,
    purge_at: purgeAt(at),
    teaches: { references: [], sender: null },
    version: 1,
  }
}

/** The name of a folder as messages show it (B6): its type, or its name if it is a custom one. */
export function folderName({ type, name }: Pick<RemoteFolder, 'type' | 'name'>): string {
  return isStandardFolder({ type }) ? type : (name ?? type)
}

export function isStandardFolder({ type }: Pick<RemoteFolder, 'type'>): boolean {
  return standardFolders.has(type)
}

const standardFolders = new Set(['INBOX', 'DRAFT', 'OUTBOX', 'SENT', 'TRASH'])

/** The acknowledgement of a sent message, as far as the network shows one. */
export function receiptOf(
  direction: BeaMessageRecord['direction'],
  { delivered_at, delivery_status }: Pick<RemoteMessage, 'delivered_at' | 'delivery_status'>,
): BeaMessageRecord['receipt'] {
  if (direction === 'inbound' || (delivered_at === null && delivery_status === null)) return null
  return { delivered_at, status: delivery_status }
}

/** When the network deletes a message that was received or sent then. */
export function purgeAt(at: string | null): string | null {
  return at === null ? null : new Date(Date.parse(at) + purgeDays * 86_400_000).toISOString()
}

/** Whether a message was sent or received. Trash and custom folders contain both, so there the sender decides. */
function directionOf(
  { postbox_safe_id }: Pick<ImportingAccount, 'postbox_safe_id'>,
  folder: Pick<RemoteFolder, 'type'>,
  { sender }: Pick<RemoteMessage, 'sender'>,
): BeaMessageRecord['direction'] {
  if (folder.type === 'SENT') return 'outbound'
  if (folder.type === 'INBOX') return 'inbound'
  return sender?.safe_id?.toLowerCase() === postbox_safe_id.toLowerCase() ? 'outbound' : 'inbound'
}

/** When a message was received, or sent by us. */
function momentOf(
  { received_at, sent_at }: Pick<RemoteMessage, 'received_at' | 'sent_at'>,
  direction: BeaMessageRecord['direction'],
): string | null {
  return direction === 'inbound' ? (received_at ?? sent_at) : (sent_at ?? received_at)
}

export function addressOf(identity: RemoteIdentity | null): BeaAddress {
  return { name: identity?.name ?? identity?.firm ?? null, bea_id: identity?.safe_id ?? null }
}

/** The maximum numbers of characters and recipients in an item of the table. */
const maxSubjectLength = 4_000
const maxTextLength = 300
const maxRecipients = 300

function storedText(text: string | null): string | null {
  return text === null ? null : beginningOf(text, maxTextLength)
}

export function storedAddress(identity: RemoteIdentity | null): BeaAddress {
  const { name, bea_id } = addressOf(identity)
  return { name: storedText(name), bea_id: storedText(bea_id) }
}

/** The approximate number of bytes of the attachments. */
export function attachedBytes({ attachments }: Pick<RemoteMessage, 'attachments'>): number {
  return attachments.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
}

/** The maximum length of a file name. A longer one keeps its beginning and extension: an item of the table has a limit. */
const maxNameLength = 500

/** The file name as shown and stored: the network's name, but well-formed, not empty, and of limited length. */
function shownName(filename: string): string {
  const name = filename
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
  if (name.length <= maxNameLength) return name === '' ? 'Unbenannt' : name
  const [extension = ''] = /\.[\p{L}\p{N}]{1,10}$/u.exec(name) ?? []
  return `${name.slice(0, maxNameLength - 20).toWellFormed()}…${extension}`
}
