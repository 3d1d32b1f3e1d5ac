import { newId } from '#kernel/id.ts'
import type { CaseTimelineEntry } from '#timeline/schema.ts'
import { serviceActor } from '../audit/audit-actors.ts'
import { timelineActor } from '../audit/timeline-entries.ts'
import { isSealing } from '../envelopes/envelope-states.ts'
import type { EnvelopeRecord } from '../ports.ts'
import type { StatusReason } from '../status-schema.ts'

/** Bytes that were signed are gone or changed: nothing can be sealed until a person restores them. */
export class BytesLost extends Error {
  readonly reason: 'bytes_missing' | 'bytes_damaged'
  /** The document or signature that the bytes belong to, in German, for the timeline. */
  readonly what: string

  constructor(reason: BytesLost['reason'], { key, what }: { key: string; what: string }) {
    super(
      reason === 'bytes_missing'
        ? `There are no bytes at ${key}.`
        : `The bytes at ${key} have changed since the signature.`,
    )
    this.name = 'BytesLost'
    this.reason = reason
    this.what = what
  }
}

/** Why an envelope that everybody has signed is not completed; `what` as in `BytesLost`. */
type SealingFault = Pick<BytesLost, 'reason' | 'what'> | { reason: 'sealing_failed' }

/**
 * The new `status_reason` of an envelope that cannot be completed, and the entry for the timeline of its case. Each
 * reason gets one entry. The audit trail gets none, because certificates contain the hash of its newest entry.
 *
 * @returns undefined if the reason is shown already, or if the envelope is not being sealed. `sealing_failed` does not
 * replace a reason about lost bytes.
 */
export function faultToShow(
  current: EnvelopeRecord,
  fault: SealingFault,
  now: Date,
): { status_reason: StatusReason; timeline: CaseTimelineEntry[] } | undefined {
  const { reason } = fault
  const isShown =
    reason === 'sealing_failed' ? current.status_reason !== null : current.status_reason === reason
  if (isShown || !isSealing(current)) return undefined
  const entry = {
    id: newId('timelineEntry'),
    type: 'envelope.sealing_failed',
    occurred_at: now.toISOString(),
    actor: timelineActor(serviceActor),
    summary: summaryOf(current, fault),
    ref: { type: 'envelope', id: current.id },
  }
  return { status_reason: reason, timeline: [{ case_id: current.case_id, entry }] }
}

function summaryOf({ title }: EnvelopeRecord, fault: SealingFault): string {
  const envelope = `Signaturvorgang „${title}“`
  if (fault.reason === 'sealing_failed')
    return `${envelope} ist noch nicht gesiegelt, weitere Versuche folgen`
  const state = fault.reason === 'bytes_missing' ? 'fehlt im Speicher' : 'ist im Speicher verändert'
  return `${envelope} kann nicht gesiegelt werden: ${fault.what} ${state}`
}
