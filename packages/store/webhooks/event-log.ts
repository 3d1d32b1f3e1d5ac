import { bookkeeping } from '#kernel/changes.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { bareUuid, derivedIdAt, idPrefixes, readId, timeOf, uuidv7At } from '#kernel/id.ts'
import type { SentEvent, StoredEvent } from '#webhooks/catalogue-schema.ts'
import type { FollowedLog, PlacedEvent } from '#webhooks/endpoint-ports.ts'
import type { EventLog } from '#webhooks/ports.ts'
import { asOfLagMilliseconds } from '../change-log.ts'
import { type Cursors, pageByCursor } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { asRead } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import type { Placed } from '../sorted-list.ts'
import { type Action, put, retryStale, transact } from '../transact.ts'
import { allEvents, eventList, keptMilliseconds, type LoggedEvent, lapsesAt } from './event-actions.ts'
import { eventLogEnd } from './event-log-entity.ts'

/** Events are shown at this age: nearly all that were stamped before them are written by then. */
const usualAge = 2_000

/** How many places can be remembered as shown. If the last minute has more events, they are shown a minute later. */
const maxRemembered = 10_000

/** How many events that came late are moved at once: two actions each, and one for the end. */
const maxMoved = 49

/** One read moves them at most this many times; the next read goes on. */
const maxRounds = 10

/** A read forgets more shown places than this once they are a minute old, even if nothing has happened since. */
const maxReadInVain = 100

/** The end of the log: see the attributes of `eventLogEnd`. */
type End = { last: string; complete_to: string; shown: ReadonlySet<string> }

/** The end, and the place before which nothing waits to be shown. */
type Settled = { end: End; completeTo: string }

/**
 * The log of events of a firm (E2), in an order that never changes.
 *
 * An event's place is the time at which its transaction was put together. Of two concurrent transactions the later one
 * may be written first. If its event has been shown by then, a reader who continues after it would miss the other. So
 * the log remembers the last place that it has shown, and which places of the minute before. An event that appears
 * there later is moved to the end of the log. None appears more than a minute after its stamp (`change-log.ts`), so no
 * older places are remembered.
 *
 * A change writes one item for each event. The end of the log is written by those who read new events.
 *
 * @param deps.shownAfterMilliseconds the age at which events are shown. The younger they are, the more of them are moved.
 */
