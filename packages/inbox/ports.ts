import type { DueIndex } from '#jobs/sweeping.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page } from '#kernel/page.ts'
import type { FilingInput, InboxItem, InboxKind, InboxQuery, Related } from './schema.ts'

/** The confidential or the other messages of an account that a user sees. `mayRead`: with subject and triage (B8). */
export type SeenBea = { account_id: string; confidential: boolean; mayRead: boolean }

/** The list of the inbox, over all kinds of records. */
export type InboxStore = {
  /** The items in the inbox, newest first; of beA messages only the visible ones. */
  page: (workspaceId: string, query: InboxQuery, seen: SeenBea[]) => Promise<Page<InboxItem>>
  /**
   * Related items of a document: mail of the same sender, thread or case, including its own mail; documents of the same
   * case, mail or digest (I7).
   *
   * @throws Failure DOCUMENT_NOT_FOUND
   */
  related: (workspaceId: string, documentId: string) => Promise<Related>
}

/**
 * The actions of a person on records of one kind in the inbox. Every call may be repeated. An item that has left the
 * inbox can still be filed elsewhere or reopened. Dismissing a filed item changes nothing.
 *
 * Each throws Failure INBOX_ITEM_NOT_FOUND, and for a beA message AUTH_INSUFFICIENT_SCOPE and BEA_RIGHT_MISSING; `file`
 * also CASE_NOT_FOUND, PARTY_NOT_FOUND, USER_NOT_FOUND, and VALIDATION_ERROR for the 101st party of a document.
 */
export type ItemActions = {
  /** Files it in a case or with a party, or assigns it to a user. */
  file: (actor: Actor, id: string, input: FilingInput) => Promise<Answered<InboxItem>>
  /** Takes it out of the inbox without filing it. */
  dismiss: (actor: Actor, id: string) => Promise<Answered<InboxItem>>
  /** Brings it back into the inbox, out of its case and folder; mail that we sent stays in its case. */
  reopen: (actor: Actor, id: string) => Promise<Answered<InboxItem>>
}

/** The actions by kind; the prefix of an id names its kind. */
export type ActionsByKind = Partial<Record<InboxKind, ItemActions>>

/**
 * The arrivals of all workspaces that have no final judgement yet (`InboxState.is_judged` is false), or whose
 * attachments are not filed yet. The records' own transactions add and remove them. They are spread over shards, as
 * jobs are.
 */
export type ArrivalWatches = DueIndex<{ workspace_id: string; id: string; sent_at: string }> & {
  /** Records when the message was sent again. */
  sent: (id: string, at: Date) => Promise<void>
  /** The record no longer waits. */
  forget: (id: string) => Promise<void>
}
