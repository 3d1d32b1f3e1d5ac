import { isDeepStrictEqual } from 'node:util'
import { withOffset } from '#german-time/local-time.ts'
import { isOver } from '#german-time/time-limit.ts'
import { type DayOrMoment, rangeOf } from '#german-time/time-range.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { conflict, Failure, type FailureDetail, invalid, requireActive, required } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page } from '#kernel/page.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import { type ShownChanges, shownChanges } from '#kernel/updated-since.ts'
import { type CaseTimelineEntry, type Decision, entryOf } from '#timeline/schema.ts'
import type {
  CalendarDeadline,
  CalendarItem,
  CalendarStore,
  CalendarUsers,
  CalendarWorkspaces,
  CollisionCheck,
  EventRecord,
} from './ports.ts'
import {
  type CalendarEvent,
  type CalendarEventChanges,
  type CalendarEventInput,
  type CalendarEventQuery,
  eventReaders,
} from './schema.ts'
import { changed, created, deleted, movedAway, movedHere, type Summary } from './summaries.ts'
import { allDaySpan, type Span, shownTimes, timedSpan } from './times.ts'
import { withdrawEvent } from './withdrawal-schema.ts'

export type CalendarService = ReturnType<typeof calendarService>

/** The events of the workspace, listed together with its deadlines (K1–K5). */
export function calendarService(deps: {
  store: CalendarStore
  workspaces: CalendarWorkspaces
  users: Pick<CalendarUsers, 'known'>
  clock: Clock
}) {
  const { store, workspaces, users, clock } = deps

  const timeZoneOf = async (actor: Actor): Promise<string> => {
    const workspace = required(await workspaces.find(actor.workspace_id), 'WORKSPACE_NOT_FOUND')
    return workspace.time_zone
  }

  /** @throws Failure USER_NOT_FOUND, also for a deactivated user who is not among the `present` attendees */
  const requireUsers = async (actor: Actor, ids: string[], present: string[]): Promise<void> => {
    if (ids.length === 0) return
    requireActive(ids, await users.known(actor.workspace_id, ids), 'body.attendees', present)
  }

  const timelineOf = (
    actor: Actor,
    caseId: string | null,
    record: EventRecord,
    what: Summary,
  ): CaseTimelineEntry[] => {
    if (caseId === null) return []
    const { type, summary } = what
    const ref = { type: 'event', id: record.id }
    return [{ case_id: caseId, entry: entryOf(clock, actor, { type, summary, ref }) }]
  }

  /** Throws for an id that no event has: IS_DEADLINE if a deadline has it, otherwise EVENT_NOT_FOUND. */
  const throwNoEvent = async (actor: Actor, id: string): Promise<never> => {
    required(await store.findDeadline(actor.workspace_id, id), 'EVENT_NOT_FOUND')
    throw conflict('IS_DEADLINE', 'This is a deadline. Change or delete it under /api/v1/deadlines.')
  }

  /**
   * The result of `work`. If it fails with SLOT_CONFLICT, callers who may read events get the details, with the offset of
   * the workspace (G6); others get none.
   */
  const showCollisions = async <Result>(
    actor: Actor,
    timeZone: string,
    work: Promise<Result>,
  ): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'SLOT_CONFLICT') throw error
      const { kind, code, message, details } = error
      const isShown = eventReaders.some((scope) => actor.scopes.includes(scope))
      if (details === undefined || !isShown) throw new Failure(kind, code, message)
      throw new Failure(kind, code, message, {
        details: details.map((detail) => shownCollision(detail, timeZone)),
      })
    }
  }

  const change = async <Answer>(
    actor: Actor,
    timeZone: string,
    id: string,
    decide: (current: EventRecord) => Decision<EventRecord, Answer> & CollisionCheck,
  ): Promise<Answer> => {
    try {
      return await showCollisions(actor, timeZone, store.change(actor.workspace_id, id, decide))
    } catch (error) {
      if (error instanceof Failure && error.code === 'EVENT_NOT_FOUND') return throwNoEvent(actor, id)
      throw error
    }
  }

  return {
    /**
     * Events and deadlines that overlap the range, sorted by start (K2). With `updated_since` it returns what was
     * created, changed or deleted since then, oldest change first (G16).
     *
     * @throws Failure INVALID_DATE_RANGE
     */
    async list(
      actor: Actor,
      query: CalendarEventQuery,
    ): Promise<Page<CalendarEvent> | ShownChanges<CalendarEvent>> {
      const timeZone = await timeZoneOf(actor)
      const { type, case_id, attendee, limit, cursor, updated_since: since } = query
      const wanted = { type, case_id, attendee, ...rangeOf(query, timeZone), time_zone: timeZone }
      if (since !== undefined) {
        const changes = await store.changes(actor.workspace_id, wanted, { limit, cursor, since })
        return shownChanges(changes, (items) => items.map((item) => itemView(item, timeZone, clock.now())))
      }
      const page = await store.page(actor.workspace_id, wanted, { limit, cursor })
      return { ...page, data: page.data.map((item) => itemView(item, timeZone, clock.now())) }
    },

    /** An event, or a deadline shown as an event. @throws Failure EVENT_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<CalendarEvent> {
      const [timeZone, record] = await Promise.all([timeZoneOf(actor), store.find(actor.workspace_id, id)])
      if (record !== undefined) return eventView(record, timeZone)
      const deadline = required(await store.findDeadline(actor.workspace_id, id), 'EVENT_NOT_FOUND')
      return deadlineView(deadline, timeZone, clock.now())
    },

    /**
     * Creates an event (K3–K5).
     *
     * @throws Failure INVALID_DATE_RANGE, VALIDATION_ERROR, USER_NOT_FOUND, CASE_NOT_FOUND, SLOT_CONFLICT
     */
    async create(actor: Actor, input: CalendarEventInput): Promise<Answered<CalendarEvent>> {
      const timeZone = await timeZoneOf(actor)
      const { start, end, all_day, allow_conflict, ...fields } = input
      const span = all_day ? allDaySpan(start, end, timeZone) : timedSpan(start, end)
      await requireUsers(actor, input.attendees, [])
      const now = timestamp(clock)
      const record: EventRecord = {
        workspace_id: actor.workspace_id,
        id: newId('event'),
        ...fields,
        ...span,
        created_by: actor.user_id,
        created_at: now,
        updated_at: now,
        deleted_at: null,
        version: 1,
      }
      const timeline = timelineOf(actor, record.case_id, record, created(record, timeZone))
      const answer = eventView(record, timeZone)
      return showCollisions(actor, timeZone, store.add({ record, check: !allow_conflict, timeline, answer }))
    },

    /**
     * Changes the fields that are in `changes`.
     *
     * @throws Failure EVENT_NOT_FOUND, IS_DEADLINE, PRECONDITION_FAILED, and as `create`
     */
    async change(
      actor: Actor,
      id: string,
      changes: CalendarEventChanges,
      precondition: Precondition<CalendarEvent> = anyState,
    ): Promise<CalendarEvent> {
      const timeZone = await timeZoneOf(actor)
      // If the times are invalid and the event does not exist, report the times.
      if (changes.start && changes.end && 'moment' in changes.start && 'moment' in changes.end)
        timedSpan(changes.start, changes.end)
      if (changes.attendees && changes.attendees.length > 0) {
        // If the event does not exist and attendees are unknown, report the event.
        const event = (await store.find(actor.workspace_id, id)) ?? (await throwNoEvent(actor, id))
        await requireUsers(actor, changes.attendees, event.attendees)
      }
      return change(actor, timeZone, id, (current) => {
        precondition(eventView(current, timeZone))
        const { start, end, all_day, allow_conflict, ...given } = changes
        const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
        const next = { ...current, ...fields, ...spanAfter(current, { start, end, all_day }, timeZone) }
        const differing = shownFields.filter((field) => !isDeepStrictEqual(current[field], next[field]))
        if (differing.length === 0) return { answer: eventView(current, timeZone) }
        const after = { ...next, updated_at: timestamp(clock), version: current.version + 1 }
        const moves = differing.some((field) => conflictFields.includes(field))
        return {
          record: after,
          check: moves && !allow_conflict,
          timeline: changeTimeline(actor, current, after, timeZone),
          answer: eventView(after, timeZone),
        }
      })
    },

    /**
     * Deletes an event. Its record stays (G13). A job schedules its removal from the calendars that it was pushed
     * to. It is gone there within two minutes. If a server does not answer, the removal is retried for 30 days (K11).
     *
     * @throws Failure EVENT_NOT_FOUND, IS_DEADLINE, PRECONDITION_FAILED
     */
    async remove(
      actor: Actor,
      id: string,
      precondition: Precondition<CalendarEvent> = anyState,
    ): Promise<void> {
      const timeZone = await timeZoneOf(actor)
      await change(actor, timeZone, id, (current) => {
        precondition(eventView(current, timeZone))
        const now = timestamp(clock)
        const record = { ...current, deleted_at: now, updated_at: now, version: current.version + 1 }
        return {
          record,
          timeline: timelineOf(actor, current.case_id, current, deleted(current, timeZone)),
          jobs: [withdrawEvent.of({ workspace_id: actor.workspace_id, event_id: current.id, pushed: null })],
          answer: undefined,
        }
      })
    },
  }

  function changeTimeline(
    actor: Actor,
    before: EventRecord,
    after: EventRecord,
    timeZone: string,
  ): CaseTimelineEntry[] {
    if (before.case_id === after.case_id)
      return timelineOf(actor, after.case_id, after, changed(before, after, timeZone))
    return [
      ...timelineOf(actor, before.case_id, after, movedAway(before, timeZone)),
      ...timelineOf(actor, after.case_id, after, movedHere(after, timeZone)),
    ]
  }
}

