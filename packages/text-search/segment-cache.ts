import { mkdtempSync, rmSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { uuidv7 } from '#kernel/id.ts'
import type { NamedSegment, SegmentCache, SegmentFiles, SegmentWriter } from './ports.ts'
import { problemOf } from './problem.ts'

/** A segment that is open, or being opened. `uses`: the searches that use it now. */
type Kept<Segment> = { segment: Promise<Segment>; path: string; bytes: number; uses: number }

/**
 * Segments on the local disk of a reader. A segment never changes, so a local copy is always valid. If the segments of
 * all firms exceed `maxBytes`, the least recently used ones are removed.
 */
export function segmentCache<Segment>(deps: {
  files: Pick<SegmentFiles, 'fetch'>
  engine: Pick<SegmentWriter<Segment>, 'build' | 'open' | 'close'>
  maxBytes: number
  /** Each is an open file, and a Lambda may have 1,024. */
  maxOpen?: number
  parent: string
}): SegmentCache<Segment> {
  const { files, engine, maxBytes, maxOpen = 100, parent } = deps
  let own: string | undefined
  /** The folder of this process. It is removed when the process exits. */
  const folder = (): string => {
    if (own !== undefined) return own
    const made = mkdtempSync(join(parent, 'search-'))
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
    own = made
    return made
  }
  /** By firm and name, in the order of their last use. */
  const kept = new Map<string, Kept<Segment>>()

  const load = async (workspaceId: string, { name, ...facts }: NamedSegment, path: string) => {
    const part = `${path}.part`
    try {
      if (!(await files.fetch(workspaceId, name, part))) throw new Missing()
      await rename(part, path)
      return await engine.open(path, facts)
    } catch (error) {
      await Promise.all([part, path].map((one) => rm(one, { force: true })))
      throw error
    }
  }

  const keyOf = (workspaceId: string, name: string) => `${workspaceId}/${name}`

  /**
   * Closes segments that no search uses: those for which `isUnneeded` is true, and the least recently used until there is
   * room.
   */
  const evict = async (
    isUnneeded: (key: string) => boolean,
    { bytes: more, count }: { bytes: number; count: number },
  ): Promise<void> => {
    let bytes = more
    for (const one of kept.values()) bytes += one.bytes
    const closed: Kept<Segment>[] = []
    for (const [key, one] of kept) {
      const isFull = bytes > maxBytes || kept.size + count > maxOpen
      if (one.uses > 0 || !(isFull || isUnneeded(key))) continue
      kept.delete(key)
      bytes -= one.bytes
      closed.push(one)
    }
    for (const { segment, path } of closed) {
      await segment.then(engine.close, () => {})
      await rm(path, { force: true })
    }
  }

  /** Reserves the segments for a search. Missing ones are loaded once there is room for them. */
  const use = (
    workspaceId: string,
    wanted: readonly NamedSegment[],
    named: ReadonlySet<string>,
  ): Kept<Segment>[] => {
    const absent: NamedSegment[] = []
    for (const segment of wanted) {
      const key = keyOf(workspaceId, segment.name)
      const present = kept.get(key)
      if (present === undefined) {
        absent.push(segment)
        continue
      }
      present.uses += 1
      kept.delete(key)
      kept.set(key, present)
    }
    const isUnneeded = (key: string): boolean => {
      const [firm, name = ''] = key.split('/')
      return firm === workspaceId && !named.has(name)
    }
    const bytes = absent.reduce((sum, one) => sum + one.bytes, 0)
    const room = evict(isUnneeded, { bytes, count: absent.length }).catch(() => {})
    for (const segment of absent) {
      const key = keyOf(workspaceId, segment.name)
      const path = join(folder(), `${segment.name}-${uuidv7()}`)
      const loading = room.then(() => load(workspaceId, segment, path))
      const one: Kept<Segment> = { segment: loading, path, bytes: segment.bytes, uses: 1 }
      kept.set(key, one)
      // The waiting search gets the failure; the next search loads the segment again.
      loading.catch(() => {
        if (kept.get(key) === one) kept.delete(key)
      })
    }
    return wanted.flatMap(({ name }) => kept.get(keyOf(workspaceId, name)) ?? [])
  }

  return {
    open: async (workspaceId, wanted, named) => {
      const used = use(workspaceId, wanted, new Set(named))
      const release = () => {
        for (const one of used) one.uses -= 1
        // A file that cannot be removed now is removed when the process exits.
        void evict(() => false, { bytes: 0, count: 0 }).catch(() => {})
      }
      const opened = await Promise.allSettled(used.map((one) => one.segment))
      const failed = opened.flatMap((one, at) =>
        one.status === 'rejected' ? [{ name: wanted[at]?.name ?? '', error: one.reason }] : [],
      )
      const fault = failed.find(({ error }) => problemOf(error) === undefined)
      if (fault !== undefined) {
        release()
        throw fault.error
      }
      return {
        segments: opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
        unusable: failed.map(({ name, error }) => ({ name, problem: problemOf(error) ?? '' })),
        release,
      }
    },

    make: async (records) => {
      const path = join(folder(), `made-${uuidv7()}`)
      const made = engine.build(records, path).then((facts) => engine.open(path, facts))
      const segment = await made.catch(async (error: unknown) => {
        await rm(path, { force: true })
        throw error
      })
      return {
        segment,
        release: async () => {
          engine.close(segment)
          await rm(path, { force: true })
        },
      }
    },
  }
}

class Missing extends Error {
  readonly problem = 'missing'
}
