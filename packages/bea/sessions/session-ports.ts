import type { Answered } from '#kernel/idempotency.ts'

/** The stored session of a login account, sealed. Times are ISO 8601 in UTC. */
export type StoredSession = { sealed: string; since: string; last_used_at: string }

/** The owner of a session: the account that logs in, never a Kanzlei postbox. */
export type SessionOwner = { workspace_id: string; account_id: string }

/**
 * Sessions, one for each login account, with a lease: only the holder of the lease uses the session. A lease that is
 * not extended expires, so that a dead process blocks nobody for long.
 */
export type BeaSessionStore = {
  find: (owner: SessionOwner) => Promise<StoredSession | undefined>
  /**
   * Takes the lease if nobody has it. With `yields`, only if nobody else waits for it.
   *
   * @returns the stored session with the lease; undefined if another holder has it
   */
  claim: (
    owner: SessionOwner,
    lease: { holder: string; now: Date; until: Date; yields?: boolean },
  ) => Promise<{ stored: StoredSession | null } | undefined>
  /** Stores a mark that somebody waits for the lease. It is valid until this time. */
  want: (owner: SessionOwner, until: Date) => Promise<void>
  /** Whether there is a valid mark that somebody waits for the lease. */
  isWanted: (owner: SessionOwner, now: Date) => Promise<boolean>
  /**
   * Stores the session, removes it (null), or leaves it unchanged (undefined). Extends the lease, or releases it
   * (`until: null`).
   *
   * @returns false if the holder has lost the lease; then nothing is stored
   */
  keep: (
    owner: SessionOwner,
    change: { holder: string; until: Date | null; session?: StoredSession | null | undefined },
  ) => Promise<boolean>
  /**
   * Stores the session of a new login. This ends the logout `loggedOut`, which the caller has read from the account.
   *
   * @returns false if the holder has lost the lease, the account was disconnected, or somebody has logged out since
   */
  begin: (
    owner: SessionOwner,
    change: { holder: string; until: Date; session: StoredSession; loggedOut: string | null },
  ) => Promise<boolean>
  /** Removes the session and its lease, even if another process holds it. */
  remove: (owner: SessionOwner) => Promise<void>
}

/** The sealed keys of accounts. They are written and deleted with the account. */
export type BeaKeyStore = { find: (owner: SessionOwner) => Promise<string | undefined> }

/** An unfinished login with a card (B4). */
export type BeaLoginRecord = {
  workspace_id: string
  id: string
  account_id: string
  user_id: string
  /** The step that the user must take next. */
  step: 'sign' | 'decrypt'
  sealed: string
  expires_at: string
}

export type BeaLoginStore = {
  put: <Answer>(change: { record: BeaLoginRecord; answer: Answer }) => Promise<Answered<Answer>>
  /**
   * Removes a login from the store and returns it, so that each step can be taken once.
   *
   * @returns undefined if this user has no such login at this step, or its time is over
   */
  take: (
    wanted: Pick<BeaLoginRecord, 'workspace_id' | 'id' | 'user_id' | 'step'>,
    now: Date,
  ) => Promise<BeaLoginRecord | undefined>
}
