import { hexDigest } from '#kernel/hex-digest.ts'
import type { RemoteMessage, RemoteSummary } from './gateway-ports.ts'
import type { BeaOrder } from './order-schema.ts'

/** The clocks of the network and ours may differ by so much. */
const skewMilliseconds = 5 * 60_000

/** Files that the network adds to a message by itself. */
const addedByNetwork: ReadonlySet<string> = new Set(['nachrichtentext.pdf', 'xjustiz_nachricht.xml'])

/**
 * Whether an entry of a folder may be the message that was sent (B7). What the overview does not say excludes nothing.
 *
 * @param since when its send began
 */
export function mayBe(summary: RemoteSummary, order: BeaOrder, since: Date): boolean {
  const { sent_at, subject, recipients, reference_sender, reference_recipient } = summary
  if (sent_at !== null && Date.parse(sent_at) < since.getTime() - skewMilliseconds) return false
  if (differs(subject, order.subject)) return false
  if (differs(reference_sender, order.reference_sender)) return false
  if (differs(reference_recipient, order.reference_recipient)) return false
  const safeIds = recipients.map(({ safe_id }) => safe_id)
  if (safeIds.length === 0 || safeIds.includes(null)) return true
  return sameSet(
    safeIds.map((id) => (id ?? '').toLowerCase()),
    order.to.map(({ bea_id }) => bea_id.toLowerCase()),
  )
}

/**
 * Whether a message that may be it has its content: the body, and each file by name and digest. A body that is not given
 * excludes nothing: newer messages have it in a file.
 */
export async function hasContentOf(message: RemoteMessage, order: BeaOrder): Promise<boolean> {
  if (differs(message.body, order.body)) return false
  const expected = order.files.map(({ filename, sha256 }) => `${filename} ${sha256}`)
  const found: string[] = []
  for (const { filename, read } of message.attachments) {
    const isOurs = order.files.some((file) => file.filename === filename)
    if (!isOurs && addedByNetwork.has(filename.toLowerCase())) continue
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
