import type { Rebuild, SearchManifest } from './ports.ts'

/** An index without records. */
export function emptyManifest(workspace_id: string): SearchManifest {
  return { workspace_id, sequence: 0, segments: [], deleted: [], garbage: [], version: 0 }
}

/** A rebuild that has not begun. */
export const newRebuild: Rebuild = { list: 0, segments: [], deleted: [] }

/**
 * Segments as garbage. Readers may use them until they are removed: after a quarter of an hour, or at once if a text
 * was erased.
 */
export function garbageOf(
  { deleted_since }: Pick<SearchManifest, 'deleted_since'>,
  segments: readonly { name: string }[],
  now: string,
): SearchManifest['garbage'] {
  return segments.map(({ name }) => ({ name, since: deleted_since === erasedSince ? erasedSince : now }))
}

type Counts = Record<string, number> | undefined

/** Adds counts of records by `access`; undefined if one is unknown. */
export function sumOf(one: Counts, other: Counts): Counts {
  if (one === undefined || other === undefined) return undefined
  const sum = { ...one }
  for (const [access, count] of Object.entries(other)) sum[access] = (sum[access] ?? 0) + count
  return sum
}

/** This time marks an erasure: erased texts must leave the files at once. */
export const erasedSince = new Date(0).toISOString()

/**
 * Whether the index can still be read in its state after a batch: its segments have files without erased texts, and the
 * manifest still names their deleted records.
 */
export function isReadable(
  { purged = -1, ...manifest }: Pick<SearchManifest, 'segments' | 'garbage' | 'purged'>,
  wanted: { sequence: number; segments: readonly { name: string }[] },
): boolean {
  if (wanted.sequence <= purged) return false
  const there = new Set(readableNames(manifest))
  return wanted.segments.every(({ name }) => there.has(name))
}

/** The names of the segments whose files readers may use. They have no erased texts. */
export function readableNames({ segments, garbage }: Pick<SearchManifest, 'segments' | 'garbage'>): string[] {
  const left = garbage.filter(({ since }) => since !== erasedSince)
  return [...segments, ...left].map(({ name }) => name)
}
