import * as z from 'zod'
import type {
  CalendarItem,
  CalendarStore,
  CollisionCheck,
  EventQuery,
  EventRecord,
  Interval,
} from '#calendar/ports.ts'
import type { DeadlineStore } from '#deadlines/ports.ts'
import { defineFollowUp, type JobHandler } from '#jobs/job.ts'
import { type Failure, failureOf, invalid, notFound, required, unknownAt } from '#kernel/failure.ts'
import { type Answered, unchanged } from '#kernel/idempotency.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import type { PageRequest } from '#kernel/page.ts'
import type { Change } from '#kernel/updated-since.ts'
import type * as timeline from '#timeline/schema.ts'
import { caseActions } from '../cases/case-actions.ts'
import { caseTitles } from '../cases/case-titles.ts'
import { pageOfChanges, stamped } from '../change-log.ts'
import { usualEvents } from '../changes.ts'
import { pageByCursor } from '../cursor.ts'
import { deadlineChanges, unstruck } from '../deadlines/deadline-changes.ts'
import { dueLists } from '../deadlines/due-lists.ts'
import { mapPage } from '../newest-first.ts'
import { pageOfRecords } from '../page-of-records.ts'
import { noteLeft } from '../retention/removed-in-case.ts'
import { mergeSources, type Source } from '../sorted-list.ts'
import type { StoreDeps } from '../store-deps.ts'
import { maxActions, retryStale } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import type { AgendaKey } from './agenda-buckets.ts'
import { type AgendaWrite, agendas } from './agendas.ts'
import { eventChanges } from './event-changes.ts'
import { eventLists, type FoundEvent, placeOf } from './event-lists.ts'
import { eventRecords } from './event-records.ts'
import { datesOf, inTimeZone } from './list-days.ts'

/** The webhook events about changes of calendar events (E1). */
const eventsOf = usualEvents<EventRecord>('event', ({ id, case_id }) => ({ id, case_id }))

/** Agendas that could be written later are written in the transaction of the event, up to this total size. */
const maxCharactersBeside = 1_000_000

/** The actions in a transaction, with room left for the job that aligns agendas. */
const maxWrites = maxActions - 2

/**
 * Events in the table: the record of an event, its entries in the lists by start, and its references in the agendas of
 * its participants. A page of the calendar merges these lists and the list of deadlines. Each is sorted by start.
 */
