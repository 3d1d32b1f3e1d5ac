import type { AuditEvent } from '#audit/schema.ts'
import type { ExistingDocument, ExistingDocuments } from '#documents/existing-schema.ts'
import type { InboxState } from '#inbox/state-schema.ts'
import type { Job } from '#jobs/job.ts'
import type { Files } from '#kernel/files.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Changes } from '#kernel/updated-since.ts'
import type { CaseTimelineEntry, Change, Changing, Removal, UnansweredChange } from '#timeline/schema.ts'
import type { Teaching } from '#triage/schema.ts'
import type {
  Correspondence,
  CorrespondenceQuery,
  CorrespondenceSummary,
  Draft,
  DraftSummary,
} from './schema.ts'

/** The bodies of a mail. */
export type MailBody = Pick<Correspondence, 'body_text' | 'body_html' | 'inline_images'>

/**
 * A mail as it is stored. Its bodies and the whole message are in the bucket (`keys.ts`). `version` counts its changes.
 * `status` is the stored one. The API shows a lost mail as `failed` (`send-state.ts`).
 */
export type CorrespondenceRecord = CorrespondenceSummary & {
  workspace_id: string
  /** The user who sent it; null for inbound mail. */
  user_id: string | null
  /** The draft that it was sent from. */
  draft_id: string | null
  /** The topic of a service mail. Null for mail that a person sent, and for inbound mail. */
  about: MailTopic | null
  /** The `Message-ID` of its header, with angle brackets. Empty if a received mail has none. SES may change it (M4). */
  header_message_id: string
  /**
   * The `message_id` of its `MessageIdentity` if it was received without a `Message-ID`; absent otherwise. Upgrade 18
   * adds it to mails that an earlier release received.
   */
  known_as?: string | undefined
  /** The `References` of its header: message ids with angle brackets, the oldest first. */
  references: string[]
  /** When the last attempt to send it began; null for inbound mail. */
  sending_since: string | null
  /** When the loss of the mail was recorded; null if it was not. A later event may still prove that it was sent. */
  lost_at: string | null
  /** The number of attempts to send it, or of attempts to read an inbound mail. */
  attempts: number
  /** Why the provider definitely refused the last attempt; null otherwise. */
  refusal: Refusal | null
  /** Null for outbound mail, unless it bounced. */
  inbox: InboxState | null
  /** The facts that its case learns from it. None for outbound mail. */
  teaches: Teaching
  /** When the newest change was written, for `updated_since`. The store sets it. */
  changed_at?: string | undefined
  version: number
}

/**
 * The topic of a service mail: an envelope, for a mail to one of its participants (S3), or a webhook, for a mail to an
 * admin (E5).
 */
export type MailTopic = {
  type: 'envelope' | 'webhook'
  /** The envelope, or the endpoint of the webhook. */
  id: string
  /** The signer to whom the mail is sent; null for a user. */
  signer_id: string | null
  /** The kind of the mail, and the key of this mail (`service-mail.ts`). */
  mail: string
  key: string
  /** The hexadecimal SHA-256 of the token of the magic link in the message; null if it contains none. */
  link_sha256: string | null
}

/**
 * The state of a service mail: the state of its send (`send-state.ts`), or `bounced`. A mail that was refused because
 * of its address counts as `bounced`, too.
 */
export type MailReport = {
  workspace_id: string
  about: MailTopic
  state: 'sending' | 'sent' | 'refused' | 'lost' | 'bounced'
  /** When it was sent; null if it was not. */
  sent_at: string | null
}

/** Handles a report. The same report may come twice, and an older report may come after a newer one. */
export type HandleMailReport = (report: MailReport) => Promise<void>

/** A definite refusal: nothing was sent. `address`: a recipient's address was refused (M5). */
export type Refusal = { kind: 'address' | 'other'; message: string }