export function eventLog(deps: {
  db: Db
  cursors: Cursors
  shownAfterMilliseconds?: number | undefined
}): EventLog & FollowedLog {
  const { db, cursors, shownAfterMilliseconds = usualAge } = deps
  const list = eventList(db)
  const ends = eventLogEnd(db)
  const setOf = shownPlaces()

  const between = (workspaceId: string, from: string, until: string, limit: number) =>
    list.read(workspaceId, allEvents, { from, until }, limit)

  /** Moves the end of the log to the present, and what came late to the end. */
  const settle = async (workspaceId: string): Promise<Settled> => {
    for (let round = 1; ; round += 1) {
      const settled = await retryStale(() => settleOnce(workspaceId))
      if (!settled.isBehind || round === maxRounds) return settled
    }
  }

  const storedEnd = async (workspaceId: string) => {
    const { data: before } = await ends.get({ workspace_id: workspaceId }).go(strongly)
    return { before, end: before === null ? startOfLog : { ...before, shown: setOf(before.shown) } }
  }

  const settleOnce = async (workspaceId: string): Promise<Settled & { isBehind: boolean }> => {
    const { before, end } = await storedEnd(workspaceId)
    const now = epochMilliseconds()
    const times = {
      present: uuidv7At(now - shownAfterMilliseconds),
      aMinuteAgo: uuidv7At(now - asOfLagMilliseconds),
    }
    const { completeTo, isBehind, next } = stepFrom(end, await lookFrom(workspaceId, end, times), times)
    if (next === undefined) return { end, completeTo, isBehind: false }
    const { moved, ...after } = next
    const item = { workspace_id: workspaceId, ...after, shown: [...after.shown].join('') }
    const written =
      before === null
        ? put(ends.create({ ...item, version: 1 }))
        : rewrite(ends, ends.put({ ...item, version: before.version + 1 }).where(asRead(before)), before)
    const moves = moved.flatMap(({ entry, to }) => move(workspaceId, entry, to))
    await bookkeeping(() => transact(db, [written, ...moves]))
    return { end: after, completeTo, isBehind }
  }

  /** Reads what decides about the next end. */
  const lookFrom = async (workspaceId: string, end: End, { present, aMinuteAgo }: Times): Promise<Looked> => {
    const behind = justAfter(end.last)
    const [old, recent, gap] = await Promise.all([
      between(workspaceId, end.complete_to, behind, 2 * maxRemembered),
      between(workspaceId, later(behind, aMinuteAgo), later(behind, present), maxRemembered),
      between(workspaceId, behind, later(behind, aMinuteAgo), 1),
    ])
    return { old, recent, gap }
  }

  /** Moves an event to another place, unless it was forgotten. A reader that continues after it is sent there. */
  const move = (workspaceId: string, { place, data }: Placed<LoggedEvent>, to: string): Action[] => {
    const entry = { term: allEvents, ttl: lapsesAt(place) }
    const copy = { ...entry, place: to, data: { ...data, id: idPrefixes.webhookEvent + place } }
    return [
      list.replacement(workspaceId, { ...entry, place, data }, { ...data, moved: to }),
      ...list.changes(workspaceId, [], [copy]),
    ]
  }

  /** The place of the last event that a reader has seen. @throws Failure EVENT_NOT_FOUND, EVENTS_EXPIRED */
  const placeOf = async (workspaceId: string, after: string): Promise<string> => {
    const id = readId('webhookEvent', after)
    if (id === undefined) throw notFound('EVENT_NOT_FOUND')
    const place = bareUuid(id)
    if (isVersion7.test(place) && timeOf(id).getTime() < epochMilliseconds() - keptMilliseconds)
      throw new Failure(
        'gone',
        'EVENTS_EXPIRED',
        'This event is older than 30 days, so events after it may be gone. Read all lists again, then the log without `after`.',
      )
    const data = (await list.at(workspaceId, allEvents, [place])).get(place)
    // The id of an event that was moved stays at its first place: the other one has no id of its own.
    if (data === undefined || data.id !== undefined) throw notFound('EVENT_NOT_FOUND')
    return data.moved ?? place
  }

  /** The part of the log that may be shown, up to its end, as a source of the wanted events. */
  const shownUntil = (
    workspaceId: string,
    end: End,
    until: string,
    isWanted: (event: LoggedEvent) => boolean,
  ) => {
    const itemOf = (entry: Placed<LoggedEvent>): SentEvent | undefined => {
      const { place, data } = entry
      const isShown = data.moved === undefined && (place < end.complete_to || isIn(end.shown, place))
      if (!isShown || !isWanted(data)) return undefined
      return { ...eventOf(entry), ...(data.needs && { needs: data.needs }) }
    }
    const range = { from: uuidv7At(epochMilliseconds() - keptMilliseconds), until: justAfter(until) }
    return list.source(workspaceId, allEvents, range, itemOf)
  }

  return {
    placeOf,

    needsOf: async (workspaceId, events) => {
      // An event that was moved is also at its first place, with all that it says.
      const found = await list.at(workspaceId, allEvents, [...new Set(events)].map(bareUuid))
      return new Map(
        [...found].flatMap(([place, { needs }]) => (needs ? [[idPrefixes.webhookEvent + place, needs]] : [])),
      )
    },

    mayHaveMore: async (workspaceId, since) => {
      const from = uuidv7At(since.getTime() - asOfLagMilliseconds - shownAfterMilliseconds)
      const until = uuidv7At(epochMilliseconds() - shownAfterMilliseconds)
      return (await between(workspaceId, from, until, 1)).entries.length > 0
    },

    read: async (workspaceId, { after, until, types }, limit) => {
      const at = new Date(epochMilliseconds())
      // To settle reads all events of the last minute: not as long as what is shown already is not read.
      const { end: stored } = await storedEnd(workspaceId)
      const isSettled = after >= stored.last
      const { end } = isSettled ? await settle(workspaceId) : { end: stored }
      const last = earlier(until ?? end.last, end.last)
      if (last <= after) return { found: [], upTo: after, ended: true, at }
      const { items, upTo } = await shownUntil(workspaceId, end, last, ({ type }) => types.has(type))(
        after,
        limit,
      )
      const found: PlacedEvent[] = items.map(({ item, place }) => ({ event: item, place }))
      const isAtEnd = isSettled || last === until
      return { found, upTo: upTo ?? last, ended: upTo === undefined && isAtEnd, at }
    },

    page: async (workspaceId, { types, case_id, after, isSeen }, request) => {
      const { end, completeTo } = await settle(workspaceId)
      const begin = after === undefined ? undefined : await placeOf(workspaceId, after)
      const isWanted = (event: LoggedEvent) =>
        types.includes(event.type) &&
        (case_id === undefined || event.data.case_id === case_id) &&
        isSeen(event)
      const source = shownUntil(workspaceId, end, end.last, isWanted)
      let asOf = timeOf(completeTo).toISOString()
      const binding = [workspaceId, 'webhook_events', types, case_id, after]
      const page = await pageByCursor(cursors, binding, request, async (position, limit) => {
        if (position !== undefined) asOf = position.slice(0, asOf.length)
        const from = position?.slice(asOf.length) ?? begin
        const { items, upTo } = await source(from, limit + 1)
        const shown = items.slice(0, limit)
        const next = items.length > limit ? shown.at(-1)?.place : upTo
        return { items: shown.map(({ item: { needs: _, ...event } }) => event), next: next && asOf + next }
      })
      return { ...page, as_of: asOf }
    },
  }
}