export function calendarStore(
  deps: StoreDeps & { deadlines: Pick<DeadlineStore, 'due' | 'find'> },
): CalendarStore & AgendaAligner {
  const { db, cursors, outbox, deadlines } = deps
  const records = eventRecords(db)
  const lists = eventLists(db)
  const changesOf = eventChanges(db, records)
  const dueChanges = deadlineChanges(db)
  const agendasOf = agendas(db, records)
  const ofCase = caseActions(db)
  const cases = caseTitles(db)
  const recordEvents = eventActions(db)
  const dueBy = dueLists(db)

  /** Throws CASE_NOT_FOUND in place of a conflict: what an event refers to counts first (G3). */
  const unknownCaseFirst = async (
    before: EventRecord | undefined,
    { workspace_id, case_id }: EventRecord,
    error: unknown,
  ): Promise<never> => {
    const isMoved = case_id !== null && case_id !== before?.case_id
    if (isMoved && failureOf(error)?.kind === 'conflict' && !(await cases.exists(workspace_id, case_id)))
      throw notFound('CASE_NOT_FOUND', unknownAt('body.case_id', case_id))
    throw error
  }

  const write = async <Answer>(
    before: EventRecord | undefined,
    change: timeline.Change<EventRecord, Answer> & CollisionCheck,
  ): Promise<Answered<Answer>> => {
    const { record: next, check = false, timeline = [], jobs = [] } = change
    const { guarding, following } = await agendasOf
      .changes(before, { record: next, check })
      .catch((error: unknown) => unknownCaseFirst(before, next, error))
    const record = stamped(next, before)
    const { events = eventsOf(before, record.deleted_at === null ? record : undefined) } = change
    const actions = [
      records.write(before, record),
      ...ofCase.inCase(record, before),
      ...noteLeft(db, record, before),
      ...ofCase.recordTimelines(record.workspace_id, timeline),
      ...lists.changes(before, record),
      ...changesOf.add(before, record),
      ...recordEvents(record.workspace_id, events),
      ...guarding,
    ]
    // One action is for the job that aligns agendas.
    if (actions.length + jobs.length >= maxActions) throw tooLarge()
    const [now, later] = splitByRoom(following, maxWrites - actions.length - jobs.length)
    const agendas = later.map(({ key }) => key)
    const { workspace_id, id: event_id } = record
    return outbox.commit(
      [...actions, ...now.map(({ action }) => action)],
      [...jobs, ...(agendas.length > 0 ? [alignAgendas.of({ workspace_id, event_id, agendas })] : [])],
      change,
    )
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

  /** The sorted lists that together contain all results of a query. */
  const sourcesOf = (workspaceId: string, query: EventQuery): Source<Found>[] => {
    const { type, case_id, attendee, time_zone } = query
    const types = (['event', 'meeting'] as const).filter((one) => type === undefined || type === one)
    const due = type === undefined || type === 'deadline' ? [deadlineSource(workspaceId, query)] : []
    const dates = datesOf(query)
    if (attendee !== undefined && case_id === undefined && types.length > 0) {
      const isWanted = (record: EventRecord) => types.includes(record.type)
      return [
        agendasOf.sourceOf(workspaceId, attendee, 'day', query, isWanted),
        inTimeZone(time_zone, agendasOf.sourceOf(workspaceId, attendee, 'month', dates, isWanted)),
        ...due,
      ]
    }
    return [
      ...due,
      ...types.flatMap((one) => [
        ...lists.overlapping(workspaceId, { type: one, all_day: false, case_id }, query),
        ...lists
          .overlapping(workspaceId, { type: one, all_day: true, case_id }, { ...dates, attendee })
          .map((source) => inTimeZone(time_zone, source)),
      ]),
    ]
  }

  /** Adds the records that the lists do not have. Leaves out events that were deleted meanwhile. */
  const complete = async (workspaceId: string, items: Found[]): Promise<CalendarItem[]> => {
    const bare = items.filter(({ record, deadline }) => !record && !deadline).map(({ id }) => id)
    const events = await records.findAll(workspaceId, bare)
    return items.flatMap((item): CalendarItem[] => {
      if (item.deadline) return [{ kind: 'deadline', record: item.deadline }]
      const record = item.record ?? events.get(item.id)
      return record ? [{ kind: 'event', record }] : []
    })
  }

  return {
    find: records.find,

    findDeadline: (workspaceId, id) => deadlines.find(workspaceId, id),

    alignAgendas: agendasOf.align,

    page: async (workspaceId, query, request) => {
      const pageOfFound = (part: PageRequest) =>
        pageByCursor(cursors, bindingOf(workspaceId, query), part, (position, limit) =>
          mergeSources(sourcesOf(workspaceId, query), position, limit),
        )
      const page = await pageOfRecords(request, pageOfFound, async (found) => {
        const items = await complete(workspaceId, found)
        return items.map((item) => ({ id: item.record.id, item }))
      })
      return mapPage(page, ({ item }) => item)
    },

    changes: (workspaceId, query, request) => {
      const { type, case_id, attendee, from, until } = query
      const due = { states: unstruck, case_id, assigned_to: attendee, from, until }
      return pageOfChanges(cursors, bindingOf(workspaceId, query), request, (range) => {
        const events = itemsOf('event', changesOf.source(workspaceId, query, range))
        const deadlines = itemsOf('deadline', dueChanges.source(workspaceId, due, range, false))
        if (type === undefined) return [events, deadlines]
        return [type === 'deadline' ? deadlines : events]
      })
    },

    add: (change) => retryStale(() => write(undefined, change)),

    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const before = required(await records.find(workspaceId, id), 'EVENT_NOT_FOUND')
        const change = await decide(before)
        return change.record === undefined ? unchanged(change.answer) : write(before, change)
      }),

    busy: async (workspaceId, userIds, range) => {
      const found = new Map<string, Interval[]>()
      await inParallel(userIds, async (userId) => {
        found.set(userId, await agendasOf.busy(workspaceId, userId, range))
      })
      return found
    },

    ofUser: async (workspaceId, userId, range, limit) => {
      const [due, events] = await Promise.all([
        dueBy.ofUser(workspaceId, userId, range, limit),
        agendasOf.eventsOf(workspaceId, userId, range, limit),
      ])
      return [
        ...byPlace(due, ({ due_at, id }) => `${due_at}#${id}`).map((record) => ({
          kind: 'deadline' as const,
          record,
        })),
        ...byPlace(events, placeOf).map((record) => ({ kind: 'event' as const, record })),
      ].slice(0, limit)
    },
  }
}