/** A draft as it is stored. Its body is in the bucket. `version` counts its changes. */
export type DraftRecord = Omit<DraftSummary, 'status'> & {
  workspace_id: string
  user_id: string
  /** The status of its last send. `draft` if it was never sent, or was changed since then. */
  status: Draft['status']
  /** The mail of its last send. Null if it was never sent, or was changed since then. */
  correspondence_id: string | null
  /** When that send began; null if there is none. */
  sending_since: string | null
  /** The key of its body in the bucket; null for an empty body. */
  body_key: string | null
  /** The `References` that the mail will have. */
  references: string[]
  version: number
}

export type CorrespondenceChange = UnansweredChange<CorrespondenceRecord>

/** A link that opens documents until `expires_at` (M3). Its token is not stored. */
export type SharedLink = {
  token_sha256: string
  workspace_id: string
  correspondence_id: string
  case_id: string | null
  /**
   * Without documents that were removed from the link. `case_id`: the case of the document when the mail was sent;
   * absent in links of older releases.
   */
  documents: { document_id: string; filename: string; case_id?: string | null }[]
  expires_at: string
  /** Absent in links of older releases. */
  id?: string | undefined
  /** When somebody ended it. */
  revoked_at?: string | undefined
  /** Counts the changes. */
  version?: number | undefined
}

/**
 * The owner of the keys of service mails. It is not the id of a user, so these keys cannot collide with keys of users.
 */
export const serviceSender = 'service'

/**
 * The claim that makes an intent to send unique: a key of the user (M1) or of the service (`serviceSender`), or a
 * version of a draft (M2).
 */
export type SendClaim =
  | { by: 'key'; user_id: string; key: string; digest: string; expires_at: string }
  | { by: 'draft'; draft: DraftRecord }

export type CorrespondenceStore = {
  find: (workspaceId: string, id: string) => Promise<CorrespondenceRecord | undefined>
  /** The `Date` in the header of an inbound mail, ISO 8601 in UTC. Null if it has no readable date. */
  headerDate: (record: CorrespondenceRecord) => Promise<string | null>
  /** Newest first. */
  page: (workspaceId: string, query: CorrespondenceQuery) => Promise<Page<CorrespondenceRecord>>
  /** Records that were created, changed or deleted since a time, oldest change first (G16). */
  changes: (
    workspaceId: string,
    query: CorrespondenceQuery,
    since: string,
  ) => Promise<Changes<CorrespondenceRecord>>
  /**
   * The send that this user, or `serviceSender`, began with the key. Undefined if there is none, or it has expired at
   * `now`.
   */
  findSend: (
    workspaceId: string,
    userId: string,
    key: string,
    now: Date,
  ) => Promise<{ digest: string; correspondence_id: string } | undefined>
  /**
   * Records the intent to send, in one transaction: the mail with status `sending`, its claim, its list entries, its
   * shared link and its jobs. With a claim by a draft, the draft becomes `sending` in the same transaction.
   *
   * @returns false, and records nothing, if another send holds the key or the draft changed meanwhile
   * @throws Failure CASE_NOT_FOUND
   */
  begin: (
    intent: { record: CorrespondenceRecord; claim: SendClaim; link?: SharedLink | undefined; jobs: Job[] },
    now: Date,
  ) => Promise<boolean>
  /**
   * Replaces the record with the result of `decide`. Reads and decides again if somebody else changed it in between. A
   * draft whose last send is this mail gets its status in the same transaction, and leaves the list of drafts when it
   * is `sent`.
   *
   * @throws Failure CORRESPONDENCE_NOT_FOUND, CASE_NOT_FOUND if the new case does not exist, and the errors of
   * `decide`. SEND_IN_PROGRESS if a refused mail becomes `sending` again, but is no longer the last send of its draft
   */
  change: Changing<CorrespondenceRecord>['change']
  /** The link with this digest, even if it has expired. */
  findLink: (tokenSha256: string) => Promise<SharedLink | undefined>
  /** The links of a mail or a document, newest first. A page may include links that no longer open it. */
  pageLinks: (workspaceId: string, ofId: string, request: PageRequest) => Promise<Page<SharedLink>>
  /** The link with this id of a mail or a document. */
  findLinkOf: (workspaceId: string, ofId: string, linkId: string) => Promise<SharedLink | undefined>
  /** Replaces a link. Returns false if it was changed since it was read. */
  replaceLink: (before: SharedLink, after: SharedLink, entries: CaseTimelineEntry[]) => Promise<boolean>
  /** Records that a document was opened by a link, at most once for each hour (`2026-11-23T09`). */
  recordOpening: (
    link: SharedLink,
    opened: { document_id: string; hour: string },
    records: { timeline: CaseTimelineEntry[]; audit: AuditEvent },
  ) => Promise<void>
}

