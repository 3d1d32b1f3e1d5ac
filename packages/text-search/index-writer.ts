import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#kernel/clock.ts'
import { uuidv7 } from '#kernel/id.ts'
import { emptyManifest, garbageOf } from './manifest.ts'
import type {
  NamedSegment,
  SearchIndexStore,
  SearchManifest,
  SegmentFacts,
  SegmentFiles,
  SegmentWriter,
} from './ports.ts'
import { problemOf } from './problem.ts'

/** If a run has not ended after this time, the sweeper checks the firm. */
const watchMilliseconds = 120_000

/** Another process has written the manifest. The message is delivered again. */
export class Overtaken extends Error {
  constructor() {
    super('Another worker has changed the index.')
  }
}

/** A segment that cannot be used. */
export class Unusable extends Error {
  readonly segment: NamedSegment
  readonly problem: string
  constructor(segment: NamedSegment, problem: string) {
    super(`The segment ${segment.name} is ${problem}.`)
    this.segment = segment
    this.problem = problem
  }
}

export type IndexWriter<Segment> = ReturnType<typeof indexWriter<Segment>>

/** Reads and writes the manifest of a firm and the files that it names. */
export function indexWriter<Segment>(deps: {
  store: Pick<SearchIndexStore, 'manifest' | 'replace'>
  files: SegmentFiles
  engine: Pick<SegmentWriter<Segment>, 'open' | 'close'>
  /** The folder for segments that are being made. */
  folder: string
  clock: Clock
}) {
  const { store, files, engine, clock } = deps

  const later = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds).toISOString()

  /** Writes a manifest in place of the one that was read. @throws Overtaken */
  const publish = async (
    before: SearchManifest,
    changes: Partial<SearchManifest>,
  ): Promise<SearchManifest> => {
    const after = { ...before, ...changes }
    if (!(await store.replace(before.version === 0 ? undefined : before, after))) throw new Overtaken()
    return { ...after, version: before.version + 1 }
  }

  /** The manifest. A segment that a dead worker may have stored is added to the garbage. */
  const currentManifest = async (workspaceId: string): Promise<SearchManifest> => {
    const manifest = (await store.manifest(workspaceId)) ?? emptyManifest(workspaceId)
    if (manifest.writing === undefined) return manifest
    const garbage = [...manifest.garbage, ...garbageOf(manifest, [{ name: manifest.writing }], later(0))]
    return { ...manifest, garbage, writing: undefined }
  }

  /** Does some work in a new folder, which is removed afterwards. */
  const inFolder = async <Result>(work: (folder: string) => Promise<Result>): Promise<Result> => {
    const folder = await mkdtemp(join(deps.folder, 'segment-'))
    try {
      return await work(folder)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** Makes a segment with `make` and stores it. @returns also the manifest, which names the segment in `writing` */
  const storeSegment = async (
    manifest: SearchManifest,
    signal: AbortSignal,
    make: (path: string, folder: string) => Promise<SegmentFacts>,
  ): Promise<{ noted: SearchManifest; segment: NamedSegment }> => {
    const { workspace_id } = manifest
    const name = uuidv7()
    const watch = later(watchMilliseconds)
    const due_at = manifest.due_at !== undefined && manifest.due_at < watch ? manifest.due_at : watch
    const noted = await publish(manifest, { writing: name, due_at })
    return inFolder(async (folder) => {
      const path = join(folder, name)
      const facts = await make(path, folder)
      signal.throwIfAborted()
      await files.put(workspace_id, name, path, signal)
      return { noted, segment: { name, ...facts } }
    })
  }

  /** Copies segments to a folder and opens them. @throws Unusable for the first that cannot be used */
  const opened = async (workspaceId: string, wanted: NamedSegment[], folder: string): Promise<Segment[]> => {
    const open: Segment[] = []
    try {
      for (const segment of wanted) {
        const path = join(folder, segment.name)
        if (!(await files.fetch(workspaceId, segment.name, path))) throw new Unusable(segment, 'missing')
        const { name: _, ...facts } = segment
        open.push(
          await engine.open(path, facts).catch((error: unknown) => {
            const problem = problemOf(error)
            throw problem === undefined ? error : new Unusable(segment, problem)
          }),
        )
      }
      return open
    } catch (error) {
      for (const segment of open) engine.close(segment)
      throw error
    }
  }

  /** Opens a copy of a segment for as long as it is used. @throws Unusable */
  const withSegment = <Result>(
    workspaceId: string,
    wanted: NamedSegment,
    use: (segment: Segment) => Result,
  ): Promise<Result> =>
    inFolder(async (folder) => {
      const [segment] = await opened(workspaceId, [wanted], folder)
      try {
        return use(segment as Segment)
      } finally {
        engine.close(segment as Segment)
      }
    })

  return { later, publish, currentManifest, storeSegment, opened, withSegment }
}
