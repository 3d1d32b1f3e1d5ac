import { canonicalJson } from './canonical-json.ts'
import { hexDigest } from './hex-digest.ts'

/** One link of a hash chain: the history of a deadline, the audit trail of an envelope (F11). */
export type ChainEntry = { seq: number; hash: string; previous_hash: string | null }

/** SHA-256, lower-case hex, over the canonical JSON of the entry without its hash (F11). */
export function hashOf<Entry extends ChainEntry>({
  hash: _,
  ...entry
}: Omit<Entry, 'hash'> & { hash?: string }): string {
  return hexDigest(canonicalJson(entry))
}

/**
 * Whether the hash chain holds: each entry has the hash of its content, names the hash of the entry before it, and has
 * the next number. `previous` is the entry before the first of these; undefined if that is the first of all.
 */
export function isIntact<Entry extends ChainEntry>(
  entries: readonly Entry[],
  previous: Entry | undefined,
): boolean {
  return entries.every((entry, index) => {
    const before = entries[index - 1] ?? previous
    return (
      entry.hash === hashOf<Entry>(entry) &&
      entry.previous_hash === (before?.hash ?? null) &&
      entry.seq === (before?.seq ?? 0) + 1
    )
  })
}
