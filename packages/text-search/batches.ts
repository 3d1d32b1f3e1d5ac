import { rm } from 'node:fs/promises'
import type { LogOf } from '#kernel/log.ts'
import type {
  FoundRecord,
  IndexedRecord,
  RecordProblem,
  SearchedRecords,
  SegmentFacts,
  SegmentWriter,
} from './ports.ts'

/** Characters of texts in memory at the same time; a single text may be longer. */
const charactersAtOnce = 4_000_000
const readAtOnce = 8

/**
 * The records of a segment. Their texts are read a few at a time, while the segment is written. If a record cannot be
 * read or indexed, it is indexed only by its titles or left out, so that it does not block the others. If no record can
 * be read, the records are not the cause, and the batch fails.
 */
export function recordBatches(
  deps: {
    records: SearchedRecords
    engine: Pick<SegmentWriter<never>, 'build'>
    log: LogOf<'warn'>
  },
  workspaceId: string,
  found: readonly FoundRecord[],
  sequence: number,
) {
  const { records, engine, log } = deps
  const problems = new Map<string, RecordProblem>()
  /** Ids of records that are indexed without their texts, and of records that are left out. */
  const unfit = new Set<string>()
  const leftOut = new Set<string>()

  const entry = async (record: FoundRecord): Promise<IndexedRecord> => {
    const { id } = record
    if (unfit.has(id)) return indexed(record, sequence, [])
    const { pages, problem } = await record.read()
    if (problem === undefined) problems.delete(id)
    else problems.set(id, problem)
    return indexed(record, sequence, pages)
  }

  async function* entries(some: readonly FoundRecord[]): AsyncGenerator<IndexedRecord> {
    for (const group of groupsOf(some, (record) => record)) yield* await Promise.all(group.map(entry))
  }

  const findUnfit = async (path: string): Promise<void> => {
    const isTaken = async (record: FoundRecord): Promise<boolean> => {
      try {
        await engine.build(entries([record]), path)
        return true
      } catch (error) {
        log.warn('a record cannot be indexed', { id: record.id, error: String(error) })
        return false
      } finally {
        await rm(path, { force: true })
      }
    }
    for (const record of found) {
      if (await isTaken(record)) continue
      unfit.add(record.id)
      problems.set(record.id, 'not_indexable')
      if (!(await isTaken(record))) leftOut.add(record.id)
    }
    if (unfit.size === 0)
      throw new Error('The segment cannot be made, although each record alone can be indexed.')
  }

  return {
    /** Why some records are not indexed, or only in part. */
    problems: problems as ReadonlyMap<string, RecordProblem>,

    /** Writes the segment at a path. It also records in each document whether its text can be found, and why not. */
    build: async (path: string): Promise<SegmentFacts> => {
      const write = () => engine.build(entries(found.filter(({ id }) => !leftOut.has(id))), path)
      const facts = await write().catch(async (error: unknown) => {
        log.warn('a segment could not be made', { workspace_id: workspaceId, error: String(error) })
        await findUnfit(path)
        // The bucket or the disk is the cause: nothing in the index is replaced.
        if (found.length > 1 && unfit.size === found.length) throw error
        return write()
      })
      for (const record of found) {
        const problem = problems.get(record.id)
        const shown = problem === 'text_missing' || problem === 'not_indexable' ? problem : null
        if (shown !== record.notedProblem) await records.note(workspaceId, record.id, shown)
        if (problem === 'pages_missing') await records.readAgain(workspaceId, record.id)
      }
      return facts
    },
  }
}

/** A record in the form that the engine indexes. */
export function indexed(
  { id, kind, access, case_id, date, titles }: FoundRecord,
  sequence: number,
  pages: string[],
): IndexedRecord {
  return { id, sequence, kind, access, case_id, date, titles, pages }
}

/** Groups in order, so that the texts of one group may be read at the same time. */
export function* groupsOf<One>(
  all: readonly One[],
  recordOf: (one: One) => Pick<FoundRecord, 'characters'>,
): Generator<One[]> {
  let group: One[] = []
  let read = 0
  for (const one of all) {
    const { characters } = recordOf(one)
    if (group.length > 0 && (group.length === readAtOnce || read + characters > charactersAtOnce)) {
      yield group
      group = []
      read = 0
    }
    group.push(one)
    read += characters
  }
  if (group.length > 0) yield group
}
