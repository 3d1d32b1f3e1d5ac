import { copiesDays, dayMilliseconds } from '../limits.ts'
import type { EnvelopeRecord, SignerRecord } from '../ports.ts'
import { type EnvelopeStatus, isRunning } from '../status-schema.ts'

/**
 * The life of an envelope (S3):
 *
 * ```
 * draft ── send ──► sent ── a signer opens it ──► in_progress ── all signed and sealed ──► completed
 *                    │                              │
 *                    ├── it expires ────────────────┼──► expired
 *                    ├── a person declines ─────────┼──► declined
 *                    └── the office voids it ───────┴──► voided
 * ```
 *
 * An ended envelope never changes. Between the last signature and the sealed copies an envelope is `in_progress`
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

/** The status at `now`. Expiry is computed when the envelope is read, so it is never late (S3). */
export function statusAt(envelope: Timed, now: Date): EnvelopeStatus {
  return isOverdue(envelope, now) ? 'expired' : envelope.status
}

/** Whether it has expired by `now`, but its expiry is not recorded yet. */
export function isOverdue({ status, expires_at, sealing_since }: Timed, now: Date): boolean {
  const canExpire = isRunning(status) && sealing_since === null
  return canExpire && expires_at !== null && Date.parse(expires_at) <= now.getTime()
}

/** Whether everybody has signed and the sealed copies are being made. */
export function isSealing({ status, sealing_since }: Timed): boolean {
  return status === 'in_progress' && sealing_since !== null
}

/** Whether it still needs the bytes of its documents at `now`: it was sent and has not ended (D10). */
export function needsDocuments(envelope: Timed, now: Date): boolean {
  return isRunning(statusAt(envelope, now))
}

export function isEnded(status: EnvelopeStatus): boolean {
  return nextStatuses[status].length === 0
}

/** The signers who must sign or approve: everybody except `cc`. */
export function requiredSigners<One extends Pick<SignerRecord, 'role'>>(signers: readonly One[]): One[] {
  return signers.filter(({ role }) => role !== 'cc')
}

/**
 * The signers whose turn it is (S3): all who have not signed or, with `sequential`, the first of them. The status of
 * the envelope is not considered.
 */
export function whoseTurn({ signing_order, signers }: Pick<EnvelopeRecord, 'signing_order' | 'signers'>) {
  const pending = requiredSigners(signers).filter(({ status }) => status === 'pending')
  return signing_order === 'sequential' ? pending.slice(0, 1) : pending
}

/** When the next timed work is due; null if there is none. The sparse index is sorted by it. */
export function dueAt(
  envelope: Timed & Pick<EnvelopeRecord, 'next_reminder_at' | 'seal_again_at' | 'mails_again_at'>,
): string | null {
  const { status, sealing_since, seal_again_at, expires_at, next_reminder_at, mails_again_at } = envelope
  const whileRunning = sealing_since === null ? [expires_at, next_reminder_at] : [seal_again_at]
  const times = [mails_again_at, ...(isRunning(status) ? whileRunning : [])].filter((time) => time !== null)
  return times.toSorted()[0] ?? null
}

/** The time until which the links of a completed envelope show the sealed copies (S5). */
export function copiesUntil({ completed_at }: Pick<EnvelopeRecord, 'completed_at'>): Date | undefined {
  return completed_at === null ? undefined : new Date(Date.parse(completed_at) + copiesDays * dayMilliseconds)
}
