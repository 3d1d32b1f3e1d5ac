import type { InboxState } from '#inbox/schema.ts'
import type { Job } from '#jobs/job.ts'
import type { Actor } from '#kernel/actor.ts'
import type { CaseTimelineEntry } from '#timeline/schema.ts'
import type { MessageFacts } from '#triage/message-schema.ts'
import type { Teaching, Triage } from '#triage/schema.ts'
import type { BeaAccount } from './account-schema.ts'
import type { BeaConnection } from './gateway-ports.ts'
import type { BeaAttachment, BeaMessage } from './message-schema.ts'
import type { BeaRight } from './right-schema.ts'

/** An account as it is stored. Its key lies sealed in an item of its own. `version` counts its changes. */
export type BeaAccountRecord = BeaAccount & {
  workspace_id: string
  /** Who connected it, and has all rights of it (B8). */
  user_id: string
  version: number
}

export type BeaAccountStore = {
  /** The account; undefined where it does not exist, was disconnected, or belongs to another workspace. */
  find: (workspaceId: string, id: string) => Promise<BeaAccountRecord | undefined>
  /** All accounts of the workspace, the oldest first. There are few. */
  list: (workspaceId: string) => Promise<BeaAccountRecord[]>
  /** @throws Failure BEA_ACCOUNT_EXISTS where the workspace has this `safe_id` already */
  add: (record: BeaAccountRecord, sealedKey: string | null) => Promise<void>
  /** @throws Failure BEA_ACCOUNT_NOT_FOUND, and what `decide` throws */
  change: (
    workspaceId: string,
    id: string,
    decide: (current: BeaAccountRecord) => BeaAccountRecord | undefined,
  ) => Promise<BeaAccountRecord>
}

/**
 * Uses the session of an account, which for a Kanzlei postbox is that of its login account. Nobody else uses it meanwhile,
 * in no other process either. A session that the gateway has ended is renewed once where the key is stored (B3), and the
 * use begins anew: so it must bear a repetition up to the point where it changes something. The newest token is stored
 * after the use, a failed one too. Keep a use short: what takes long is done in several.
 *
 * @throws Failure BEA_NOT_AUTHENTICATED without a session, BEA_ACCOUNT_LOCKED, 503 where another use lasts too long, and
 *   what `use` throws
 */
export type UseBeaSession = <Result>(
  account: Pick<BeaAccountRecord, 'workspace_id' | 'id'>,
  use: (connection: BeaConnection) => Promise<Result>,
  signal: AbortSignal,
) => Promise<Result>

/** What a user may do with accounts (B8). */
export type BeaAccess = {
  /** The rights of the actor at an account, with what they imply; all of them where the actor connected it. */
  rightsOf: (
    actor: Actor,
    account: Pick<BeaAccountRecord, 'id' | 'user_id'>,
  ) => Promise<ReadonlySet<BeaRight>>
}

/** A message as it is stored; its body and attachments lie in the bucket (`keys.ts`). */
export type BeaMessageRecord = Omit<BeaMessage, 'body' | 'attachments' | 'subject'> & {
  workspace_id: string
  subject: string
  /** The gateway's id of the message; unique in its postbox. */
  remote_id: string
  attachments: (BeaAttachment & { sha256: string })[]
  /** The id that an answer to its request for a receipt names: the XJustiz record's own id, else the gateway's (B9). */
  eeb_foreign_id: string | null
  /** The acknowledgement of a sent message: when it reached the recipient's postbox, and the network's status. */
  receipt: { delivered_at: string | null; status: string | null } | null
  inbox: InboxState | null
  teaches: Teaching
  version: number
}

/** A change of a message, with entries for the timelines of cases, and the jobs that follow. */
export type BeaMessageChange = {
  record: BeaMessageRecord
  timelineEntries: CaseTimelineEntry[]
  jobs?: Job[]
  triage?: Triage
}

export type BeaMessageStore = {
  find: (workspaceId: string, id: string) => Promise<BeaMessageRecord | undefined>
  /** Ids of records by the gateway's ids, of those that the postbox has imported. */
  known: (workspaceId: string, accountId: string, remoteIds: string[]) => Promise<Map<string, string>>
  /**
   * Adds an imported message with its list entries, its place in the inbox and its identity in one transaction.
   *
   * @returns the id of the record: another one where the message is known already, and then nothing is added
   */
  add: (change: BeaMessageChange & { facts: MessageFacts | null }) => Promise<string>
  /** @throws Failure BEA_MESSAGE_NOT_FOUND, CASE_NOT_FOUND, PARTY_NOT_FOUND, and what `decide` throws */
  change: (
    workspaceId: string,
    id: string,
    decide: (current: BeaMessageRecord) => BeaMessageChange | undefined,
  ) => Promise<BeaMessageRecord>
}
