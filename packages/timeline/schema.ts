import * as z from 'zod'
import type { AuditEvent } from '#audit/schema.ts'
import type { Job } from '#jobs/job.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { newId, shownId } from '#kernel/id.ts'
import { type Answered, withoutClaim } from '#kernel/idempotency.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { beginningOf, NullableText, Text, Timestamp } from '#kernel/text.ts'
import type { NewEvent } from '#webhooks/catalogue-schema.ts'

/**
 * An entry in the timeline of a case. A change of the case or of its contents adds one, in the same transaction (C6).
 */
export const TimelineEntry = namedObject('TimelineEntry', () => ({
  id: shownId('timelineEntry'),
  type: z.string().meta({
    description: 'The type of the event, for programs: `case.created`, `parties.added`, …',
  }),
  occurred_at: Timestamp,
  actor: z.object({
    type: z.enum(['user', 'system', 'external']),
    id: NullableText,
    name: Text,
  }),
  summary: z.string().meta({ description: 'The event in words, for people, in German.' }),
  ref: z
    .object({ type: Text, id: Text })
    .nullable()
    .meta({ description: 'The record that the event is about.' }),
}))

export type TimelineEntry = z.infer<typeof TimelineEntry>

/** An entry with the case that it belongs to. */
export type CaseTimelineEntry = { case_id: string; entry: TimelineEntry }

/**
 * A change that is stored in one transaction: the new record, and its entries, events and jobs. It does not have the
 * answer to the request.
 */
export type UnansweredChange<Stored> = {
  record: Stored
  timeline?: CaseTimelineEntry[]
  /** The events of this change (E1). Absent: the usual event of this kind of record. An empty list: no event. */
  events?: NewEvent[]
  jobs?: Job[]
  /** The entry of this change in the audit of the firm (R7). */
  audit?: AuditEvent
}

/** A change with the answer to its request. `answer` is undefined if no request caused the change. */
export type Change<Stored, Answer> = UnansweredChange<Stored> & { answer: Answer }

/**
 * What `decide` returns. Without `record`, nothing changes.
 *
 * @typeParam More the type of further fields of a change
 */
export type Decision<Stored, Answer, More extends object = object> =
  | (Change<Stored, Answer> & More)
  | { record?: undefined; answer: Answer }

/**
 * Adds an answer to a change. Without a change, only the answer is returned, and nothing changes.
 *
 * @param answerOf makes the answer from the record after the change
 */
export function answered<Stored, Answer, Changed extends UnansweredChange<Stored>>(
  current: Stored,
  change: Changed | undefined,
  answerOf: (after: Stored) => Answer,
): (Changed & { answer: Answer }) | { record?: undefined; answer: Answer } {
  return change === undefined ? { answer: answerOf(current) } : { ...change, answer: answerOf(change.record) }
}

/**
 * Changes a record because of a rule of the service. The current request did not ask for this change. So the
 * transaction of the change does not store the answer that a repeated request with the same `Idempotency-Key` gets
 * (G14).
 *
 * @param rule returns the change, undefined for none; it may run several times
 * @returns the record after the change
 */
export function applyRule<Stored, Changed extends UnansweredChange<Stored>>(
  store: Changing<Stored, Changed>,
  workspaceId: string,
  id: string,
  rule: (current: Stored) => Changed | undefined,
): Promise<Stored> {
  return withoutClaim(() =>
    store.change<Stored>(workspaceId, id, (current) => answered(current, rule(current), (after) => after)),
  )
}

/** A store that changes records. `Changed` is the type of a change, which may have further fields. */
export type Changing<Stored, Changed = UnansweredChange<Stored>> = {
  change: <Answer>(
    workspaceId: string,
    id: string,
    decide: (current: Stored) => Decided<Changed, Answer>,
  ) => Promise<Answered<Answer>>
}

/** Like `Changing`, but `decide` may be asynchronous. */
export type ChangingAsync<Stored, Changed = UnansweredChange<Stored>> = {
  change: <Answer>(
    workspaceId: string,
    id: string,
    decide: (current: Stored) => Decided<Changed, Answer> | Promise<Decided<Changed, Answer>>,
  ) => Promise<Answered<Answer>>
}

type Decided<Changed, Answer> = (Changed & { answer: Answer }) | { record?: undefined; answer: Answer }

/** The deletion of a record, with what is stored in the same transaction. */
export type Removal<Answer = undefined> = Omit<Change<never, Answer>, 'record'> & { deleted_at: string }

/** The actor of changes that the service itself makes. */
export const systemActor: TimelineEntry['actor'] = { type: 'system', id: null, name: 'Aktenlage' }

/** The actor of an entry that a user caused. */
export function userActor({
  user_id,
  user_name,
}: Pick<Actor, 'user_id' | 'user_name'>): TimelineEntry['actor'] {
  return { type: 'user', id: user_id, name: user_name }
}

/** The entry in the timeline of a case; none if there is no case. */
export function entriesIn(case_id: string | null, entry: Omit<TimelineEntry, 'id'>): CaseTimelineEntry[] {
  return case_id === null ? [] : [{ case_id, entry: { id: newId('timelineEntry'), ...entry } }]
}

/** The subject of a mail as summaries show it: its first 200 characters. */
export function shortenedSubject(subject: string): string {
  const beginning = beginningOf(subject, 200)
  return beginning === subject ? subject : `${beginning}…`
}

/** The entry for something that a user, or another actor, did now. */
export function entryOf(
  clock: Clock,
  actor: Actor | TimelineEntry['actor'],
  what: Pick<TimelineEntry, 'type' | 'summary' | 'ref'>,
): TimelineEntry {
  return {
    id: newId('timelineEntry'),
    occurred_at: timestamp(clock),
    actor: 'user_id' in actor ? userActor(actor) : actor,
    ...what,
  }
}
