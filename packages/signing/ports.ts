import type { Job } from '#jobs/job.ts'
import type { DueIndex } from '#jobs/sweeping.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { CaseTimelineEntry } from '#timeline/schema.ts'
import type { AuditEntry, Envelope, EnvelopeDocument, EnvelopeQuery, Signer } from './schema.ts'
import type { EnvelopeStatus } from './status-schema.ts'
import type { UnmergedReason } from './unmerged-schema.ts'
import type { Verification } from './verify-schema.ts'

/**
 * An envelope as it is stored, with its documents and signers: one item, changed under its `version`. `status` is what
 * was recorded last; `statusAt` of `envelope-states.ts` says what it is now.
 */
export type EnvelopeRecord = Omit<Envelope, 'documents' | 'signers' | 'warnings'> & {
  workspace_id: string
  documents: EnvelopeDocumentRecord[]
  signers: SignerRecord[]
  /** Whether the service mails the signers when it is their turn. False where it was sent without mails (S4). */
  sends_emails: boolean
  /** When it ended as expired, as far as that is recorded. */
  expired_at: string | null
  /** When those who have not acted are reminded next; null where nobody is. */
  next_reminder_at: string | null
  /** When the last who must act has signed: from now on it is sealed. Null before. */
  sealing_since: string | null
  /** When the completion is tried again if no worker reported it; null where it is not sealed. */
  seal_again_at: string | null
  /** When mails to signers that are still `queued` are handed over again; null where none is. */
  mails_again_at: string | null
  /** Number and hash of the newest entry of its audit trail. */
  audit_seq: number
  audit_hash: string
  /** Counts the changes. */
  version: number
}

export type EnvelopeDocumentRecord = Omit<EnvelopeDocument, 'sealed_document_id'> & {
  mime_type: string
  size_bytes: number
  /** Where its bytes lie in the bucket. They stay while the envelope needs them (D10). */
  key: string
  /**
   * Why it will be attached to its certificate and not extended, as its bytes showed when the envelope was created. Absent
   * for what is no PDF, and in envelopes from before this was asked.
   */
  unmerged?: UnmergedReason[]
  /** The sealed copy, from the last signature on (`begin-sealing.ts`). */
  sealed: SealedRecord | null
}

/**
 * The sealed copy of a document. Its facts are recorded before its bytes are stored, so that whatever is in the bucket is
 * known: the next attempt files what the one before stored and did not file.
 */
export type SealedRecord = {
  /** Reserved by the last signature. */
  document_id: string
  /** How often sealing began and the process died. */
  attempts: number
  sha256: string | null
  /** Where its bytes lie, or are about to. */
  key: string | null
  size_bytes: number | null
  /** Why the original is attached to its certificate and not extended; null where it is extended. */
  attached_because: string | null
  /** Whether it is a document of the case. */
  is_filed: boolean
}

export type SignerRecord = Omit<Signer, 'locked'> & {
  /** SHA-256 of the token of the magic link; null where there is none. The token itself is not stored. */
  link_sha256: string | null
  /** Slow hash of the access code (`access-code.ts`); null where there is none. */
  access_code_hash: string | null
  /** How many wrong codes were sent since the office made the last link. */
  code_attempts: number
  /** The newest mail to this person; a report on an older one changes nothing. */
  mail_key: string | null
  /** What was signed: null before. */
  signature: SignatureRecord | null
}

/** A signature, as the certificate and the audit trail show it. */
export type SignatureRecord = {
  /** What was typed. */
  name: string
  /** The words that were agreed to, as they were shown. */
  consent: string
  /** The key of the drawn signature in the bucket; null where nothing was drawn. */
  picture_key: string | null
  picture_sha256: string | null
  ip: string
  user_agent: string
}

/** A change of an envelope: its new record, new entries of its audit trail, timeline entries, and jobs that follow. */
export type EnvelopeChange = {
  record: EnvelopeRecord
  auditEntries: AuditEntry[]
  timelineEntries: CaseTimelineEntry[]
  jobs: Job[]
}

/** Where a magic link leads. */
export type SigningLink = { workspace_id: string; envelope_id: string; signer_id: string }

