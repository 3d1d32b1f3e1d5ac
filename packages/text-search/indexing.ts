import { nextAttemptAt } from '#jobs/back-off.ts'
import type { Clock } from '#kernel/clock.ts'
import type { LogOf } from '#kernel/log.ts'
import { recordBatches } from './batches.ts'
import { indexWriter, Unusable } from './index-writer.ts'
import { largeLogLine } from './log-lines.ts'
import { erasedSince, garbageOf, newRebuild, sumOf } from './manifest.ts'
import { garbageAt, isPurgeLate, merging, purgeAt } from './merging.ts'
import {
  type FoundRecord,
  type NamedSegment,
  type SearchedRecords,
  type SearchIndexStore,
  type SearchManifest,
  type SearchMark,
  type SegmentFiles,
  type SegmentWriter,
  searchedLists,
  type WaitingRecord,
} from './ports.ts'
import type { IndexWake } from './wake-schema.ts'

/** The maximum number of records in a batch. */
const recordsAtOnce = 200

/** A run begins no more work after this time: other firms are waiting in the queue. */
const runMilliseconds = 60_000

/** With more deletions than this, the manifest would become too large for one item of the table. */
const maxDeleted = 5_000

/** With more segments than this, a merge comes before new records, because a reader opens all segments. */
const maxUnmerged = 16

/** If another worker is writing the index, a segment that may be damaged is checked after this time. */
const secondsUntilNextCheck = 60

/** The number of latest marks in a batch: so a new text is found soon even if thousands wait. */
const latestAtOnce = 50

/** A record is retried this many times, for about a day. */
const maxAttempts = 30

/** Readers have a disk of 4 GB, and keep 3 GB. Operators need time before an index does not fit. */
const largeBytes = 2.5 * 1024 ** 3

type Deps<Segment> = {
  store: SearchIndexStore
  records: SearchedRecords
  files: SegmentFiles
  engine: SegmentWriter<Segment>
  /** Requests another run, optionally after some seconds. */
  wake: (wake: IndexWake, options?: { delaySeconds?: number }) => Promise<void>
  /** The folder for segments that are being made. */
  folder: string
  clock: Clock
  log: LogOf<'warn'>
}

/**
 * Updates the index of a firm with its changed records (T4, T5). It makes a segment of the marked records, stores it,
 * and adds it to the manifest if nobody else has changed the manifest. Then it removes the marks. If it is killed, a
 * batch is published as a whole or not at all. Records that are still marked are indexed again with a greater sequence,
 * so that they count once.
 */
