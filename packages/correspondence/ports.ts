import type { InboxState } from '#inbox/schema.ts'
import type { Job } from '#jobs/job.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Changes } from '#kernel/updated-since.ts'
import type { CaseTimelineEntry } from '#timeline/schema.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import type { Judgement, Teaching } from '#triage/schema.ts'
import type { MailAddress } from './address-schema.ts'
import type {
  Correspondence,
  CorrespondenceQuery,
  CorrespondenceSummary,
  Draft,
  DraftSummary,
  Verdicts,
} from './schema.ts'

/** The bodies of a mail. */
export type MailBody = Pick<Correspondence, 'body_text' | 'body_html' | 'inline_images'>

/**
 * A mail as it is stored; its bodies and the whole message lie in the bucket (`keys.ts`). `version` counts its changes.
 * `status` is what was recorded last: `sending.ts` says what a send is that has waited too long.
 */
export type CorrespondenceRecord = CorrespondenceSummary & {
  workspace_id: string
  /** The user who sent it; null for inbound mail. */
  user_id: string | null
  /** The draft that it was sent from. */
  draft_id: string | null
  /** The topic of a mail of the service; null for mail that a person sent, and for inbound mail. */
  about: MailTopic | null
  /** The `Message-ID` of its header, with angle brackets. The provider may replace it (M4). */
  header_message_id: string
  /** The `References` of its header: message ids with angle brackets, the oldest first. */
  references: string[]
  /** When the provider was last asked to send it, and how often; null and 0 for inbound mail. */
  sending_since: string | null
  attempts: number
  /** Why the provider refused the last attempt for certain; null otherwise. */
  refusal: Refusal | null
  /** Null for outbound mail, unless it came back. */
  inbox: InboxState | null
  /** The facts that its case learns from it; none for outbound mail. */
  teaches: Teaching
  /** When the newest change was written, for `updated_since`. The store sets it. */
  changed_at?: string | undefined
  version: number
}

/** The topic of a mail that the service sends on behalf of a user: a participant of an envelope gets one (S3). */
export type MailTopic = {
  type: 'envelope'
  /** The envelope. */
  id: string
  /** Whom the mail goes to; null for the user who made the envelope. */
  signer_id: string | null
  /** The kind of the mail, and the key of this one (`service-mail.ts`). */
  mail: string
  key: string
  /** The SHA-256 of the token of the magic link that the message holds, hexadecimal; null without a link. */
  link_sha256: string | null
}

/**
 * The state of a mail of the service: the state of its send (`send-state.ts`), or `bounced` if it came back. `refused`
 * with an address that the provider does not take is `bounced` as well.
 */
export type MailReport = {
  workspace_id: string
  about: MailTopic
  state: 'sending' | 'sent' | 'refused' | 'lost' | 'bounced'
  /** When it was sent; null where it was not. */
  sent_at: string | null
}

/** Takes what became of a mail of the service. The same report may come twice, and an older one after a newer one. */
export type TakeMailReport = (report: MailReport) => Promise<void>

/** A definite refusal: nothing was sent. `address`: a recipient's address was refused (M5). */
export type Refusal = { kind: 'address' | 'other'; message: string }

/** A draft as it is stored; its body lies in the bucket. `version` counts its changes. */
export type DraftRecord = Omit<DraftSummary, 'status'> & {
  workspace_id: string
  user_id: string
  /** The status of its last send, or `draft` where it was changed since or never sent. */
  status: Draft['status']
  /** Its last send; null where it was changed since or never sent. */
  correspondence_id: string | null
  /** When that send began; null where there is none. */
  sending_since: string | null
  /** The key of its body in the bucket; null for an empty body. */
  body_key: string | null
  /** The `References` that the mail will have. */
  references: string[]
  version: number
}

/** A change of a mail: its new record, entries for the timelines of cases, and the jobs that follow. */
export type CorrespondenceChange = {
  record: CorrespondenceRecord
  timelineEntries: CaseTimelineEntry[]
  jobs?: Job[]
}

/**
 * The identity of a received message within its workspace. Messages with the same `Message-ID` are the same one, which
 * is recorded once, unless both name a date, a sender or a subject and these differ. Otherwise devices that give all
 * their mails one id would lose all but the first.
 */
export type MessageIdentity = {
  /** With angle brackets; `sha256:<digest>` of the message without its header where it has none. */
  message_id: string
  /** The `Date` of its header in UTC. */
  date: string | null
  /** The mailbox of its sender (`mailboxOf`). */
  from: string | null
  subject: string
}

/** The token of a call of the mail service, which is taken once: with the digest of all that the call sent. */
export type ReceptionToken = { token_sha256: string; digest: string; expires_at: string }

