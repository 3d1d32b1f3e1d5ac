import * as z from 'zod'
import type {
  CalendarItem,
  CalendarStore,
  EventChange,
  EventQuery,
  EventRecord,
  Interval,
} from '#calendar/ports.ts'
import type { DeadlineStore } from '#deadlines/ports.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { dayAfter, startOfLocalDay, startOfUtcDay } from '#german-time/time-range.ts'
import { defineFollowUp, type JobHandler } from '#jobs/job.ts'
import { Failure, invalid, notFound } from '#kernel/failure.ts'
import { uuidv7 } from '#kernel/id.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { type AgendaKey, agendaOf, bucketOf, bucketsOf, type Ref } from './agenda-buckets.ts'
import { readAll } from './batch.ts'
import { caseActions } from './case-actions.ts'
import type { Cursors } from './cursor.ts'
import { type Db, strongly } from './db.ts'
import { deadlineCards } from './deadline-cards.ts'
import { agendaEntity } from './entities/agenda.ts'
import { eventEntity } from './entities/event.ts'
import { eventEntry } from './entities/event-entry.ts'
import { lazily } from './lazily.ts'
import { mergeByPlace, type Placed, type Source } from './merge-by-place.ts'
import type { Outbox } from './outbox.ts'
import { type Action, erase, put, retryStale, transact } from './transact.ts'

/** An event was changed whose users' agendas could not all be written in its transaction: bring these in line. */
const agendasJob = defineFollowUp({
  name: 'event.agendas',
  version: 1,
  payload: z.object({
    workspace_id: z.string(),
    event_id: z.string(),
    agendas: z.array(z.object({ user_id: z.string(), kind: z.enum(['day', 'month']), bucket: z.string() })),
  }),
})

/** How many agendas of days a timed event may fill: all of them are written in its one transaction. */
const mostGuards = 72

/**
 * How many events a user may have on one day, or all-day ones in one month: 72 agendas of days fit a transaction
 * (4 MB), one of a month fits an item (400 KB), by some 100 octets for each event.
 */
const mostPerAgenda = { day: 400, month: 2_000 } as const

/** How much of the agendas that may follow goes into the transaction all the same. */
const mostCharactersBeside = 1_000_000

/** What a transaction may hold beside the agendas that need not be in it (DynamoDB: 100 actions). */
const mostActions = 98

/** How many entries are looked at for one page before it is given out unfilled, with a cursor to go on. */
const mostCandidates = 1_000

/** A record whose JSON is longer is not copied into its entries. */
const largeRecord = 3_000

/**
 * Events in the table.
 *
 * The lists by start are partitions of `eventEntry`. What overlaps a range begins in it (one range of a partition),
 * or began earlier on the same day, or crosses the boundary of a day and touches the month in which the range
 * begins. What one user has is in `agenda`, an item per day. All-day events have partitions of their own, filed by
 * date: when such a day begins, depends on where the office is. A page merges all these with the deadlines' own list.
 */
