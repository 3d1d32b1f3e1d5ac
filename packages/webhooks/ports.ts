import type { PageRequest } from '#kernel/page.ts'
import type { EventType, NewEvent } from './catalogue-schema.ts'
import type { EventPage } from './event-schema.ts'

/**
 * Which events are wanted. `after`: the id of the last event that the reader has seen. `isSeen`: whether the reader may
 * see an event of these types.
 */
type EventFilter = {
  types: readonly EventType[]
  case_id?: string | undefined
  after?: string | undefined
  isSeen: (event: NewEvent) => boolean
}

/** The log of events (E2). */
export type EventLog = {
  /**
   * The next events in the order of the log, which never changes: an event that appears after another was shown stands
   * behind it. A page that has looked at many events which are not wanted holds fewer than asked for, or none, and has
   * a cursor.
   *
   * @throws Failure EVENT_NOT_FOUND, EVENTS_EXPIRED for `after`; 400 for a cursor of another list
   */
  page: (workspaceId: string, filter: EventFilter, request: PageRequest) => Promise<EventPage>
}