/** An event that an attendee has at the same time, with its times in the time zone. */
function shownCollision({ start = '', end = '', ...of }: FailureDetail, timeZone: string): FailureDetail {
  const shown = {
    start: withOffset(new Date(start), timeZone),
    end: withOffset(new Date(end), timeZone),
  }
  const message = `${of.user_id} has ${of.event_id} from ${shown.start} to ${shown.end}.`
  return { ...of, ...shown, message }
}

/** A change of one of these fields may lead to a collision. */
const conflictFields: readonly (keyof EventRecord)[] = ['starts_at', 'ends_at', 'all_day', 'attendees']

const shownFields: readonly (keyof EventRecord)[] = [
  ...conflictFields,
  'first_day',
  'last_day',
  'title',
  'type',
  'case_id',
  'location',
  'description',
]

type TimeChanges = {
  start: DayOrMoment | undefined
  end: DayOrMoment | undefined
  all_day: boolean | undefined
}

/** The times of an event after a change. Empty if the change sets no times. @throws Failure as `allDaySpan` */
function spanAfter(
  current: Span,
  { start, end, all_day = current.all_day }: TimeChanges,
  timeZone: string,
): Partial<Span> {
  if (start === undefined && end === undefined && all_day === current.all_day) return {}
  if (current.all_day && !all_day && (start === undefined || end === undefined)) {
    throw invalid('An all-day event needs times to become a timed one.', [
      {
        path: start === undefined ? 'body.start' : 'body.end',
        message: 'Send `start` and `end` with `all_day: false`.',
      },
    ])
  }
  const first = start ?? (current.first_day ? { date: current.first_day } : { moment: current.starts_at })
  const last = end ?? (current.last_day ? { date: current.last_day } : { moment: current.ends_at })
  const fault = start === undefined ? 'end' : 'start'
  return all_day ? allDaySpan(first, last, timeZone, fault) : timedSpan(first, last, fault)
}

