import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, invalidAt } from '#kernel/failure.ts'
import { idPrefixes, idsOf } from '#kernel/id.ts'
import type { LogOf } from '#kernel/log.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Scope } from '#kernel/scope.ts'
import { groupsOf, indexed } from './batches.ts'
import { emptyManifest, isReadable, readableNames } from './manifest.ts'
import type {
  FoundRecord,
  IndexedRecord,
  NamedSegment,
  SearchEngine,
  SearchedRecords,
  SearchFilter,
  SearchIndexStore,
  SearchManifest,
  SearchMark,
  SegmentCache,
  Snippet,
} from './ports.ts'
import {
  maxExactTotal,
  type SearchHit,
  type SearchKind,
  type SearchPage,
  type SearchQuery,
  searchKinds,
} from './schema.ts'
import type { IndexWake } from './wake-schema.ts'

export type SearchService = ReturnType<typeof searchService>

/** The scope that is needed to read records of a kind (T3). */
const scopeOf = { document: 'documents:read', mail: 'inbox:read', bea: 'bea:read' } as const satisfies Record<
  SearchKind,
  Scope
>

const prefixOf = {
  document: idPrefixes.document,
  mail: idPrefixes.correspondence,
  bea: idPrefixes.beaMessage,
} as const satisfies Record<SearchKind, string>

/**
 * A search reads and counts at most this many marks. If this many changes wait, the total is not exact for any caller.
 */
const maxMarks = 1_000

/** The maximum number of changed records that a search reads itself, because they are not indexed yet. */
const maxChangedRead = 100
const maxCharactersRead = 4_000_000

/** The maximum number of segments in a cursor. A firm seldom has more than eight. */
const maxNamed = 20

/** `isBehind`: the index counts the older form of some records that changed or whose texts are gone. */
type FoundPage = {
  items: SearchHit[]
  total: number
  isBehind: boolean
  next: Place | undefined
  index: SearchPage['index']
}

/**
 * The position of a page in the hits. `snapshot`: the index that ranked the earlier pages, so that concurrent changes
 * move no hit to another page (G7).
 */
type Place = { offset: number; snapshot?: Snapshot }

/** It omits the counts of records by `access`, which would make a cursor too long. */
type Snapshot = { sequence: number; segments: Omit<NamedSegment, 'accesses'>[] }

/** Reads a page at a position and returns the position of the next one. */
type PageByCursor = <Item>(
  binding: readonly unknown[],
  request: PageRequest,
  read: (position: string | undefined, limit: number) => Promise<{ items: Item[]; next: string | undefined }>,
) => Promise<Page<Item>>