/** The answer to a call with a token. */
export type TakenToken = { digest: string; correspondence_id: string }

export type ReceptionStore = {
  /** The workspaces with these inbound addresses, given as mailboxes without `+…`; unknown addresses are left out. */
  workspacesOf: (mailboxes: string[]) => Promise<{ mailbox: string; workspace_id: string }[]>
  /** The call that took this token; undefined where none did, or it has expired at `now`. */
  findToken: (tokenSha256: string, now: Date) => Promise<TakenToken | undefined>
  /** Whether the workspace has this message already, by the id of its record. */
  findMessage: (workspaceId: string, identity: MessageIdentity) => Promise<string | undefined>
  /**
   * Records a received mail in one transaction: the record, its list entries, its place in the inbox, its identity, the
   * token, and the job `inbox.process`.
   *
   * @returns the id of the record. If the message is known already, it is the id of the known record, and only the
   * token is recorded. If the token was taken, it is the earlier call, and nothing is recorded
   */
  receive: (mail: {
    record: CorrespondenceRecord
    identity: MessageIdentity
    token: ReceptionToken | null
  }) => Promise<{ id: string } | { taken: TakenToken }>
}

/** The raw message of a mail that arrived: its bytes, or where they lie in the bucket. */
export type RawMessage = Uint8Array | { key: string; etag: string }

/** The results of the receiving service about the sender of a mail. */
export type SenderChecks = {
  verdicts: Verdicts
  /** The sender of the envelope, of whose domain SPF speaks; null or empty where there is none. */
  envelope_from: string | null
  /** The name under which the service writes `Authentication-Results`; null where it writes none. */
  authserv_id: string | null
}

/** Whether a sender is proved, and otherwise why not. */
export type SenderProof = Pick<Correspondence, 'sender_verified' | 'sender_verified_reason'>

/** The header of a received message, as `readMail` gives it; unreadable fields are null or empty. */
export type MessageHeader = SenderProof & {
  message_id: string | null
  from: MailAddress | null
  reply_to: MailAddress[]
  to: MailAddress[]
  cc: MailAddress[]
  subject: string
  date: string | null
  in_reply_to: string[]
  references: string[]
  /** The offset of the body in the bytes of the message; 0 if the header does not end in the bytes that were read. */
  bodyStart: number
}

/** Reads the header from the beginning of a message, of which it looks at `maxBytes`. It never throws. */
export type ReadHeader = {
  maxBytes: number
  read: (beginning: Uint8Array, checks: SenderChecks) => Promise<MessageHeader>
}

/** The files of mail, and a copy within the bucket. */
export type ReceptionFiles = MailFiles & {
  /** Copies an object. @throws where its content is no longer what `etag` names */
  copy: (from: string, to: string, about: { mimeType: string; etag: string }) => Promise<void>
}

/** The form that a mail service posted: its fields, a list if a name is repeated, and its files. */
export type MailForm = {
  fields: Record<string, string | string[]>
  files: { name: string; filename: string; claimedType: string; bytes: Uint8Array }[]
}

/** Reads the form of a mail service (I1). */
export type MailForms = {
  /** To whom it goes, the recipient of the envelope first; whether it names a sender; what the service found out. */
  envelope: (form: MailForm) => { recipients: string[]; hasSender: boolean; checks: SenderChecks }
  /** The raw message: the same form always gives the same bytes. */
  message: (form: MailForm) => Promise<Uint8Array>
}

/** Judges a message: reads it, looks up what it names, decides (I5). */
export type JudgeMessage = (workspaceId: string, facts: MessageFacts) => Promise<Judgement>

/** The facts that cases learnt from the mail that was filed there. */
export type CaseLessons = {
  /**
   * Brings in line what was learnt of a mail: the case `to` knows its references and its sender, the case `from` forgets
   * what it learnt of this very mail. May run twice and late.
   */
  follow: (
    workspaceId: string,
    lesson: { correspondence_id: string; teaches: Teaching; from: string | null; to: string | null },
  ) => Promise<void>
}

/** Documents that somebody with the link may fetch, until `expires_at` (M3). The token itself is not stored. */
export type SharedLink = {
  token_sha256: string
  workspace_id: string
  correspondence_id: string
  case_id: string | null
  /** `case_id`: the case that the document was in then; absent in links from before it was noted. Without revoked ones. */
  documents: { document_id: string; filename: string; case_id?: string | null }[]
  expires_at: string
  /** Absent in links from before they were listed. */
  id?: string | undefined
  /** When somebody ended it. */
  revoked_at?: string | undefined
  /** Counts the changes. */
  version?: number | undefined
}

/**
 * The claim that makes an intent to send unique: a key of the user (M1) or of the service (`serviceSender`), or the
 * state of a draft (M2).
 */