export function calendarStore({
  db,
  cursors,
  outbox,
  deadlines,
}: {
  db: Db
  cursors: Cursors
  outbox: Outbox
  deadlines: Pick<DeadlineStore, 'due' | 'find'>
}): CalendarStore & AgendaKeeper {
  const events = lazily(() => eventEntity(db))
  const entries = lazily(() => eventEntry(db))
  const agendas = lazily(() => agendaEntity(db))
  const ofCase = caseActions(db)
  const cards = deadlineCards(db)

  const findAny = async (workspaceId: string, id: string): Promise<EventRecord | undefined> => {
    const { data } = await events.get({ workspace_id: workspaceId, id }).go(strongly)
    return data === null ? undefined : recordOf(data.record)
  }

  const find: CalendarStore['find'] = async (workspaceId, id) => {
    const record = await findAny(workspaceId, id)
    return record?.deleted_at === null ? record : undefined
  }

  /** ElectroDB makes one key, and the others from that: thousands would cost a feed more than all it shows. */
  const readingsOf = (workspaceId: string, ids: string[]) => {
    const placeholder = '{id}'
    const { Key } = events
      .get({ workspace_id: workspaceId, id: placeholder })
      .params<{ Key: { pk: string } }>()
    return ids.map((id) => ({ params: () => ({ Key: { ...Key, pk: Key.pk.replace(placeholder, id) } }) }))
  }

  const findAll = async (workspaceId: string, ids: string[]): Promise<Map<string, EventRecord>> => {
    const items = await readAll(db, readingsOf(workspaceId, ids), ['record'])
    const found = new Map<string, EventRecord>()
    for (const item of items) {
      const record = recordOf(item.record as string)
      if (record.deleted_at === null) found.set(record.id, record)
    }
    return found
  }

  const readAgendas = async (workspaceId: string, keys: AgendaKey[]): Promise<Map<string, Agenda>> => {
    const items = await readAll(
      db,
      keys.map((key) => agendas.get({ workspace_id: workspaceId, ...key })),
    )
    const found = new Map<string, Agenda>()
    for (const item of items) {
      const { data } = agendas.parse({ Item: item })
      if (data) found.set(nameOf(data), { refs: refsOf(data), token: data.token })
    }
    return found
  }

  /** Writes an agenda for the state it was read in; one that holds nothing goes. */
  const agendaBecomes = (
    workspaceId: string,
    key: AgendaKey,
    before: Agenda | undefined,
    refs: Ref[],
  ): AgendaWrite => {
    const item = { workspace_id: workspaceId, ...key, events: JSON.stringify(refs), token: uuidv7() }
    const written = (action: Action) => ({ key, characters: item.events.length, action })
    if (before === undefined) return written(put(agendas.create(item)))
    if (refs.length === 0) {
      return written(
        erase(
          agendas
            .remove({ workspace_id: workspaceId, ...key })
            .where(({ token }, { eq }) => eq(token, before.token)),
        ),
      )
    }
    return written(put(agendas.put(item).where(({ token }, { eq }) => eq(token, before.token))))
  }

  /** Whether one of these references to other events is still true: their events may have moved on. */
  const collides = async (record: EventRecord, refs: Map<string, Ref[]>): Promise<boolean> => {
    const found = new Map<string, Set<string>>()
    for (const [user, list] of refs) {
      for (const { id, s, e } of list) {
        if (id === record.id || s >= record.ends_at || e <= record.starts_at) continue
        found.set(id, (found.get(id) ?? new Set()).add(user))
      }
    }
    if (found.size === 0) return false
    const others = await findAll(record.workspace_id, [...found.keys()])
    return [...others.values()].some(
      (other) =>
        !other.all_day &&
        other.starts_at < record.ends_at &&
        other.ends_at > record.starts_at &&
        agendaOf(other).some(({ user_id }) => found.get(other.id)?.has(user_id)),
    )
  }

  /**
   * The writes of agendas for a change: those that guard against collisions, which must be in its transaction, and
   * those that may follow it.
   */
  const agendaWrites = async (
    before: EventRecord | undefined,
    { record, check }: EventChange,
  ): Promise<{ guarding: Action[]; following: AgendaWrite[] }> => {
    const same = before !== undefined && sameTimes(before, record)
    if (same) return { guarding: [], following: [] }
    const { workspace_id } = record
    const wanted = agendaOf(record)
    refuseTooLong(record, wanted)
    const names = new Set(wanted.map(nameOf))
    const left = before === undefined ? [] : agendaOf(before).filter((key) => !names.has(nameOf(key)))
    const current = await readAgendas(workspace_id, [...wanted, ...left])

    if (check && !record.all_day && record.deleted_at === null) {
      const refs = new Map<string, Ref[]>()
      for (const key of wanted) {
        refs.set(key.user_id, [...(refs.get(key.user_id) ?? []), ...(current.get(nameOf(key))?.refs ?? [])])
      }
      if (await collides(record, refs)) throw slotConflict()
    }

    const ref: Ref = { id: record.id, s: record.starts_at, e: record.ends_at }
    const additions = wanted.map((key) => {
      const agenda = current.get(nameOf(key))
      const refs = [...(agenda?.refs ?? []).filter(({ id }) => id !== record.id), ref]
      if (refs.length > mostPerAgenda[key.kind]) throw fullAgenda(key)
      return agendaBecomes(workspace_id, key, agenda, refs)
    })
    const removals = left.flatMap((key) => {
      const agenda = current.get(nameOf(key))
      if (agenda === undefined) return []
      const refs = agenda.refs.filter(({ id }) => id !== record.id)
      return [agendaBecomes(workspace_id, key, agenda, refs)]
    })
    return record.all_day
      ? { guarding: [], following: [...removals, ...additions] }
      : { guarding: additions.map(({ action }) => action), following: removals }
  }

  const write = async (before: EventRecord | undefined, change: EventChange): Promise<void> => {
    const { record, timelineEntries } = change
    const { workspace_id, case_id } = record
    const { guarding, following } = await agendaWrites(before, change)
    const comesToCase = case_id !== null && case_id !== before?.case_id
    const actions = [
      before === undefined
        ? put(events.create(itemOf(record)))
        : put(events.put(itemOf(record)).where(({ version }, { eq }) => eq(version, before.version))),
      ...(comesToCase ? [ofCase.isThere(workspace_id, case_id)] : []),
      ...timelineEntries.map(({ case_id, entry }) => ofCase.recordTimeline(workspace_id, case_id, entry)),
      ...entryWrites(before, record),
      ...guarding,
    ]
    const [now, later] = withinRoom(following, mostActions - actions.length)
    await outbox.commit(
      [...actions, ...now.map(({ action }) => action)],
      later.length > 0
        ? [agendasJob.of({ workspace_id, event_id: record.id, agendas: later.map(({ key }) => key) })]
        : [],
    )
  }

  /** The writes that bring the lists by start from `before` to `after`. */
  const entryWrites = (before: EventRecord | undefined, after: EventRecord): Action[] => {
    const { workspace_id, ends_at } = after
    const gone = before === undefined ? [] : placesOf(before)
    const kept = placesOf(after)
    const text = JSON.stringify(after)
    const copy = text.length > largeRecord ? {} : { event: text }
    return [
      ...gone
        .filter(({ term, place }) => !kept.some((other) => other.term === term && other.place === place))
        .map(({ term, place }) => erase(entries.delete({ workspace_id, term, place }))),
      ...kept.map(({ term, place }) =>
        put(
          entries.put({ workspace_id, term, place, ends_at, participants: participantsOf(after), ...copy }),
        ),
      ),
    ]
  }

  /** Files the event in one agenda, or takes it out, as its record says. */
  const bringInLine = async (workspaceId: string, eventId: string, key: AgendaKey): Promise<void> => {
    for (let filed: number | undefined; ; ) {
      const record = await retryStale(async () => {
        const agenda = (await readAgendas(workspaceId, [key])).get(nameOf(key))
        const event = await findAny(workspaceId, eventId)
        if (event === undefined) return undefined
        const belongs = agendaOf(event).some((wanted) => nameOf(wanted) === nameOf(key))
        const ref = { id: eventId, s: event.starts_at, e: event.ends_at }
        const others = (agenda?.refs ?? []).filter(({ id }) => id !== eventId)
        const refs = belongs ? [...others, ref] : others
        if (JSON.stringify(refs) !== JSON.stringify(agenda?.refs ?? []))
          await transact(db, [agendaBecomes(workspaceId, key, agenda, refs).action])
        return event
      })
      // Another change may have come between reading the record and writing the agenda.
      if (record === undefined || record.version === filed) return
      filed = record.version
    }
  }

  /** Events of a term whose place lies between two others, narrowed by `wanted`. */
  const entriesSource =
    (
      workspaceId: string,
      term: string,
      low: string,
      high: string,
      wanted: (entry: { ends_at: string; participants: string[] }) => boolean,
    ): Source<Found> =>
    async (after, limit) => {
      const items: Placed<Found>[] = []
      let lowest = after !== undefined && after >= low ? `${after}!` : low
      for (let seen = 0; lowest < high; ) {
        const { data, cursor } = await entries.query
          .soonest({ workspace_id: workspaceId, term })
          .between({ place: lowest }, { place: high })
          .go({ limit: limit - items.length, ...strongly })
        for (const { place, ends_at, participants, event } of data) {
          if (wanted({ ends_at, participants: participants as string[] }))
            items.push({ place, item: { id: idOfPlace(place), ...(event && { record: recordOf(event) }) } })
        }
        seen += data.length
        const last = data.at(-1)
        if (cursor === null || last === undefined) break
        if (items.length >= limit || seen >= mostCandidates) return { items, upTo: last.place }
        lowest = `${last.place}!`
      }
      return { items, upTo: undefined }
    }

  /** A user's timed or all-day events that overlap the range, narrowed by `wanted`. */
  const agendaSource =
    (
      workspaceId: string,
      user_id: string,
      kind: 'day' | 'month',
      { from, until }: Pick<EventQuery, 'from' | 'until'>,
      wanted: (record: EventRecord) => boolean,
    ): Source<Found> =>
    async (after, limit) => {
      const items: Placed<Found>[] = []
      const start = [from, after?.slice(0, lengthOfInstant)]
        .filter((at) => at !== undefined)
        .toSorted()
        .at(-1)
      let lowest = start === undefined ? '0' : bucketOf(kind, start)
      const highest = until === undefined ? '9999~' : bucketOf(kind, justBefore(until))
      for (let seen = 0, last = after ?? ''; lowest <= highest; ) {
        const { data, cursor } = await agendas.query
          .soonest({ workspace_id: workspaceId, user_id, kind })
          .between({ bucket: lowest }, { bucket: highest })
          .go({ limit: 40, ...strongly })
        const listed = placedRefs(data.flatMap(refsOf)).filter(
          ({ place, ref }) => place > last && overlaps(ref, from, until),
        )
        const refs = listed.slice(0, Math.max(limit - items.length, 25))
        const records = await findAll(
          workspaceId,
          refs.map(({ ref }) => ref.id),
        )
        for (const { place, ref } of refs) {
          const record = records.get(ref.id)
          if (record && isStill(record, ref, user_id, kind) && wanted(record))
            items.push({ place, item: { id: ref.id, record } })
          last = place
        }
        seen += Math.max(refs.length, 1)
        const lastBucket = data.at(-1)?.bucket
        const more = listed.length > refs.length
        if (!more && (cursor === null || lastBucket === undefined)) break
        if (items.length >= limit || seen >= mostCandidates) return { items, upTo: last }
        if (!more) lowest = `${lastBucket}!`
      }
      return { items, upTo: undefined }
    }

  const deadlineSource =
    (workspaceId: string, { case_id, attendee, from, until }: EventQuery): Source<Found> =>
    async (after, limit) => {
      const due = await deadlines.due(
        workspaceId,
        { states: ['open', 'verified', 'completed'], case_id, assigned_to: attendee, from, until },
        { after, limit },
      )
      const items = due.map((record) => ({
        place: `${record.due_at}#${record.id}`,
        item: { id: record.id, deadline: record },
      }))
      return { items, upTo: due.length < limit ? undefined : items.at(-1)?.place }
    }

  const sourcesOf = (workspaceId: string, query: EventQuery): Source<Found>[] => {
    const { type, case_id, attendee, time_zone } = query
    const types = (['event', 'meeting'] as const).filter((one) => type === undefined || type === one)
    const due = type === undefined || type === 'deadline' ? [deadlineSource(workspaceId, query)] : []
    const days = daysOf(query)
    if (attendee !== undefined && case_id === undefined && types.length > 0) {
      const wanted = (record: EventRecord) => types.includes(record.type)
      return [
        agendaSource(workspaceId, attendee, 'day', query, wanted),
        inTimeZone(time_zone, agendaSource(workspaceId, attendee, 'month', days, wanted)),
        ...due,
      ]
    }
    const isOfUser = (participants: string[]) => attendee === undefined || participants.includes(attendee)
    return [
      ...due,
      ...types.flatMap((one) => [
        ...overlapping(workspaceId, { type: one, all_day: false, case_id }, query, isOfUser),
        ...overlapping(workspaceId, { type: one, all_day: true, case_id }, days, isOfUser).map((source) =>
          inTimeZone(time_zone, source),
        ),
      ]),
    ]
  }

  /** What overlaps a range, of timed or of all-day events. */
  const overlapping = (
    workspaceId: string,
    list: List,
    { from, until = latest }: Pick<EventQuery, 'from' | 'until'>,
    isOfUser: (participants: string[]) => boolean,
  ): Source<Found>[] => {
    const term = termOf(list)
    const begins = entriesSource(workspaceId, term, from ?? earliest, until, ({ participants }) =>
      isOfUser(participants),
    )
    if (from === undefined) return [begins]
    const dayStart = startOfListDay(from, list)
    const runs = ({ ends_at, participants }: { ends_at: string; participants: string[] }) =>
      ends_at > from && isOfUser(participants)
    return [
      begins,
      ...(dayStart < from ? [entriesSource(workspaceId, term, dayStart, from, runs)] : []),
      entriesSource(workspaceId, `${monthOf(from, list)} ${term}`, earliest, dayStart, runs),
    ]
  }

  return {
    find,

    bringInLine: (workspaceId, eventId, keys) =>
      inParallel(keys, (key) => bringInLine(workspaceId, eventId, key)),

    findDeadline: (workspaceId, id) => deadlines.find(workspaceId, id),

    page: async (workspaceId, query, { limit, cursor }) => {
      const { type, case_id, attendee, from, until, time_zone } = query
      const binding = [workspaceId, 'events', type, case_id, attendee, from, until, time_zone]
      const after = cursor === undefined ? undefined : await cursors.open(binding, cursor)
      const { items, next } = await mergeByPlace(sourcesOf(workspaceId, query), after, limit)
      const bare = items.filter(({ record, deadline }) => !record && !deadline)
      const records = await findAll(
        workspaceId,
        bare.map(({ id }) => id),
      )
      const data = items.flatMap((item): CalendarItem[] => {
        if (item.deadline) return [{ kind: 'deadline', record: item.deadline }]
        const record = item.record ?? records.get(item.id)
        return record ? [{ kind: 'event', record }] : []
      })
      const sealed = next === undefined ? null : await cursors.seal(binding, next)
      return { data, pagination: { cursor: sealed, has_more: sealed !== null } }
    },

    add: (change) => retryStale(() => write(undefined, change)),

    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const before = await find(workspaceId, id)
        if (before === undefined) throw notFound('EVENT_NOT_FOUND')
        const change = await decide(before)
        if (change === undefined) return before
        await write(before, change)
        return change.record
      }),

    busy: async (workspaceId, userIds, range) => {
      const found = new Map<string, Interval[]>()
      await inParallel(userIds, async (user_id) => {
        const { data } = await agendas.query
          .soonest({ workspace_id: workspaceId, user_id, kind: 'day' })
          .between(
            { bucket: bucketOf('day', range.start) },
            { bucket: bucketOf('day', justBefore(range.end)) },
          )
          .go({ pages: 'all', ...strongly })
        const refs = placedRefs(data.flatMap(refsOf))
        found.set(
          user_id,
          refs
            .filter(({ ref }) => overlaps(ref, range.start, range.end))
            .map(({ ref }) => ({ start: ref.s, end: ref.e })),
        )
      })
      return found
    },

    ofUser: async (workspaceId, user_id, { start, end }, most) => {
      const kinds = ['day', 'month'] as const
      const listed = await Promise.all(
        kinds.map(async (kind) => {
          const { data } = await agendas.query
            .soonest({ workspace_id: workspaceId, user_id, kind })
            .between({ bucket: bucketOf(kind, start) }, { bucket: bucketOf(kind, justBefore(end)) })
            .go({ pages: 'all', ...strongly })
          return placedRefs(data.flatMap(refsOf))
            .filter(({ ref }) => overlaps(ref, start, end))
            .slice(0, most)
            .map(({ ref }) => ({ ref, kind }))
        }),
      )
      const due = await cards.ofUser(workspaceId, user_id, { start, end }, most)
      const refs = listed.flat()
      const records = await findAll(workspaceId, [...new Set(refs.map(({ ref }) => ref.id))])
      const items = [
        ...refs.flatMap(({ ref, kind }): (CalendarItem & { place: string })[] => {
          const record = records.get(ref.id)
          return record && isStill(record, ref, user_id, kind)
            ? [{ kind: 'event', record, place: placeOf(record) }]
            : []
        }),
        ...due.map((record) => ({
          kind: 'deadline' as const,
          record,
          place: `${record.due_at}#${record.id}`,
        })),
      ]
      return items
        .toSorted((one, other) => (one.place < other.place ? -1 : 1))
        .slice(0, most)
        .map(({ place: _, ...item }) => item)
    },
  }
}