const startOfLog: End = { last: uuidv7At(0), complete_to: uuidv7At(0), shown: new Set() }

const isVersion7 = /^.{14}7/

/** Places of now: events before `present` are shown, and before `aMinuteAgo` none is written any more. */
type Times = { present: string; aMinuteAgo: string }

type Read = { entries: Placed<LoggedEvent>[]; ended: boolean }

/** The events from `complete_to` to the end; after it the events of the last minute; and one between, if there is any. */
type Looked = { old: Read; recent: Read; gap: Read }

/** The next end, and the events that are moved to it. */
type Next = End & { moved: { entry: Placed<LoggedEvent>; to: string }[] }

/**
 * How the end goes on: what came late is moved to the end before anything new is shown.
 *
 * @returns `next` is undefined if nothing changes; `isBehind`: more late events wait for another step
 */
function stepFrom(
  end: End,
  { old, recent, gap }: Looked,
  { present, aMinuteAgo }: Times,
): { completeTo: string; isBehind: boolean; next?: Next } {
  const late = old.entries.filter(({ place, data }) => data.moved === undefined && !isIn(end.shown, place))
  // Other late events wait for the next round. Until then nothing new is shown: it would have to be moved as well.
  const waiting = late[maxMoved]?.place ?? (old.ended ? undefined : old.entries.at(-1)?.place)
  const isBehind = waiting !== undefined
  const complete_to = earlier(waiting ?? aMinuteAgo, aMinuteAgo)
  const seen = old.entries.map(({ place }) => place).filter((place) => isIn(end.shown, place))
  const kept = old.ended ? seen.filter((place) => place >= complete_to).map(digitsOf) : [...end.shown]
  const hasRoom = recent.ended && kept.length + recent.entries.length + maxMoved <= maxRemembered
  const target = isBehind ? aMomentAfter(end.last) : hasRoom ? present : aMinuteAgo

  const mayForget = end.shown.size > maxReadInVain && end.last < aMinuteAgo
  const isQuiet = recent.entries.length === 0 && gap.entries.length === 0 && !mayForget
  const isSame = late.length === 0 && (isBehind ? complete_to <= end.complete_to : isQuiet)
  if (isSame || target <= end.last)
    return { completeTo: earlier(late[0]?.place ?? aMinuteAgo, complete_to), isBehind }

  const moved = late.slice(0, maxMoved).map((entry) => ({ entry, to: placeAt(entry.place, target) }))
  const arrived = hasRoom && !isBehind ? recent.entries.map(({ place }) => place) : []
  const places = [...arrived, ...moved.map(({ to }) => to)].toSorted()
  const shown = new Set([...kept, ...places.filter((place) => place >= complete_to).map(digitsOf)])
  const last = places.at(-1) ?? (isBehind ? end.last : aMinuteAgo)
  return { completeTo: complete_to, isBehind, next: { last, complete_to, shown, moved } }
}

/**
 * The event of the log that an item of the table holds, for an operator who reads all items of a firm.
 *
 * @returns undefined if it holds none, or only the place to which one was moved
 */
export function eventIn(item: { pk: string; sk: string; data?: unknown }): StoredEvent | undefined {
  const { pk, sk, data } = item
  if (!pk.endsWith(`#webhook_events#${allEvents}`)) return undefined
  const logged = JSON.parse(String(data)) as LoggedEvent
  return logged.moved === undefined ? eventOf({ place: sk, data: logged }) : undefined
}

function eventOf({ place, data: { type, data, id } }: Placed<LoggedEvent>): StoredEvent {
  const own = id ?? idPrefixes.webhookEvent + place
  return { id: own, type, occurred_at: timeOf(own).toISOString(), data }
}

/** A place at the time of another one, for an event: always the same. */
function placeAt(event: string, target: string): string {
  return bareUuid(derivedIdAt('webhookEvent', event, timeOf(target)))
}

/** The beginning of all places after this one. */
function justAfter(place: string): string {
  return `${place}~`
}

/** The first place of the next millisecond. */
function aMomentAfter(place: string): string {
  return uuidv7At(timeOf(place).getTime() + 1)
}

function later(one: string, other: string): string {
  return one > other ? one : other
}

function earlier(one: string, other: string): string {
  return one < other ? one : other
}

const digits = 12

function digitsOf(place: string): string {
  return place.slice(-digits)
}

/** The places that a text of them holds. Every page of a replay asks for the same ones: the last answer is kept. */
function shownPlaces(): (text: string) => ReadonlySet<string> {
  let last = { text: '', places: new Set<string>() }
  return (text) => {
    if (text !== last.text) last = { text, places: new Set(text.match(new RegExp(`.{${digits}}`, 'g'))) }
    return last.places
  }
}

function isIn(shown: ReadonlySet<string>, place: string): boolean {
  return shown.has(digitsOf(place))
}
