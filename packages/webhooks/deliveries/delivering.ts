import { randomUUID } from 'node:crypto'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { timeOf } from '#kernel/id.ts'
import type { LogOf } from '#kernel/log.ts'
import type { SentEvent } from '../catalogue-schema.ts'
import {
  type DeliveryRecord,
  type DeliveryStore,
  type Dispatch,
  type DispatchStore,
  type EndpointKey,
  type EndpointRecord,
  type EndpointStore,
  type FollowedLog,
  neverDue,
} from '../endpoint-ports.ts'
import { deliveryIdOf, typesWanted } from '../endpoint-schema.ts'
import { disabledLogLine } from '../log-lines.ts'
import { type Attempted, attemptDelivery, type Poster } from './attempting.ts'
import { nextDeliveryAt, remindedMilliseconds } from './attempts.ts'
import { type Claim, claimEndpoint } from './claiming.ts'
import { forgetTimeouts, isQuiet, noteAnswer, noteTimeout } from './hanging.ts'
import { disabling, forgetFailures, type HealthNotice, healthDue, nextHealthMoment } from './health.ts'
import { inTurn } from './in-turn.ts'
import type { DeliveryOrder } from './queue.ts'
import { type Recorded, recording } from './recording.ts'
import type { SigningSecrets } from './secrets.ts'
import type { UserBeaRights } from './seen-by.ts'
import { dueTimeOf, type Work, waitingFor, workFor } from './work.ts'

/** The requests to one endpoint at once (E7). */
export const requestsAtOnce = 5

/** Of these, one is left for a test of the endpoint. */
const deliveriesAtOnce = requestsAtOnce - 1

/** After this time a worker begins no further request to an endpoint, and leaves the rest to the next worker. */
const runMilliseconds = 20_000

/** The same for an endpoint that is slow or gets a replay, so that the new events of other endpoints wait less. */
const shortRunMilliseconds = 5_000

/** The number of attempts that a delivery shows. */
const maxAttemptsShown = 20

/** An endpoint that takes this long for an answer is slow: one invocation tries all slow endpoints of a firm. */
const slowMilliseconds = 5_000

/** The work of one worker for one endpoint. */
type Run = { isOver: () => boolean; isSlow: boolean }

/** The work left for the next worker of an endpoint, and when it is due. */
type Left = { endpoint_id: string; follow: boolean; milliseconds: number }

type DeliveringDeps = {
  endpoints: Pick<EndpointStore, 'list' | 'find' | 'change'>
  dispatches: DispatchStore
  deliveries: DeliveryStore
  events: FollowedLog
  signing: SigningSecrets
  beaRightsOf: UserBeaRights
  posterTo: (url: string) => Poster
  /** Sends the admins of a firm a notice, once. */
  notify: (notice: HealthNotice) => Promise<void>
  send: (order: DeliveryOrder, options?: { delaySeconds?: number }) => Promise<void>
  clock: Clock
  log: LogOf<'warn'>
}

/**
 * Sends events to the endpoints of firms (E4, E7).
 *
 * One worker at a time has the claim of an endpoint and makes all deliveries to it, four at once. Another worker that
 * has events for it leaves them in the waiting list, and asks the first to look again. An endpoint that hangs gets
 * nothing
 * for a while (`hanging.ts`). Endpoints of a firm that were slow at the same time are retried together. So they keep
 * only one invocation busy, however many they are.
 */