export type DraftStore = {
  /** The draft of this workspace. Undefined if it does not exist or was deleted. The caller checks its owner. */
  find: (workspaceId: string, id: string) => Promise<DraftRecord | undefined>
  /** Drafts of a user that are not sent, newest first. */
  page: (workspaceId: string, userId: string, request: PageRequest) => Promise<Page<DraftRecord>>
  /** @throws Failure CASE_NOT_FOUND */
  add: <Answer>(change: Change<DraftRecord, Answer>) => Promise<Answered<Answer>>
  /**
   * Like `change` of `CorrespondenceStore`.
   *
   * @throws Failure DRAFT_NOT_FOUND, CASE_NOT_FOUND (if `case_id` changed), and what `decide` throws
   */
  change: Changing<DraftRecord>['change']
  /** Deleted drafts of all users of the workspace, newest first. */
  pageDeleted: (workspaceId: string, request: PageRequest) => Promise<Page<DraftRecord>>
  /**
   * Replaces a deleted draft with the result of `change`, unless that is undefined. Calls it again if somebody else
   * changed the draft in between. Does nothing if no deleted draft has this id.
   */
  changeDeleted: (
    workspaceId: string,
    id: string,
    change: (current: DraftRecord) => DraftRecord | undefined,
  ) => Promise<void>
  /** Deletes the draft. @throws Failure DRAFT_NOT_FOUND, and what `decide` throws */
  remove: (workspaceId: string, id: string, decide: (current: DraftRecord) => Removal) => Promise<void>
}

/** A document that can be attached. */
export type AttachableDocument = Omit<ExistingDocument, 'sha256' | 'is_protected'>

export type MailDocuments = ExistingDocuments<AttachableDocument>

export type MailFiles = Pick<Files, 'put' | 'read' | 'stream' | 'remove'>

/** Reads the stored messages and bodies. */
export type MessageFiles = Pick<Files, 'read' | 'stream' | 'head'>

export type MailUsers = {
  find: (
    workspaceId: string,
    id: string,
  ) => Promise<{ name: string; email: string; signature_html: string | null } | undefined>
  /** The addresses of all users of the workspace, active or not. */
  emails: (workspaceId: string) => Promise<string[]>
}

export type MailWorkspaces = {
  find: (id: string) => Promise<{ name: string; inbound_address: string; time_zone: string } | undefined>
}

export type MailParties = {
  /** Current names by id; unknown ids are left out. */
  names: (workspaceId: string, ids: string[]) => Promise<Map<string, string>>
  /** The ids of at most `limit` parties with this address. Upper and lower case do not matter. */
  withEmail: (workspaceId: string, email: string, limit: number) => Promise<string[]>
}

/** The ids that a message may have for its recipients: ours, and the one with which the provider replaces it (M4). */
export function knownIds(
  { header_message_id, message_id, direction }: CorrespondenceRecord,
  providerDomain: string,
): string[] {
  if (direction === 'inbound') return header_message_id === '' ? [] : [header_message_id]
  if (message_id === null) return [header_message_id]
  return [header_message_id, `<${message_id}@${providerDomain}>`]
}
