import type { InboxState } from '#inbox/state-schema.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Files } from '#kernel/files.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Changing, UnansweredChange } from '#timeline/schema.ts'
import type { Teaching, Triage } from '#triage/schema.ts'
import type { BeaAccount } from './accounts/account-schema.ts'
import type { BeaAttachment, BeaMessage, BeaMessageQuery } from './messages/message-schema.ts'
import type { BeaConnection } from './network/gateway-ports.ts'
import type { BeaRight } from './rights/right-schema.ts'
import type { StoredSync } from './sync/sync-state.ts'

/**
 * An account as stored. Its sealed key is a separate item. The status `certificate_expired` is not stored:
 * `shownAccount` computes it.
 */
export type BeaAccountRecord = Omit<BeaAccount, 'status' | 'last_sync'> & {
  status: 'connected' | 'locked'
  /** The last synchronisation, with the heartbeats of its worker; `shownSync` makes the form that users see. */
  last_sync: StoredSync | null
  workspace_id: string
  /** The user who connected it, and has all rights to it (B8). */
  user_id: string
  /** The certificate in PEM, for logins by card. It is not secret. */
  certificate_pem: string | null
  /**
   * When it was disconnected, or null. Its messages remain, and so do the rights to them. Connecting the same postbox
   * again continues this account, under its id.
   */
  disconnected_at: string | null
  /**
   * The logout, which lasts until somebody logs in: its time (ISO 8601 in UTC), a space, and an id. Null or absent if
   * nobody has logged out. For a Kanzlei postbox the logout of its login account counts.
   */
  logged_out?: string | null
  /** Counts its changes. */
  version: number
}

export type BeaAccountStore = {
  /** The account; undefined if it does not exist, was disconnected, or belongs to another workspace. */
  find: (workspaceId: string, id: string) => Promise<BeaAccountRecord | undefined>
  /** The account, even if it was disconnected. For work with its stored data. */
  findEver: (workspaceId: string, id: string) => Promise<BeaAccountRecord | undefined>
  /** All connected accounts of the workspace, the oldest first. They are few. */
  list: (workspaceId: string) => Promise<BeaAccountRecord[]>
  /** The same, including disconnected accounts. */
  listEver: (workspaceId: string) => Promise<BeaAccountRecord[]>
  /**
   * The account of the same postbox, even if it was disconnected. It has this SAFE-ID, or this certificate if the card
   * has not logged in yet.
   */
  findSame: (
    workspaceId: string,
    postbox: Pick<BeaAccountRecord, 'safe_id' | 'certificate'>,
  ) => Promise<BeaAccountRecord | undefined>
  /**
   * Adds an account (version 1), or connects one again that was disconnected.
   *
   * @throws Failure BEA_ACCOUNT_EXISTS if the workspace has a connected account of this identity
   */
  add: <Answer>(
    change: { record: BeaAccountRecord; answer: Answer },
    sealedKey: string | null,
  ) => Promise<Answered<Answer>>
  /**
   * Replaces the record with the result of `decide`, with the next version; undefined leaves it unchanged. A `safe_id`
   * that was null is claimed.
   *
   * @throws Failure BEA_ACCOUNT_NOT_FOUND, BEA_ACCOUNT_EXISTS, and the errors of `decide`
   */
  change: (
    workspaceId: string,
    id: string,
    decide: (current: BeaAccountRecord) => BeaAccountRecord | undefined,
  ) => Promise<BeaAccountRecord>
  /** Disconnects it and forgets its key. @throws Failure BEA_ACCOUNT_NOT_FOUND */
  disconnect: (workspaceId: string, id: string, at: string) => Promise<void>
}

/**
 * Runs `use` with the session of an account; a Kanzlei postbox uses the session of its login account. No other process
 * uses the session meanwhile. Afterwards the newest token is stored, also if `use` fails. Keep a use short, and divide
 * long work into several uses.
 *
 * If the gateway has ended the session and the key is stored, the session is renewed once (B3) and `use` runs again. So
 * `use` must be repeatable. A use whose message may be sent does not run again, unless the network certainly refused
 * its last step.
 *
 * After a logout there is no session, and background work does not log in until a user does.
 *
 * - `yields`: the use waits until nobody else requests the session. Between its calls it checks whether somebody does
 *   (`isWanted`), and then ends.
 * - `mayLogIn`: if there is no session, it logs in with the stored key. For work that no user waits for: the schedule,
 *   and jobs that a user with a session has enqueued.
 * - `orderedAt` (ISO 8601 in UTC): when a user ordered the use. It runs even if somebody logged out after that, and its
 *   session is ended right after it.
 *
 * @throws Failure BEA_NOT_AUTHENTICATED without a session, BEA_ACCOUNT_NOT_FOUND, BEA_ACCOUNT_LOCKED, 503 if another
 * use lasts too long or the session was ended meanwhile, and the errors of `use`
 */
export type UseBeaSession = <Result>(
  account: Pick<BeaAccountRecord, 'workspace_id' | 'id'>,
  use: (connection: BeaConnection, isWanted: () => Promise<boolean>) => Promise<Result>,
  signal: AbortSignal,
  options?: { mayLogIn?: boolean; yields?: boolean; orderedAt?: string },
) => Promise<Result>