/** What follows a change of an event whose agendas did not all fit into its transaction. */
type AgendaKeeper = {
  /** Files the event in these agendas, or takes it out, as its record says. */
  bringInLine: (workspaceId: string, eventId: string, keys: AgendaKey[]) => Promise<void>
}

/** Brings agendas in line with the events that were changed. */
export function agendasFollowUp(calendar: AgendaKeeper): JobHandler {
  return agendasJob.handledBy(({ workspace_id, event_id, agendas }) =>
    calendar.bringInLine(workspace_id, event_id, agendas),
  )
}

type Agenda = { refs: Ref[]; token: string }

type AgendaWrite = { key: AgendaKey; characters: number; action: Action }

/** Those that have room in a transaction with so many actions left, and the others. */
function withinRoom(writes: AgendaWrite[], actionsLeft: number): [AgendaWrite[], AgendaWrite[]] {
  let characters = 0
  let count = 0
  for (const write of writes) {
    characters += write.characters
    if (count >= actionsLeft || characters > mostCharactersBeside) break
    count += 1
  }
  return [writes.slice(0, count), writes.slice(count)]
}

/** What a source found: a deadline, or an event with its record or its id alone. */
type Found = {
  id: string
  record?: EventRecord | undefined
  deadline?: Extract<CalendarItem, { kind: 'deadline' }>['record']
}

