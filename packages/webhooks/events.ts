import type { Actor } from '#kernel/actor.ts'
import { allEventTypes, readersOf } from './catalogue-schema.ts'
import type { EventPage, EventQuery } from './event-schema.ts'
import type { EventLog } from './ports.ts'

export type EventService = ReturnType<typeof eventService>

/** The log of events (E2). */
export function eventService({ log }: { log: EventLog }) {
  return {
    /**
     * A page of the log, oldest first: the wanted types of which the key may read the resource (E10). Others are left
     * out.
     *
     * @throws Failure EVENT_NOT_FOUND, EVENTS_EXPIRED
     */
    async list(actor: Actor, { type, case_id, after, limit, cursor }: EventQuery): Promise<EventPage> {
      const types = (type ?? allEventTypes).filter((one) =>
        readersOf(one).some((scope) => actor.scopes.includes(scope)),
      )
      return log.page(actor.workspace_id, { types, case_id, after }, { limit, cursor })
    },
  }
}
