import type { Job } from '#jobs/job.ts'
import { type Answered, unchanged } from '#kernel/idempotency.ts'
import type { Change, Decision, Removal, UnansweredChange } from '#timeline/schema.ts'
import type { ChangedSubject, EventData, NewEvent } from '#webhooks/catalogue-schema.ts'
import { caseActions } from './cases/case-actions.ts'
import { type Stamped, stamped } from './change-log.ts'
import type { Db } from './db.ts'
import type { Outbox } from './outbox.ts'
import { noteRemoved } from './retention/removed-in-case.ts'
import { type Action, retryStale } from './transact.ts'
import { eventActions } from './webhooks/event-actions.ts'

type Key = Stamped & { workspace_id: string; id: string }

/** The used part of `records`. */
type Kind<Stored> = {
  found: (workspaceId: string, id: string) => Promise<Stored>
  add: (record: Stored) => Action
  replace: (before: Stored, after: Stored) => Action
  remove: (before: Stored, deletedAt: string) => Action
}

/** The additional actions that a store writes with a change, and the jobs that follow. */
export type Consequences = { actions: Action[]; jobs?: Job[] }

/** The events of a change of a record (E1). `before` is undefined for a new record, `after` for a deleted one. */
export type EventsOf<Stored> = (before: Stored | undefined, after: Stored | undefined) => NewEvent[]

/** The usual events of a kind of records: `created`, `updated` or `deleted`. */
export function usualEvents<Stored>(
  subject: ChangedSubject,
  dataOf: (record: Stored) => EventData,
): EventsOf<Stored> {
  return (before, after) => {
    const verb = before === undefined ? 'created' : after === undefined ? 'deleted' : 'updated'
    return [{ type: `${subject}.${verb}`, data: dataOf((after ?? before) as Stored) }]
  }
}

type Options<Stored extends object, More> = {
  /** The events of a change without its own `events`. `none`: changes of these records cause no events. */
  events: EventsOf<Stored> | 'none'
  /**
   * Returns additional actions, which come after the action of the record, and jobs. `before` is undefined for a new
   * record, `after` for a deleted one.
   */
  follow: (
    before: Stored | undefined,
    after: Stored | undefined,
    change: More,
  ) => Consequences | Promise<Consequences>
  /** Whether records have the time of their change, because their list answers `updated_since`. */
  isStamped?: 'changed_at' extends keyof Stored ? boolean : never
  /** Whether conflicting changes of one record in one process wait for each other. */
  takesTurns?: boolean
}

/**
 * Writes changes of records. One transaction has the record, the additional actions of the store, timeline entries,
 * events, jobs and the answer. If somebody else changed the record meanwhile, `decide` is called again.
 *
 * @typeParam More the additional fields of a change of these records
 */
export function changesOf<Stored extends Key, More extends object = object>(
  { db, outbox }: { db: Db; outbox: Outbox },
  kind: Kind<Stored>,
  { events: usual, follow, isStamped, takesTurns = false }: Options<Stored, More>,
) {
  const ofCase = caseActions(db)
  const recordEvents = eventActions(db)
  const inForm = (after: Stored, before?: Stored): Stored =>
    isStamped === true ? stamped(after, before) : after

  /** The writes of a change, and the jobs that follow it. */
  const partsOf = async (
    before: Stored | undefined,
    after: Stored | undefined,
    change: Omit<UnansweredChange<Stored>, 'record'> & More,
    of: Action,
  ): Promise<Required<Consequences>> => {
    const { timeline = [], jobs = [], events = usual === 'none' ? [] : usual(before, after) } = change
    const { workspace_id } = (after ?? before) as Stored
    const also = await follow(before, after, change)
    return {
      actions: [
        of,
        ...also.actions,
        ...ofCase.recordTimelines(workspace_id, timeline),
        ...recordEvents(workspace_id, events),
      ],
      jobs: [...jobs, ...(also.jobs ?? [])],
    }
  }

  const newParts = (change: UnansweredChange<Stored> & More) => {
    const record = inForm(change.record)
    return partsOf(undefined, record, change, kind.add(record))
  }

  const enqueueNew = async <Answer>(change: Change<Stored, Answer> & More, ...first: Action[]) => {
    const { actions, jobs } = await newParts(change)
    return outbox.enqueue([...first, ...actions], jobs, change)
  }

  return {
    /** Adds a record. @param first actions whose conditions are checked first */
    add: async <Answer>(
      change: Change<Stored, Answer> & More,
      ...first: Action[]
    ): Promise<Answered<Answer>> => {
      const run = await enqueueNew(change, ...first)
      return run()
    },

    /** Like `add`, but returns a function that runs the jobs. */
    enqueueNew,

    /** The writes of new records, and the jobs that follow, for a transaction that also writes something else. */
    additions: async (changes: (UnansweredChange<Stored> & More)[]): Promise<Required<Consequences>> => {
      const parts = await Promise.all(changes.map(newParts))
      return { actions: parts.flatMap(({ actions }) => actions), jobs: parts.flatMap(({ jobs }) => jobs) }
    },

    /** Changes a record. @param decide may run several times @returns the answer of the decision */
    change: <Answer>(
      workspaceId: string,
      id: string,
      decide: (before: Stored) => Decision<Stored, Answer, More> | Promise<Decision<Stored, Answer, More>>,
    ): Promise<Answered<Answer>> =>
      retryStale(
        async () => {
          const before = await kind.found(workspaceId, id)
          const change = await decide(before)
          if (!isChange(change)) return unchanged(change.answer)
          const after = inForm(change.record, before)
          const { actions, jobs } = await partsOf(before, after, change, kind.replace(before, after))
          return outbox.commit(actions, jobs, change)
        },
        takesTurns ? `${workspaceId} ${id}` : undefined,
      ),

    /** Marks a record as deleted. */
    remove: <Answer>(
      workspaceId: string,
      id: string,
      decide: (before: Stored) => (Removal<Answer> & More) | Promise<Removal<Answer> & More>,
    ): Promise<Answered<Answer>> =>
      retryStale(async () => {
        const before = await kind.found(workspaceId, id)
        const removal = await decide(before)
        const of = kind.remove(before, removal.deleted_at)
        const { actions, jobs } = await partsOf(before, undefined, removal, of)
        return outbox.commit([...actions, ...noteRemoved(db, before)], jobs, removal)
      }),
  }
}

function isChange<Stored, Answer, More extends object>(
  decision: Decision<Stored, Answer, More>,
): decision is Change<Stored, Answer> & More {
  return decision.record !== undefined
}
