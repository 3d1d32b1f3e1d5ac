import type { Job } from '#jobs/job.ts'
import type { Files } from '#kernel/files.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import type { Judgement, Teaching } from '#triage/schema.ts'
import type { MailAddress } from './address-schema.ts'
import type { CorrespondenceRecord, MailBody, MailFiles } from './ports.ts'
import type { Correspondence, Verdicts } from './schema.ts'

/**
 * The identity of a received message within its workspace. Messages with the same `Message-ID` are the same message,
 * which is recorded once. But they are two messages if the later one has a date, a sender or a subject that the first
 * one does not have. Otherwise only the first mail of a device would be recorded if the device gives all its mails the
 * same id. And somebody could suppress a mail by sending an empty one with its id before. If the first message has no
 * date, the later one may have any date before the arrival of the first.
 */
export type MessageIdentity = {
  /** With angle brackets. A message without an id has `sha256:<digest>` of its body. */
  message_id: string
  /** The `Date` of its header in UTC. */
  date: string | null
  /** The mailbox of its sender (`mailboxOf`). */
  from: string | null
  subject: string
}

/**
 * The token of a call of the mail service. It is accepted once. `digest` is made from the whole content of the call.
 */
export type ReceptionToken = { token_sha256: string; digest: string; expires_at: string }

/** The call that used a token, and its answer. */
export type TakenToken = { digest: string; correspondence_id: string }

export type ReceptionStore = {
  /** The workspaces with these inbound addresses, given as `baseMailboxOf`. Unknown addresses are left out. */
  workspacesOf: (mailboxes: string[]) => Promise<{ mailbox: string; workspace_id: string }[]>
  /** The call that used this token. Undefined if there is none, or the token has expired at `now`. */
  findToken: (tokenSha256: string, now: Date) => Promise<TakenToken | undefined>
  /**
   * Records a received mail in one transaction: the record, its list entries, its place in the inbox, its identity, the
   * token, and the job `inbox.process`.
   *
   * @returns the id of the record. If the message was recorded before, this is the existing record, and only the token
   * is recorded. `taken` if the token was used before: then nothing is recorded
   */
  receive: (mail: {
    record: CorrespondenceRecord
    identity: MessageIdentity
    token: ReceptionToken | null
  }) => Promise<{ id: string } | { taken: TakenToken }>
}

/** The raw message of a mail that arrived: its bytes, or the object in the bucket that contains them. */
export type RawMessage = Uint8Array | { key: string; etag: string }

/** The checks of the sender of a mail by the receiving service. */
export type SenderChecks = {
  verdicts: Verdicts
  /** The sender of the envelope. SPF checks its domain. Null or empty if there is none. */
  envelope_from: string | null
  /** The name of the service in `Authentication-Results`. Null if it does not write this field. */
  authserv_id: string | null
}

/** Whether the sender of a mail is verified, and the reason if not. */
export type SenderProof = Pick<Correspondence, 'sender_verified' | 'sender_verified_reason'>

/** The header of a received message, as `readMail` returns it. Unreadable fields are null or empty. */
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

/** Reads the header from the first `maxBytes` of a message. Never throws. */
export type ReadHeader = {
  maxBytes: number
  read: (beginning: Uint8Array, checks: SenderChecks) => Promise<MessageHeader>
}

/** The files of mail, and a copy within the bucket. */
export type ReceptionFiles = MailFiles & Pick<Files, 'copy'>

/** The form that a mail service posted: its files, and its fields. A repeated field has a list of values. */
export type MailForm = {
  fields: Record<string, string | string[]>
  files: { name: string; filename: string; claimedType: string; bytes: Uint8Array }[]
}

/** Reads the form of a mail service (I1). */
export type MailForms = {
  /** The recipients, beginning with the envelope's; whether there is a sender; and the checks of the mail service. */
  envelope: (form: MailForm) => { recipients: string[]; hasSender: boolean; checks: SenderChecks }
  /** The raw message: the same form always gives the same bytes. */
  message: (form: MailForm) => Promise<Uint8Array>
}

/** Judges a message by its facts and by the cases and parties that they refer to (I5). */
export type JudgeMessage = (workspaceId: string, facts: MessageFacts) => Promise<Judgement>

/** The facts that cases have learnt from the mail that was filed in them. */
export type CaseLessons = {
  /**
   * Moves the facts that were learnt from a mail: the case `to` gets its references and its sender, and the case `from`
   * loses the facts from this mail. It can be repeated, and may run late.
   */
  follow: (
    workspaceId: string,
    lesson: { correspondence_id: string; teaches: Teaching; from: string | null; to: string | null },
  ) => Promise<void>
}

/** A file of a received message, byte for byte. `mime_type` is as stated; the HTML refers to it by `content_id`. */
export type ReceivedFile = {
  filename: string
  mime_type: string
  content_id: string | null
  bytes: Uint8Array
}

/** The content of a received message. The HTML is clean. The length of the bodies is limited. */
export type MailContent = {
  body: MailBody
  protection: CorrespondenceRecord['protection']
  /** The files that become documents. The small pictures in the body are not among them. */
  files: ReceivedFile[]
  /** Its `attachments` are the `files` in the same order, without texts. */
  facts: Omit<MessageFacts, 'received_on' | 'verdict'>
}

/**
 * Reads a raw message.
 *
 * @returns its content, or the reason (`status_reason`) if it can never be read
 * @throws if the parser fails. This counts as an attempt
 */
export type ReadContent = (raw: Uint8Array) => Promise<MailContent | { refused: string }>

/** Creates documents from the files of received mail. */
export type MailAttachments = {
  /** Creates a document for each file, in the same order. Repeated calls for a mail create no further documents. */
  add: (
    mail: Pick<CorrespondenceRecord, 'workspace_id' | 'id'>,
    files: ReceivedFile[],
    signal: AbortSignal,
  ) => Promise<{
    documents: Omit<CorrespondenceRecord['attachments'][number], 'content_id'>[]
    /** The jobs that read the documents. They must be enqueued with the change that adds the documents to the mail. */
    jobs: Job[]
  }>
  /**
   * The texts that have been extracted so far. `read` returns them in the order of the ids, and null for other
   * documents. `is_pending` says that more texts may follow. After `maxTexts` texts, later documents are ignored.
   */
  texts: (
    workspaceId: string,
    ids: string[],
    maxTexts: number,
  ) => Promise<{ is_pending: boolean; read: () => Promise<(string | null)[]> }>
}