export type SendClaim =
  | { by: 'key'; user_id: string; key: string; digest: string; expires_at: string }
  | { by: 'draft'; draft: DraftRecord }

export type CorrespondenceStore = {
  find: (workspaceId: string, id: string) => Promise<CorrespondenceRecord | undefined>
  /** Newest first. */
  page: (workspaceId: string, query: CorrespondenceQuery) => Promise<Page<CorrespondenceRecord>>
  /** Records that were created, changed or deleted since a time, oldest change first (G16). */
  changes: (
    workspaceId: string,
    query: CorrespondenceQuery,
    since: string,
  ) => Promise<Changes<CorrespondenceRecord>>
  /** The send that this user, or `serviceSender`, began under the key; undefined where there is none, or it has expired at `now`. */
  findSend: (
    workspaceId: string,
    userId: string,
    key: string,
    now: Date,
  ) => Promise<{ digest: string; correspondence_id: string } | undefined>
  /**
   * Records the intent to send, in one transaction: the mail with status `sending`, its claim, its list entries and its
   * shared link. With a claim by a draft, the draft becomes `sending` in the same transaction.
   *
   * @returns false, and records nothing, where another send holds the key or the draft changed meanwhile
   * @throws Failure CASE_NOT_FOUND
   */
  begin: (
    record: CorrespondenceRecord,
    claim: SendClaim,
    link: SharedLink | undefined,
    now: Date,
  ) => Promise<boolean>
  /**
   * Replaces the record with the result of `decide`; reads and decides again where somebody else changed it in between.
   * Writes nothing where `decide` returns undefined. The draft that names this mail as its last send takes over its
   * status in the same transaction, and leaves the list of drafts once it is `sent`.
   *
   * @throws Failure CORRESPONDENCE_NOT_FOUND, CASE_NOT_FOUND if the new case does not exist, and the errors of
   * `decide`. SEND_IN_PROGRESS if a refused mail becomes `sending` again, but its draft does not name it any more
   */
  change: (
    workspaceId: string,
    id: string,
    decide: (current: CorrespondenceRecord) => CorrespondenceChange | undefined,
  ) => Promise<CorrespondenceRecord>
  /** The link with this digest, whether it has expired or not. */
  findLink: (tokenSha256: string) => Promise<SharedLink | undefined>
  /** The links of a mail or a document, newest first; a page may hold links that opened it once. */
  pageLinks: (workspaceId: string, ofId: string, request: PageRequest) => Promise<Page<SharedLink>>
  /** The link with this id of a mail or a document. */
  findLinkOf: (workspaceId: string, ofId: string, linkId: string) => Promise<SharedLink | undefined>
  /** Replaces a link, unless it was changed since it was read: false. */
  replaceLink: (before: SharedLink, after: SharedLink, entries: CaseTimelineEntry[]) => Promise<boolean>
  /** Records that a document was opened by a link, once in an hour (`2026-11-23T09`). */
  recordOpening: (
    link: SharedLink,
    opened: { document_id: string; hour: string },
    entry: CaseTimelineEntry,
  ) => Promise<void>
}

export type DraftStore = {
  /** The draft, unless it was deleted or is another workspace's. The caller checks its owner. */
  find: (workspaceId: string, id: string) => Promise<DraftRecord | undefined>
  /** Drafts of a user that are not sent, newest first. */
  page: (workspaceId: string, userId: string, request: PageRequest) => Promise<Page<DraftRecord>>
  /** @throws Failure CASE_NOT_FOUND */
  add: (record: DraftRecord) => Promise<void>
  /**
   * As `change` of correspondence, with jobs that follow.
   *
   * @throws Failure DRAFT_NOT_FOUND, CASE_NOT_FOUND (where `case_id` changed), and what `decide` throws
   */
  change: (
    workspaceId: string,
    id: string,
    decide: (current: DraftRecord) => { record: DraftRecord; jobs: Job[] } | undefined,
  ) => Promise<DraftRecord>
  /** Deletes the draft. @throws Failure DRAFT_NOT_FOUND, and what `decide` throws */
  remove: (
    workspaceId: string,
    id: string,
    decide: (current: DraftRecord) => { jobs: Job[] },
  ) => Promise<void>
}

/** A document that can be attached. */
export type AttachableDocument = {
  id: string
  filename: string
  mime_type: string
  size_bytes: number
  /** False for an announced upload whose bytes have not arrived. */
  is_complete: boolean
  case_id: string | null
  /** When it last left a case. */
  left_case_at?: string | undefined
  /** Where its bytes lie in the bucket. */
  key: string
}

export type MailDocuments = {
  /** The documents of these ids that exist, in no particular order. */
  findAll: (workspaceId: string, ids: string[]) => Promise<AttachableDocument[]>
}

