import { hashOf } from '#kernel/hash-chain.ts'
import type { EnvelopeRecord } from '../ports.ts'
import type { AuditEntry } from '../schema.ts'

/** An event, without its place in the chain. */
export type AuditEvent = Pick<AuditEntry, 'at' | 'actor' | 'action' | 'details'>

const unwritten = { audit_seq: 0, audit_hash: '' }

/**
 * The audit entries of these events, chained to the envelope's newest entry (undefined for a new envelope), and the
 * fields of its record that follow from them.
 */
export function chained(
  envelope: Pick<EnvelopeRecord, 'audit_seq' | 'audit_hash'> | undefined,
  events: readonly AuditEvent[],
): { auditEntries: AuditEntry[]; newest: Pick<EnvelopeRecord, 'audit_seq' | 'audit_hash'> } {
  const { audit_seq, audit_hash } = envelope ?? unwritten
  let newest = { audit_seq, audit_hash }
  const auditEntries = events.map((event) => {
    const bare = {
      seq: newest.audit_seq + 1,
      ...event,
      previous_hash: newest.audit_seq === 0 ? null : newest.audit_hash,
    }
    const entry = { ...bare, hash: hashOf(bare) }
    newest = { audit_seq: entry.seq, audit_hash: entry.hash }
    return entry
  })
  return { auditEntries, newest }
}
