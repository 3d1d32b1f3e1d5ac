import { type Clock, timestamp } from '#kernel/clock.ts'
import type { SentEvent } from '../catalogue-schema.ts'
import type {
  DeliveryRecord,
  DeliveryStore,
  DispatchStore,
  EndpointKey,
  EndpointRecord,
  FollowedLog,
  PlacedEvent,
  Waiting,
} from '../endpoint-ports.ts'
import { typesWanted } from '../endpoint-schema.ts'
import type { Claim } from './claiming.ts'
import { seenBy, type UserBeaRights } from './seen-by.ts'

/** One delivery to attempt. `entry`: its entry in the waiting list. `earlier`: the delivery as it was recorded before. */
export type Work = {
  event: SentEvent
  failures: number
  isAgain: boolean
  entry?: Waiting | undefined
  earlier: DeliveryRecord | undefined
}

type WorkDeps = {
  deliveries: DeliveryStore
  dispatches: Pick<DispatchStore, 'firstReplay' | 'moveReplay'>
  events: FollowedLog
  beaRightsOf: UserBeaRights
  clock: Clock
}

/** Entries read at a time. */
const pageSize = 100
/** Events of a replay read at a time. Retries that are due come between pages. A request to look again ends a page early. */
const replayPageSize = 500

/**
 * Everything that is to be sent to an endpoint now: the events that were given, what waits and is due, what the log has
 * beyond them, and replays. Given events and events of the log are left out if they have a delivery. A waiting event
 * that has succeeded is yielded too, so that its entry is removed.
 *
 * It ends when nothing is left, or when `mayGoOn` is false. Given events that were not sent are then put into the
 * waiting list.
 *
 * @param idle resolves when everything that was yielded is sent and recorded
 */
