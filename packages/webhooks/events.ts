import type { Actor } from '#kernel/actor.ts'
import { allEventTypes, type NewEvent } from './catalogue-schema.ts'
import type { EventPage, EventQuery } from './event-schema.ts'
import type { EventLog } from './ports.ts'
import { type BeaRightsOf, maySee, maySeeType, readerWith } from './visibility.ts'

export type EventService = ReturnType<typeof eventService>

/** The log of events (E2). */
export function eventService({ log, beaRightsOf }: { log: EventLog; beaRightsOf: BeaRightsOf }) {
  return {
    /**
     * A page of the log, oldest first. It has the events of the wanted types whose resource the key may read. A beA
     * event is left out if the user of the key may not see it (E10).
     *
     * @throws Failure EVENT_NOT_FOUND, EVENTS_EXPIRED
     */
    async list(actor: Actor, { type, case_id, after, limit, cursor }: EventQuery): Promise<EventPage> {
      const types = (type ?? allEventTypes).filter((one) => maySeeType(one, actor.scopes))
      const reader = await readerWith({ actor, types }, beaRightsOf)
      const isSeen = (event: NewEvent) => maySee(event, reader)
      return log.page(actor.workspace_id, { types, case_id, after, isSeen }, { limit, cursor })
    },
  }
}