/** Sort before and after every time that an event can have. */
const earliest = '0'
const latest = '9999~'

/** A list by start: timed or all-day events of a type, of all cases or of one. */
type List = Pick<EventRecord, 'type' | 'all_day'> & { case_id?: string | undefined }

/**
 * Lists of timed events look back to this hour (UTC): midnight in Germany in summer, an hour before in winter. So a
 * range of local days looks back over an hour of the night at most, and what happens on one day crosses no boundary.
 */
const listDayBeginsAtHour = 22

/** By how much a list's days begin before those of UTC; all-day events are filed by date. */
function lead({ all_day }: Pick<List, 'all_day'>): number {
  return all_day ? 0 : (24 - listDayBeginsAtHour) * 3_600_000
}

function startOfListDay(instant: string, list: Pick<List, 'all_day'>): string {
  const date = new Date(Date.parse(instant) + lead(list)).toISOString().slice(0, 10)
  return new Date(Date.parse(date) - lead(list)).toISOString()
}

/** The month of a moment, of months that begin with a list day. */
function monthOf(instant: string, list: Pick<List, 'all_day'>): string {
  return new Date(Date.parse(instant) + lead(list)).toISOString().slice(0, 7)
}

function monthsOf(record: EventRecord): string[] {
  const last = monthOf(justBefore(record.ends_at), record)
  const months: string[] = []
  for (let month = monthOf(record.starts_at, record); month <= last; ) {
    months.push(month)
    const [year = 0, number = 0] = month.split('-').map(Number)
    month = new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7)
  }
  return months
}

