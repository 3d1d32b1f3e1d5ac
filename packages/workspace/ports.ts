import type { AuditEvent } from '#audit/schema.ts'
import type { Region } from '#german-time/regions.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Scope } from '#kernel/scope.ts'
import type { Change, ChangingAsync, UnansweredChange } from '#timeline/schema.ts'
import type { User, Workspace } from './schema.ts'

/** A workspace as it is stored, with the token of its ingestion webhook. */
export type WorkspaceRecord = Workspace & {
  webhook_token: string
  webhook_token_created_at: string
  version: number
}

/** A user as it is stored. `version` counts the changes. */
export type UserRecord = User & { workspace_id: string; version: number }

/** A key as it is stored: one item with the hash of its secret and all fields of its user that a request needs. */
export type KeyRecord = {
  id: string
  workspace_id: string
  user_id: string
  name: string
  scopes: Scope[]
  /** SHA-256 of the secret, hexadecimal. */
  secret_hash: string
  expires_at: string | null
  last_used_at: string | null
  /** When a refusal was last recorded: at most once an hour. */
  refused_at: string | null
  revoked_at: string | null
  created_at: string
  user_name: string
  user_active: boolean
  /** The version of the user from which `user_name` and `user_active` were copied. */
  user_version: number
}

export type WorkspaceStore = {
  find: (id: string) => Promise<WorkspaceRecord | undefined>
  /** The IANA time zone of a workspace; `Europe/Berlin` if the workspace was erased. */
  timeZoneOf: (id: string) => Promise<string>
  /** Lets `findByWebhookToken` find the token. An older release may have created it without doing this. */
  noteWebhookToken: (record: WorkspaceRecord) => Promise<void>
  add: (record: WorkspaceRecord) => Promise<void>
  /** As `CaseStore.change`. @throws Failure WORKSPACE_NOT_FOUND */
  change: <Answer>(
    id: string,
    decide: (current: WorkspaceRecord) => { record?: WorkspaceRecord; answer: Answer; audit?: AuditEvent },
  ) => Promise<Answered<Answer>>
}

/**
 * HTML that is allowed in a mail: without scripts, event handlers and remote pictures (M4).
 *
 * @param path the field that a refusal names
 * @throws Failure VALIDATION_ERROR if the HTML is too complicated
 */
export type CleanHtml = (html: string, path: string) => Promise<string>

/** `remaining`: another user who must be unchanged when the change is written. */
export type UserChange = UnansweredChange<UserRecord> & { remaining?: UserRecord | undefined }

export type UserStore = {
  find: (workspaceId: string, id: string) => Promise<UserRecord | undefined>
  page: (workspaceId: string, request: PageRequest) => Promise<Page<User>>
  add: <Answer>(change: Change<UserRecord, Answer>) => Promise<Answered<Answer>>
  /** As `CaseStore.change`. @throws Failure USER_NOT_FOUND */
  change: ChangingAsync<UserRecord, UserChange>['change']
}

export type KeyStore = {
  /** The key with this id in any workspace, even if it is revoked. One strongly consistent read. */
  findAnywhere: (id: string) => Promise<KeyRecord | undefined>
  page: (workspaceId: string, request: PageRequest) => Promise<Page<KeyRecord>>
  /**
   * Adds the key that `make` returns for its user. Calls `make` again if the user was changed in between.
   *
   * @throws Failure USER_NOT_FOUND
   */
  add: <Answer>(
    workspaceId: string,
    userId: string,
    make: (user: UserRecord) => { record: KeyRecord; answer: Answer; audit?: AuditEvent },
  ) => Promise<Answered<Answer>>
  /** Revokes a key: the next request with it is refused. @throws Failure API_KEY_NOT_FOUND */
  revoke: (workspaceId: string, id: string, at: string, audit: AuditEvent) => Promise<void>
  /** Copies the user's name and state into each of the user's keys that has an earlier version of the user. */
  copyUser: (user: UserRecord) => Promise<void>
  /** Whether a user is active and has a key with this scope that is valid at the time `at`. */
  hasScope: (workspaceId: string, userId: string, scope: Scope, at: string) => Promise<boolean>
  /**
   * Records when a key was used, unless a time after `unlessAfter` is recorded already.
   *
   * @param firstUse what the audit records if the key was never used before (R7)
   * @throws Failure 503 only if the audit cannot record the first use
   */
  touch: (key: KeyRecord, at: string, unlessAfter: string, firstUse: AuditEvent) => Promise<void>
  /**
   * Records when a key was refused, unless a time after `unlessAfter` is recorded already.
   *
   * @param refusal the entry of the audit
   * @throws Failure 503 if the audit cannot record it
   */
  noteRefusal: (key: KeyRecord, at: string, unlessAfter: string, refusal: AuditEvent) => Promise<void>
}

/** German warnings about open deadlines, and the ids of these deadlines; without fields if there is no warning. */
export type AffectedDeadlines = { warnings?: string[]; deadline_ids?: string[] }

/** The open deadlines that a change of a user or of the settings affects. */
export type WorkspaceDeadlines = {
  /** The open deadlines of a user who was deactivated, at most 100. */
  ofUser: (workspaceId: string, userId: string, timeZone: string) => Promise<AffectedDeadlines>
  /**
   * The open deadlines that were calculated with the holidays of the firm's former region, and may end on another day
   * in this region. If there are 500 or more, only the next 500 are compared, and a warning says so.
   */
  ofRegion: (workspaceId: string, region: Region, timeZone: string) => Promise<AffectedDeadlines>
}

/** Moves the next runs of the exports of a firm to their times in its new time zone. */
export type RescheduleExports = (workspaceId: string, timeZone: string) => Promise<void>

/** How many requests a holder may send: `perSecond` all the time, and `burst` at once after a pause. */
export type AllowanceRate = { perSecond: number; burst: number }

/**
 * The requests that are counted together. `holder`: `firm` (the workspace), `heavy` (its heavy requests), or the id of
 * a key.
 */
export type AllowanceHolder = { workspace_id: string; holder: string }

/** The part of an allowance that the store granted. Times are epoch milliseconds. */
export type TakenAllowance = {
  granted: number
  /** The requests left for other instances. */
  remaining: number
  /** When the next request is free. */
  nextAt: number
}

export type AllowanceStore = {
  /** Takes up to `wanted` requests; if none is free, it takes none. */
  take: (holder: AllowanceHolder, wanted: number, rate: AllowanceRate, now: number) => Promise<TakenAllowance>
}
