import { epochMilliseconds } from '#kernel/clock.ts'
import type { PageRequest } from '#kernel/page.ts'
import type { Change, Changes } from '#kernel/updated-since.ts'
import { type Cursors, pageByCursor } from './cursor.ts'
import type { Db } from './db.ts'
import {
  type Entry,
  mergeSources,
  type Placed,
  type Source,
  type Sourced,
  sortedList,
} from './sorted-list.ts'
import type { Action } from './transact.ts'

/** A record with the time of its last change, for `updated_since`. Its store sets it. */
export type Stamped = { changed_at?: string | undefined }

/**
 * The fields of a record that filters use, before and after a change, if the two differ; `is` is absent after a
 * deletion.
 */
type Data<Seen> = { was?: Seen; is?: Seen }

/**
 * A current record. `fits`: whether the filters find it. `rulesOut`: whether the record proves that they did not find
 * it with `was` either.
 */
export type Current<Stored, Seen> = {
  id: string
  record: Stored
  changed_at: string | undefined
  fits: boolean
  rulesOut?: (was: Seen) => boolean
}

/** How a list evaluates the changes of one kind of records. */
export type Judge<Stored, Seen> = {
  /** The existing records among these ids. */
  read: (ids: string[]) => Promise<Current<Stored, Seen>[]>
  /** Whether the filters may have found a record with `was`, and do not find it with `is`. */
  mayHaveLeft: (was: Seen, is: Seen | undefined) => boolean
}

/** No attempt to write a change begins later than this after its stamp. */
export const maxStampAgeMilliseconds = 15_000

/**
 * How far `as_of` lags behind the present. A change is stamped before it is written, so it may appear with a stamp that
 * a reader has already passed. `transact` begins no attempt more than 15 seconds after the stamp, and an attempt ends
 * within 40. (`client.ts`: six tries of two seconds to connect and four to answer; none begins after 34 seconds.) The
 * rest is for differences between clocks.
 */
export const asOfLagMilliseconds = 60_000

/** Changes are kept a little longer than the year for which they can be requested. */
const keptMilliseconds = 368 * 86_400_000

/** The epoch seconds after which the entry of a change may be removed. */
function expiryOf(changedAt: string): number {
  return Math.ceil((Date.parse(changedAt) + keptMilliseconds) / 1_000)
}

/** Changes read at once if all of them are needed. */
const readAtOnce = 500

/** Changes that one page reads at most, even if the filters leave few of them. */
const maxChangesRead = 500

/** How many changes are read at once, with their records: as many as a page still needs, within these bounds. */
const changesAtOnce = { min: 20, max: 60 }

/** Bytes of JSON that a page holds at most (`page-of-records.ts`), unless its first item is larger. */
const maxPageBytes = 3_000_000

/** The time of a change that is about to be written. It is later than the previous one, even if clocks differ. */
export function changeTime(before: Stamped | undefined): string {
  const last = Date.parse(before?.changed_at ?? '')
  return new Date(Math.max(epochMilliseconds(), Number.isNaN(last) ? 0 : last + 1)).toISOString()
}

/** The record with the time of its change. Call it for every attempt, as late as possible. */
export function stamped<Stored extends object>(
  after: Stored,
  before?: Stamped,
): Stored & { changed_at: string } {
  return { ...after, changed_at: changeTime(before) }
}

/**
 * The changes of one kind of records, oldest first (G16).
 *
 * Every change of a record adds an entry in its transaction, at the record's new `changed_at`. The entry expires after
 * a year. A reader shows the current record at its last entry, and skips earlier ones (before `changed_at`). If the
 * filters no longer find the record, each entry with which it may have left them shows it as deleted. A record that
 * neither the filters nor a search (before its text changed) can have found is not shown.
 *
 * A client that requests everything since the last `as_of` misses nothing: a change that was not yet written when that
 * walk began has a later stamp than its `as_of` (`asOfLagMilliseconds`). A change may be shown twice.
 *
 * @param kind the term: `parties`
 */