/** The rights of a user at accounts (B8). */
export type BeaAccess = {
  /** The rights of the actor at an account, including implied ones; all if the actor connected it. */
  rightsOf: (
    actor: Pick<Actor, 'workspace_id' | 'user_id'>,
    account: Pick<BeaAccountRecord, 'id' | 'user_id'>,
  ) => Promise<ReadonlySet<BeaRight>>
}

/** A message as stored; its body and attachments are in the bucket (`messages/message-keys.ts`). */
export type BeaMessageRecord = Omit<BeaMessage, 'body' | 'attachments' | 'subject' | 'filing'> & {
  workspace_id: string
  subject: string
  /** Its postbox. It stays the same if the account is disconnected and connected again. */
  postbox_safe_id: string
  /** True for a notice in the inbox that a message or a folder could not be read (`sync/missing-messages.ts`). */
  is_missing: boolean
  /** The gateway's id of the message; unique in its postbox. */
  remote_id: string
  attachments: (BeaAttachment & { sha256: string })[]
  /** The id by which an answer names this request for a receipt: the XJustiz record's own id, or else the gateway's (B9). */
  eeb_foreign_id: string | null
  /** The user who gave or refused its receipt, and the reason. Absent if nobody has, or on older records. */
  eeb_given?: { by: { id: string; name: string }; why: string | null }
  /**
   * A filing that a worker completes: some attachments are not documents of its case yet. `from` is the case that the
   * message left, `at` the time of the filing. Absent once all attachments are in the case.
   */
  filing?: { from: string | null; at: string } | undefined
  inbox: InboxState | null
  teaches: Teaching
  version: number
}

export type BeaMessageChange = UnansweredChange<BeaMessageRecord> & {
  /** Its triage result now; absent if it is unchanged. */
  triage?: Triage
  /** It goes into the case of its draft, also a deleted one: the message belongs to it (C8), and is disposed of with it (R3). */
  followsDraft?: true
}

/** The fields of an imported message that may change in the network: the account, the folder, the acknowledgement. */
export type KnownMessage = { id: string } & Pick<
  BeaMessageRecord,
  'account_id' | 'folder' | 'direction' | 'receipt'
>

/**
 * The messages of an account that a user sees: completely (`mayRead`), or only sender, date and size
 * (`rights/visibility.ts`). Confidential messages need another right, so they have their own entry.
 */
export type SeenMessages = { account_id: string; confidential: boolean; mayRead: boolean }

/**
 * The filters of a list of messages. `search`, `case_id` and `unassigned` find only messages that may be read.
 * `account_id` binds the cursor; `seen` names the accounts.
 */
type BeaMessageFilters = Omit<BeaMessageQuery, 'limit' | 'cursor'>

export type BeaMessageStore = {
  find: (workspaceId: string, id: string) => Promise<BeaMessageRecord | undefined>
  /** The messages of these ids that exist, in no particular order. */
  findAll: (workspaceId: string, ids: string[]) => Promise<BeaMessageRecord[]>
  /** A page of the messages in `seen`, newest first by the time of reception or sending. */
  page: (
    workspaceId: string,
    seen: SeenMessages[],
    filters: BeaMessageFilters,
    request: PageRequest,
  ) => Promise<Page<BeaMessageRecord>>
  /** The messages among `remoteIds` that are imported, by the gateway's ids. */
  known: (
    workspaceId: string,
    postboxSafeId: string,
    remoteIds: string[],
  ) => Promise<Map<string, KnownMessage>>
  /**
   * Adds an imported message in one transaction, with its list entries, its place in the inbox and its identity. If it
   * needs triage, the same transaction hands it over. Concurrent messages may share a transaction; a message that cannot
   * be added does not block the others.
   *
   * @returns the id of the record; if the message is known already, the id of the existing record
   */
  add: (change: BeaMessageChange) => Promise<string>
  /** @throws Failure BEA_MESSAGE_NOT_FOUND, CASE_NOT_FOUND, and the errors of `decide` */
  change: Changing<BeaMessageRecord, BeaMessageChange>['change']
}

export type BeaParties = {
  /** Current names by id; unknown ids are left out. */
  names: (workspaceId: string, ids: string[]) => Promise<Map<string, string>>
}

/** The work after a message is filed: the documents of its attachments, and the facts that its case learns. */
export type FilingFollowers = {
  documents: {
    /** Creates missing documents, in the case of the message. @returns their ids */
    add: (
      message: { workspace_id: string; id: string },
      attached: (Omit<BeaMessageRecord['attachments'][number], 'document_id'> & {
        document_id: string
        key: string
      })[],
      place: { to: string; at: string },
    ) => Promise<ReadonlySet<string>>
    /** Moves documents into the case of their message, unless somebody has moved them elsewhere. */
    follow: (message: {
      workspace_id: string
      correspondence_id: string
      document_ids: string[]
      from: string | null
      to: string | null
      at: string
    }) => Promise<void>
  }
  lessons: {
    follow: (
      workspaceId: string,
      lesson: { correspondence_id: string; teaches: Teaching; from: string | null; to: string | null },
    ) => Promise<void>
  }
}

/** The media type of a file, by its content, or by its name if the content does not show it. */
export type DescribeFile = (filename: string, bytes: Uint8Array) => Promise<string>

/** The objects that hold bodies and attachments (`messages/message-keys.ts`). */
export type BeaMessageFiles = Pick<Files, 'put' | 'read' | 'stream'>