/** Searches the texts of a firm (T1 to T4). */
export function searchService<Segment, Query, Matched>(deps: {
  engine: SearchEngine<Segment, Query, Matched>
  store: Pick<SearchIndexStore, 'marks' | 'latestMarks' | 'manifest' | 'unread'>
  records: Pick<SearchedRecords, 'find'>
  cache: SegmentCache<Segment>
  /** The values of `access` of the records that a user may read. */
  readable: (actor: Actor, kinds: readonly SearchKind[]) => Promise<ReadonlySet<string>>
  pageByCursor: PageByCursor
  /** Sends a message to the worker of the index. */
  wake: (wake: IndexWake) => Promise<void>
  clock: Clock
  log: LogOf<'warn'>
}) {
  const { engine, store, records, cache, readable, pageByCursor, wake, clock, log } = deps

  /**
   * The marks whose records a caller may read: a count reveals nothing about other records (T3). The rights to beA
   * messages are in the messages, so only the first hundred messages are read and counted.
   */
  const marksFor = async (
    workspaceId: string,
    marks: SearchMark[],
    kinds: readonly SearchKind[],
    access: ReadonlySet<string>,
  ): Promise<SearchMark[]> => {
    const messages = kinds.includes('bea') ? marks.filter(({ id }) => kindOf(id) === 'bea') : []
    const ids = [...new Set(messages.map(({ id }) => id))].slice(0, maxChangedRead)
    const found = ids.length === 0 ? [] : await records.find(workspaceId, ids)
    const readableIds = new Set(found.filter((one) => access.has(one.access)).map(({ id }) => id))
    return marks.filter(({ id }) => {
      const kind = kindOf(id)
      return kind === 'bea' ? readableIds.has(id) : kind !== undefined && kinds.includes(kind)
    })
  }

  /**
   * The marks of changes: the oldest, and the latest if there are more, because a search reads the latest records
   * first.
   */
  const changedMarks = async (workspaceId: string): Promise<SearchMark[]> => {
    const oldest = await store.marks(workspaceId, 'changed', maxMarks)
    if (oldest.length < maxMarks) return oldest
    return [...oldest, ...(await store.latestMarks(workspaceId, 'changed', maxChangedRead)).toReversed()]
  }

  /**
   * The index of a firm, and how many records that the caller may read are not in it yet. The lists are read in the
   * order in which a record passes through them (unread, marked, waiting or in the manifest), so that no moving record
   * is missed.
   */
  const indexStateOf = async (
    workspaceId: string,
    kinds: readonly SearchKind[],
    access: ReadonlySet<string>,
  ) => {
    const as_of = timestamp(clock)
    const unread = kinds.includes('document')
      ? await store.unread(workspaceId, maxMarks)
      : { count: 0, oldest: undefined }
    const [changed, added] = await Promise.all([
      changedMarks(workspaceId),
      store.marks(workspaceId, 'new', maxMarks),
    ])
    const [waiting, stored] = await Promise.all([
      store.marks(workspaceId, 'waiting', maxMarks),
      store.manifest(workspaceId),
    ])
    const manifest = stored ?? emptyManifest(workspaceId)
    const incomplete = waiting.filter(({ reason }) => !isSearchable(reason))
    const marked = await marksFor(workspaceId, [...changed, ...added, ...incomplete], kinds, access)
    const oldest = marked.filter(({ term }) => term !== 'waiting').map(({ at }) => at)
    const since = [...oldest, unread.oldest, manifest.indexed_at].filter((at) => at !== undefined)
    const counted = new Set(marked.map(({ id }) => id)).size + unread.count
    return {
      changed,
      manifest,
      /** @param unusable segments that cannot be used now */
      indexWithout: (unusable: readonly NamedSegment[]): SearchPage['index'] => {
        const lost = countReadable([...unusable, ...(manifest.damage ? [manifest.damage] : [])], access)
        const pending = counted + lost
        return {
          as_of: pending === 0 ? as_of : (since.toSorted()[0] ?? as_of),
          pending: Math.min(pending, maxMarks),
          incomplete: lost > 0,
        }
      },
    }
  }

  /**
   * Makes a segment of the records that have changed since they were indexed, the latest first, and returns which of
   * them are gone. It includes only records that the caller may read and asks for: others change neither hits nor
   * counts.
   */
  const readChanged = async (
    workspaceId: string,
    marks: SearchMark[],
    { sequence }: SearchManifest,
    kinds: readonly SearchKind[],
    access: ReadonlySet<string>,
  ) => {
    const isWanted = (id: string) => kinds.some((kind) => kind === kindOf(id))
    const ids = [...new Set(marks.toReversed().map(({ id }) => id))].filter(isWanted)
    const mayMiss = marks.length >= maxMarks
    if (ids.length === 0 && !mayMiss) return undefined
    const readable = (await records.find(workspaceId, ids)).filter((record) => access.has(record.access))
    const byId = new Map(readable.map((record) => [record.id, record]))
    const erased = erasedBy(marks)
    /** Also erased records that are not read here: the index may still have their erased texts (T4). */
    const goneExcept = (read: ReadonlySet<string>) =>
      ids.filter((id) => !byId.has(id) || (erased.has(id) && !read.has(id)))
    const found = ids.flatMap((id) => byId.get(id) ?? [])
    const none = { segment: undefined, release: async () => {}, gone: goneExcept(new Set()) }
    if (found.length === 0) return { ...none, isBehind: mayMiss }
    const read = new Set<string>()
    try {
      const made = await cache.make(
        entriesOf(found.slice(0, maxChangedRead), sequence + 1, (id) => read.add(id)),
      )
      return { ...made, gone: goneExcept(read), isBehind: read.size < found.length || mayMiss }
    } catch (error) {
      // A record cannot be read or indexed. Until the worker has found it, the index answers without the changes.
      log.warn('changed records cannot be searched', { workspace_id: workspaceId, error: String(error) })
      return { ...none, isBehind: true }
    }
  }

  const find = async (
    actor: Actor,
    input: SearchQuery,
    kinds: readonly SearchKind[],
    { offset, snapshot }: Place,
    limit: number,
    isRepeated = false,
  ): Promise<FoundPage> => {
    const { q, case_id, from, to } = input
    const { workspace_id } = actor
    const query = engine.parse(q)
    const exceeded = engine.exceededLimit(query)
    if (exceeded !== undefined) throw invalidAt('query.q', exceeded)
    const access = await readable(actor, kinds)
    const { changed, manifest, indexWithout } = await indexStateOf(workspace_id, kinds, access)
    const filter: SearchFilter = { mayRead: (one) => access.has(one), kinds, case_id, from, to }
    const segments: NamedSegment[] = snapshot?.segments ?? manifest.segments
    if (snapshot !== undefined && !isReadable(manifest, snapshot)) throw tooOld()
    const opened = await cache.open(workspace_id, segments, readableNames(manifest))
    // An erasure may have replaced these segments since the manifest was read. Then the search reads the new ones.
    if (snapshot === undefined && opened.unusable.length > 0 && !isRepeated) {
      const { version } = (await store.manifest(workspace_id).catch(() => undefined)) ?? manifest
      if (version !== manifest.version) {
        opened.release()
        return find(actor, input, kinds, { offset }, limit, true)
      }
    }
    try {
      if (snapshot !== undefined && opened.unusable.length > 0) throw tooOld()
      const changedSegment =
        snapshot === undefined ? await readChanged(workspace_id, changed, manifest, kinds, access) : undefined
      try {
        // Records that were deleted since the first page keep their position and are not shown.
        const deleted = manifest.deleted.filter(([, upTo]) => upTo <= (snapshot?.sequence ?? upTo))
        const gone = (changedSegment?.gone ?? []).map((id): [string, number] => [
          id,
          Number.POSITIVE_INFINITY,
        ])
        const { hits, total, matched } = engine.search(
          [...opened.segments, ...(changedSegment?.segment === undefined ? [] : [changedSegment.segment])],
          query,
          { filter, deleted: new Map([...deleted, ...gone]), offset, limit },
        )
        const found = new Map(
          (await records.find(workspace_id, idsOf(hits))).map((record) => [record.id, record]),
        )
        // A record that was erased since the first page keeps its position, too.
        const erased = snapshot === undefined ? new Set() : erasedBy(changed)
        const isWanted = (record: FoundRecord) => fits(record, filter) && !erased.has(record.id)
        const wanted = hits.flatMap(({ id, score }) => {
          const record = found.get(id)
          return record !== undefined && isWanted(record) ? [{ record, score }] : []
        })
        const shown = async ({ record, score }: (typeof wanted)[number]) => {
          const { pages, isPaged, problem } = await record.read()
          const isWhole = problem === undefined || isSearchable(problem)
          const places = engine.snippets({ ...record, pages, isWhole }, query, matched)
          // With more marks than were read, the hit may come from an earlier text of the record.
          const isCertain = isWhole && changed.length < maxMarks
          return isCertain || places.length > 0 ? [hitOf({ ...record, isPaged }, score, places)] : []
        }
        const items: SearchHit[] = []
        for (const group of groupsOf(wanted, ({ record }) => record))
          items.push(...(await Promise.all(group.map(shown))).flat())
        const end = offset + hits.length
        // Changed records that this page read itself are not in the segments of the next page.
        const isRepeatable = changedSegment === undefined && segments.length <= maxNamed
        const nextSnapshot = isRepeatable ? { snapshot: snapshot ?? snapshotOf(manifest) } : {}
        return {
          items,
          total: Math.max(total - (hits.length - items.length), 0),
          isBehind: (changedSegment?.isBehind ?? false) || items.length < hits.length,
          next: end < total && hits.length > 0 ? { offset: end, ...nextSnapshot } : undefined,
          index: indexWithout(
            segments.filter(({ name }) => opened.unusable.some((one) => one.name === name)),
          ),
        }
      } finally {
        await changedSegment?.release()
      }
    } finally {
      opened.release()
      for (const { name, problem } of opened.unusable) {
        log.warn('a segment of a search index cannot be used', { workspace_id, name, problem })
        await wake({ workspace_id, damaged: name }).catch(() => {})
      }
    }
  }

  return {
    /**
     * A page of the matching records that the caller may read, best first.
     *
     * @throws Failure AUTH_INSUFFICIENT_SCOPE for a kind that the key may not read, VALIDATION_ERROR
     */
    async search(actor: Actor, input: SearchQuery): Promise<SearchPage> {
      const { q, kind, case_id, from, to, limit, cursor } = input
      const kinds = kindsOf(actor, kind)
      if (from !== undefined && to !== undefined && from > to)
        throw invalidAt('query.from', 'This is after `to`.')
      const binding = [actor.workspace_id, 'search', q, kinds, case_id, from, to]
      let answer: Omit<FoundPage, 'items' | 'next'> | undefined
      const page = await pageByCursor(binding, { limit, cursor }, async (position, size) => {
        const place: Place = position === undefined ? { offset: 0 } : JSON.parse(position)
        const { items, next, ...rest } = await find(actor, input, kinds, place, size)
        answer = rest
        return { items, next: next && JSON.stringify(next) }
      })
      if (answer === undefined) throw new Error('No page was read.')
      const { total, isBehind, index } = answer
      return {
        ...page,
        total: Math.min(total, maxExactTotal),
        total_is_exact: total <= maxExactTotal && !isBehind,
        index,
      }
    },
  }
}