function placesOf(record: EventRecord): { term: string; place: string }[] {
  if (record.deleted_at !== null) return []
  const place = placeOf(record)
  const { type, all_day, case_id, starts_at, ends_at } = record
  const terms = [termOf({ type, all_day }), ...(case_id === null ? [] : [termOf({ type, all_day, case_id })])]
  const crosses = startOfListDay(starts_at, record) !== startOfListDay(justBefore(ends_at), record)
  const long = crosses ? monthsOf(record).flatMap((month) => terms.map((term) => `${month} ${term}`)) : []
  return [...terms, ...long].map((term) => ({ term, place }))
}

function termOf({ type, all_day, case_id }: List): string {
  return `${all_day ? 'all-day ' : ''}${type}${case_id === undefined ? '' : ` case=${case_id}`}`
}

/** The days that a range touches where the office is, as all-day events are filed: what overlaps them overlaps it. */
function daysOf({ from, until, time_zone }: EventQuery): { from?: string; until?: string } {
  const dateAt = (instant: string) => localDateOf(new Date(instant), time_zone)
  return {
    ...(from !== undefined && { from: startOfUtcDay(dateAt(from)) }),
    ...(until !== undefined && { until: startOfUtcDay(dayAfter(dateAt(justBefore(until)))) }),
  }
}

