import { idPrefixes, timeOf, uuidv7 } from '#kernel/id.ts'
import type { NewEvent } from '#webhooks/catalogue-schema.ts'
import { maxStampAgeMilliseconds } from '../change-log.ts'
import type { Db } from '../db.ts'
import { sortedList } from '../sorted-list.ts'
import type { Action } from '../transact.ts'

/** For how long an event can be read (E2). */
export const keptMilliseconds = 30 * 86_400_000

/** An entry of the log. `id`: of an event that was moved to this place; `moved`: the place to which it was moved. */
export type LoggedEvent = NewEvent & { id?: string; moved?: string }

/** The term of the list that holds all events of a firm. */
export const allEvents = 'all'

export function eventList(db: Db) {
  return sortedList<LoggedEvent>(db, 'webhook_events', 'ascending')
}

/**
 * The actions that write events in the transaction of their change (E1), one for each. The place of an event in the log
 * is the UUID of its id, which begins with the time.
 *
 * It is called anew for every attempt, as late as possible: the log counts on it that no attempt begins more than 15
 * seconds after this time (`event-log.ts`).
 */
export function eventActions(db: Db) {
  const list = eventList(db)
  return (workspaceId: string, events: readonly NewEvent[]): Action[] =>
    events.flatMap(({ type, data, needs }) => {
      const place = uuidv7()
      const at = timeOf(place)
      const entry = {
        term: allEvents,
        place,
        data: { type, data, ...(needs && { needs }) },
        ttl: lapsesAt(place),
      }
      const notAfter = at.getTime() + maxStampAgeMilliseconds
      const id = idPrefixes.webhookEvent + place
      const stored = { id, occurred_at: at.toISOString(), ...entry.data }
      const event = { workspace_id: workspaceId, stored }
      return list.changes(workspaceId, [], [entry]).map((action) => ({ ...action, notAfter, event }))
    })
}

/** The `ttl` of the event at a place. */
export function lapsesAt(place: string): number {
  return lapsesAfter(timeOf(place).getTime())
}

/** The `ttl` of what belongs to an event of this time, in milliseconds. */
export function lapsesAfter(time: number): number {
  return Math.ceil((time + keptMilliseconds) / 1_000)
}
