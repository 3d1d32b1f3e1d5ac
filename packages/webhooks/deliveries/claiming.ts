import type { Clock } from '#kernel/clock.ts'
import type { Dispatch, DispatchProgress, DispatchStore, EndpointKey } from '../endpoint-ports.ts'
import { attemptMilliseconds } from './attempting.ts'

/**
 * How long a claim lasts. A request begins only if its time limit ends before the claim does. So no other worker makes
 * requests to the endpoint at the same time, even if this process crashes.
 */
export const claimMilliseconds = 20_000

/** A claim with less time than this is extended before a request begins. */
const renewedBelowMilliseconds = attemptMilliseconds + 2_000

export type Claim = {
  /** The state of the endpoint: as it was read last, with what this worker has done since. */
  state: Dispatch
  /** Whether a request may begin now. Extends the claim if it ends soon; false if it is lost. */
  mayBegin: () => Promise<boolean>
  /** Whether the worker knows that it has lost the claim: another one goes on from what was recorded. */
  isLost: () => boolean
  /** Extends the claim and reads the state again. @returns false if it is lost */
  refresh: () => Promise<boolean>
  /**
   * As `DispatchStore.release`, with what this worker has done.
   *
   * @param reminded_at the time of a message that the worker sends next
   */
  release: (due_at: string, look: { seen: number; isDone: boolean }, reminded_at?: string) => Promise<boolean>
}

/** Claims an endpoint. @returns undefined if another worker has it, or if it was deleted */
export async function claimEndpoint(
  { dispatches, clock }: { dispatches: DispatchStore; clock: Clock },
  key: EndpointKey,
  by: string,
): Promise<Claim | undefined> {
  const untilFrom = (now: Date) => new Date(now.getTime() + claimMilliseconds).toISOString()
  const begun = clock.now()
  const claimed = await dispatches.claim(key, { by, now: begun.toISOString(), until: untilFrom(begun) })
  if (claimed === undefined) return undefined
  let until = begun.getTime() + claimMilliseconds
  let renewing: Promise<boolean> | undefined

  const claim: Claim = {
    state: claimed,

    refresh: async () => {
      const now = clock.now()
      const fresh = await dispatches.renew(key, { by, until: untilFrom(now) }, progressOf(claim.state))
      if (fresh === undefined) {
        until = 0
        return false
      }
      until = now.getTime() + claimMilliseconds
      // An endpoint that was enabled meanwhile begins anew: the failures before do not count.
      const { recover_since, is_paused } = claim.state
      const isEnabled = fresh.recover_since !== recover_since || (is_paused && !fresh.is_paused)
      claim.state = {
        ...fresh,
        ...progressOf(claim.state),
        ...(isEnabled && { failing_since: null, notices: 0, timeouts: null, quiet_until: null }),
      }
      return true
    },

    isLost: () => until === 0,

    mayBegin: async () => {
      if (until - clock.now().getTime() >= renewedBelowMilliseconds) return true
      if (until === 0) return false
      renewing ??= claim.refresh().finally(() => {
        renewing = undefined
      })
      return renewing
    },

    release: (due_at, look, reminded_at = claim.state.reminded_at ?? undefined) => {
      const { is_replaying, is_paused } = claim.state
      const progress = { ...progressOf(claim.state), reminded_at: reminded_at ?? null }
      return dispatches.release(key, by, { ...progress, due_at, is_replaying, is_paused }, look)
    },
  }
  return claim
}

function progressOf(state: Dispatch): DispatchProgress {
  const { followed_to, followed_at, failing_since, notices } = state
  const { timeouts, quiet_until, reminded_at, recovered_to } = state
  const follow = { followed_to, followed_at, recovered_to }
  return { ...follow, failing_since, notices, timeouts, quiet_until, reminded_at }
}
