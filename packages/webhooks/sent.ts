import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import { conflict, type Failure, invalid, required } from '#kernel/failure.ts'
import { newId, uuidv7At } from '#kernel/id.ts'
import { type Answered, unchanged } from '#kernel/idempotency.ts'
import type { LogOf } from '#kernel/log.ts'
import type { Page } from '#kernel/page.ts'
import type { DeliveryOrder } from './deliveries/queue.ts'
import { seenBy, type UserBeaRights } from './deliveries/seen-by.ts'
import { waitingFor } from './deliveries/work.ts'
import type {
  DeliveryRecord,
  DeliveryStore,
  DispatchStore,
  EndpointKey,
  EndpointStore,
  FollowedLog,
} from './endpoint-ports.ts'
import {
  type DeliveryQuery,
  type ReplayInput,
  type ReplayResult,
  shownDelivery,
  typesWanted,
  type WebhookDelivery,
} from './endpoint-schema.ts'

export type DeliveryService = ReturnType<typeof deliveryService>

/** A request that counts longer than this is refused. A request may take half a minute altogether. */
const countingMilliseconds = 20_000

/** How many replays of an endpoint may wait. */
const maxReplays = 10

/** Events of the log that are counted at a time. */
const countedAtOnce = 1_000

/** Lists the deliveries to an endpoint, and sends them again (E6). */
export function deliveryService(deps: {
  endpoints: Pick<EndpointStore, 'find'>
  deliveries: Pick<DeliveryStore, 'page' | 'resend'>
  dispatches: Pick<DispatchStore, 'addReplay' | 'countReplays'>
  events: Pick<FollowedLog, 'read' | 'placeOf' | 'needsOf'>
  beaRightsOf: UserBeaRights
  send: (order: DeliveryOrder) => Promise<void>
  clock: Clock
  log: LogOf<'error'>
}) {
  const { endpoints, deliveries, dispatches, events, beaRightsOf, send, clock, log } = deps

  const found = async ({ workspace_id }: Actor, id: string) =>
    required(await endpoints.find(workspace_id, id), 'WEBHOOK_ENDPOINT_NOT_FOUND')

  /** Asks the worker to begin at once. If the order is lost, the sweep begins within a minute. */
  const begin = async ({ workspace_id, endpoint_id }: EndpointKey): Promise<void> => {
    await send({ workspace_id, endpoint_ids: [endpoint_id] }).catch((error: unknown) =>
      log.error('sending again was not begun', { endpoint_id, error: String(error) }),
    )
  }

  return {
    /** @throws Failure WEBHOOK_ENDPOINT_NOT_FOUND */
    async list(
      actor: Actor,
      id: string,
      { status, event_id, limit, cursor }: DeliveryQuery,
    ): Promise<Page<WebhookDelivery>> {
      const { workspace_id } = await found(actor, id)
      const key = { workspace_id, endpoint_id: id }
      return deliveries.page(key, { status, event_id }, { limit, cursor })
    },

    /**
     * Sends an event again, also if it succeeded, with the same `webhook-id`. A failure does not count for the health of
     * the endpoint. A disabled endpoint gets the event when it is enabled.
     *
     * @throws Failure WEBHOOK_ENDPOINT_NOT_FOUND, WEBHOOK_DELIVERY_NOT_FOUND
     */
    async resend(actor: Actor, id: string, deliveryId: string): Promise<Answered<WebhookDelivery>> {
      const { workspace_id } = await found(actor, id)
      const key = { workspace_id, endpoint_id: id }
      const answer = await deliveries.resend(key, deliveryId, (before) => {
        const now = clock.now()
        const waiting = waitingFor(before.event, now, { isAgain: true })
        const pending = { status: 'pending' as const, next_attempt_at: now.toISOString() }
        const record: DeliveryRecord = { ...before, ...pending, updated_at: now.toISOString() }
        return { record, waiting, answer: shownDelivery(record) }
      })
      await begin(key)
      return answer
    },

    /**
     * Sends the events of a part of the log again, also events that were delivered. It sends only types that the endpoint
     * gets.
     *
     * @returns how many they are
     * @throws Failure WEBHOOK_ENDPOINT_NOT_FOUND, EVENT_NOT_FOUND, EVENTS_EXPIRED, WEBHOOK_REPLAY_LIMIT; 400 if
     *   counting them takes too long
     */
    async replay(actor: Actor, id: string, input: ReplayInput): Promise<Answered<ReplayResult>> {
      const endpoint = await found(actor, id)
      const { workspace_id } = endpoint
      const key = { workspace_id, endpoint_id: id }
      if ((await dispatches.countReplays(key)) >= maxReplays)
        throw conflict(
          'WEBHOOK_REPLAY_LIMIT',
          `An endpoint has at most ${maxReplays} replays that have not ended: wait for one.`,
        )
      const asked = input.types == null ? undefined : typesWanted(input.types)
      const own = [...typesWanted(endpoint.event_types)]
      const types = new Set(own.filter((type) => asked?.has(type) ?? true))
      const [after, last] = await Promise.all([
        input.after == null ? uuidv7At(0) : events.placeOf(workspace_id, input.after),
        input.until == null ? undefined : events.placeOf(workspace_id, input.until),
      ])
      const seen = seenBy(endpoint, { beaRightsOf, events })
      const end = performance.now() + countingMilliseconds
      let count = 0
      let until = after
      for (let place = after, ended = false; !ended; ) {
        if (performance.now() > end) throw tooManyToCount()
        const page = await events.read(workspace_id, { after: place, until: last, types }, countedAtOnce)
        const sent = await seen(page.found)
        count += sent.length
        until = sent.at(-1)?.place ?? until
        place = page.upTo
        ended = page.ended
      }
      if (count === 0) return unchanged({ count })
      const replay = { id: newId('webhookDelivery'), after, until, types: [...types] }
      const answer = await dispatches.addReplay(key, replay, { answer: { count } })
      await begin(key)
      return answer
    },
  }
}

function tooManyToCount(): Failure {
  const message = 'These are too many events for one request: name a later `after` or an earlier `until`.'
  return invalid(message, [
    { path: 'body.after', message },
    { path: 'body.until', message },
  ])
}
