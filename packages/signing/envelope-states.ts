import { copiesDays } from './limits.ts'
import type { EnvelopeRecord, SignerRecord } from './ports.ts'
import type { EnvelopeStatus } from './status-schema.ts'

/**
 * The life of an envelope (S3):
 *
 * ```
 * draft ── send ──► sent ── the first opens ──► in_progress ── all have signed, all is sealed ──► completed
 *                    │                            │
 *                    ├── its time is over ────────┼──► expired
 *                    ├── one who acts declines ───┼──► declined
 *                    └── the office voids it ─────┴──► voided
 * ```
 *
 * What has ended stays as it is. Between the last signature and the sealed copies an envelope is `in_progress`
 * (`isSealing`): it no longer expires, and nobody can decline or void it.
 */
export const nextStatuses: Record<EnvelopeStatus, readonly EnvelopeStatus[]> = {
  draft: ['sent'],
  sent: ['in_progress', 'expired', 'declined', 'voided'],
  in_progress: ['completed', 'expired', 'declined', 'voided'],
  completed: [],
  expired: [],
  declined: [],
  voided: [],
}

type Timed = Pick<EnvelopeRecord, 'status' | 'expires_at' | 'sealing_since'>

/** The status at `now`. That its time is over is computed when it is read, so it is never late (S3). */
export function statusAt(envelope: Timed, now: Date): EnvelopeStatus {
  return isOverdue(envelope, now) ? 'expired' : envelope.status
}

/** Whether its time is over at `now` and nobody has recorded it yet. */
export function isOverdue({ status, expires_at, sealing_since }: Timed, now: Date): boolean {
  const isRunning = (status === 'sent' || status === 'in_progress') && sealing_since === null
  return isRunning && expires_at !== null && Date.parse(expires_at) <= now.getTime()
}

/** Whether everybody has signed and the sealed copies are being made. */
export function isSealing({ status, sealing_since }: Timed): boolean {
  return status === 'in_progress' && sealing_since !== null
}

/** Whether it still needs the bytes of its documents at `now`: it was sent and has not ended (D10). */
export function needsDocuments(envelope: Timed, now: Date): boolean {
  const status = statusAt(envelope, now)
  return status === 'sent' || status === 'in_progress'
}

export function isEnded(status: EnvelopeStatus): boolean {
  return nextStatuses[status].length === 0
}

/** Those who have to act: everybody but `cc`. */
export function actors<One extends Pick<SignerRecord, 'role'>>(signers: readonly One[]): One[] {
  return signers.filter(({ role }) => role !== 'cc')
}

/**
 * Those who may act now, by the signatures alone: all who have not signed or, one after the other, the first of them
 * (S3). Whether the envelope runs at all is `statusAt`'s to say.
 */
export function whoseTurn({ signing_order, signers }: Pick<EnvelopeRecord, 'signing_order' | 'signers'>) {
  const pending = actors(signers).filter(({ status }) => status === 'pending')
  return signing_order === 'sequential' ? pending.slice(0, 1) : pending
}

/** When something must happen by itself; null where nothing must. The sparse index is sorted by it. */
export function dueAt(
  envelope: Timed & Pick<EnvelopeRecord, 'next_reminder_at' | 'seal_again_at' | 'mails_again_at'>,
): string | null {
  const { status, sealing_since, seal_again_at, expires_at, next_reminder_at, mails_again_at } = envelope
  const isRunning = status === 'sent' || status === 'in_progress'
  const ofItself = sealing_since === null ? [expires_at, next_reminder_at] : [seal_again_at]
  const times = [mails_again_at, ...(isRunning ? ofItself : [])].filter((time) => time !== null)
  return times.toSorted()[0] ?? null
}

/** Until when the links of a completed envelope show the sealed copies (S5). */
export function copiesUntil({ completed_at }: Pick<EnvelopeRecord, 'completed_at'>): Date | undefined {
  return completed_at === null
    ? undefined
    : new Date(Date.parse(completed_at) + copiesDays * 24 * 60 * 60 * 1_000)
}
