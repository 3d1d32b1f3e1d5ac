import { hexDigest } from '#kernel/hex-digest.ts'
import type { BeaDifference } from '../drafts/draft-schema.ts'
import { addedByNetwork, fileNameKey } from '../drafts/file-names.ts'
import type { BeaOrder } from '../drafts/order-schema.ts'
import { type RemoteMessage, type RemoteSummary, sameSafeId } from '../network/gateway-ports.ts'

/** The maximum difference that we expect between two clocks of the network and our workers. */
const skewMilliseconds = 5 * 60_000

/** A difference of this size is never caused by a wrong clock or time zone. */
const longAgoMilliseconds = 30 * 86_400_000

/**
 * Whether an entry of a folder is certainly another message than the one that was sent after `since`. The overview
 * proves this only if the entry is far older, or was received.
 *
 * A different subject, recipient, reference or time proves nothing: the network may cut or reformat them, or use
 * another clock (B7).
 */
export function isAnotherByOverview(
  { sent_at, sender, recipients }: RemoteSummary,
  { postbox_safe_id: postbox, to }: Pick<BeaOrder, 'postbox_safe_id' | 'to'>,
  since: Date,
): boolean {
  if (sent_at !== null && Date.parse(sent_at) < since.getTime() - longAgoMilliseconds) return true
  const isOurs = (safeId: string | null) => safeId !== null && sameSafeId(safeId, postbox)
  const isToUs = to.some(({ bea_id }) => isOurs(bea_id))
  const from = sender?.safe_id ?? null
  return !isToUs && from !== null && !isOurs(from) && recipients.some(({ safe_id }) => isOurs(safe_id))
}

/** Whether a message was imported before the send began, and so is another one. Allows for clock differences. */
export function wasImportedBefore({ imported_at }: { imported_at: string }, since: Date): boolean {
  return Date.parse(imported_at) < since.getTime() - skewMilliseconds
}

/** The files of a message with their digests. */
export type Digests = { filename: string; sha256: string }[]

/** Reads every attachment once. @throws Failure BEA_GATEWAY_ERROR if one does not decrypt */
export async function digestsOf({ attachments }: Pick<RemoteMessage, 'attachments'>): Promise<Digests> {
  const digests: Digests = []
  for (const { filename, read } of attachments) digests.push({ filename, sha256: hexDigest(await read()) })
  return digests
}

/**
 * Whether the files of a message prove that it is another one: it has files of its sender, and none of them is a file of
 * the order. If the order has no files, this proves nothing.
 */
export function hasOtherFiles(digests: Digests, { files }: Pick<BeaOrder, 'files'>): boolean {
  if (files.length === 0) return false
  const sent = new Set(files.map(({ sha256 }) => sha256))
  const own = digests.filter(({ filename }) => !addedByNetwork.has(fileNameKey(filename)))
  return own.length > 0 && !digests.some(({ sha256 }) => sent.has(sha256))
}

/** The fields in which an entry of a folder differs from the order. A missing field does not count. */
export function overviewDifferences(summary: RemoteSummary, order: BeaOrder, since: Date): BeaDifference[] {
  const { sent_at, subject, recipients, reference_sender, reference_recipient } = summary
  const receivers = order.to.map(({ bea_id }) => bea_id.toLowerCase())
  const isToAnother = recipients.some(({ safe_id }) => !receivers.includes(safe_id?.toLowerCase() ?? ''))
  return named({
    subject: differs(subject, order.subject),
    recipients: isToAnother,
    sent_at: sent_at !== null && isBefore(sent_at, since),
    reference_sender: differs(reference_sender, order.reference_sender),
    reference_recipient: differs(reference_recipient, order.reference_recipient),
  })
}

/**
 * The fields in which a message differs, or may differ, from the order. If there are none, it is the sent message:
 * subject and recipients are present and equal, it is not older than the send, and no reference is different. The body
 * and every file (name and digest) are equal too. If there are files, the body may be missing, since newer messages have
 * it in a file.
 *
 * @param summary the message's entry in the overview, for fields that the message itself does not have
 */
export function differencesOf(
  message: RemoteMessage,
  summary: RemoteSummary,
  digests: Digests,
  order: BeaOrder,
  since: Date,
): BeaDifference[] {
  const sent_at = summary.sent_at ?? message.sent_at
  const subject = message.subject ?? summary.subject
  const recipients = message.recipients.length > 0 ? message.recipients : summary.recipients
  const given = recipients.map(({ safe_id }) => safe_id?.toLowerCase() ?? '')
  const receivers = order.to.map(({ bea_id }) => bea_id.toLowerCase())
  return named({
    subject: plain(subject ?? '') !== plain(order.subject),
    recipients: !sameSet(given, receivers),
    sent_at: sent_at === null || isBefore(sent_at, since),
    reference_sender: differs(message.reference_sender, order.reference_sender),
    reference_recipient: differs(message.reference_recipient, order.reference_recipient),
    body:
      differs(message.body, order.body) ||
      (order.files.length === 0 && plain(message.body) !== plain(order.body)),
    attachments: !sameFiles(digests, order),
  })
}

/**
 * Whether an imported message is certainly another one, although the network named it as the sent one. Its files decide.
 * If no files were sent, it is another one if both its subject and its recipients differ.
 */
export function isAnotherByContent(
  imported: { subject: string; recipients: { bea_id: string | null }[]; attachments: Digests },
  order: Pick<BeaOrder, 'subject' | 'to' | 'files'>,
): boolean {
  if (order.files.length > 0) return hasOtherFiles(imported.attachments, order)
  const receivers = new Set(order.to.map(({ bea_id }) => bea_id.toLowerCase()))
  const isToAnother = imported.recipients.some(
    ({ bea_id }) => bea_id !== null && !receivers.has(bea_id.toLowerCase()),
  )
  return isToAnother && differs(imported.subject, order.subject)
}

function named(differ: Partial<Record<BeaDifference, boolean>>): BeaDifference[] {
  return (Object.keys(differ) as BeaDifference[]).filter((name) => differ[name])
}

function isBefore(sentAt: string, since: Date): boolean {
  return Date.parse(sentAt) < since.getTime() - skewMilliseconds
}

/** Whether name and digest of all files are equal, without the files that the network adds. */
function sameFiles(digests: Digests, { files }: BeaOrder): boolean {
  const names = new Set(files.map(({ filename }) => filename))
  const asText = ({ filename, sha256 }: Digests[number]) => `${filename} ${sha256}`
  const found = digests.filter(
    ({ filename }) => names.has(filename) || !addedByNetwork.has(fileNameKey(filename)),
  )
  return sameSet(found.map(asText), files.map(asText))
}

/** Whether both are given and differ. */
function differs(given: string | null, ours: string): boolean {
  return given !== null && plain(given) !== '' && plain(given) !== plain(ours)
}

function plain(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}

function sameSet(some: string[], others: string[]): boolean {
  return JSON.stringify(some.toSorted()) === JSON.stringify(others.toSorted())
}
