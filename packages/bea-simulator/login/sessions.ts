import type { Behaviour } from '../behaviour.ts'
import { GatewayError, lockedError, sessionError } from '../gateway-error.ts'
import type { Randomness } from '../randomness.ts'

/** A session of an identity. Its key encrypts subjects and keys of messages (32 bytes). */
export type Session = {
  safeId: string
  sessionKey: Buffer
  /** The newest token, which is valid in every mode. */
  token: string
  /** Older tokens that are still valid. */
  olderTokens: string[]
  lastUsedAt: number
}

export type Sessions = {
  /** @throws GatewayError if the identity already has a session and the behaviour allows only one */
  begin: (safeId: string, sessionKey: Buffer) => Session
  /** The session of a token. It counts as used now. @throws GatewayError if it has ended or the token is not valid */
  use: (token: string) => Session
  /** Throws like `use` if the session has ended in the meantime. */
  requireAlive: (session: Session) => void
  isAlive: (session: Session) => boolean
  /** The token for the next call, according to the rotation mode. */
  rotate: (session: Session) => string
  /**
   * While a message is composed, its tokens replace the session's token. In strict mode the session's token is used
   * up.
   */
  spend: (session: Session) => void
  end: (session: Session) => void
  endAll: () => void
}

/** The number of older tokens of a session that stay valid. */
const maxOlderTokens = 1_000

/** Sessions are in memory only: they end with the process. */
export function openSessions(
  now: () => number,
  random: Randomness,
  behaviour: Behaviour,
  isActive: (safeId: string) => boolean,
): Sessions {
  const byToken = new Map<string, Session>()
  const alive = new Set<Session>()

  const end = (session: Session): void => {
    alive.delete(session)
    for (const token of [session.token, ...session.olderTokens]) byToken.delete(token)
  }
  const isOver = ({ lastUsedAt }: Session) => now() - lastUsedAt > behaviour.idle_minutes * 60_000
  const endOver = () => {
    for (const session of alive) if (isOver(session)) end(session)
  }
  const requireAlive = (session: Session): void => {
    endOver()
    if (!alive.has(session)) throw sessionError()
    if (!isActive(session.safeId)) throw lockedError()
    session.lastUsedAt = now()
  }
  const forget = (session: Session) => {
    for (const token of session.olderTokens.splice(0)) byToken.delete(token)
  }

  return {
    begin: (safeId, sessionKey) => {
      endOver()
      if (behaviour.second_login === 'refused' && [...alive].some((it) => it.safeId === safeId))
        throw new GatewayError('Fault 0951: the identity must log out first.')
      const token = random.token('t')
      const session: Session = { safeId, sessionKey, token, olderTokens: [], lastUsedAt: now() }
      alive.add(session)
      byToken.set(token, session)
      return session
    },
    use: (token) => {
      const session = byToken.get(token)
      if (session === undefined) throw sessionError()
      requireAlive(session)
      return session
    },
    requireAlive,
    isAlive: (session) => alive.has(session) && !isOver(session),
    rotate: (session) => {
      if (behaviour.rotation === 'off' && session.token !== '') return session.token
      const token = random.token('t')
      if (session.token !== '') session.olderTokens.push(session.token)
      if (behaviour.rotation === 'strict') forget(session)
      while (session.olderTokens.length > maxOlderTokens) byToken.delete(session.olderTokens.shift() ?? '')
      session.token = token
      byToken.set(token, session)
      return token
    },
    spend: (session) => {
      if (behaviour.rotation !== 'strict') return
      forget(session)
      byToken.delete(session.token)
      session.token = ''
    },
    end,
    endAll: () => {
      for (const session of alive) end(session)
    },
  }
}
