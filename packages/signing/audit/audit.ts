import { hashOf } from '#kernel/hash-chain.ts'
import type { EnvelopeRecord } from '../ports.ts'
import type { AuditEntry } from '../schema.ts'

/** An audit entry before it gets its number and its hashes. */
export type AuditEvent = Pick<AuditEntry, 'at' | 'actor' | 'action' | 'details'>

/**
 * Chains events to the newest audit entry. Returns their entries. `newest`: the number and the hash of the last entry,
 * as fields of the envelope's record.
 */
export function chainEvents(
  { audit_seq, audit_hash }: Pick<EnvelopeRecord, 'audit_seq' | 'audit_hash'>,
  events: readonly AuditEvent[],
): { auditEntries: AuditEntry[]; newest: Pick<EnvelopeRecord, 'audit_seq' | 'audit_hash'> } {
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
