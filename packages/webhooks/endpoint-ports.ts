import type { DueIndex } from '#jobs/sweeping.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Change, ChangingAsync } from '#timeline/schema.ts'
import type { BeaNeed, EventType, SentEvent } from './catalogue-schema.ts'
import type { DeliveryStatus, WebhookDelivery, WebhookEndpoint } from './endpoint-schema.ts'

/** An endpoint as it is stored. */
export type EndpointRecord = WebhookEndpoint & {
  workspace_id: string
  /** The user who has set its address: it gets only events that this user may see. Null: it gets all of its types. */
  acts_for: string | null
  /** When a disabled endpoint is enabled, the deliveries that have failed since this time are sent again. */
  lost_since: string | null
  sealed_secret: string
  /** The secret before the last rotation. It is valid until `old_secret_until`. */
  sealed_old_secret: string | null
  old_secret_until: string | null
  version: number
}

/** When an endpoint without work is due. */
export const neverDue = '9999-12-31T00:00:00.000Z'

export type EndpointStore = {
  /** All endpoints of a firm, oldest first. */
  list: (workspaceId: string) => Promise<EndpointRecord[]>
  find: (workspaceId: string, id: string) => Promise<EndpointRecord | undefined>
  /** Adds an endpoint. It gets what happens from now on. @throws Failure WEBHOOK_ENDPOINT_LIMIT */
  add: <Answer>(change: Change<EndpointRecord, Answer>) => Promise<Answered<Answer>>
  /**
   * Changes an endpoint. If it becomes active, the deliveries that failed meanwhile are due at once.
   *
   * @throws Failure WEBHOOK_ENDPOINT_NOT_FOUND
   */
  change: ChangingAsync<EndpointRecord>['change']
  /** Removes an endpoint. A worker stops sending to it within seconds. @throws Failure WEBHOOK_ENDPOINT_NOT_FOUND */
  remove: (workspaceId: string, id: string) => Promise<void>
}

/** The endpoint of a delivery. */
export type EndpointKey = { workspace_id: string; endpoint_id: string }

/** An event that waits to be sent to an endpoint, for the first time or again. */
export type Waiting = {
  /** Sorts by the time at which it is due. */
  place: string
  event: SentEvent
  /** How many attempts in a row have failed. */
  failures: number
  /** A resend, or part of a replay: sent even if it succeeded before. Its failures do not count for the endpoint's health. */
  isAgain: boolean
}

/** A delivery as it is stored. */
export type DeliveryRecord = WebhookDelivery &
  EndpointKey & {
    event: SentEvent
    updated_at: string
    /** Fields that newer code has stored. They stay with the delivery (U3). */
    unknown?: Record<string, unknown> | undefined
  }

export type DeliveryStore = {
  /** The deliveries of these events to an endpoint, by event. */
  ofEvents: (key: EndpointKey, events: readonly string[]) => Promise<Map<string, DeliveryRecord>>
  find: (key: EndpointKey, id: string) => Promise<DeliveryRecord | undefined>
  page: (
    key: EndpointKey,
    filter: { status?: DeliveryStatus | undefined; event_id?: string | undefined },
    request: PageRequest,
  ) => Promise<Page<WebhookDelivery>>
  /** Writes first what waits, then deliveries, and then removes what waits no more. All of it may be repeated. */
  save: (
    key: EndpointKey,
    written: {
      deliveries?: readonly DeliveryRecord[]
      waiting?: readonly Waiting[]
      gone?: readonly Waiting[]
    },
  ) => Promise<void>
  /** The entries that wait for an endpoint after a place, in the order in which they are due. */
  waiting: (
    key: EndpointKey,
    after: string | undefined,
    limit: number,
  ) => Promise<{ entries: Waiting[]; ended: boolean }>
  /**
   * Deliveries that have failed for good since a moment, page by page, newest first. A page may hold none.
   *
   * @param below the delivery at which an earlier walk has stopped
   */
  failedSince: (
    key: EndpointKey,
    since: string,
    below: string | undefined,
  ) => AsyncIterable<{ failed: DeliveryRecord[]; last: string }>
  /**
   * Sets a delivery to be sent again, with its answer.
   *
   * @throws Failure WEBHOOK_DELIVERY_NOT_FOUND
   */
  resend: <Answer>(
    key: EndpointKey,
    id: string,
    decide: (current: DeliveryRecord) => { record: DeliveryRecord; waiting: Waiting; answer: Answer },
  ) => Promise<Answered<Answer>>
}

/** A replay: the events between two places of the log are sent again. */
export type Replay = {
  id: string
  /** Exclusive. */
  after: string
  /** Inclusive. */
  until: string
  types: readonly EventType[]
}

export type PlacedEvent = { event: SentEvent; place: string }

