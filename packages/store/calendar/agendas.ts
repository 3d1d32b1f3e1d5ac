import type { EventQuery, EventRecord, Interval } from '#calendar/ports.ts'
import { conflict, type Failure, invalid } from '#kernel/failure.ts'
import { uuidv7 } from '#kernel/id.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { withUnknownMembers } from '#kernel/with-unknown-members.ts'
import { readEach } from '../batch.ts'
import { allPages, type Db, strongly } from '../db.ts'
import { rewrite } from '../rewrite.ts'
import type { Source, Sourced } from '../sorted-list.ts'
import { type Action, erase, put, retryStale, transact } from '../transact.ts'
import { type AgendaKey, agendaKeysOf, bucketOf, daysOf, type Ref } from './agenda-buckets.ts'
import { agendaEntity } from './agenda-entity.ts'
import { type FoundEvent, participantsOf } from './event-lists.ts'
import type { EventRecords } from './event-records.ts'
import { instantLength, justBefore } from './list-days.ts'

/** The write of one agenda, and how large it is. */
export type AgendaWrite = { key: AgendaKey; characters: number; action: Action }

/** An interval that may have no start or no end. */
type Range = Pick<EventQuery, 'from' | 'until'>

type Agenda = { refs: Ref[]; token: string }

/** An event in the agenda of a user. */
type UserRef = Ref & { user_id: string }

/** A timed event is written into at most 70 agendas, since they must all fit into one transaction. */
const maxDayAgendas = 70

/**
 * The largest number of events in one agenda. An event takes about 100 bytes. So 70 agendas of a day fit into a
 * transaction (4 MB), and an agenda of a month fits into an item (400 KB).
 */
const maxEventsPerAgenda = { day: 400, month: 2_000 } as const

/** The most references that a page reads. It then ends with a cursor, even if it has fewer events than requested. */
const maxRefsRead = 1_000

const refsPerRead = 25

/**
 * The agendas of users: an item for each day with timed events, and for each month with all-day events.
 *
 * The agendas of timed events prevent collisions (K4). They are written in the transaction of the event, which fails if
 * an agenda has changed since it was read. If two requests collide, the transaction of the second fails. The second
 * request then reads the agendas again and finds the collision.
 */