/** A list of all-day events, which is sorted by date, in the order of when those days begin where the office is. */
function inTimeZone(timeZone: string, source: Source<Found>): Source<Found> {
  const begins = (place: string) =>
    startOfLocalDay(place.slice(0, 10), timeZone) + place.slice(lengthOfInstant)
  const dated = (place: string) => {
    const date = localDateOf(new Date(place.slice(0, lengthOfInstant)), timeZone)
    // Within a day, all have gone before that begin with it.
    const rest = begins(date) === place.slice(0, lengthOfInstant) ? place.slice(lengthOfInstant) : '~'
    return startOfUtcDay(date) + rest
  }
  return async (after, limit) => {
    const { items, upTo } = await source(after && dated(after), limit)
    return {
      items: items.map(({ place, item }) => ({ place: begins(place), item })),
      upTo: upTo && begins(upTo),
    }
  }
}

const lengthOfInstant = '2026-04-16T07:00:00.000Z'.length

function placeOf({ starts_at, id }: EventRecord): string {
  return `${starts_at}#${id}`
}

function idOfPlace(place: string): string {
  return place.slice(place.indexOf('#') + 1)
}

/** Whose event it is: an event without attendees is its creator's (K4). */
function participantsOf({ attendees, created_by }: EventRecord): string[] {
  return attendees.length > 0 ? attendees : [created_by]
}