function byPlace<Stored>(records: Stored[], place: (record: Stored) => string): Stored[] {
  return records.toSorted((one, other) => (place(one) < place(other) ? -1 : 1))
}

/** The workspace and the query for which a cursor of the calendar is valid. */
function bindingOf(workspaceId: string, query: EventQuery): unknown[] {
  const { type, case_id, attendee, from, until, time_zone } = query
  return [workspaceId, 'events', type, case_id, attendee, from, until, time_zone]
}

/** Turns changes of events or of deadlines into changes of calendar items. */
function itemsOf<Item extends CalendarItem>(
  kind: Item['kind'],
  source: Source<Change<Item['record']>>,
): Source<Change<CalendarItem>> {
  return async (after, limit) => {
    const { items, upTo } = await source(after, limit)
    return {
      items: items.map(({ place, item }) => ({
        place,
        item: 'record' in item ? { id: item.id, record: { kind, record: item.record } as Item } : item,
      })),
      upTo,
    }
  }
}

/** An item that a list found: an event, or a deadline. */
type Found = FoundEvent & { deadline?: Extract<CalendarItem, { kind: 'deadline' }>['record'] }

/** Writes the agendas of an event that did not fit into its transaction. */
const alignAgendas = defineFollowUp({
  name: 'event.agendas',
  version: 1,
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    event_id: z.string(),
    agendas: z.array(z.object({ user_id: z.string(), kind: z.enum(['day', 'month']), bucket: z.string() })),
  })),
})

type AgendaAligner = {
  /** Makes these agendas agree with the record of the event. */
  alignAgendas: (workspaceId: string, eventId: string, keys: AgendaKey[]) => Promise<void>
}

/** The handler of the job that makes agendas agree with a changed event. */
export function agendasFollowUp(calendar: AgendaAligner): JobHandler {
  return alignAgendas.handledBy(({ workspace_id, event_id, agendas }) =>
    calendar.alignAgendas(workspace_id, event_id, agendas),
  )
}

/** Splits the writes: the first ones fit into the transaction, which has room for `actionsLeft`; the rest does not. */
function splitByRoom(writes: AgendaWrite[], actionsLeft: number): [AgendaWrite[], AgendaWrite[]] {
  let characters = 0
  let count = 0
  for (const write of writes) {
    characters += write.characters
    if (count >= actionsLeft || characters > maxCharactersBeside) break
    count += 1
  }
  return [writes.slice(0, count), writes.slice(count)]
}

/** For example, if an all-day year becomes a timed event of months: its list entries and agendas are too many. */
function tooLarge(): Failure {
  return invalid('This change of a very long event is too large. Delete the event and create a new one.', [
    { path: 'body.end', message: 'The event is too long to be changed in this way.' },
  ])
}