/** A sealed copy whose bytes are stored, to be filed as a document of the case (`source: "signing"`). */
export type SealedCopy = {
  document_id: string
  filename: string
  size_bytes: number
  sha256: string
  /** Null where the case was deleted meanwhile. */
  case_id: string | null
}

/** What is known for ever of a sealed file, under its digest (S9). */
export type SealedFile = { sha256: string; answer: Omit<Extract<Verification, { known: true }>, 'office'> }

/**
 * Envelopes. Lists, magic links and the sparse index of what is due follow from the record: the store computes them from
 * the record before and after (`signers[].link_sha256`, `dueAt` of `envelope-states.ts`), in the same transaction.
 */
export type EnvelopeStore = {
  find: (workspaceId: string, id: string) => Promise<EnvelopeRecord | undefined>
  /** Envelopes by their recorded status, newest first (S4, S10). */
  page: (workspaceId: string, query: EnvelopeQuery) => Promise<Page<EnvelopeRecord>>
  /** Envelopes of a workspace that are `sent` or `in_progress` by their record and whose time is over at `now`, at most `limit`. */
  overdue: (workspaceId: string, now: Date, limit: number) => Promise<EnvelopeRecord[]>
  /**
   * Adds an envelope, and assigns those of its documents that belong to no case to its case, in one transaction (S1). A
   * `sent` one holds its documents (D10).
   *
   * @throws Failure CASE_NOT_FOUND, DOCUMENT_NOT_FOUND where a document was deleted or went to another case meanwhile
   */
  add: (
    change: EnvelopeChange,
    assigned: { documentIds: string[]; timelineEntries: CaseTimelineEntry[] },
  ) => Promise<void>
  /**
   * Reads the envelope, calls `decide`, and writes its result; reads and decides again where somebody else changed it in
   * between. Writes nothing where `decide` returns undefined. When the envelope leaves `draft`, it holds its documents in
   * the same transaction (D10).
   *
   * @throws Failure ENVELOPE_NOT_FOUND, DOCUMENT_NOT_FOUND (a document of a draft was deleted, or moved to another case,
   * before it is sent), and what `decide` throws
   */
  change: (
    workspaceId: string,
    id: string,
    decide: (current: EnvelopeRecord) => EnvelopeChange | undefined,
  ) => Promise<EnvelopeRecord>
  /** Where the magic link with this digest leads; undefined where it is unknown or was replaced. */
  findLink: (tokenSha256: string) => Promise<SigningLink | undefined>
  /** A page of the audit trail, oldest first, with the entry before the page (undefined for the first page). */
  audit: (
    workspaceId: string,
    id: string,
    request: PageRequest,
  ) => Promise<Page<AuditEntry> & { previous: AuditEntry | undefined }>
  findSealed: (sha256: string) => Promise<(SealedFile & { workspace_id: string }) | undefined>
}

/** Sealed copies (S7). */
export type SealedCopyStore = {
  /** As `change` of `EnvelopeStore`, and files a sealed copy with its digest in the same transaction (S7, S9). @throws also CASE_NOT_FOUND */
  fileSealed: (
    workspaceId: string,
    id: string,
    decide: (
      current: EnvelopeRecord,
    ) => (EnvelopeChange & { copy: SealedCopy; sealedFile: SealedFile }) | undefined,
  ) => Promise<EnvelopeRecord>
}

/** An envelope for which something is due. */
export type DueEnvelope = {
  workspace_id: string
  id: string
  shard: string
  place: string
  /** How often what was due failed in a row. */
  attempts: number
  /** What newer code has stored with it, which stays when it is postponed. */
  unknown?: Record<string, unknown>
}

/** The sparse index of envelopes for which something is due: expiry, a reminder, or a completion that got lost. */
export type DueEnvelopes = DueIndex<DueEnvelope> & {
  /** What was due failed: the envelope is due again after a pause that grows with the attempts. */
  postpone: (one: DueEnvelope, now: Date) => Promise<void>
  /** What was due of an envelope that had been postponed is done. */
  settle: (one: DueEnvelope) => Promise<void>
}

/** A document that can be signed. */
export type SignableDocument = {
  id: string
  filename: string
  mime_type: string
  size_bytes: number
  sha256: string | null
  case_id: string | null
  /** False for an announced upload whose bytes have not arrived. */
  is_complete: boolean
  key: string
}