function nameOf({ user_id, kind, bucket }: AgendaKey): string {
  return `${user_id} ${kind} ${bucket}`
}

/** References by place, each event once. */
function placedRefs(refs: Ref[]): { place: string; ref: Ref }[] {
  const placed = new Map(refs.map((ref) => [`${ref.s}#${ref.id}`, ref]))
  return [...placed]
    .map(([place, ref]) => ({ place, ref }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
}

function overlaps({ s, e }: Ref, from: string | undefined, until: string | undefined): boolean {
  return (from === undefined || e > from) && (until === undefined || s < until)
}

/** Whether the event is where its reference says; one that was left behind by a change is not. */
function isStill(record: EventRecord, ref: Ref, userId: string, kind: 'day' | 'month'): boolean {
  return (
    record.starts_at === ref.s &&
    record.ends_at === ref.e &&
    record.all_day === (kind === 'month') &&
    participantsOf(record).includes(userId)
  )
}

function sameTimes(before: EventRecord, after: EventRecord): boolean {
  const times = ({ starts_at, ends_at, all_day, attendees, deleted_at }: EventRecord) =>
    JSON.stringify([starts_at, ends_at, all_day, attendees, deleted_at])
  return times(before) === times(after)
}

function justBefore(instant: string): string {
  return new Date(Date.parse(instant) - 1).toISOString()
}

function refuseTooLong(record: EventRecord, wanted: AgendaKey[]): void {
  if (record.all_day || wanted.length <= mostGuards) return
  const days = bucketsOf('day', record).length
  throw invalid(
    `A timed event of ${days} days is too long for its attendees. Make it all_day, or several events.`,
    [
      {
        path: 'body.end',
        message: `Attendees times days may be at most ${mostGuards}, and this is ${wanted.length}.`,
      },
    ],
  )
}

function slotConflict(): Failure {
  return new Failure(
    'conflict',
    'SLOT_CONFLICT',
    'It collides with another event of an attendee. Choose another time, or send allow_conflict: true.',
  )
}

function fullAgenda({ kind }: AgendaKey): Failure {
  return new Failure(
    'conflict',
    'SLOT_CONFLICT',
    kind === 'day'
      ? `An attendee has ${mostPerAgenda.day} events on that day already. Delete some first.`
      : `An attendee has ${mostPerAgenda.month} all-day events in that month already. Delete some first.`,
  )
}

function itemOf(record: EventRecord) {
  const { workspace_id, id, version } = record
  return { workspace_id, id, version, record: JSON.stringify(record) }
}

/** Written by `itemOf` and `entryWrites` alone. */
function recordOf(text: string): EventRecord {
  return JSON.parse(text)
}

/** Written by `agendaBecomes` alone. */
function refsOf({ events }: { events: string }): Ref[] {
  return JSON.parse(events)
}