function snapshotOf({ sequence, segments }: SearchManifest): Snapshot {
  return { sequence, segments: segments.map(({ accesses: _, ...segment }) => segment) }
}

function tooOld(): Failure {
  return invalidAt('query.cursor', 'This search has expired. Start again without a cursor.')
}

/** Whether all texts of a record are searchable, although it will be indexed again. */
function isSearchable(problem: string | undefined): boolean {
  return problem === 'pages_missing' || problem === 'readers_pending'
}

/** The records whose texts were erased. */
function erasedBy(marks: readonly SearchMark[]): Set<string> {
  return new Set(marks.filter(({ erase }) => erase).map(({ id }) => id))
}

/** The kind of a record, by its id. */
function kindOf(id: string): SearchKind | undefined {
  return searchKinds.find((kind) => id.startsWith(prefixOf[kind]))
}

/** The requested kinds, or all that the key may read. @throws Failure AUTH_INSUFFICIENT_SCOPE */
function kindsOf({ scopes }: Actor, asked: readonly SearchKind[] | undefined): SearchKind[] {
  const mayRead = (kind: SearchKind) => scopes.includes(scopeOf[kind])
  const refused = asked?.find((kind) => !mayRead(kind))
  if (refused !== undefined)
    throw new Failure(
      'forbidden',
      'AUTH_INSUFFICIENT_SCOPE',
      `Searching the kind ${refused} needs the scope ${scopeOf[refused]}.`,
    )
  return searchKinds.filter((kind) => (asked === undefined || asked.includes(kind)) && mayRead(kind))
}

