import { type InboxState, newInboxState } from '#inbox/state-schema.ts'
import { isCourt } from '../messages/message-schema.ts'
import type { RemoteSummary } from '../network/gateway-ports.ts'
import type { BeaMessageRecord } from '../ports.ts'

/** A court's acknowledgement is automatic (§ 130a Abs. 5 S. 2 ZPO), so it comes within a few minutes. */
const acknowledgementMinutes = 15

/** Messages sent before get no notice: they may have been sent long before the postbox was connected. */
const noticeDays = 7

/** Whether a message was sent to a court some time ago, and the network shows no acknowledgement. */
export function isUnacknowledged(
  { direction, receipt }: Pick<BeaMessageRecord, 'direction' | 'receipt'>,
  { recipients, sent_at }: Pick<RemoteSummary, 'recipients' | 'sent_at'>,
  now: Date,
): boolean {
  if (direction === 'inbound' || hasArrived(receipt) || sent_at === null) return false
  const minutes = (now.getTime() - Date.parse(sent_at)) / 60_000
  if (minutes < acknowledgementMinutes || minutes > noticeDays * 1_440) return false
  return recipients.some(({ safe_id }) => safe_id !== null && isCourt(safe_id))
}

/**
 * The place of a sent message in the inbox. It gets a notice once, if it is unacknowledged. The notice leaves the inbox
 * when the acknowledgement comes, or when a person dismisses it.
 */
export function inboxOfSent(
  { direction, receipt, inbox }: Pick<BeaMessageRecord, 'direction' | 'receipt' | 'inbox'>,
  isOverdue: boolean,
  now: Date,
): InboxState | null {
  if (inbox === null)
    return isOverdue && !hasArrived(receipt) ? newInboxState(now.toISOString(), notice) : null
  const isSettled = direction === 'outbound' && hasArrived(receipt) && inbox.state === 'open'
  return isSettled ? { ...inbox, state: 'dismissed' } : inbox
}

function hasArrived(receipt: BeaMessageRecord['receipt']): boolean {
  return receipt !== null && receipt.delivered_at !== null
}

const notice =
  'Für diese gesendete beA-Nachricht liegt keine Eingangsbestätigung vor (§ 130a Abs. 5 ZPO). Bitte prüfen Sie in beA, ob sie eingegangen ist, bevor die Frist abläuft.'