export type MailFiles = {
  /** Stores an object; it is durable once this resolves. `sha256` is hexadecimal. */
  put: (key: string, bytes: Uint8Array, about: { mimeType: string; sha256: string }) => Promise<void>
  read: (key: string, range?: { first: number; last: number }) => Promise<Uint8Array>
  stream: (key: string, range?: { first: number; last: number }) => Promise<AsyncIterable<Uint8Array>>
  /** Removes objects; missing objects are no error. */
  remove: (keys: string[]) => Promise<void>
}

/** The stored messages and bodies, to be read. */
export type MessageFiles = Pick<MailFiles, 'read' | 'stream'> & {
  /** Size and `etag` of an object; undefined where there is none. */
  head: (key: string) => Promise<{ sizeBytes: number; etag: string } | undefined>
}

/** Users and workspaces, as mail needs them. */
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
  /** Ids of parties with this address, compared without case; at most `limit`. */
  withEmail: (workspaceId: string, email: string, limit: number) => Promise<string[]>
}

/** HTML as it goes into a mail. The libraries for it are loaded at the first call. */
export type MailHtml = {
  /**
   * Removes scripts, event handlers, addresses that run code, forms, frames and remote pictures; keeps tables, inline
   * styles and `data:` pictures (M4).
   *
   * @param path the field that a refusal names, `body.body_html` by default
   * @throws Failure VALIDATION_ERROR where it has too many tags, pictures or levels to be handled
   */
  clean: (html: string, path?: string) => Promise<string>
  /** The text for a reader without HTML. The HTML is clean. */
  textOf: (html: string) => Promise<string>
}

/** A message to be composed. The HTML is clean. */
export type MailToCompose = {
  from: MailAddress
  to: MailAddress[]
  cc: MailAddress[]
  subject: string
  html: string
  text: string
  date: Date
  /** With angle brackets, as the next two. */
  message_id: string
  in_reply_to: string | null
  references: string[]
  attachments: { filename: string; mime_type: string; bytes: Uint8Array }[]
}

/**
 * Composes the message as RFC 5322 bytes. `data:` pictures become inline attachments. It has no Bcc header.
 *
 * @throws Failure ATTACHMENT_TOO_LARGE where the message is larger than SES takes with everything encoded (10 MiB)
 */
export type ComposeMail = (mail: MailToCompose) => Promise<Uint8Array>

/** The provider's answer. `unknown`: it may have taken the message or not (M5). */
export type SendOutcome =
  | { kind: 'accepted'; provider_message_id: string }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'unknown'; cause: unknown }

/** Hands a message to the provider once. It never throws, and never tries again what may have been taken. */
export type SendMail = (message: {
  raw: Uint8Array
  /** The address of the envelope's sender, as the provider knows it. */
  from: string
  /** All recipients, including `bcc`, as addresses without names. */
  recipients: string[]
  /** Come back with the provider's events. */
  tags: { workspace: string; correspondence: string }
}) => Promise<SendOutcome>

/** A file of a received message, byte for byte. `mime_type` is what the message says; the HTML names it by `content_id`. */
export type ReceivedFile = {
  filename: string
  mime_type: string
  content_id: string | null
  bytes: Uint8Array
}

/** The content of a received message. The HTML is clean, and what is shown of the bodies is bounded. */
export type MailContent = {
  body: MailBody
  protection: CorrespondenceRecord['protection']
  /** The files that become documents: without the small pictures that are part of the body. */
  files: ReceivedFile[]
  /** Its attachments are the `files` in their order, without their texts. */
  facts: Omit<MessageFacts, 'received_on' | 'verdict'>
}

/**
 * Reads a raw message.
 *
 * @returns why it cannot be read, for `status_reason`, where trying again makes no sense
 */
export type ReadContent = (raw: Uint8Array) => Promise<MailContent | { refused: string }>

/** The documents that files of received mail become. */
export type MailAttachments = {
  /** Makes a document of each file, in their order and each once, however often it is called for the mail. */
  add: (
    mail: Pick<CorrespondenceRecord, 'workspace_id' | 'id'>,
    files: ReceivedFile[],
    signal: AbortSignal,
  ) => Promise<{
    documents: Omit<CorrespondenceRecord['attachments'][number], 'content_id'>[]
    /** To be enqueued with the mail that names the documents: they are read. */
    jobs: Job[]
  }>
  /** The texts that are there by now: `read` gives them, and null for others. `is_pending`: more may come. */
  texts: (
    workspaceId: string,
    ids: string[],
    maxTexts: number,
  ) => Promise<{ is_pending: boolean; read: () => Promise<(string | null)[]> }>
}
