import { hexDigest } from '#kernel/hex-digest.ts'
import type { BeaDifference } from '../drafts/draft-schema.ts'
import { fileNameKey, madeByNetwork } from '../drafts/file-names.ts'
import type { BeaOrder } from '../drafts/order-schema.ts'
import type { RemoteMessage, RemoteSummary } from '../network/gateway-ports.ts'
import { sameSafeId } from '../sessions/session-use.ts'

/** Two clocks, of the network or of our workers, may differ by so much. */
const skewMilliseconds = 5 * 60_000

/** No clock, and no time zone that is read wrongly, is off by so much. */
const longAgoMilliseconds = 30 * 86_400_000

/**
 * Whether an entry of a folder is certainly another message than one that was sent from this postbox after `since`, by what
 * the overview alone can prove: it is far older, or it was received.
 *
 * Its subject, its recipients, its references and the hour prove nothing: the network may cut them, or give them in another
 * form or by another clock (B7).
 */
export function isElsewhere(
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

/** Whether a message was imported before a send began: so it is certainly another one, whatever the clocks of two workers say. */
export function wasThereBefore({ imported_at }: { imported_at: string }, since: Date): boolean {
  return Date.parse(imported_at) < since.getTime() - skewMilliseconds
}

/** The files of a message with their digests. */
export type Digests = { filename: string; sha256: string }[]

/** Reads every attachment once. @throws Failure BEA_GATEWAY_ERROR where one does not decrypt */
export async function digestsOf({ attachments }: Pick<RemoteMessage, 'attachments'>): Promise<Digests> {
  const digests: Digests = []
  for (const { filename, read } of attachments) digests.push({ filename, sha256: hexDigest(await read()) })
  return digests
}

/**
 * Whether its files prove a message to be another one than the order: it has files of its sender, and none of those that
 * were sent. Where none was sent, files prove nothing, since the network adds some of its own.
 */
export function hasOtherFiles(digests: Digests, { files }: Pick<BeaOrder, 'files'>): boolean {
  if (files.length === 0) return false
  const sent = new Set(files.map(({ sha256 }) => sha256))
  const own = digests.filter(({ filename }) => !madeByNetwork.has(fileNameKey(filename)))
  return own.length > 0 && !digests.some(({ sha256 }) => sent.has(sha256))
}

/** What an entry of a folder says otherwise than the order. What it does not say is no difference. */
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
 * What is not certainly the same in a message and the order. Where nothing is, it is the message that was sent: subject and
 * recipients are given and the same, it is not older than the send, no reference contradicts, and its content is the same:
 * each file by name and digest, and the body. A body that is not given is the same where there are files: newer messages
 * have it in a file.
 *
 * @param summary its entry in the overview, for what the message itself does not say
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
 * Whether an imported message, which the network named as the one that was sent, is another one all the same: its files
 * prove it; or, where none was sent, neither its subject nor its recipients are those that were sent.
 */
export function isCertainlyAnother(
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

/** Files that the network adds by itself do not count. */
function sameFiles(digests: Digests, { files }: BeaOrder): boolean {
  const names = new Set(files.map(({ filename }) => filename))
  const asText = ({ filename, sha256 }: Digests[number]) => `${filename} ${sha256}`
  const found = digests.filter(
    ({ filename }) => names.has(filename) || !madeByNetwork.has(fileNameKey(filename)),
  )
  return sameSet(found.map(asText), files.map(asText))
}

/** Whether both are given and say something else. */
function differs(given: string | null, ours: string): boolean {
  return given !== null && plain(given) !== '' && plain(given) !== plain(ours)
}

function plain(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}

function sameSet(some: string[], others: string[]): boolean {
  return JSON.stringify(some.toSorted()) === JSON.stringify(others.toSorted())
}