export function changeLog<Seen>(db: Db, kind: string) {
  const list = sortedList<Data<Seen>>(db, 'changes', 'ascending')

  return {
    /**
     * The action that notes a change.
     *
     * @param was the fields for filters before the change; undefined for a new record
     * @param is the fields after the change; undefined for a deleted record
     */
    add(
      workspaceId: string,
      id: string,
      changedAt: string,
      { was, is }: { was?: Seen | undefined; is?: Seen | undefined },
    ): Action[] {
      const at = Date.parse(changedAt)
      const differs = was !== undefined && JSON.stringify(was) !== JSON.stringify(is)
      const data = { ...(differs && { was }), ...(differs && is !== undefined && { is }) }
      const entry = { term: kind, place: `${changedAt}#${id}`, data, ttl: expiryOf(changedAt) }
      return list
        .changes(workspaceId, [], [entry])
        .map((action) => ({ ...action, notAfter: at + maxStampAgeMilliseconds }))
    },

    /**
     * Removes filters with data of an erased person from the changes of some records (R5). It reads the changes of a
     * year.
     */
    async leaveOut(
      workspaceId: string,
      isOf: (id: string) => boolean,
      isPersonal: (filter: string) => boolean,
    ): Promise<void> {
      const without = <Filtered extends { filters: string[] }>(seen: Filtered): Filtered => ({
        ...seen,
        filters: seen.filters.filter((filter) => !isPersonal(filter)),
      })
      for await (const entries of list.all(workspaceId, kind, readAtOnce)) {
        const changed = entries.flatMap((entry): Entry<Data<Seen>>[] => {
          if (!isOf(idOf(entry))) return []
          const { was, is } = entry.data as Data<Seen & { filters: string[] }>
          const data = { ...(was && { was: without(was) }), ...(is && { is: without(is) }) }
          if (JSON.stringify(data) === JSON.stringify(entry.data)) return []
          return [{ term: kind, place: entry.place, data, ttl: expiryOf(timeOf(entry)) }]
        })
        await list.write(workspaceId, changed, [])
      }
    },

    /** The changes from `since` to `until` that the filters show. */
    source<Stored>(
      workspaceId: string,
      { since, until }: { since: string; until: string },
      { read, mayHaveLeft }: Judge<Stored, Seen>,
    ): Source<Change<Stored>> {
      const judged = async (entries: Placed<Data<Seen>>[]): Promise<Sourced<Change<Stored>>[]> => {
        const current = new Map(
          (await read([...new Set(entries.map(idOf))])).map((record) => [record.id, record]),
        )
        return entries.flatMap((entry): Sourced<Change<Stored>>[] => {
          const id = idOf(entry)
          const at = timeOf(entry)
          const now = current.get(id)
          if (now?.fits)
            return at < (now.changed_at ?? '')
              ? []
              : [{ place: entry.place, item: { id, record: now.record } }]
          const { was, is } = entry.data
          return was !== undefined && mayHaveLeft(was, is) && now?.rulesOut?.(was) !== true
            ? [{ place: entry.place, item: { id, deleted_at: at } }]
            : []
        })
      }

      return async (after, limit) => {
        const items: Sourced<Change<Stored>>[] = []
        for (let last = after, seen = 0, bytes = 0; ; ) {
          const { min, max } = changesAtOnce
          const size = Math.min(Math.max(limit - items.length, min), max)
          const range = { from: since, until, after: last }
          const { entries, ended } = await list.read(workspaceId, kind, range, size)
          for (const item of await judged(entries)) {
            bytes += Buffer.byteLength(JSON.stringify(item.item))
            if (items.length > 0 && bytes > maxPageBytes) return { items, upTo: items.at(-1)?.place }
            items.push(item)
            if (items.length >= limit) return { items, upTo: item.place }
          }
          if (ended) return { items, upTo: undefined }
          last = entries.at(-1)?.place
          seen += entries.length
          if (seen >= maxChangesRead) return { items, upTo: last }
        }
      }
    },
  }
}

/**
 * A page of changes, oldest first (G7, G16). `as_of` and the end of the walk are set by its first page. A change during
 * a walk is shown in this walk or in the next one.
 *
 * @param binding what a cursor is valid for: workspace, list, filters
 * @param sources returns the changes of each kind of records in the list
 */
export async function pageOfChanges<Stored>(
  cursors: Cursors,
  binding: readonly unknown[],
  { since, ...request }: PageRequest & { since: string },
  sources: (range: { since: string; until: string }) => Source<Change<Stored>>[],
): Promise<Changes<Stored>> {
  let asOf = new Date(epochMilliseconds() - asOfLagMilliseconds).toISOString()
  const bound = [...binding, 'changes', since]
  const page = await pageByCursor(cursors, bound, request, async (position, limit) => {
    const after = position?.slice(asOf.length)
    if (position !== undefined) asOf = position.slice(0, asOf.length)
    const until = new Date(Date.parse(asOf) + 2 * asOfLagMilliseconds).toISOString()
    const { items, next } = await mergeSources(sources({ since, until }), after, limit)
    return { items, next: next && asOf + next }
  })
  return { ...page, as_of: asOf }
}

const timeLength = '2026-11-22T22:00:00.000Z'.length

function timeOf({ place }: { place: string }): string {
  return place.slice(0, timeLength)
}

function idOf({ place }: { place: string }): string {
  return place.slice(timeLength + 1)
}