/** Whether the caller may read the current record, and it passes the filter. */
function fits(record: FoundRecord, { mayRead, kinds, case_id, from, to }: SearchFilter): boolean {
  return (
    mayRead(record.access) &&
    (kinds === undefined || kinds.includes(record.kind)) &&
    (case_id === undefined || record.case_id === case_id) &&
    (from === undefined || record.date >= from) &&
    (to === undefined || record.date <= to)
  )
}

/**
 * How many records of segments a caller may read. A segment of an older format has no counts by `access` and counts as
 * one record.
 */
function countReadable(
  segments: readonly { accesses?: Record<string, number> | undefined }[],
  access: ReadonlySet<string>,
): number {
  const countOf = (accesses: Record<string, number>) =>
    Object.entries(accesses).reduce((sum, [name, count]) => sum + (access.has(name) ? count : 0), 0)
  return segments.reduce((sum, { accesses }) => sum + (accesses === undefined ? 1 : countOf(accesses)), 0)
}

/** Entries of changed records, up to the limit of characters. Records that do not fit are left out. */
async function* entriesOf(
  found: readonly FoundRecord[],
  sequence: number,
  taken: (id: string) => void,
): AsyncGenerator<IndexedRecord> {
  let left = maxCharactersRead
  for (const group of groupsOf(found, (record) => record)) {
    const fitting = group.filter(({ characters }) => characters <= left)
    const read = await Promise.all(
      fitting.map(async (record) => indexed(record, sequence, (await record.read()).pages)),
    )
    for (const entry of read) {
      const characters = entry.pages.reduce((sum, page) => sum + page.length, 0)
      if (characters > left) continue
      left -= characters
      taken(entry.id)
      yield entry
    }
  }
}

function hitOf(
  { kind, id, case_id, title, date, isPaged }: FoundRecord & { isPaged: boolean },
  score: number,
  snippets: Snippet[],
): SearchHit {
  const pageOf = (index: number | null) => (index === null || !isPaged ? null : index + 1)
  const best = snippets.find(({ page }) => page !== null)
  return {
    kind,
    id,
    case_id,
    title,
    date,
    page: pageOf(best?.page ?? null),
    score,
    snippets: snippets.map(({ text, page, highlights }) => ({ text, page: pageOf(page), highlights })),
  }
}