export async function* workFor(
  deps: WorkDeps,
  run: {
    key: EndpointKey
    endpoint: EndpointRecord
    claim: Claim
    given: readonly SentEvent[]
    follow: boolean
    mayGoOn: () => boolean
  },
  idle: () => Promise<void>,
): AsyncGenerator<Work, void> {
  const { key, endpoint, claim, given, follow, mayGoOn } = run
  const { deliveries, dispatches, events, clock } = deps
  const types = typesWanted(endpoint.event_types)
  const seen = seenBy(endpoint, deps)
  const { workspace_id } = key

  const earlierOf = (all: readonly { event: SentEvent }[]) =>
    deliveries.ofEvents(
      key,
      all.map(({ event }) => event.id),
    )

  async function* ofGiven(): AsyncGenerator<Work, void> {
    const wanted = await seen(given.filter(({ type }) => types.has(type)).map((event) => ({ event })))
    const earlier = await earlierOf(wanted)
    const fresh = wanted.filter(({ event }) => !earlier.has(event.id))
    for (const [at, { event }] of fresh.entries()) {
      if (!mayGoOn())
        return deliveries.save(key, {
          waiting: fresh.slice(at).map((one) => waitingFor(one.event, clock.now())),
        })
      yield { event, failures: 0, isAgain: false, earlier: undefined }
    }
  }

  /**
   * Removes entries that are not tried. A delivery that the endpoint must not get any more fails.
   *
   * @param gone.unwanted entries of a type that was taken away, or that its user may not see
   */
  const drop = async (
    gone: { doubles: readonly Waiting[]; unwanted: readonly Waiting[] },
    earlier: ReadonlyMap<string, DeliveryRecord>,
  ) => {
    const all = [...gone.doubles, ...gone.unwanted]
    if (all.length === 0) return
    const failed = gone.unwanted.flatMap(({ event }): DeliveryRecord[] => {
      const before = earlier.get(event.id)
      if (before?.status !== 'pending') return []
      return [{ ...before, status: 'failed', next_attempt_at: null, updated_at: timestamp(clock) }]
    })
    await deliveries.save(key, { deliveries: failed, gone: all })
  }

  /** @returns whether anything was due */
  async function* ofWaiting(): AsyncGenerator<Work, boolean> {
    let wasDue = false
    for (let after: string | undefined, ended = false; !ended; ) {
      await idle()
      const page = await deliveries.waiting(key, after, pageSize)
      const now = clock.now().toISOString()
      const due = page.entries.filter(({ place }) => dueTimeOf(place) <= now)
      const earlier = await earlierOf(due)
      const latest = new Map(due.map((entry) => [entry.event.id, entry]))
      const isDouble = (entry: Waiting) =>
        latest.get(entry.event.id) !== entry || isLeftOver(entry, earlier.get(entry.event.id), now)
      const once = due.filter((entry) => !isDouble(entry))
      const tried = await seen(once.filter((entry) => isResend(entry) || types.has(entry.event.type)))
      const unwanted = once.filter((entry) => !tried.includes(entry))
      await drop({ doubles: due.filter(isDouble), unwanted }, earlier)
      for (const entry of tried) {
        if (!mayGoOn()) return true
        const { event, failures, isAgain } = entry
        wasDue = true
        yield { event, failures, isAgain, entry, earlier: earlier.get(event.id) }
      }
      after = page.entries.at(-1)?.place
      ended = page.ended || due.length < page.entries.length
    }
    return wasDue
  }

  /** @returns whether the log has more */
  async function* ofLog(): AsyncGenerator<Work, boolean> {
    await idle()
    const page = await events.read(workspace_id, { after: claim.state.followed_to, types }, pageSize)
    const found = await seen(page.found)
    const earlier = await earlierOf(found)
    for (const { event } of found) {
      if (!mayGoOn()) return true
      if (!earlier.has(event.id)) yield { event, failures: 0, isAgain: false, earlier: undefined }
    }
    await idle()
    claim.state.followed_to = page.upTo
    if (page.ended) claim.state.followed_at = page.at.toISOString()
    return !page.ended
  }

  /** If the claim is lost, the next worker goes on at the recorded place. @returns whether there is more to replay */
  async function* ofReplays(): AsyncGenerator<Work, boolean> {
    await idle()
    const replay = await dispatches.firstReplay(key)
    if (replay === undefined) {
      claim.state.is_replaying = false
      return false
    }
    const { after, until, types: asked } = replay
    const named = new Set(asked.filter((type) => types.has(type)))
    const page = await events.read(workspace_id, { after, until, types: named }, replayPageSize)
    const found = await seen(page.found)
    const earlier = await earlierOf(found)
    let last: PlacedEvent | undefined
    for (const one of found) {
      if (!mayGoOn()) {
        await idle()
        if (last !== undefined && !claim.isLost()) await dispatches.moveReplay(key, replay, last.place)
        return true
      }
      yield { event: one.event, failures: 0, isAgain: true, earlier: earlier.get(one.event.id) }
      last = one
    }
    await idle()
    if (!claim.isLost()) await dispatches.moveReplay(key, replay, page.ended ? undefined : page.upTo)
    return true
  }

  yield* ofGiven()
  for (let follows = follow, hasMore = true; hasMore && mayGoOn(); ) {
    const wasDue = yield* ofWaiting()
    if (follows && mayGoOn()) follows = yield* ofLog()
    const isReplaying = claim.state.is_replaying && mayGoOn() && (yield* ofReplays())
    hasMore = wasDue || follows || isReplaying
  }
  await idle()
}

/**
 * Whether an entry is left over from a message that came twice, or from a worker that died before it removed the entry.
 * Then the event has a later entry, at the `next_attempt_at` of its delivery. A resend is never left over.
 */
function isLeftOver(entry: Waiting, earlier: DeliveryRecord | undefined, now: string): boolean {
  return !isResend(entry) && earlier?.status === 'pending' && (earlier.next_attempt_at ?? now) > now
}

/** Whether somebody has asked for this one event again. Further attempts of a resend or replay are like all others. */
function isResend({ failures, isAgain }: Waiting): boolean {
  return isAgain && failures === 0
}

/** When an entry is due. */
export function dueTimeOf(place: string): string {
  return place.slice(0, '2027-01-04T07:00:00.000Z'.length)
}

/** The entry of an event that is due at a time. The same event at the same time is one entry. */
export function waitingFor(
  event: SentEvent,
  at: Date,
  { failures = 0, isAgain = false }: Partial<Pick<Waiting, 'failures' | 'isAgain'>> = {},
): Waiting {
  return { place: `${at.toISOString()}#${event.id}`, event, failures, isAgain }
}
