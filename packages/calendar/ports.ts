import type { Region } from '#german-time/regions.ts'
import type { Job } from '#jobs/job.ts'
import type { DueIndex } from '#jobs/sweeping.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Scope } from '#kernel/scope.ts'
import type { Changes } from '#kernel/updated-since.ts'
import type { Change, ChangingAsync, UnansweredChange } from '#timeline/schema.ts'

/** An event as it is stored. */
export type EventRecord = {
  workspace_id: string
  /** `evt_<uuid>` */
  id: string
  title: string
  type: 'event' | 'meeting'
  /**
   * ISO 8601 in UTC with milliseconds; `ends_at` is exclusive. For an all-day event both are midnights in UTC, so the
   * event stays on its days if the workspace's time zone changes.
   */
  starts_at: string
  ends_at: string
  all_day: boolean
  /** The first and the last day of an all-day event, `YYYY-MM-DD`, both included. Null for a timed event. */
  first_day: string | null
  last_day: string | null
  case_id: string | null
  location: string | null
  description: string | null
  attendees: string[]
  created_by: string
  created_at: string
  updated_at: string
  deleted_at: string | null
  /** When the newest change was written, for `updated_since`. The store sets it. */
  changed_at?: string | undefined
  /** Counts the changes. */
  version: number
}

export type CalendarDeadline = {
  id: string
  title: string
  frist_type: 'hauptfrist' | 'vorfrist' | 'nachfrist'
  case_id: string
  /** When its case was deleted (C8). */
  case_deleted_at: string | null
  due_at: string
  assigned_to: string
  created_by: string
  created_at: string
  updated_at: string
  verified_at: string | null
  completed_at: string | null
  /** Tells how much the client loses if the deadline is missed. The feed shows all except `other` in capitals (F13). */
  category: 'rechtsmittel' | 'begruendung' | 'notfrist' | 'other'
  version: number
}

export type CalendarItem =
  | { kind: 'event'; record: EventRecord }
  | { kind: 'deadline'; record: CalendarDeadline }

/** An interval, half-open, UTC with milliseconds. */
export type Interval = { start: string; end: string }

export type EventQuery = {
  type?: 'event' | 'meeting' | 'deadline' | undefined
  case_id?: string | undefined
  attendee?: string | undefined
  /** Events that end after this moment, and deadlines due then or later. */
  from?: string | undefined
  /** Events that begin, and deadlines that are due, before this moment. */
  until?: string | undefined
  /** The time zone of the workspace: all-day events begin and end at its midnight. */
  time_zone: string
}

export type CollisionCheck = {
  /** Refuse the change if the event would collide with another event of an attendee (K4). */
  check?: boolean
}

export type CalendarStore = {
  /** The event of this workspace. Undefined if it does not exist or was deleted. */
  find: (workspaceId: string, id: string) => Promise<EventRecord | undefined>
  /** The deadline of this workspace. Undefined if it does not exist or was struck. */
  findDeadline: (workspaceId: string, id: string) => Promise<CalendarDeadline | undefined>
  /**
   * Events and deadlines by start, then by id (K2). The number of reads depends on the size of the page, not on the
   * size of the calendar. A page may have fewer items than requested and still not be the last.
   */
  page: (workspaceId: string, query: EventQuery, request: PageRequest) => Promise<Page<CalendarItem>>
  /** Events and deadlines created, changed or deleted since a time, oldest change first (G16). */
  changes: (
    workspaceId: string,
    query: EventQuery,
    request: PageRequest & { since: string },
  ) => Promise<Changes<CalendarItem>>
  /**
   * Adds an event.
   *
   * @throws Failure SLOT_CONFLICT; CASE_NOT_FOUND
   */
  add: <Answer>(change: Change<EventRecord, Answer> & CollisionCheck) => Promise<Answered<Answer>>
  /**
   * Replaces the event with the result of `decide`, all or nothing. If somebody else has changed the event in between,
   * `decide` runs again on the changed one.
   *
   * @throws Failure EVENT_NOT_FOUND; SLOT_CONFLICT; CASE_NOT_FOUND if it moves to a case that does not exist; what
   *   `decide` throws
   */
  change: ChangingAsync<EventRecord, UnansweredChange<EventRecord> & CollisionCheck>['change']
  /** The busy intervals of each user by user id, unsorted. The number of reads depends only on users and days. */
  busy: (workspaceId: string, userIds: string[], range: Interval) => Promise<Map<string, Interval[]>>
  /** The assigned deadlines of a user in a range, then the events, each sorted by start; together at most `limit`. */
  ofUser: (workspaceId: string, userId: string, range: Interval, limit: number) => Promise<CalendarItem[]>
}

/** The part of workspaces that the calendar uses. */
export type CalendarWorkspaces = {
  find: (
    workspaceId: string,
  ) => Promise<{ id: string; name: string; time_zone: string; holiday_region: Region } | undefined>
}

/** The part of users that the calendar uses. */
export type CalendarUsers = {
  /** Current names by id, without unknown ids. */
  names: (workspaceId: string, ids: string[]) => Promise<Map<string, string>>
  /** Users by id, without unknown ids. */
  known: (workspaceId: string, ids: string[]) => Promise<Map<string, { active: boolean }>>
  find: (workspaceId: string, id: string) => Promise<{ name: string; active: boolean } | undefined>
}