export function agendas(db: Db, records: EventRecords) {
  const items = agendaEntity(db)

  const read = async (workspaceId: string, keys: AgendaKey[]): Promise<Map<string, Agenda>> => {
    const found = new Map<string, Agenda>()
    for (const item of await readEach(db, keys, (key) => items.get({ workspace_id: workspaceId, ...key }))) {
      const { data } = items.parse({ Item: item })
      if (data) found.set(nameOf(data), { refs: refsOf(data), token: data.token })
    }
    return found
  }

  /** Replaces an agenda, or removes it if it has no events. Fails if the agenda has changed since it was read. */
  const writeOf = (
    workspaceId: string,
    key: AgendaKey,
    before: Agenda | undefined,
    refs: Ref[],
  ): AgendaWrite => {
    const id = { workspace_id: workspaceId, ...key }
    const item = {
      ...id,
      events: JSON.stringify(withUnknownMembers(before?.refs, refs, {})),
      token: uuidv7(),
    }
    const write = (action: Action) => ({ key, characters: item.events.length, action })
    if (before === undefined) return write(put(items.create(item)))
    if (refs.length === 0)
      return write(erase(items.remove(id).where(({ token }, { eq }) => eq(token, before.token))))
    return write(
      rewrite(
        items,
        items.put(item).where(({ token }, { eq }) => eq(token, before.token)),
        {},
      ),
    )
  }

  /** Reads the events of these references, which may be out of date. Returns the events that overlap the record. */
  const collisionsOf = async (record: EventRecord, refs: UserRef[]): Promise<Collision[]> => {
    const overlapping = refs.filter((ref) => overlaps(ref, record.starts_at, record.ends_at))
    if (overlapping.length === 0) return []
    const refsTo = Map.groupBy(overlapping, ({ id }) => id)
    const others = await records.findAll(record.workspace_id, [...refsTo.keys()])
    return [...others.values()]
      .filter(
        ({ all_day, starts_at, ends_at }) =>
          !all_day && starts_at < record.ends_at && ends_at > record.starts_at,
      )
      .flatMap((event) =>
        [...new Set(participantsOf(event))]
          .filter((user_id) => refsTo.get(event.id)?.some((ref) => ref.user_id === user_id))
          .map((user_id) => ({ event, user_id })),
      )
  }

  const readRange = async (
    workspaceId: string,
    user_id: string,
    kind: AgendaKey['kind'],
    { start, end }: Interval,
  ): Promise<{ place: string; ref: Ref }[]> => {
    const { data } = await items.query
      .soonest({ workspace_id: workspaceId, user_id, kind })
      .between({ bucket: bucketOf(kind, start) }, { bucket: bucketOf(kind, justBefore(end)) })
      .go(allPages)
    return placedRefs(data.flatMap(refsOf)).filter(({ ref }) => overlaps(ref, start, end))
  }

  /** Makes one agenda agree with the event's record: adds the event or removes it. */
  const alignOne = async (workspaceId: string, eventId: string, key: AgendaKey): Promise<void> => {
    for (let aligned: number | undefined; ; ) {
      const record = await retryStale(async () => {
        const agenda = (await read(workspaceId, [key])).get(nameOf(key))
        const event = await records.findWithDeleted(workspaceId, eventId)
        if (event === undefined) return undefined
        const belongs = agendaKeysOf(event).some((one) => nameOf(one) === nameOf(key))
        const others = (agenda?.refs ?? []).filter(({ id }) => id !== eventId)
        const refs = belongs ? [...others, refOf(event)] : others
        if (JSON.stringify(refs) !== JSON.stringify(agenda?.refs ?? []))
          await transact(db, [writeOf(workspaceId, key, agenda, refs).action])
        return event
      })
      // The event may change between the read of its record and the write of the agenda. Repeat until it does not.
      if (record === undefined || record.version === aligned) return
      aligned = record.version
    }
  }

  return {
    /**
     * The writes that a change of an event needs. `guarding` writes prevent collisions and must be in its transaction.
     * `following` writes may come later.
     *
     * @throws Failure SLOT_CONFLICT for a collision or a full agenda; VALIDATION_ERROR if a timed event is too long for
     *   its attendees
     */
    async changes(
      before: EventRecord | undefined,
      { record, check }: { record: EventRecord; check: boolean },
    ): Promise<{ guarding: Action[]; following: AgendaWrite[] }> {
      if (before !== undefined && hasSameTimes(before, record)) return { guarding: [], following: [] }
      const { workspace_id } = record
      refuseTooLong(record)
      const wanted = agendaKeysOf(record)
      const wantedNames = new Set(wanted.map(nameOf))
      const left =
        before === undefined ? [] : agendaKeysOf(before).filter((key) => !wantedNames.has(nameOf(key)))
      const current = await read(workspace_id, [...wanted, ...left])
      const others = (key: AgendaKey) =>
        (current.get(nameOf(key))?.refs ?? []).filter(({ id }) => id !== record.id)
      const writeTo = (key: AgendaKey, refs: Ref[]) =>
        writeOf(workspace_id, key, current.get(nameOf(key)), refs)

      if (check && !record.all_day && record.deleted_at === null) {
        const refs = wanted.flatMap((key) => others(key).map((ref) => ({ ...ref, user_id: key.user_id })))
        const collisions = await collisionsOf(record, refs)
        if (collisions.length > 0) throw slotConflict(collisions)
      }

      const additions = wanted.map((key) => {
        const refs = [...others(key), refOf(record)]
        if (refs.length > maxEventsPerAgenda[key.kind]) throw agendaFull(key)
        return writeTo(key, refs)
      })
      const removals = left.filter((key) => current.has(nameOf(key))).map((key) => writeTo(key, others(key)))
      return record.all_day
        ? { guarding: [], following: [...removals, ...additions] }
        : { guarding: additions.map(({ action }) => action), following: removals }
    },

    /** Makes these agendas agree with the record of the event, even if the event changes meanwhile. */
    align: (workspaceId: string, eventId: string, keys: AgendaKey[]): Promise<void> =>
      inParallel(keys, (key) => alignOne(workspaceId, eventId, key)),

    /** A user's timed (`day`) or all-day (`month`) events that overlap the range and that `isWanted` accepts. */
    sourceOf(
      workspaceId: string,
      user_id: string,
      kind: AgendaKey['kind'],
      { from, until }: Range,
      isWanted: (record: EventRecord) => boolean,
    ): Source<FoundEvent> {
      return async (after, limit) => {
        const found: Sourced<FoundEvent>[] = []
        const start = [from, after?.slice(0, instantLength)]
          .filter((instant) => instant !== undefined)
          .toSorted()
          .at(-1)
        let lowest = start === undefined ? '0' : bucketOf(kind, start)
        const highest = until === undefined ? '9999~' : bucketOf(kind, justBefore(until))
        for (let seen = 0, last = after ?? ''; lowest <= highest; ) {
          const { data, cursor } = await items.query
            .soonest({ workspace_id: workspaceId, user_id, kind })
            .between({ bucket: lowest }, { bucket: highest })
            .go({ limit: 40, ...strongly })
          const listed = placedRefs(data.flatMap(refsOf)).filter(
            ({ place, ref }) => place > last && overlaps(ref, from, until),
          )
          const refs = listed.slice(0, Math.max(limit - found.length, refsPerRead))
          const ids = refs.map(({ ref }) => ref.id)
          const events = await records.findAll(workspaceId, ids)
          for (const { place, ref } of refs) {
            const record = events.get(ref.id)
            if (record && isCurrent(record, ref, user_id, kind) && isWanted(record))
              found.push({ place, item: { id: ref.id, record } })
            last = place
          }
          seen += Math.max(refs.length, 1)
          const lastBucket = data.at(-1)?.bucket
          const hasMore = listed.length > refs.length
          if (!hasMore && (cursor === null || lastBucket === undefined)) break
          if (found.length >= limit || seen >= maxRefsRead) return { items: found, upTo: last }
          if (!hasMore) lowest = `${lastBucket}!`
        }
        return { items: found, upTo: undefined }
      }
    },

    /** The times at which a user is busy, unordered. */
    async busy(workspaceId: string, userId: string, range: Interval): Promise<Interval[]> {
      const refs = await readRange(workspaceId, userId, 'day', range)
      return refs.map(({ ref }) => ({ start: ref.s, end: ref.e }))
    },

    /** The events of a user that overlap a range: at most `limit` timed ones by start, then `limit` all-day ones. */
    async eventsOf(
      workspaceId: string,
      userId: string,
      range: Interval,
      limit: number,
    ): Promise<EventRecord[]> {
      const kinds = ['day', 'month'] as const
      const lists = await Promise.all(
        kinds.map(async (kind) => {
          const refs = await readRange(workspaceId, userId, kind, range)
          return refs.slice(0, limit).map(({ ref }) => ({ ref, kind }))
        }),
      )
      const refs = lists.flat()
      const events = await records.findAll(workspaceId, [...new Set(refs.map(({ ref }) => ref.id))])
      return refs.flatMap(({ ref, kind }) => {
        const record = events.get(ref.id)
        return record && isCurrent(record, ref, userId, kind) ? [record] : []
      })
    },
  }
}

