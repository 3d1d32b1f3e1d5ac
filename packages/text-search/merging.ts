import type { IndexWriter } from './index-writer.ts'
import { erasedSince, garbageOf } from './manifest.ts'
import type { Deleted, NamedSegment, SearchManifest, SegmentFiles, SegmentWriter } from './ports.ts'

/** How long a reader may use a segment that no manifest names any more. */
const garbageMilliseconds = 15 * 60_000

/** After this time, deleted texts are removed from the files (T5: within a day). */
const purgeMilliseconds = 20 * 3_600_000

/** A purge that has been due for this time no longer waits for the marks of new texts. */
const lateMilliseconds = 2 * 3_600_000

/** Merges the segments of a firm, and removes files that nobody needs any more. */
export function merging<Segment>(deps: {
  writer: IndexWriter<Segment>
  files: Pick<SegmentFiles, 'remove'>
  engine: Pick<SegmentWriter<Segment>, 'mergeable' | 'hasDeleted' | 'planMerge' | 'merge' | 'close'>
}) {
  const { writer, files, engine } = deps
  const { later, publish, currentManifest, storeSegment, opened, withSegment } = writer

  /** Replaces some segments by one. */
  const mergeSome = async (
    manifest: SearchManifest,
    { names, keepsTerms }: { names: readonly string[]; keepsTerms: boolean },
    which: 'current' | 'rebuild',
    signal: AbortSignal,
  ): Promise<void> => {
    const { workspace_id, rebuild } = manifest
    const list = which === 'current' ? manifest : rebuild
    if (list === undefined) return
    const isOld = ({ name }: NamedSegment) => names.includes(name)
    const old = list.segments.filter(isOld)
    const deleted: Deleted = new Map(list.deleted)
    const { noted, segment } = await storeSegment(manifest, signal, async (path, folder) => {
      const segments = await opened(workspace_id, old, folder)
      try {
        return await engine.merge(segments, deleted, path, keepsTerms)
      } finally {
        for (const one of segments) engine.close(one)
      }
    })
    const replaced = [...list.segments.filter((one) => !isOld(one)), segment]
    const others = which === 'current' ? (rebuild?.segments ?? []) : manifest.segments
    // Segments with erased texts are removed at once, even during a search. The search then reads the new manifest.
    const unused = old.filter(({ name }) => !others.some((other) => other.name === name))
    const garbage = garbageOf(manifest, unused, later(0))
    await publish(noted, {
      ...(which === 'current' ? { segments: replaced } : {}),
      ...(which === 'rebuild' && rebuild ? { rebuild: { ...rebuild, segments: replaced } } : {}),
      garbage: [...noted.garbage, ...garbage],
      writing: undefined,
    })
  }

  /** Merges segments, if there are many. @returns false if there are few */
  const mergeIfMany = async (manifest: SearchManifest, signal: AbortSignal): Promise<boolean> => {
    for (const which of ['current', 'rebuild'] as const) {
      const segments = (which === 'current' ? manifest : manifest.rebuild)?.segments ?? []
      const plan = engine.planMerge(engine.mergeable(segments))
      if (plan === undefined) continue
      await mergeSome(manifest, plan, which, signal)
      return true
    }
    return false
  }

  /** The first full segment that holds deleted texts. */
  const fullWithDeleted = async (
    workspaceId: string,
    segments: readonly NamedSegment[],
    deleted: Deleted,
  ): Promise<NamedSegment | undefined> => {
    if (deleted.size === 0) return undefined
    const others = new Set(engine.mergeable(segments))
    for (const full of segments.filter((segment) => !others.has(segment)))
      if (await withSegment(workspaceId, full, (open) => engine.hasDeleted(open, deleted))) return full
    return undefined
  }

  /**
   * Removes deleted texts from the files by merging all segments into one. Each full segment is rewritten before that,
   * one at a time; the purge then continues with the next call of `work`.
   */
  const purge = async (
    manifest: SearchManifest,
    which: 'current' | 'rebuild',
    signal: AbortSignal,
  ): Promise<void> => {
    const { workspace_id, sequence } = manifest
    const { segments = [], deleted: gone = [] } = (which === 'current' ? manifest : manifest.rebuild) ?? {}
    const full = await fullWithDeleted(workspace_id, segments, new Map(gone))
    if (full !== undefined) {
      const { name, keepsTerms } = full
      return mergeSome(manifest, { names: [name], keepsTerms }, which, signal)
    }
    const plan = engine.planMerge(engine.mergeable(segments), true)
    if (plan !== undefined) await mergeSome(manifest, plan, which, signal)
    const after = plan === undefined ? manifest : await currentManifest(workspace_id)
    const left = (deleted: SearchManifest['deleted']) => deleted.filter(([, upTo]) => upTo > sequence)
    if (which === 'rebuild') {
      if (after.rebuild === undefined) return
      await publish(after, { rebuild: { ...after.rebuild, deleted: left(after.rebuild.deleted) } })
      return
    }
    const deleted = left(after.deleted)
    // Segments of a rebuild may contain older forms of changed records.
    const since = deleted.length > 0 || after.rebuild !== undefined ? later(0) : undefined
    // They may contain erased texts until they are purged themselves.
    const isErasureLeft = after.deleted_since === erasedSince && (after.rebuild?.deleted.length ?? 0) > 0
    await publish(after, {
      sequence: after.sequence + 1,
      deleted,
      deleted_since: isErasureLeft ? erasedSince : since,
      purged: after.sequence,
    })
  }

  const removeGarbage = async (manifest: SearchManifest): Promise<void> => {
    const until = later(-garbageMilliseconds)
    const over = manifest.garbage.filter(({ since }) => since <= until)
    const names = over.map(({ name }) => name)
    await files.remove(manifest.workspace_id, names)
    await publish(manifest, { garbage: manifest.garbage.filter(({ since }) => since > until) })
  }

  return { mergeIfMany, purge, removeGarbage }
}

/** When deleted texts must be removed from the files; undefined if there are none. */
export function purgeAt({ deleted_since }: SearchManifest): string | undefined {
  return deleted_since && new Date(Date.parse(deleted_since) + purgeMilliseconds).toISOString()
}

/** Whether a purge must come before new texts: after an erasure, or if it has waited too long. */
export function isPurgeLate(manifest: SearchManifest, now: string): boolean {
  const at = purgeAt(manifest)
  return at !== undefined && Date.parse(at) + lateMilliseconds <= Date.parse(now)
}

/** When to remove the first file that no manifest names any more; undefined if there is none. */
export function garbageAt({ garbage }: SearchManifest): string | undefined {
  const oldest = garbage.map(({ since }) => since).toSorted()[0]
  return oldest && new Date(Date.parse(oldest) + garbageMilliseconds).toISOString()
}
