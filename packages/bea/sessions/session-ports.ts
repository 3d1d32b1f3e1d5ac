import type { Answered } from '#kernel/idempotency.ts'

/** The session of a login account as it is stored, sealed. Times are ISO 8601 in UTC. */
export type StoredSession = { sealed: string; since: string; last_used_at: string }

/** The owner of a session: the account that logs in, never a Kanzlei postbox. */
export type SessionOwner = { workspace_id: string; account_id: string }

/**
 * Sessions, one for each login account, with a lease: a session is used by the holder of its lease alone. A lease that is
 * not extended ends by itself, so that a process that died blocks nobody for long.
 */
export type BeaSessionStore = {
  find: (owner: SessionOwner) => Promise<StoredSession | undefined>
  /**
   * Takes the lease, if nobody has it. Who `yields` leaves it to those who want it, too.
   *
   * @returns the stored session with the lease; undefined if another holder has it
   */
  claim: (
    owner: SessionOwner,
    lease: { holder: string; now: Date; until: Date; yields?: boolean },
  ) => Promise<{ stored: StoredSession | null } | undefined>
  /** Notes until when somebody waits for a lease that another holder has. */
  want: (owner: SessionOwner, until: Date) => Promise<void>
  /** Whether somebody waits for the lease now. */
  isWanted: (owner: SessionOwner, now: Date) => Promise<boolean>
  /**
   * Stores the session, or removes it (null), or leaves it as it is (undefined). Extends the lease, or gives it back
   * (`until: null`).
   *
   * @returns false if the lease is no longer the holder's, and then nothing is stored
   */
  keep: (
    owner: SessionOwner,
    change: { holder: string; until: Date | null; session?: StoredSession | null | undefined },
  ) => Promise<boolean>
  /**
   * Stores the session of a new login, which ends the logout that its caller knows of (`logged_out` of the account).
   *
   * @returns false if the lease is no longer the holder's, or the account was disconnected meanwhile, or somebody has
   *   logged out since
   */
  begin: (
    owner: SessionOwner,
    change: { holder: string; until: Date; session: StoredSession; loggedOut: string | null },
  ) => Promise<boolean>
  /** Removes the session with its lease, whoever holds it. */
  remove: (owner: SessionOwner) => Promise<void>
}

/** The sealed keys of accounts. They are written and forgotten with the account. */
export type BeaKeyStore = { find: (owner: SessionOwner) => Promise<string | undefined> }

/** A login with a card, as far as it has come (B4). */
export type BeaLoginRecord = {
  workspace_id: string
  id: string
  account_id: string
  user_id: string
  /** The next step for the user. */
  step: 'sign' | 'decrypt'
  sealed: string
  expires_at: string
}

export type BeaLoginStore = {
  put: <Answer>(change: { record: BeaLoginRecord; answer: Answer }) => Promise<Answered<Answer>>
  /**
   * Takes a login out of the store, so that each step is taken once.
   *
   * @returns undefined if there is none of this user at this step, or its time is over
   */
  take: (
    wanted: Pick<BeaLoginRecord, 'workspace_id' | 'id' | 'user_id' | 'step'>,
    now: Date,
  ) => Promise<BeaLoginRecord | undefined>
}