function nameOf({ user_id, kind, bucket }: AgendaKey): string {
  return `${user_id} ${kind} ${bucket}`
}

function refOf({ id, starts_at, ends_at }: EventRecord): Ref {
  return { id, s: starts_at, e: ends_at }
}

/** Not validated: only `writeOf` writes this text. */
function refsOf({ events }: { events: string }): Ref[] {
  return JSON.parse(events)
}

/** References sorted by place, each once. An event of several days is in several agendas. */
function placedRefs(refs: Ref[]): { place: string; ref: Ref }[] {
  const placed = new Map(refs.map((ref) => [`${ref.s}#${ref.id}`, ref]))
  return [...placed]
    .map(([place, ref]) => ({ place, ref }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
}

function overlaps({ s, e }: Ref, from: string | undefined, until: string | undefined): boolean {
  return (from === undefined || e > from) && (until === undefined || s < until)
}

/** Whether a reference agrees with its event. After a change, an old reference may remain for a while. */
function isCurrent(record: EventRecord, ref: Ref, userId: string, kind: AgendaKey['kind']): boolean {
  return (
    record.starts_at === ref.s &&
    record.ends_at === ref.e &&
    record.all_day === (kind === 'month') &&
    participantsOf(record).includes(userId)
  )
}

function hasSameTimes(before: EventRecord, after: EventRecord): boolean {
  const times = ({ starts_at, ends_at, all_day, attendees, deleted_at }: EventRecord) =>
    JSON.stringify([starts_at, ends_at, all_day, attendees, deleted_at])
  return times(before) === times(after)
}

/** Counts the agendas without listing them: an event of many years with many attendees would have millions. */
function refuseTooLong(record: EventRecord): void {
  if (record.all_day || record.deleted_at !== null) return
  const days = daysOf(record)
  const count = days * participantsOf(record).length
  if (count <= maxDayAgendas) return
  throw invalid(
    `A timed event of ${days} days is too long for this number of attendees. Make it \`all_day\`, or create several events.`,
    [
      {
        path: 'body.end',
        message: `The number of attendees times the number of days is ${count}, but must be at most ${maxDayAgendas}.`,
      },
    ],
  )
}

/** An event that an attendee has at the same time. */
type Collision = { event: EventRecord; user_id: string }

const maxCollisionsNamed = 20

/**
 * `details` names events and attendees. The use case shows their times, and removes `details` for callers who may not read
 * events.
 */
function slotConflict(collisions: Collision[]): Failure {
  return conflict(
    'SLOT_CONFLICT',
    'An attendee has another event at this time. Choose another time, or send `allow_conflict: true`.',
    {
      details: collisions.slice(0, maxCollisionsNamed).map(({ event, user_id }) => ({
        path: 'body.attendees',
        message: `${user_id} has ${event.id} at this time.`,
        user_id,
        event_id: event.id,
        start: event.starts_at,
        end: event.ends_at,
      })),
    },
  )
}

function agendaFull({ kind }: AgendaKey): Failure {
  const max = maxEventsPerAgenda[kind]
  return conflict(
    'SLOT_CONFLICT',
    kind === 'day'
      ? `An attendee has ${max} events on that day already. Delete some first.`
      : `An attendee has ${max} all-day events in that month already. Delete some first.`,
  )
}
