import type { ExistingDocument, ExistingDocuments } from '#documents/existing-schema.ts'
import type { DueIndex } from '#jobs/sweeping.ts'
import type { Files } from '#kernel/files.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page } from '#kernel/page.ts'
import type { Change, Changing, Removal, UnansweredChange } from '#timeline/schema.ts'
import type { EebAnswer } from '../network/gateway-ports.ts'
import type { BeaAccountRecord } from '../ports.ts'
import type { SendState } from '../sending/send-state.ts'
import type { BeaDraft, BeaDraftQuery, BeaSimilarMessage } from './draft-schema.ts'

/**
 * A draft, or a message that is being sent or was sent, as stored. Its body and the message as sent are in the bucket.
 * An answer to a request for a receipt (B9) is also such a record: it has `eeb`, and is not listed as a draft. `version`
 * counts the changes.
 */
export type BeaDraftRecord = Omit<BeaDraft, 'body' | 'status' | 'similar_messages'> & {
  workspace_id: string
  /** The author. */
  user_id: string
  state: SendState
  /** The key of its body in the bucket; null for an empty body. */
  body_key: string | null
  /** Its last send; null if it was never sent, or was changed after a failed send. */
  send: BeaSend | null
  /** How often a worker has claimed it, over all its sends. */
  attempts: number
  /** The answer to a request for a receipt; null for a draft. */
  eeb: EebOrder | null
  /** When the sweeper must hand it to the worker; null if there is no work. */
  due_at: string | null
  version: number
}

/** The user who sends, and the API key of the request. */
export type SentBy = { id: string; name: string; key_id: string }

export type BeaSend = {
  /** The sender. */
  by: SentBy
  begun_at: string
  /** The key of the message as it is sent (`BeaOrder`). */
  order_key: string
  /** The end of the worker's lease; null if no worker has it. */
  lease_until: string | null
  /** When the last call was about to be made; null before that. */
  confirming_at: string | null
  /** The gateway's id of the sent message, once it is known. */
  remote_id: string | null
  /** The number of searches since its outcome became unknown. */
  checks: number
  /** The number of consecutive searches, up to the last one, that found only other messages. */
  absences: number
  /** The similar messages that the last search found; absent before the first search. */
  similar?: BeaSimilarMessage[]
  /** How often the import of the sent message failed. */
  imports: number
}

/** An answer to a request for a receipt, with its deadline. */
export type EebOrder = {
  message_id: string
  answer: EebAnswer
  deadline_id: string | null
  override_reason: string | null
}

export type BeaDraftChange = UnansweredChange<BeaDraftRecord> & BeaClaims

/** The messages of the network that a change links to a draft or unlinks from it, by the gateway's ids. */
export type BeaClaims = {
  /** The sent message of this draft. If another draft has it, nothing is changed and `MessageTaken` is thrown. */
  claims?: string
  /** A message that this draft claimed by mistake. */
  releases?: string
}

/** The message of the network belongs to another draft. */
export class MessageTaken extends Error {
  override name = 'MessageTaken'
}

/** A draft or answer with due work. */
export type DueSend = { workspace_id: string; draft_id: string }

export type BeaDraftStore = {
  /** The draft or answer; undefined if it does not exist, was deleted, or belongs to another workspace. */
  find: (workspaceId: string, id: string) => Promise<BeaDraftRecord | undefined>
  /** Drafts of these accounts, newest first. Answers are not among them. */
  page: (workspaceId: string, accountIds: string[], query: BeaDraftQuery) => Promise<Page<BeaDraftRecord>>
  /** Drafts and answers of the account in the states `confirming` and `unknown`. */
  unsettled: (workspaceId: string, accountId: string) => Promise<BeaDraftRecord[]>
  /** @throws Failure CASE_NOT_FOUND; EEB_ANSWERED if the id exists. Only answers have ids that may exist already. */
  add: <Answer>(change: Change<BeaDraftRecord, Answer>) => Promise<Answered<Answer>>
  /**
   * Replaces the record with the result of `decide`, which may run several times.
   *
   * @throws Failure DRAFT_NOT_FOUND, CASE_NOT_FOUND, MessageTaken, and the errors of `decide`
   */
  change: Changing<BeaDraftRecord, BeaDraftChange>['change']
  /** @throws Failure DRAFT_NOT_FOUND, and the errors of `decide` */
  remove: (workspaceId: string, id: string, decide: (current: BeaDraftRecord) => Removal) => Promise<void>
  /** The draft or answer that a message of the network belongs to; undefined if there is none. */
  draftOf: (workspaceId: string, accountId: string, remoteId: string) => Promise<string | undefined>
}

/** Drafts and answers with due work, of all workspaces. */
export type DueSends = DueIndex<DueSend>

/** A document that may be sent. */
export type BeaDocument = Omit<ExistingDocument, 'case_id' | 'left_case_at'>

export type BeaDocuments = ExistingDocuments<BeaDocument>

export type BeaFiles = Pick<Files, 'put' | 'read' | 'remove'> & {
  /** @returns undefined if there is no such object */
  head: (key: string) => Promise<object | undefined>
}

/** Checks that an account has a session. It reads the store, not the network. */
export type BeaSessions = {
  /** @throws Failure BEA_NOT_AUTHENTICATED without a session */
  requireActive: (
    account: Pick<BeaAccountRecord, 'workspace_id' | 'id' | 'login_account_id'>,
  ) => Promise<void>
}
