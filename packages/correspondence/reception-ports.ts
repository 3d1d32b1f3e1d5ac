import type { Job } from '#jobs/job.ts'
import type { Files } from '#kernel/files.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import type { Judgement, Teaching } from '#triage/schema.ts'
import type { MailAddress } from './address-schema.ts'
import type { CorrespondenceRecord, MailBody, MailFiles } from './ports.ts'
import type { Correspondence, Verdicts } from './schema.ts'

/**
 * The identity of a received message within its workspace. Messages with the same `Message-ID` are one message, which is
 * recorded once. But if the later one names a date, a sender or a subject that the first one does not have, they are two.
 * Otherwise a device that gives all its mails one id would lose all but the first. So would its recipient, if somebody
 * sent an empty mail with that id before. If the first one has no date, the later one may have any date before the first
 * arrived.
 */
export type MessageIdentity = {
  /** With angle brackets; `sha256:<digest>` of the message without its header if it has none. */
  message_id: string
  /** The `Date` of its header in UTC. */
  date: string | null
  /** The mailbox of its sender (`mailboxOf`). */
  from: string | null
  subject: string
}

/** The token of a call of the mail service. It is accepted once. `digest`: of everything that the call sent. */
export type ReceptionToken = { token_sha256: string; digest: string; expires_at: string }

/** The answer to a call with a token. */
export type TakenToken = { digest: string; correspondence_id: string }

export type ReceptionStore = {
  /** The workspaces with these inbound addresses, given as mailboxes without `+…`; unknown addresses are left out. */
  workspacesOf: (mailboxes: string[]) => Promise<{ mailbox: string; workspace_id: string }[]>
  /** The call that took this token; undefined if none did, or it has expired at `now`. */
  findToken: (tokenSha256: string, now: Date) => Promise<TakenToken | undefined>
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
  /** The sender of the envelope, of whose domain SPF speaks; null or empty if there is none. */
  envelope_from: string | null
  /** The name under which the service writes `Authentication-Results`; null if it writes none. */
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
export type ReceptionFiles = MailFiles & Pick<Files, 'copy'>

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
 * @returns its content, or why it can never be read, for `status_reason`
 * @throws if the parser fails, which counts as an attempt
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
  /**
   * The texts that are there by now: `read` gives them, and null for others. `is_pending`: more may come. Once
   * `maxTexts` documents have a text, later ones are neither read nor waited for.
   */
  texts: (
    workspaceId: string,
    ids: string[],
    maxTexts: number,
  ) => Promise<{ is_pending: boolean; read: () => Promise<(string | null)[]> }>
}
