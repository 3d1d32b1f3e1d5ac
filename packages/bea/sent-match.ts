import { hexDigest } from '#kernel/hex-digest.ts'
import { fileNameKey, madeByNetwork } from './file-names.ts'
import type { RemoteMessage, RemoteSummary } from './gateway-ports.ts'
import type { BeaOrder } from './order-schema.ts'

/** The clocks of the network and ours may differ by so much. */
const skewMilliseconds = 5 * 60_000

/**
 * The zone of a time without an offset is not specified (facts, section 7): read in the wrong one, a time is off by at most
 * this, the distance between the first and the last zone.
 */
const zoneMilliseconds = 26 * 3_600_000

/**
 * Whether an entry of a folder may be the message that was sent (B7). Only what is certain excludes it: another subject, a
 * recipient to whom it did not go, a day long before. References and the hour are uncertain: the network may give them in
 * another form. What the overview does not say excludes nothing.
 *
 * @param since when its send began
 */
export function mayBe(summary: RemoteSummary, order: BeaOrder, since: Date): boolean {
  const { sent_at, subject, recipients } = summary
  if (sent_at !== null && Date.parse(sent_at) < since.getTime() - skewMilliseconds - zoneMilliseconds)
    return false
  if (differs(subject, order.subject)) return false
  const receivers = new Set(order.to.map(({ bea_id }) => bea_id.toLowerCase()))
  return recipients.every(({ safe_id }) => safe_id === null || receivers.has(safe_id.toLowerCase()))
}

/**
 * Whether a message is certainly the one that was sent (B7): subject and recipients are given and the same, it is not
 * older than the send, no reference contradicts, and its content is the same: each file by name and digest, and the
 * body. A body that is not given excludes nothing where there are files: newer messages have it in a file.
 *
 * @param summary its entry in the overview, for what the message itself does not say
 */
export async function isCertainly(
  message: RemoteMessage,
  summary: RemoteSummary,
  order: BeaOrder,
  since: Date,
): Promise<boolean> {
  const sent_at = summary.sent_at ?? message.sent_at
  const subject = message.subject ?? summary.subject
  const recipients = message.recipients.length > 0 ? message.recipients : summary.recipients
  const { reference_sender, reference_recipient } = message
  if (sent_at === null || Date.parse(sent_at) < since.getTime() - skewMilliseconds) return false
  if (plain(subject ?? '') !== plain(order.subject)) return false
  if (differs(reference_sender, order.reference_sender)) return false
  if (differs(reference_recipient, order.reference_recipient)) return false
  const given = recipients.map(({ safe_id }) => safe_id?.toLowerCase() ?? '')
  const receivers = order.to.map(({ bea_id }) => bea_id.toLowerCase())
  if (!sameSet(given, receivers) || differs(message.body, order.body)) return false
  if (order.files.length === 0 && plain(message.body) !== plain(order.body)) return false
  return hasFilesOf(message, order)
}

/**
 * Whether an imported message is certainly another one than the order: a file that was sent is not in it; where none was
 * sent, its subject or a recipient is another one. Names and references may come back in another form.
 */
export function isCertainlyAnother(
  imported: {
    subject: string
    recipients: { bea_id: string | null }[]
    attachments: { sha256: string }[]
  },
  order: Pick<BeaOrder, 'subject' | 'to' | 'files'>,
): boolean {
  const digests = new Set(imported.attachments.map(({ sha256 }) => sha256))
  if (order.files.length > 0) return !order.files.every(({ sha256 }) => digests.has(sha256))
  const receivers = new Set(order.to.map(({ bea_id }) => bea_id.toLowerCase()))
  return (
    differs(imported.subject, order.subject) ||
    imported.recipients.some(({ bea_id }) => bea_id !== null && !receivers.has(bea_id.toLowerCase()))
  )
}

async function hasFilesOf({ attachments }: RemoteMessage, { files }: BeaOrder): Promise<boolean> {
  const expected = files.map(({ filename, sha256 }) => `${filename} ${sha256}`)
  const found: string[] = []
  for (const { filename, read } of attachments) {
    const isOurs = files.some((file) => file.filename === filename)
    if (!isOurs && madeByNetwork.has(fileNameKey(filename))) continue
    if (!isOurs) return false
    found.push(`${filename} ${hexDigest(await read())}`)
  }
  return sameSet(found, expected)
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
