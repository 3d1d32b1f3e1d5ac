import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { searchEngine } from '#search/engine.ts'
import type { Matched, Query, Segment } from '#search/types.ts'
import { indexing } from '#text-search/indexing.ts'
import type {
  FoundRecord,
  SearchEngine,
  SearchedRecords,
  SearchIndexStore,
  SearchManifest,
  SearchMark,
  SegmentFiles,
  SegmentWriter,
} from '#text-search/ports.ts'

/** The engine as the service uses it. */
export const engine: SegmentWriter<Segment> & SearchEngine<Segment, Query, Matched> = searchEngine

/** The kind and the readers of a record, by its id. */
function readersOf(id: string): Pick<FoundRecord, 'kind' | 'access'> {
  if (id.startsWith('doc_')) return { kind: 'document', access: 'documents' }
  if (id.startsWith('corr_')) return { kind: 'mail', access: 'mail' }
  return { kind: 'bea', access: id.split('_')[2] ?? '' }
}

/** The process dies: nothing that it would have done after this is done. */
export class Killed extends Error {}

export const workspaceId = 'ws_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e00'

/**
 * The index of one firm with its marks, texts and files in memory and on the disk of the test. The calls
 * that change something are counted, so that the process can die after any of them.
 */
export function memorySearchIndex(table?: Pick<SearchIndexStore, 'manifest' | 'replace' | 'idsAfter'>) {
  const folder = mkdtempSync(join(tmpdir(), 'aktenlage-index-'))
  const bucket = join(folder, 'bucket')
  mkdirSync(bucket)
  const texts = new Map<string, string>()
  const objects = new Set<string>()
  /** Records that cannot be read, and days that are none. */
  const unreadable = new Set<string>()
  const days = new Map<string, string>()
  /** Records whose texts are gone, and titles that are not the id. */
  const missing = new Set<string>()
  /** Records that few may read until the outcome of a send is known. */
  const undecided = new Set<string>()
  const titles = new Map<string, string>()
  const warnings: { message: string; [field: string]: unknown }[] = []
  /** The largest manifests that were written. */
  const most = { segments: 0, deleted: 0 }
  let marks: SearchMark[] = []
  let manifest: SearchManifest | undefined
  let time = Date.parse('2026-11-27T08:00:00.000Z')
  let calls = 0
  let fatal: number | undefined
  let isHeld = false
  const woken: object[] = []

  const step = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    calls += 1
    const isFatal = fatal === calls
    const result = await work()
    if (isFatal) throw new Killed()
    return result
  }

  const store: SearchIndexStore = {
    marks: async (_, term, limit, before) =>
      marks
        .filter((mark) => mark.term === term && (before === undefined || mark.place < before))
        .toSorted((one, other) => (one.place < other.place ? -1 : 1))
        .slice(0, limit),
    latestMarks: async (_, term, limit) =>
      marks
        .filter((mark) => mark.term === term)
        .toSorted((one, other) => (one.place > other.place ? -1 : 1))
        .slice(0, limit),
    forget: (_, done) =>
      step(() => {
        const names = new Set(done.map(({ term, place }) => `${term} ${place}`))
        marks = marks.filter(({ term, place }) => !names.has(`${term} ${place}`))
      }),
    postpone: (_, waiting) =>
      step(() => {
        for (const { id, at, attempts, reason } of waiting)
          marks.push({
            term: 'waiting',
            place: `${at} ${id}`,
            id,
            at,
            erase: false,
            upgrade: false,
            attempts,
            reason,
          })
      }),
    manifest: async () => (table === undefined ? structuredClone(manifest) : table.manifest(workspaceId)),
    replace: (before, after) =>
      step(async () => {
        if (table !== undefined) {
          const isReplaced = await table.replace(before, after)
          manifest = await table.manifest(workspaceId)
          return isReplaced
        }
        if (manifest?.version !== before?.version) return false
        manifest = structuredClone({ ...after, version: (before?.version ?? 0) + 1 })
        most.segments = Math.max(most.segments, after.segments.length)
        most.deleted = Math.max(most.deleted, after.deleted.length, after.rebuild?.deleted.length ?? 0)
        return true
      }),
    unread: async () => ({ count: 0, oldest: undefined }),
    idsAfter: async (_, list, after = '', limit) =>
      table !== undefined
        ? table.idsAfter(workspaceId, list, after === '' ? undefined : after, limit)
        : list === 'documents'
          ? [...texts.keys()]
              .toSorted()
              .filter((id) => id > after)
              .slice(0, limit)
          : [],
    settle: async () => {},
    lease: async () => {
      if (isHeld) return undefined
      isHeld = true
      return {
        release: async () => {
          isHeld = false
        },
      }
    },
  }

  const records: SearchedRecords = {
    find: async (_, ids) =>
      ids.flatMap((id): FoundRecord[] => {
        const text = texts.get(id)
        if (text === undefined) return []
        return [
          {
            id,
            ...readersOf(id),
            ...(undecided.has(id) && { access: 'confidential' }),
            case_id: null,
            date: days.get(id) ?? '2026-11-27',
            title: id,
            titles: [titles.get(id) ?? id],
            isPaged: false,
            notedProblem: null,
            characters: text.length,
            read: async () => {
              if (unreadable.has(id)) throw new Error('The text is broken.')
              if (missing.has(id)) return { pages: [], isPaged: false, problem: 'text_missing' }
              if (undecided.has(id)) return { pages: [text], isPaged: false, problem: 'readers_pending' }
              return { pages: [text], isPaged: false }
            },
          },
        ]
      }),
    note: () => step(() => {}),
    readAgain: () => step(() => {}),
  }

  const files: SegmentFiles = {
    put: (_, name, path) =>
      step(() => {
        cpSync(path, join(bucket, name))
        objects.add(name)
      }),
    fetch: async (_, name, path) => {
      if (!existsSync(join(bucket, name))) return false
      cpSync(join(bucket, name), path)
      return true
    },
    remove: (_, names) =>
      step(() => {
        for (const name of names) {
          rmSync(join(bucket, name), { force: true })
          objects.delete(name)
        }
      }),
  }

  const clock = { now: () => new Date(time) }
  const worker = indexing<Segment>({
    store,
    records,
    files,
    engine,
    wake: async (wake, options = {}) => void woken.push({ ...wake, ...options }),
    folder,
    clock,
    log: { warn: (message, fields) => void warnings.push({ message, ...fields }) },
  })

  let numbers = 0
  const mark = (term: 'changed' | 'new', id: string, erase = false): void => {
    numbers += 1
    const at = clock.now().toISOString()
    marks.push({
      term,
      place: `${String(numbers).padStart(6, '0')} ${id}`,
      id,
      at,
      erase,
      upgrade: false,
      attempts: 0,
    })
  }

  return {
    store,
    records,
    files,
    clock,
    folder,
    bucket,
    objects,
    woken,
    unreadable,
    missing,
    undecided,
    titles,
    days,
    warnings,
    most,
    mark,
    marks: () => marks,
    manifest: () => manifest,
    calls: () => calls,

    /** Changes the text of a record, or removes it, and marks it as its transaction does. */
    write: (id: string, text: string | undefined, erase = false): void => {
      const term = texts.has(id) ? 'changed' : 'new'
      if (text === undefined) texts.delete(id)
      else texts.set(id, text)
      mark(term, id, erase)
    },

    /** Moves the clock. */
    wait: (milliseconds: number): void => {
      time += milliseconds
    },

    /** Another worker has the lease, or has it no more. */
    hold: (isTaken: boolean): void => {
      isHeld = isTaken
    },

    run: (damaged?: string) =>
      worker.run({ workspace_id: workspaceId, damaged }, new AbortController().signal),

    /**
     * Runs until the process dies after the nth call, if it gets so far. To die before a call is to die after the one
     * before it: between them nothing is changed. @returns whether it died
     */
    runUntil: async (at: number, damaged?: string): Promise<boolean> => {
      fatal = calls + at
      try {
        await worker.run({ workspace_id: workspaceId, damaged }, new AbortController().signal)
        return false
      } catch (error) {
        if (!(error instanceof Killed)) throw error
        return true
      } finally {
        fatal = undefined
        // Its lease lapses.
        isHeld = false
      }
    },

    /** The ids that the published index finds, as often as it finds them. */
    find: async (q: string): Promise<string[]> => {
      if (manifest === undefined) return []
      const open = await Promise.all(
        manifest.segments.map(({ name, ...facts }) => engine.open(join(bucket, name), facts)),
      )
      const filter = { mayRead: () => true }
      const options = { filter, deleted: new Map(manifest.deleted), offset: 0, limit: 10_000 }
      const { hits } = engine.search(open, engine.parse(q), options)
      for (const segment of open) segment.close()
      return hits.map(({ id }) => id).toSorted()
    },

    begin: (change: Partial<SearchManifest>): void => {
      if (manifest !== undefined) manifest = { ...manifest, ...change, version: manifest.version + 1 }
    },

    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