export type SigningDocuments = {
  /** The documents of these ids that exist, in no particular order. */
  findAll: (workspaceId: string, ids: string[]) => Promise<SignableDocument[]>
}

export type SigningCases = {
  /** Whether the case exists and is not deleted. */
  exists: (workspaceId: string, id: string) => Promise<boolean>
}

/** The office, as signers see it. */
export type SigningWorkspaces = {
  find: (id: string) => Promise<{ name: string; time_zone: string } | undefined>
}

export type SigningUsers = {
  find: (workspaceId: string, id: string) => Promise<{ name: string; email: string } | undefined>
}

/** Objects of the bucket: bytes of documents, drawn signatures. */
export type SigningFiles = {
  /** Size of an object; undefined where there is none. */
  head: (key: string) => Promise<{ sizeBytes: number } | undefined>
  put: (key: string, bytes: Uint8Array, about: { mimeType: string; sha256: string }) => Promise<void>
  read: (key: string) => Promise<Uint8Array>
  stream: (key: string, range?: { first: number; last: number }) => Promise<AsyncIterable<Uint8Array>>
  remove: (keys: string[]) => Promise<void>
}

/** The recorded statuses in which something may still happen by itself. */
export type RunningStatus = Extract<EnvelopeStatus, 'sent' | 'in_progress'>

/** Who signed, as the certificate shows it. Timestamps are ISO 8601 in UTC. */
export type CertifiedSigner = {
  name: string
  email: string
  role: 'signer' | 'approver'
  sent_at: string | null
  opened_at: string | null
  signed_at: string
  ip: string
  user_agent: string
  /** What was agreed to, in the words that were shown. */
  consent: string
  /** What was typed as name when signing. */
  signed_name: string
  /** The drawn signature, a PNG; see `checkSignature`. */
  picture: Uint8Array | null
}

/** Who only gets the sealed copy. */
export type CopyRecipient = { name: string; email: string; role: 'cc' }

/** What the certificate of one document says (S7). */
export type Certificate = {
  language: 'de' | 'en'
  office: string
  envelope: { id: string; title: string }
  document: { filename: string; mime_type: string }
  signers: readonly (CertifiedSigner | CopyRecipient)[]
  /** Hash of the audit trail's last entry before completion. */
  audit_hash: string
  completed_at: string
}

/** A document in its final form (S7): a PDF with certificate and seal. */
export type SealedDocument = {
  pdf: Uint8Array
  /** How the original is part of it: before the certificate, as a picture's pages with the picture attached, or attached. */
  form: 'appended' | 'converted' | 'attached'
  /** Why the original is attached and not extended; null where it is extended or converted. */
  attachedBecause: string | null
}

/** Makes the final form of signed documents. */
export type Sealer = {
  /**
   * Makes the final form of a signed document, and seals it. It never fails because of the document.
   *
   * @param original at most 50 MiB
   * @param options.attachOnly attaches the original without reading it
   * @throws where key, certificate or time stamp do not fit or cannot be had
   */
  seal: (
    original: Uint8Array,
    certificate: Certificate,
    options?: { attachOnly?: boolean },
  ) => Promise<SealedDocument>
}

/** A mail of an envelope, sent on behalf of the user who made it. */
export type MailToSend = {
  workspace_id: string
  user_id: string
  key: string
  case_id: string | null
  /** `a@b.de` or `Name <a@b.de>`. */
  to: string
  subject: string
  html: string
  /** What the record shows: without the magic link. */
  recordedHtml: string
  /** Ids of documents. */
  attachments: string[]
  attachments_as: 'files' | 'links'
  about: { type: 'envelope'; id: string; signer_id: string | null; mail: string; link_sha256: string | null }
  /** Makes the link valid that the message holds. Where it fails, nothing is sent, and the same key may try again. */
  beforeSending: (record: { about: { link_sha256: string | null } | null }) => Promise<void>
}

/** Sends a mail once under its key, or says how it stands (M5). */
export type SendMail = (
  mail: MailToSend,
  options: { baseUrl: string },
) => Promise<{
  id: string
  state: 'sending' | 'sent' | 'refused' | 'lost'
  refusal: { kind: 'address' | 'other'; message: string } | null
}>