function eventView(record: EventRecord, timeZone: string): CalendarEvent {
  const { id, title, type, all_day, case_id, location, description, attendees } = record
  const { created_by, created_at, updated_at } = record
  return {
    id,
    title,
    type,
    ...shownTimes(record, timeZone),
    all_day,
    case_id,
    location,
    description,
    attendees,
    created_by,
    created_at,
    updated_at,
  }
}

/**
 * A deadline in the form of an event. Start and end are its due time, and its only attendee is its assignee (K2). The
 * answer says whether it is overdue now (F15).
 */
function deadlineView(deadline: CalendarDeadline, timeZone: string, now: Date): CalendarEvent {
  const isOverdue = deadline.completed_at === null && isOver(deadline.due_at, now)
  const due = withOffset(new Date(deadline.due_at), timeZone)
  return {
    id: deadline.id,
    title: deadline.title,
    type: 'deadline',
    start: due,
    end: due,
    all_day: false,
    ...(isOverdue && { overdue: true }),
    case_id: deadline.case_id,
    ...(deadline.case_deleted_at !== null && { case_deleted_at: deadline.case_deleted_at }),
    location: null,
    description: null,
    attendees: [deadline.assigned_to],
    created_by: deadline.created_by,
    created_at: deadline.created_at,
    updated_at: deadline.updated_at,
  }
}

function itemView(item: CalendarItem, timeZone: string, now: Date): CalendarEvent {
  return item.kind === 'event' ? eventView(item.record, timeZone) : deadlineView(item.record, timeZone, now)
}