export function indexing<Segment>(deps: Deps<Segment>) {
  const { store, records, engine, wake, clock, log } = deps
  const writer = indexWriter(deps)
  const { later, publish, currentManifest, storeSegment, withSegment } = writer
  const { mergeIfMany, purge, removeGarbage } = merging({ ...deps, writer })

  /** Removes deleted texts from the files, including files of an index that is being rebuilt. */
  const purgeAll = (manifest: SearchManifest, signal: AbortSignal): Promise<void> =>
    purge(manifest, (manifest.rebuild?.deleted.length ?? 0) > 0 ? 'rebuild' : 'current', signal)

  /** Makes and stores a segment of these records. @returns also the problems of records that must be retried */
  const storeBatch = async (manifest: SearchManifest, found: FoundRecord[], signal: AbortSignal) => {
    const sequence = manifest.sequence + 1
    const { workspace_id } = manifest
    const batch = recordBatches({ records, engine, log }, workspace_id, found, sequence)
    const stored = await storeSegment(manifest, signal, (path) => batch.build(path))
    return { ...stored, sequence, problems: batch.problems }
  }

  const takeMarks = async (manifest: SearchManifest, marks: SearchMark[], signal: AbortSignal) => {
    const { workspace_id } = manifest
    const ids = [...new Set(marks.map(({ id }) => id))]
    const found = await records.find(workspace_id, ids)
    const existing = new Set(found.map(({ id }) => id))
    const batch =
      found.length === 0
        ? { noted: manifest, segment: undefined, sequence: manifest.sequence + 1, problems: new Map() }
        : await storeBatch(manifest, found, signal)
    const { noted, segment, sequence, problems } = batch
    const erased = new Set(marks.filter(({ erase }) => erase).map(({ id }) => id))
    const isIndexed = noted.segments.length > 0 || noted.rebuild !== undefined
    // No merge finds the older form of a record in a full segment.
    const hasFull = [noted.segments, noted.rebuild?.segments ?? []].some(
      (segments) => engine.mergeable(segments).length < segments.length,
    )
    const changed = new Set(marks.filter(({ term }) => hasFull && term === 'changed').map(({ id }) => id))
    const isReplaced = (id: string) => erased.has(id) || changed.has(id)
    const gone = (isIndexed ? ids : []).flatMap((id): [string, number][] =>
      existing.has(id) ? (isReplaced(id) ? [[id, sequence - 1]] : []) : [[id, sequence]],
    )
    const segments = segment === undefined ? [] : [segment]
    const rebuild = noted.rebuild && {
      ...noted.rebuild,
      segments: [...noted.rebuild.segments, ...segments],
      deleted: merged(noted.rebuild.deleted, gone),
    }
    const isErasure = isIndexed && erased.size > 0
    // Segments still contain the older form of a changed record.
    const isSuperseded = isIndexed && marks.some(({ term }) => term === 'changed')
    const since = gone.length > 0 || isSuperseded ? (noted.deleted_since ?? later(0)) : noted.deleted_since
    await publish(noted, {
      sequence,
      segments: [...noted.segments, ...segments],
      deleted: merged(noted.deleted, gone),
      deleted_since: isErasure ? erasedSince : since,
      // Older files, which readers could still use, may contain erased texts.
      garbage:
        erased.size > 0 ? noted.garbage.map(({ name }) => ({ name, since: erasedSince })) : noted.garbage,
      rebuild,
      writing: undefined,
      indexed_at: later(0),
    })
    await finishMarks(workspace_id, marks, problems)
  }

  /** Notes the records that must be retried, then removes the marks. */
  const finishMarks = async (
    workspaceId: string,
    marks: SearchMark[],
    problems: ReadonlyMap<string, string>,
  ): Promise<void> => {
    const attempts = new Map(marks.map((mark) => [mark.id, mark.attempts]))
    const waiting: WaitingRecord[] = []
    for (const [id, reason] of problems) {
      const tried = (attempts.get(id) ?? 0) + 1
      if (tried < maxAttempts)
        waiting.push({ id, reason, attempts: tried, at: nextAttemptAt(clock.now(), tried).toISOString() })
    }
    // Records that waited and could be read this time no longer wait.
    const taken = new Set(marks.map(({ id }) => id))
    const earlier = await store.marks(workspaceId, 'waiting', recordsAtOnce)
    await store.postpone(workspaceId, waiting)
    const over = earlier.filter(({ id }) => taken.has(id))
    const kept = new Set(waiting.map(({ at, id }) => `${at} ${id}`))
    const places = new Map([...marks, ...over].map((mark) => [`${mark.term} ${mark.place}`, mark]))
    await store.forget(
      workspaceId,
      [...places.values()].filter(({ place }) => !kept.has(place)),
    )
  }

  /** Indexes the next records of a rebuild. */
  const continueRebuild = async (manifest: SearchManifest, signal: AbortSignal): Promise<void> => {
    const { workspace_id, rebuild } = manifest
    if (rebuild === undefined) return
    const list = searchedLists[rebuild.list]
    if (list === undefined) {
      const kept = new Set(rebuild.segments.map(({ name }) => name))
      const old = manifest.segments.filter(({ name }) => !kept.has(name))
      await publish(manifest, {
        sequence: manifest.sequence + 1,
        segments: rebuild.segments,
        deleted: rebuild.deleted,
        deleted_since: manifest.deleted_since ?? (rebuild.deleted.length > 0 ? later(0) : undefined),
        purged: manifest.sequence,
        garbage: [...manifest.garbage, ...garbageOf(manifest, old, later(0))],
        rebuild: undefined,
        damage: undefined,
      })
      return
    }
    const ids = await store.idsAfter(workspace_id, list, rebuild.after, recordsAtOnce)
    const last = ids.at(-1)
    if (last === undefined) {
      const { after: _, ...rest } = rebuild
      await publish(manifest, { rebuild: { ...rest, list: rebuild.list + 1 } })
      return
    }
    const found = await records.find(workspace_id, ids)
    if (found.length === 0) {
      await publish(manifest, { rebuild: { ...rebuild, after: last } })
      return
    }
    const { noted, segment, sequence, problems } = await storeBatch(manifest, found, signal)
    // These records have no mark: once the rebuild has passed them, nothing else says that they must be retried.
    if (problems.size > 0) await finishMarks(workspace_id, [], problems)
    await publish(noted, {
      sequence,
      rebuild: { ...rebuild, after: last, segments: [...rebuild.segments, segment] },
      writing: undefined,
    })
  }

  /** Notes when work is due without a new mark. */
  const noteDue = async (manifest: SearchManifest): Promise<void> => {
    const [waiting] = await store.marks(manifest.workspace_id, 'waiting', 1)
    const due_at = [waiting?.at, garbageAt(manifest), purgeAt(manifest)]
      .filter((at) => at !== undefined)
      .toSorted()[0]
    if (due_at !== manifest.due_at) await publish(manifest, { due_at })
  }

  const noteSize = ({ workspace_id, segments }: SearchManifest): void => {
    const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0)
    if (bytes > largeBytes) log.warn(largeLogLine, { workspace_id, bytes })
  }

  const isOfAnotherFormat = ({ format }: NamedSegment): boolean => format !== engine.format

  /**
   * Removes segments that cannot be used from the manifest, all of another format at once, and begins to rebuild the
   * index. A running rebuild continues unless one of its segments is lost.
   */
  const beginRebuild = async (workspaceId: string, name: string, reason: string): Promise<void> => {
    const manifest = await currentManifest(workspaceId)
    const { rebuild, damage } = manifest
    const isLost = (segment: NamedSegment) => segment.name === name || isOfAnotherFormat(segment)
    const lost = manifest.segments.filter(isLost)
    const isRebuildLost = rebuild?.segments.some(isLost) ?? false
    if (lost.length === 0 && !isRebuildLost) return
    log.warn('a segment of a search index cannot be used', { workspace_id: workspaceId, name, reason })
    const segments = manifest.segments.filter((segment) => !isLost(segment))
    const left = new Set(segments.map((segment) => segment.name))
    const unused = [...lost, ...(isRebuildLost ? (rebuild?.segments ?? []) : [])].filter(
      (segment) => !left.has(segment.name),
    )
    const unusedByName = new Map(unused.map((segment) => [segment.name, segment]))
    await publish(manifest, {
      segments,
      rebuild: rebuild === undefined || isRebuildLost ? newRebuild : rebuild,
      ...(lost.length > 0 && {
        damage: {
          reason,
          records: lost.reduce((sum, { records }) => sum + records, damage?.records ?? 0),
          accesses: lost.reduce(
            (sum, { accesses }) => sumOf(sum, accesses),
            damage === undefined ? {} : damage.accesses,
          ),
        },
      }),
      garbage: [...manifest.garbage, ...garbageOf(manifest, [...unusedByName.values()], later(0))],
    })
  }

  /** Does the next piece of work. @returns false if nothing is left */
  const work = async (workspaceId: string, signal: AbortSignal): Promise<boolean> => {
    const manifest = await currentManifest(workspaceId)
    const old = [...manifest.segments, ...(manifest.rebuild?.segments ?? [])].find(isOfAnotherFormat)
    if (old !== undefined) return beginRebuild(workspaceId, old.name, 'other_version').then(() => true)
    const now = later(0)
    const isDue = (at: string | undefined) => at !== undefined && at <= now
    if (manifest.deleted.length > maxDeleted) return purge(manifest, 'current', signal).then(() => true)
    if ((manifest.rebuild?.deleted.length ?? 0) > maxDeleted)
      return purge(manifest, 'rebuild', signal).then(() => true)
    if (manifest.segments.length > maxUnmerged && (await mergeIfMany(manifest, signal))) return true
    if (isDue(garbageAt(manifest))) return removeGarbage(manifest).then(() => true)
    const marks = await marksOf(store, workspaceId, now)
    // More erasures may be waiting: one purge handles all of them.
    const isPurgeFirst = isPurgeLate(manifest, now) && !marks.some(({ erase }) => erase)
    if (isPurgeFirst) await purgeAll(manifest, signal)
    else if (marks.length > 0) await takeMarks(manifest, marks, signal)
    else if (await mergeIfMany(manifest, signal)) return true
    else if (manifest.rebuild !== undefined) await continueRebuild(manifest, signal)
    else if (isDue(purgeAt(manifest))) await purgeAll(manifest, signal)
    else {
      noteSize(manifest)
      await noteDue(manifest)
      return false
    }
    return true
  }

  /** Checks a segment that a reader could not use. */
  const check = async (workspaceId: string, name: string): Promise<void> => {
    const segment = (await currentManifest(workspaceId)).segments.find((one) => one.name === name)
    if (segment === undefined) return
    await withSegment(workspaceId, segment, () => {})
  }

  /** Works until nothing is left or the time limit is reached. @returns whether something may be left */
  const workOn = async (workspaceId: string, signal: AbortSignal, until: number): Promise<boolean> => {
    for (;;) {
      signal.throwIfAborted()
      if (performance.now() > until) return true
      try {
        if (!(await work(workspaceId, signal))) return false
      } catch (error) {
        if (!(error instanceof Unusable)) throw error
        await beginRebuild(workspaceId, error.segment.name, error.problem)
      }
    }
  }

  return {
    /**
     * Works on the index of a firm. If another worker is already working on it, that worker continues until nothing is
     * marked.
     *
     * @throws if trying again makes sense
     */
    async run({ workspace_id, damaged }: IndexWake, signal: AbortSignal): Promise<void> {
      const until = performance.now() + runMilliseconds
      for (;;) {
        const lease = await store.lease(workspace_id)
        if (lease === undefined) {
          // The other worker does not know about the damaged segment.
          if (damaged !== undefined)
            await wake({ workspace_id, damaged }, { delaySeconds: secondsUntilNextCheck })
          return
        }
        try {
          if (damaged !== undefined)
            await check(workspace_id, damaged).catch((error: unknown) => {
              if (!(error instanceof Unusable)) throw error
              return beginRebuild(workspace_id, damaged, error.problem)
            })
          if (await workOn(workspace_id, signal, until)) {
            await wake({ workspace_id })
            return
          }
        } finally {
          await lease.release()
        }
        // A worker that a late mark woke may have found the lease taken.
        const missed = await marksOf(store, workspace_id, later(0))
        if (missed.length === 0) return
      }
    },
  }
}

/**
 * The next marks: changes first, because until then readers must read those records themselves; then the latest new
 * records.
 */
async function marksOf(
  store: Pick<SearchIndexStore, 'marks' | 'latestMarks'>,
  workspaceId: string,
  now: string,
): Promise<SearchMark[]> {
  const [changed, added, waiting] = await Promise.all([
    store.marks(workspaceId, 'changed', recordsAtOnce),
    store.marks(workspaceId, 'new', recordsAtOnce),
    store.marks(workspaceId, 'waiting', recordsAtOnce, now),
  ])
  const latest = added.length < recordsAtOnce ? [] : await store.latestMarks(workspaceId, 'new', latestAtOnce)
  const all = [...changed, ...latest, ...added, ...waiting]
  return [...new Map(all.map((mark) => [`${mark.term} ${mark.place}`, mark])).values()].slice(
    0,
    recordsAtOnce,
  )
}

function merged(
  before: SearchManifest['deleted'],
  more: SearchManifest['deleted'],
): SearchManifest['deleted'] {
  return more.length === 0 ? before : [...new Map([...before, ...more])]
}
