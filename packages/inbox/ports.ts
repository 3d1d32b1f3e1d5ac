import type { DueIndex } from '#jobs/sweeping.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page } from '#kernel/page.ts'
import type { FilingInput, InboxItem, InboxKind, InboxQuery, Related } from './schema.ts'

/**
 * The messages of an account that a user sees: the confidential ones, or the others. With `mayRead` the user also sees
 * their subject, case, party, notice and triage result (B8).
 */
export type VisibleBeaMessages = { account_id: string; confidential: boolean; mayRead: boolean }

/** The list of the inbox, over all kinds of records. */
export type InboxStore = {
  /** A page of the items in the inbox, newest first. It has only the beA messages that `visible` names. */
  page: (workspaceId: string, query: InboxQuery, visible: VisibleBeaMessages[]) => Promise<Page<InboxItem>>
  /**
   * The items related to a document (I7): mail of the same sender, thread or case, including the mail that the document
   * is attached to. Also documents of the same case or mail, or with the same content.
   *
   * @throws Failure DOCUMENT_NOT_FOUND
   */
  related: (workspaceId: string, documentId: string) => Promise<Related>
}

/**
 * The actions of a person on inbox items of one kind. Every call may be repeated. An item that has left the inbox can
 * still be filed elsewhere or reopened. Dismissing a filed item changes nothing.
 *
 * Each action throws Failure INBOX_ITEM_NOT_FOUND, and for a beA message AUTH_INSUFFICIENT_SCOPE and BEA_RIGHT_MISSING.
 * `file` and `reopen` also throw LEGAL_HOLD. `file` also throws CASE_NOT_FOUND, PARTY_NOT_FOUND, USER_NOT_FOUND, and
 * VALIDATION_ERROR for the 101st party of a document.
 */
export type ItemActions = {
  /** Files the item in a case or with a party, or assigns it to a user. */
  file: (actor: Actor, id: string, input: FilingInput) => Promise<Answered<InboxItem>>
  /** Takes the item out of the inbox without filing it. */
  dismiss: (actor: Actor, id: string) => Promise<Answered<InboxItem>>
  /**
   * Brings the item back into the inbox, out of its case and folder. Mail and beA messages that we sent stay in their
   * case.
   */
  reopen: (actor: Actor, id: string) => Promise<Answered<InboxItem>>
}

/** The actions on each kind of item. */
export type ActionsByKind = Partial<Record<InboxKind, ItemActions>>

/**
 * The arrivals of all workspaces that wait for the worker `inbound`: their final triage result is missing
 * (`InboxState.is_judged` is false), or their attachments are not filed yet. The transactions that change the records
 * add and remove these entries.
 */
export type ArrivalWatches = DueIndex<{ workspace_id: string; id: string; sent_at: string }> & {
  /** Stores when the message of an arrival was sent again. */
  sent: (id: string, at: Date) => Promise<void>
  /** Removes an arrival that no longer waits. */
  forget: (id: string) => Promise<void>
}