export function delivering(deps: DeliveringDeps) {
  const { endpoints, dispatches, deliveries, signing, posterTo, notify, send, clock, log } = deps
  const disable = disabling({ endpoints, clock })

  /** Sends new events to an endpoint, and everything else that is due for it. */
  const deliverTo = async (
    key: EndpointKey,
    { given = [], follow = false }: { given?: readonly SentEvent[]; follow?: boolean | undefined },
    signal: AbortSignal,
  ): Promise<Left | undefined> => {
    const by = randomUUID()
    for (let fresh = given; ; fresh = []) {
      const claim = await claimEndpoint(deps, key, by)
      if (claim !== undefined) return runClaimed(key, claim, fresh, follow, signal)
      if (fresh.length > 0)
        await deliveries.save(key, { waiting: fresh.map((event) => waitingFor(event, timeOf(event.id))) })
      // The worker that has the claim may have ended before it could see this.
      const asked = await dispatches.ask(key)
      if (asked === undefined || !isFree(asked)) return undefined
    }
  }

  const isFree = ({ claimed_until }: Dispatch): boolean =>
    claimed_until === null || Date.parse(claimed_until) < clock.now().getTime()

  const runClaimed = async (
    key: EndpointKey,
    claim: Claim,
    given: readonly SentEvent[],
    follow: boolean,
    signal: AbortSignal,
  ): Promise<Left | undefined> => {
    const begun = performance.now()
    const run: Run = {
      isOver: () => {
        const isShort = run.isSlow || claim.state.is_replaying
        const end = begun + (isShort ? shortRunMilliseconds : runMilliseconds)
        return performance.now() >= end || signal.aborted
      },
      isSlow: false,
    }
    let url: string | undefined
    for (let fresh = given; ; fresh = []) {
      const seen = claim.state.asked
      const endpoint = await endpoints.find(key.workspace_id, key.endpoint_id)
      // The claim was deleted with it.
      if (endpoint === undefined) return undefined
      if (endpoint.url !== url && url !== undefined) {
        forgetTimeouts(claim.state)
        forgetFailures(claim.state)
      }
      url = endpoint.url
      if (await runOnce(key, endpoint, claim, fresh, follow, run)) return undefined
      const { endpoint_id } = key
      if (run.isOver() && !isQuiet(claim.state, clock.now())) {
        // If somebody has asked since, this worker looks again: the address may be another one.
        if (await claim.release(timestamp(clock), { seen, isDone: false }))
          return sendUnlessSlow(key, run, { endpoint_id, follow: true, milliseconds: 0 })
      } else {
        const due_at = await nextDue(key, claim)
        const isReminded = isToBeReminded(claim.state, due_at, clock.now())
        if (await claim.release(due_at, { seen, isDone: true }, isReminded ? due_at : undefined)) {
          const milliseconds = Date.parse(due_at) - clock.now().getTime()
          return isReminded
            ? sendUnlessSlow(key, run, { endpoint_id, follow: false, milliseconds })
            : undefined
        }
      }
      if (!(await claim.refresh())) return undefined
    }
  }

  /** Does everything that is to be done now. @returns whether the claim is lost */
  const runOnce = async (
    key: EndpointKey,
    endpoint: EndpointRecord,
    claim: Claim,
    given: readonly SentEvent[],
    follow: boolean,
    run: Run,
  ): Promise<boolean> => {
    const { isOver } = run
    if (endpoint.status !== 'active') {
      await giveUpWaiting(key, claim, isOver)
      return false
    }
    const due = healthDue(claim.state, clock.now())
    if (due === 'disable') return stop(key, endpoint, claim, 'failing', isOver)
    if (due === 'notice') await giveNotice(key, claim)
    const { recover_since } = claim.state
    if (recover_since !== null) await recover(key, claim, recover_since, isOver)
    if (isQuiet(claim.state, clock.now())) {
      await deliveries.save(key, { waiting: given.map((event) => waitingFor(event, timeOf(event.id))) })
      return false
    }

    let isHanging = false
    let isLost = false
    let isGone = false
    const { asked } = claim.state
    // The request to look again may come from a change of the endpoint: its address, its secrets, or whether it gets
    // anything.
    const mayGoOn = () => !isOver() && !isLost && !isGone && !isHanging && claim.state.asked === asked
    const recorder = recording(deliveries, key)
    const keys = await signing(endpoint)
    const poster = posterTo(endpoint.url)
    try {
      await inTurn(
        (idle) => {
          const settled = async () => {
            await idle()
            await recorder.written()
          }
          const follows = follow || recover_since !== null
          return workFor(deps, { key, endpoint, claim, given, follow: follows, mayGoOn }, settled)
        },
        async (work) => {
          if (!isToBeSent(work)) return recorder.record(work.entry === undefined ? {} : { done: work.entry })
          if (isGone || !(await claim.mayBegin())) {
            isLost = !isGone
            return isLost && isOfReplay(work) ? undefined : keep(recorder, work)
          }
          const attempted = await attemptDelivery({ poster, clock }, keys, work.event)
          if (attempted.isGone) isGone = true
          // A resend or replay that succeeds takes the place of the attempt that would have ended the failure.
          if (!work.isAgain || attempted.isDelivered) noteHealth(claim.state, attempted)
          const isTimeout = attempted.attempt.error === 'timeout'
          if (isTimeout || attempted.attempt.duration_ms >= slowMilliseconds) run.isSlow = true
          if (isTimeout) {
            if (!isHanging) noteTimeout(claim.state, clock.now())
            isHanging = true
          } else if (!isHanging && claim.state.timeouts !== null) noteAnswer(claim.state)
          recorder.record(outcomeOf(key, work, attempted))
        },
        () => (claim.state.timeouts === null ? deliveriesAtOnce : 1),
      )
    } finally {
      await recorder.written().finally(() => poster.close())
    }
    return isGone ? stop(key, endpoint, claim, 'gone', isOver) : isLost
  }

  /** A delivery that was not attempted waits for the next worker. */
  const keep = (recorder: ReturnType<typeof recording>, { event, entry, isAgain }: Work): void => {
    if (entry === undefined) recorder.record({ next: waitingFor(event, clock.now(), { isAgain }) })
  }

  const outcomeOf = (key: EndpointKey, work: Work, attempted: Attempted): Recorded => {
    const { event, entry, earlier, isAgain } = work
    const now = clock.now()
    const failures = work.failures + 1
    const next = attempted.isDelivered ? undefined : nextDeliveryAt(now, failures, attempted.retryAfter)
    const delivery: DeliveryRecord = {
      ...newDelivery(key, event, now),
      status: attempted.isDelivered ? 'succeeded' : next === undefined ? 'failed' : 'pending',
      attempts: [...(earlier?.attempts ?? []), attempted.attempt].slice(-maxAttemptsShown),
      next_attempt_at: next?.toISOString() ?? null,
      unknown: earlier?.unknown,
    }
    return {
      delivery,
      ...(entry !== undefined && { done: entry }),
      ...(next !== undefined && { next: waitingFor(event, next, { failures, isAgain }) }),
    }
  }

  const newDelivery = (key: EndpointKey, event: SentEvent, now: Date): DeliveryRecord => ({
    ...key,
    id: deliveryIdOf(key.endpoint_id, event.id),
    event_id: event.id,
    event_type: event.type,
    event,
    status: 'pending',
    attempts: [],
    next_attempt_at: null,
    updated_at: now.toISOString(),
  })

  /** Disables an endpoint and fails the deliveries that wait for it. @returns false: the claim is not lost */
  const stop = async (
    key: EndpointKey,
    endpoint: EndpointRecord,
    claim: Claim,
    reason: 'gone' | 'failing',
    isOver: () => boolean,
  ): Promise<boolean> => {
    const { state } = claim
    const after = await disable(endpoint, reason, state.failing_since)
    if (after.status === 'active') return false
    log.warn(disabledLogLine, { ...key, reason })
    forgetFailures(state)
    await giveUpWaiting(key, claim, isOver)
    return false
  }

  /** Marks the deliveries that wait for a disabled endpoint as failed. After it is enabled, `recover` sends them. */
  const giveUpWaiting = async (key: EndpointKey, { state }: Claim, isOver: () => boolean): Promise<void> => {
    // Deliveries that an unfinished recovery has put back fail here, too. So the next recovery starts from the
    // beginning.
    state.recovered_to = null
    for (let ended = false; !ended && !isOver(); ) {
      const page = await deliveries.waiting(key, undefined, 100)
      const ids = page.entries.map(({ event }) => event.id)
      const earlier = await deliveries.ofEvents(key, ids)
      const open = page.entries.filter(({ event }) => earlier.get(event.id)?.status !== 'succeeded')
      const now = clock.now()
      const failed = open.map(({ event }) => ({
        ...(earlier.get(event.id) ?? newDelivery(key, event, now)),
        status: 'failed' as const,
        next_attempt_at: null,
        updated_at: now.toISOString(),
      }))
      await deliveries.save(key, { deliveries: failed, gone: page.entries })
      ended = page.ended
    }
  }

  /**
   * Puts all deliveries that have failed since a time back into the waiting list. If this worker runs out of time, the
   * next one continues.
   */
  const recover = async (
    key: EndpointKey,
    { state }: Claim,
    since: string,
    isOver: () => boolean,
  ): Promise<void> => {
    const begin = `${since} `
    const below = state.recovered_to?.startsWith(begin) ? state.recovered_to.slice(begin.length) : undefined
    for await (const { failed: page, last } of deliveries.failedSince(key, since, below)) {
      if (page.length > 0) await letWaitAgain(key, page)
      state.recovered_to = begin + last
      if (isOver()) return
    }
  }

  const letWaitAgain = async (key: EndpointKey, page: readonly DeliveryRecord[]): Promise<void> => {
    await deliveries.save(key, { waiting: page.map(({ event }) => waitingFor(event, timeOf(event.id))) })
    // A pending delivery waits already: it is not recovered again.
    const now = timestamp(clock)
    const pending = { status: 'pending' as const, next_attempt_at: now, updated_at: now }
    const ids = page.map(({ event_id }) => event_id)
    const failed = await deliveries.ofEvents(key, ids)
    await deliveries.save(key, { deliveries: [...failed.values()].map((one) => ({ ...one, ...pending })) })
  }

  const giveNotice = async (key: EndpointKey, { state }: Claim): Promise<void> => {
    if (state.failing_since === null) return
    await notify({ ...key, failing_since: state.failing_since, number: state.notices + 1 })
    state.notices += 1
  }

  /** When a worker must look at an endpoint next. */
  const nextDue = async (key: EndpointKey, { state }: Claim): Promise<string> => {
    if (state.is_paused) return neverDue
    if (state.quiet_until !== null && isQuiet(state, clock.now())) return state.quiet_until
    const { entries } = await deliveries.waiting(key, undefined, 1)
    const attempts = entries.map(({ place }) => dueTimeOf(place))
    return [...attempts, nextHealthMoment(state) ?? neverDue].toSorted()[0] ?? neverDue
  }

  /**
   * Sends the remaining work of an endpoint to the queue. If the endpoint is slow, returns the work instead, so that
   * the caller can send it together with the work of others.
   */
  const sendUnlessSlow = async (
    { workspace_id }: EndpointKey,
    { isSlow }: Run,
    left: Left,
  ): Promise<Left | undefined> => {
    if (isSlow) return left
    await sendLeft(workspace_id, [left])
    return undefined
  }

  const sendLeft = async (workspace_id: string, left: readonly Left[]): Promise<void> => {
    const milliseconds = Math.max(0, ...left.map((one) => one.milliseconds))
    await send(
      {
        workspace_id,
        endpoint_ids: left.map(({ endpoint_id }) => endpoint_id),
        follow: left.some(({ follow }) => follow),
      },
      { delaySeconds: Math.ceil(milliseconds / 1_000) },
    )
  }

  /** Sends the remaining work of several endpoints. Endpoints that are due at nearly the same time share a message. */
  const sendAllLeft = async (workspace_id: string, left: readonly Left[]): Promise<void> => {
    const [first, ...others] = left.toSorted((one, other) => one.milliseconds - other.milliseconds)
    if (first === undefined) return
    // Pauses are randomly up to a tenth longer (`nextDeliveryAt`).
    const isNear = ({ milliseconds }: Left) => milliseconds <= first.milliseconds * 1.1 + 1_000
    await sendLeft(workspace_id, [first, ...others.filter(isNear)])
    await sendAllLeft(
      workspace_id,
      others.filter((one) => !isNear(one)),
    )
  }

  return {
    /** Does the work of an order. @throws if something could not be done: the queue delivers the order again */
    run: async (order: DeliveryOrder, signal: AbortSignal): Promise<void> => {
      const { workspace_id, follow, endpoint_ids = [] } = order
      const asked = [...endpoint_ids, ...(order.endpoint_id === undefined ? [] : [order.endpoint_id])]
      const given = (order.events ?? []) as SentEvent[]
      const listed = given.length === 0 ? [] : await endpoints.list(workspace_id)
      const runs = [
        ...asked.map((endpoint_id) => deliverTo({ workspace_id, endpoint_id }, { follow }, signal)),
        ...listed.flatMap(({ id, status, event_types }) => {
          const types = typesWanted(event_types)
          const wanted = given.filter(({ type }) => types.has(type))
          if (status !== 'active' || wanted.length === 0) return []
          return [deliverTo({ workspace_id, endpoint_id: id }, { given: wanted }, signal)]
        }),
      ]
      const ended = await Promise.allSettled(runs)
      const left = ended.flatMap((run) => (run.status === 'fulfilled' ? (run.value ?? []) : []))
      await sendAllLeft(workspace_id, left)
      const faults = ended.flatMap((run) => (run.status === 'rejected' ? [run.reason] : []))
      if (faults.length > 0) throw new AggregateError(faults, faults.map(String).join('; '))
    },
  }
}

/** Whether a delayed message is needed for the next due time: it is soon, and no other message comes before it. */
function isToBeReminded({ reminded_at }: Dispatch, due_at: string, now: Date): boolean {
  if (Date.parse(due_at) - now.getTime() > remindedMilliseconds) return false
  return reminded_at === null || reminded_at <= now.toISOString() || reminded_at > due_at
}

/** An event of a replay has no entry in the waiting list, unlike a resend: the replay records how far it has come. */
function isOfReplay({ isAgain, entry }: Work): boolean {
  return isAgain && entry === undefined
}

function isToBeSent({ isAgain, earlier }: Work): boolean {
  return isAgain || earlier?.status !== 'succeeded'
}

function noteHealth(state: Dispatch, { isDelivered, attempt }: Attempted): void {
  if (isDelivered) forgetFailures(state)
  else state.failing_since ??= attempt.at
}