/** The events of a firm as an endpoint follows them, in the order of the log. Positions are places in it. */
export type FollowedLog = {
  /**
   * The next events of these types.
   *
   * @param range `after` is exclusive, `until` inclusive
   * @returns `upTo` is the place up to which the log was read, `at` when
   */
  read: (
    workspaceId: string,
    range: { after: string; until?: string | undefined; types: ReadonlySet<EventType> },
    limit: number,
  ) => Promise<{ found: PlacedEvent[]; upTo: string; ended: boolean; at: Date }>
  /** Whether the log may hold events for a reader that has read it to its end at the moment `since`. */
  mayHaveMore: (workspaceId: string, since: Date) => Promise<boolean>
  /** The place of an event. @throws Failure EVENT_NOT_FOUND, EVENTS_EXPIRED */
  placeOf: (workspaceId: string, event: string) => Promise<string>
  /** The rights at accounts of beA that these events need, by event, as far as the log has them. */
  needsOf: (workspaceId: string, events: readonly string[]) => Promise<Map<string, BeaNeed>>
}

/**
 * The state of sending to one endpoint. One worker at a time has claimed it, and makes all requests except tests.
 */
export type Dispatch = EndpointKey & {
  /** When somebody should look at it next. */
  due_at: string
  /** Counts the requests for another look, and the changes from outside. `release` compares it. */
  asked: number
  claimed_until: string | null
  /** Up to this place of the log its deliveries were made or recorded. */
  followed_to: string
  /** When the log was read to its end last. */
  followed_at: string
  /** The first failure since the last success. */
  failing_since: string | null
  /** How many notices about this failure the admins got. */
  notices: number
  /** The endpoint was enabled: deliveries that have failed since then are sent again. */
  recover_since: string | null
  /** How far this recovery has come: the moment of `recover_since`, a blank, and the delivery that was read last. */
  recovered_to: string | null
  is_replaying: boolean
  /** The endpoint is disabled. */
  is_paused: boolean
  /** How often it has hung lately (`hanging.ts`); null: it does not hang. */
  timeouts: number | null
  /** Until then nothing is sent to an endpoint that hangs. */
  quiet_until: string | null
  /** The time for which the last delayed message was sent: it asks a worker to look at the endpoint then. */
  reminded_at: string | null
}

/** The fields that the worker with the claim may write at any time. */
export type DispatchProgress = Pick<
  Dispatch,
  | 'followed_to'
  | 'followed_at'
  | 'failing_since'
  | 'notices'
  | 'timeouts'
  | 'quiet_until'
  | 'reminded_at'
  | 'recovered_to'
>

export type DispatchStore = {
  /** Claims an endpoint, unless another worker has. It is due again when the claim ends. */
  claim: (
    key: EndpointKey,
    claim: { by: string; now: string; until: string },
  ) => Promise<Dispatch | undefined>
  /**
   * Claims an endpoint for a test, while the worker may send to it. One test runs at a time.
   *
   * @returns whether no other test has it
   */
  beginTest: (key: EndpointKey, test: { now: string; until: string }) => Promise<boolean>
  endTest: (key: EndpointKey) => Promise<void>
  /** Asks the worker that has the claim to look again. @returns undefined if the endpoint was deleted */
  ask: (key: EndpointKey) => Promise<Dispatch | undefined>
  /** Extends a claim. @returns the state as it is now; undefined if the claim is lost */
  renew: (
    key: EndpointKey,
    claim: { by: string; until: string },
    progress: DispatchProgress,
  ) => Promise<Dispatch | undefined>
  /**
   * Ends a claim.
   *
   * @param seen the number of `asked` before the worker's last look
   * @param isDone false if work is left for the next worker. Otherwise a recovery has ended too, unless the endpoint is
   *   disabled.
   * @returns false if somebody has asked since, or if the claim was lost
   */
  release: (
    key: EndpointKey,
    by: string,
    state: DispatchProgress & Pick<Dispatch, 'due_at' | 'is_replaying' | 'is_paused'>,
    look: { seen: number; isDone: boolean },
  ) => Promise<boolean>
  /** Adds a replay, with the answer to its request. @throws Failure WEBHOOK_ENDPOINT_NOT_FOUND */
  addReplay: <Answer>(
    key: EndpointKey,
    replay: Replay,
    change: { answer: Answer },
  ) => Promise<Answered<Answer>>
  /** How many replays have not ended. */
  countReplays: (key: EndpointKey) => Promise<number>
  /** The oldest replay that has not ended. */
  firstReplay: (key: EndpointKey) => Promise<Replay | undefined>
  /** Records how far a replay has come; undefined: it has ended. */
  moveReplay: (key: EndpointKey, replay: Replay, after: string | undefined) => Promise<void>
}

/** The endpoints of all firms, as the sweep finds them. */
export type DispatchIndex = DueIndex<
  Pick<
    Dispatch,
    'workspace_id' | 'endpoint_id' | 'due_at' | 'followed_at' | 'is_paused' | 'timeouts' | 'quiet_until'
  >
>