/** The part of API keys that subscriptions use. */
export type CalendarKeys = {
  /** Whether a user is active and has a key with this scope that is valid at the time `at`. */
  hasScope: (workspaceId: string, userId: string, scope: Scope, at: string) => Promise<boolean>
}

/** The part of cases that the calendar uses. */
export type CalendarCases = {
  /** Names and file numbers of cases, deleted ones included. */
  titles: (workspaceId: string, ids: string[]) => Promise<Map<string, CaseTitle>>
}

export type CaseTitle = { name: string; file_number: string }

/** A subscription token as it is stored, with a hash of its secret. */
type IcalTokenRecord = {
  id: string
  workspace_id: string
  user_id: string
  secret_hash: string
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
}

export type IcalTokenStore = {
  add: <Answer>(change: Change<IcalTokenRecord, Answer>) => Promise<Answered<Answer>>
  /** Finds a token, also a revoked one. A subscriber's request contains only the token, so no workspace is known. */
  findAnywhere: (id: string) => Promise<IcalTokenRecord | undefined>
  /** A user's tokens that are not revoked, newest first. */
  page: (workspaceId: string, userId: string, request: PageRequest) => Promise<Page<IcalTokenRecord>>
  /** Sets the time of the last use to `at`, unless the stored time is `unlessAfter` or later. Errors are ignored. */
  touch: (id: string, at: string, unlessAfter: string) => Promise<void>
  /**
   * Revokes a token. If it was already revoked, nothing changes.
   *
   * @param answerOf makes the answer from the time of the first revocation
   * @throws Failure ICAL_TOKEN_NOT_FOUND
   */
  revoke: <Answer>(
    workspaceId: string,
    id: string,
    at: string,
    answerOf: (revokedAt: string) => Answer,
  ) => Promise<Answered<Answer>>
}

/** A connected calendar as it is stored. */
export type SyncAccountRecord = {
  workspace_id: string
  user_id: string
  id: string
  provider: 'caldav'
  url: string
  /** The calendar that events are pushed to. */
  calendar_url: string
  /** The credentials, sealed by `SecretBox`. */
  sealed_credentials: string
  status: 'connected' | 'error'
  last_synced_at: string | null
  last_error: string | null
  created_at: string
}

export type SyncAccountStore = {
  /** A user's accounts, newest first. */
  list: (workspaceId: string, userId: string) => Promise<SyncAccountRecord[]>
  add: <Answer>(change: { record: SyncAccountRecord; answer: Answer }) => Promise<Answered<Answer>>
  /** @throws Failure SYNC_ACCOUNT_NOT_FOUND */
  remove: (workspaceId: string, userId: string, id: string) => Promise<void>
  /** Stores the outcome of a push or a removal, unless the account was deleted. */
  note: <Answer>(
    record: SyncAccountRecord,
    change: { outcome: PushOutcome; answer: Answer },
  ) => Promise<Answered<Answer>>
}

/** The outcome of a push to a connected calendar, or of a removal from it. */
export type PushOutcome = Pick<SyncAccountRecord, 'status' | 'last_synced_at' | 'last_error'>

/**
 * The record of a push of an event or deadline to a connected calendar. It is written before the push begins, so the
 * push may have failed. `event_id` is the id of the event or of the deadline.
 */
type PushRecord = { workspace_id: string; event_id: string; user_id: string; account_id: string }

/** The pending removal of an event or deadline from a calendar that it was pushed to. */
export type Withdrawal = PushRecord & {
  /** When the service noticed that the event is deleted. */
  requested_at: string
  due_at: string
  /** Counts the failed attempts. */
  attempts: number
  /** Fields that newer code has stored. They stay with the withdrawal (U3). */
  unknown?: Record<string, unknown>
}

export type PushStore = {
  /**
   * Records a push that is about to begin, and stores the jobs that must follow it. An event has one record for each
   * calendar, however often it is pushed.
   *
   * @returns a function that runs the jobs
   */
  begin: (push: PushRecord, jobs: Job[]) => Promise<() => Promise<void>>
  ofEvent: (workspaceId: string, eventId: string) => Promise<PushRecord[]>
  /** Replaces the record of a push with a withdrawal that is due immediately. A second call does no harm. */
  withdraw: (push: PushRecord, at: string) => Promise<void>
}

export type Withdrawals = DueIndex<Withdrawal> & {
  /** Counts a failed attempt and makes the withdrawal due again later. */
  postpone: (withdrawal: Withdrawal, dueAt: string) => Promise<void>
  finish: (withdrawal: Withdrawal) => Promise<void>
}

export type RemoteLogin = { username: string; password: string }

/** The calendar server of a user. */
export type RemoteCalendar = {
  /**
   * Checks the login and finds the calendar to push to.
   *
   * @throws Failure VALIDATION_ERROR for an address that is refused; SYNC_CREDENTIALS_REFUSED; SYNC_FAILED
   */
  connect: (url: string, login: RemoteLogin) => Promise<{ calendar_url: string }>
  /**
   * Creates or replaces one calendar object, and returns its address.
   *
   * @throws Failure as `connect`
   */
  put: (calendarUrl: string, login: RemoteLogin, name: string, icalendar: string) => Promise<string>
  /**
   * Removes one calendar object. A missing object counts as removed.
   *
   * @throws Failure as `connect`
   */
  remove: (calendarUrl: string, login: RemoteLogin, name: string) => Promise<void>
}
