import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#kernel/clock.ts'
import type { Log } from '#kernel/log.ts'
import { timeLeft } from '#kernel/time-limit.ts'
import { unavailable } from '#kernel/unavailable.ts'
import type { BeaSessionStore, SessionOwner, StoredSession } from './session-ports.ts'

/** A lease that this process holds. */
export type HeldLease = {
  /** The session as it was stored when the lease was taken. */
  stored: StoredSession | null
  /** Aborted when the lease is lost: the session must not be used any more. */
  lost: AbortSignal
  /** Whether somebody waits for the lease. It reads the store at most ten times a second, and returns false in between. */
  isWanted: () => Promise<boolean>
  /**
   * Stores the session of a new login, which ends the logout `loggedOut`.
   *
   * @throws Failure 503 if the lease is lost, the account was disconnected, or somebody has logged out since
   */
  begin: (session: StoredSession, loggedOut: string | null) => Promise<void>
}

/**
 * How a use waits for the lease, and what ends it.
 *
 * - `signal`: aborts the waiting.
 * - `yields`: all other waiting uses come first.
 * - `endedBy`: called every five seconds during the use. If it returns an error, the use is aborted. It keeps the lease
 *   until it has ended, so that it can end the session.
 */
export type Waiting = {
  signal: AbortSignal
  yields?: boolean
  endedBy?: () => Promise<Error | undefined>
}

/** Returns the session to store; null to remove the stored one, undefined to leave it unchanged. */
type SessionChange = () => Promise<StoredSession | null | undefined>

/** The length of a lease. A process that died blocks a session for no longer than this. */
const leaseMilliseconds = 20_000
const extendEveryMilliseconds = 5_000
const maxWaitMilliseconds = 60_000

/** A waiting use writes a mark that is valid for this time, and renews it before it expires. */
const wantedMilliseconds = 1_000
const wantEveryMilliseconds = 400

/** A yielding use reads the marks at most this often, because reading them may take longer than fetching a message. */
const lookEveryMilliseconds = 100

/**
 * Gives the session of an account to one use at a time, also across processes. The lease is extended every five seconds
 * during the use. Each extension and the end of the use store the session that `change` returns.
 *
 * A waiting caller writes a mark. A use that `yields`, such as a synchronisation, takes the lease again and again. It
 * takes the lease only if there is no mark. Without marks, the other callers would get the free lease only by chance.
 */
export function sessionLeases(deps: { sessions: BeaSessionStore; clock: Clock; log: Log }) {
  const { sessions, clock, log } = deps
  const leaseEnd = () => new Date(clock.now().getTime() + leaseMilliseconds)

  /** @throws Failure 503 if others use the session for too long */
  const claim = async (owner: SessionOwner, holder: string, { signal, yields = false }: Waiting) => {
    let notedAt = Number.NEGATIVE_INFINITY
    const end = performance.now() + Math.min(maxWaitMilliseconds, timeLeft() - 2_000)
    for (let attempt = 0; ; attempt += 1) {
      const claimed = await sessions.claim(owner, { holder, now: clock.now(), until: leaseEnd(), yields })
      if (claimed !== undefined) return claimed
      const milliseconds = 20 + Math.random() * Math.min(300, 20 * 2 ** attempt)
      if (signal.aborted || performance.now() + milliseconds > end)
        throw unavailable('Another use of this beA session lasts too long.')
      if (!yields && performance.now() - notedAt > wantEveryMilliseconds) {
        notedAt = performance.now()
        await sessions.want(owner, new Date(clock.now().getTime() + wantedMilliseconds))
      }
      await sleep(milliseconds)
    }
  }

  return {
    /**
     * Runs `use` as soon as nobody else uses the session. If the session cannot be stored at the end, the result of the
     * use does not change: the next use must renew the session, but a sent message is sent.
     *
     * @throws Failure 503 if others use the session for too long, and the errors of `use`
     */
    async hold<Result>(
      owner: SessionOwner,
      waiting: Waiting,
      use: (lease: HeldLease, onChange: (change: SessionChange) => void) => Promise<Result>,
    ): Promise<Result> {
      const holder = randomUUID()
      const { stored } = await claim(owner, holder, waiting)
      const lost = new AbortController()
      let change: SessionChange = async () => undefined
      let leasedUntil = performance.now() + leaseMilliseconds
      let lookedAt = Number.NEGATIVE_INFINITY

      const isWantedNow = async () => {
        if (performance.now() - lookedAt < lookEveryMilliseconds) return false
        lookedAt = performance.now()
        return isWanted(owner)
      }
      const extend = async () => {
        const extendedUntil = performance.now() + leaseMilliseconds
        try {
          const reason = await waiting.endedBy?.()
          if (reason !== undefined) lost.abort(reason)
          const isKept = await sessions.keep(owner, { holder, until: leaseEnd(), session: await change() })
          if (isKept) leasedUntil = extendedUntil
          else lost.abort(ended())
        } catch (error) {
          log.warn('a lease of a beA session was not extended', { ...owner, error: nameOf(error) })
          if (performance.now() > leasedUntil - extendEveryMilliseconds) lost.abort(ended())
        }
      }
      let extending = Promise.resolve()
      const timer = setInterval(() => {
        extending = extending.then(extend)
      }, extendEveryMilliseconds)

      try {
        const begin = async (session: StoredSession, loggedOut: string | null) => {
          if (!(await sessions.begin(owner, { holder, until: leaseEnd(), session, loggedOut }))) throw ended()
        }
        return await use({ stored, lost: lost.signal, isWanted: isWantedNow, begin }, (next) => {
          change = next
        })
      } finally {
        clearInterval(timer)
        await extending
        await giveBack(owner, holder, change)
      }
    },
  }

  async function isWanted(owner: SessionOwner): Promise<boolean> {
    try {
      return await sessions.isWanted(owner, clock.now())
    } catch (error) {
      log.warn('the marks of callers who wait for a beA session were not read', {
        ...owner,
        error: nameOf(error),
      })
      return false
    }
  }

  async function giveBack(owner: SessionOwner, holder: string, change: SessionChange): Promise<void> {
    try {
      const session = await change().catch((error: unknown) => {
        log.warn('a beA session was not sealed after its use', { ...owner, error: nameOf(error) })
        return undefined
      })
      await sessions.keep(owner, { holder, until: null, session })
    } catch (error) {
      // The lease expires.
      log.warn('a beA session was not stored after its use', { ...owner, error: nameOf(error) })
    }
  }
}

/** The name of an error for the log. Its message may contain values of the session. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}

function ended() {
  return unavailable('The beA session was ended while it was used.')
}
