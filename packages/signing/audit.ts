import { canonicalJson } from '#kernel/canonical-json.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { EnvelopeRecord } from './ports.ts'
import type { AuditEntry } from './schema.ts'

/** What happened, without its place in the chain. */
export type AuditEvent = Pick<AuditEntry, 'at' | 'actor' | 'action' | 'details'>

const unwritten = { audit_seq: 0, audit_hash: '' }

/** The entries of these events after the newest of the envelope (undefined for a new one), and what its record says then. */
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

/**
 * Whether the hash chain holds: each entry has the hash of its content, names the hash of the entry before it, and has
 * the next number. `previous` is the entry before the first of these; undefined where that is the first of all.
 */
export function isIntact(entries: readonly AuditEntry[], previous: AuditEntry | undefined): boolean {
  return entries.every((entry, index) => {
    const before = entries[index - 1] ?? previous
    return (
      entry.hash === hashOf(entry) &&
      entry.previous_hash === (before?.hash ?? null) &&
      entry.seq === (before?.seq ?? 0) + 1
    )
  })
}

/** SHA-256, lower-case hex, over the canonical JSON of the entry without its hash (F11). */
export function hashOf({ hash: _, ...entry }: Omit<AuditEntry, 'hash'> & { hash?: string }): string {
  return hexDigest(canonicalJson(entry))
}
