import type { ExistingDocument, ExistingDocuments } from '#documents/existing-schema.ts'
import type { DueIndex } from '#jobs/sweeping.ts'
import type { Files } from '#kernel/files.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Change, Changing, UnansweredChange } from '#timeline/schema.ts'
import type { AuditEntry, Envelope, EnvelopeDocument, EnvelopeQuery, Signer } from './schema.ts'
import type { Verification } from './sealing/verify-schema.ts'
import type { UnmergedReason } from './signer/unmerged-schema.ts'

/**
 * An envelope as it is stored, with its documents and signers: one item with a `version` for optimistic locking.
 * `status` is the last recorded one; `statusAt` of `envelope-states.ts` computes the current one.
 */
export type EnvelopeRecord = Omit<Envelope, 'documents' | 'signers' | 'warnings'> & {
  workspace_id: string
  documents: EnvelopeDocumentRecord[]
  signers: SignerRecord[]
  /** Whether the service mails the signers when it is their turn. False if the envelope was sent without mails (S4). */
  sends_emails: boolean
  /** When it expired; null until that is recorded. */
  expired_at: string | null
  /** When the signers whose turn it is get the next automatic reminder; null if there is none. */
  next_reminder_at: string | null
  /** The time of the last required signature, at which sealing begins; null before. */
  sealing_since: string | null
  /** When the completion is enqueued again if no worker has finished it; null if it is not being sealed. */
  seal_again_at: string | null
  /** When mails to signers that are still `queued` are enqueued again; null if there are none. */
  mails_again_at: string | null
  /** The number and the hash of the newest entry of its audit trail; 0 and empty before the first. */
  audit_seq: number
  audit_hash: string
  /** Counts the changes. */
  version: number
}

export type EnvelopeDocumentRecord = Omit<EnvelopeDocument, 'sealed_document_id'> & {
  mime_type: string
  size_bytes: number
  /** The key of its bytes in the bucket. They stay while the envelope needs them (D10). */
  key: string
  /**
   * Why it will be attached to its certificate and not merged with it (`examine-documents.ts`). Absent if it is not a
   * PDF, and in envelopes of older releases.
   */
  unmerged?: UnmergedReason[]
  /** The sealed copy; null before the last signature (`begin-sealing.ts`). */
  sealed: SealedCopyRecord | null
}

/**
 * The sealed copy of a document. Its digest and key are recorded before its bytes are stored, so no object in the
 * bucket is unknown. If an attempt stored a copy and did not file it, the next attempt files it.
 */
export type SealedCopyRecord = {
  /** Its id as a document, reserved at the last signature. */
  document_id: string
  /** Attempts at sealing that crashed or are still running. */
  attempts: number
  sha256: string | null
  /** The key of its bytes, recorded before they are stored. */
  key: string | null
  size_bytes: number | null
  /** Why the original is only attached to its certificate; null if it is merged with it. */
  attached_because: string | null
  /** Whether it is a document of the case. */
  is_filed: boolean
}

export type SignerRecord = Omit<Signer, 'locked'> & {
  /** SHA-256 of the token of the magic link; null if there is none. The token itself is not stored. */
  link_sha256: string | null
  /** Slow hash of the access code (`access-code.ts`); null if there is none. */
  access_code_hash: string | null
  /** The number of wrong codes since the office made the last link. */
  code_attempts: number
  /** The key of the newest mail to this person; a report about an older one does not change `delivery`. */
  mail_key: string | null
  /** The signature; null until the person has signed. */
  signature: SignatureRecord | null
}

/** A signature, as the certificate and the audit trail show it. */
type SignatureRecord = {
  /** The typed name. */
  name: string
  /** The consent, in the words that were shown. */
  consent: string
  /** The key of the drawn signature in the bucket; null if nothing was drawn. */
  picture_key: string | null
  picture_sha256: string | null
  ip: string
  user_agent: string
}

/** The audit entries that a change adds. */
export type Audited = { auditEntries: AuditEntry[] }

/** A change of an envelope, with its audit entries, timeline entries and jobs. */
export type EnvelopeChange = UnansweredChange<EnvelopeRecord> &
  Required<Pick<UnansweredChange<EnvelopeRecord>, 'timeline' | 'jobs'>> &
  Audited

/** The signer and the envelope that a magic link belongs to. */
type SigningLink = { workspace_id: string; envelope_id: string; signer_id: string }

/** A sealed copy whose bytes are stored and which will be a document of the case (`source: "signing"`). */
export type SealedCopy = {
  document_id: string
  filename: string
  size_bytes: number
  sha256: string
  /** Null if the case no longer exists or is being disposed of. */
  case_id: string | null
}

/** The answer about a sealed file, kept permanently under its digest (S9). */
export type SealedFile = { sha256: string; answer: Omit<Extract<Verification, { known: true }>, 'office'> }

/**
 * Envelopes. The store derives lists, magic links (`signers[].link_sha256`) and the sparse index of due envelopes
 * (`dueAt`) from the old and the new record. It writes them in the same transaction.
 */
export type EnvelopeStore = {
  find: (workspaceId: string, id: string) => Promise<EnvelopeRecord | undefined>
  /** Envelopes by their recorded status, newest first (S4, S10). */
  page: (workspaceId: string, query: EnvelopeQuery) => Promise<Page<EnvelopeRecord>>
  /**
   * At most `limit` envelopes of a workspace that have expired by `now`, but are still recorded as `sent` or
   * `in_progress`.
   */
  overdue: (workspaceId: string, now: Date, limit: number) => Promise<EnvelopeRecord[]>
  /**
   * Adds an envelope. Documents without a case are assigned to its case in the same transaction (S1). A `sent` envelope
   * protects its documents from deletion (D10).
   *
   * @param change.assigned the ids of the documents that it assigns
   * @throws Failure CASE_NOT_FOUND, DOCUMENT_NOT_FOUND if a document was deleted or moved to another case meanwhile
   */
  add: <Answer>(
    change: Change<EnvelopeRecord, Answer> & Audited & { assigned: string[] },
  ) => Promise<Answered<Answer>>
  /**
   * Writes the result of `decide`. Calls it again if somebody else changed the envelope in between. When the envelope
   * leaves `draft`, the same transaction protects its documents from deletion (D10).
   *
   * @throws Failure ENVELOPE_NOT_FOUND, DOCUMENT_NOT_FOUND (a document of a draft was deleted, or moved to another
   * case, before it is sent), and what `decide` throws
   */
  change: Changing<EnvelopeRecord, EnvelopeChange>['change']
  /** The signer of the magic link whose token has this digest; undefined if it is unknown or was replaced. */
  findLink: (tokenSha256: string) => Promise<SigningLink | undefined>
  /** A page of the audit trail, oldest first, with the entry before the page (undefined for the first page). */
  audit: (
    workspaceId: string,
    id: string,
    request: PageRequest,
  ) => Promise<Page<AuditEntry> & { previous: AuditEntry | undefined }>
  findSealedFile: (sha256: string) => Promise<(SealedFile & { workspace_id: string }) | undefined>
}

/** A sealed copy to file, and the answer for those who verify it. */
export type CopyToFile = { copy: SealedCopy; sealedFile: SealedFile }

/** Sealed copies (S7). */
export type SealedCopyStore = {
  /**
   * Like `change` of `EnvelopeStore`, but also files a sealed copy with its digest in the same transaction (S7, S9).
   *
   * @throws also CASE_NOT_FOUND
   */
  fileCopy: Changing<EnvelopeRecord, EnvelopeChange & CopyToFile>['change']
}

/** An envelope whose timed work is due. */
export type DueEnvelope = {
  workspace_id: string
  id: string
  shard: string
  place: string
  /** The number of failures in a row. */
  attempts: number
  /** Stored fields that this release does not know. They are kept when the envelope is postponed. */
  unknown?: Record<string, unknown>
}

/** The sparse index of envelopes with timed work: expiry, reminders, and unfinished completions and mails. */
export type DueEnvelopes = DueIndex<DueEnvelope> & {
  /** Records that the due work failed: the envelope is due again after a pause that grows with the attempts. */
  postpone: (one: DueEnvelope, now: Date) => Promise<void>
  /** Records that the due work of a postponed envelope is done. */
  settle: (one: DueEnvelope) => Promise<void>
}

/** A document that can be signed. */
export type SignableDocument = Omit<ExistingDocument, 'left_case_at' | 'is_protected'>

export type SigningDocuments = ExistingDocuments<SignableDocument>

export type SigningCases = {
  /** Whether the case exists and is not deleted. */
  exists: (workspaceId: string, id: string) => Promise<boolean>
}

/** The office, as signers see it. */
export type SigningWorkspaces = {
  find: (id: string) => Promise<{ name: string; time_zone: string } | undefined>
}

export type SigningUsers = {
  find: (
    workspaceId: string,
    id: string,
  ) => Promise<{ name: string; email: string; active: boolean } | undefined>
}

/** Objects of the bucket: bytes of documents, drawn signatures. */
export type SigningFiles = Pick<Files, 'put' | 'read' | 'stream' | 'remove'> & {
  /** Size of an object; undefined if there is none. */
  head: (key: string) => Promise<{ sizeBytes: number } | undefined>
}

/** A person who signed, as the certificate shows them. Timestamps are ISO 8601 in UTC. */
export type CertifiedSigner = {
  name: string
  email: string
  role: 'signer' | 'approver'
  sent_at: string | null
  opened_at: string | null
  signed_at: string
  ip: string
  user_agent: string
  /** The consent, in the words that were shown. */
  consent: string
  /** The name typed when signing. */
  signed_name: string
  /** The drawn signature, a PNG; see `checkSignature`. */
  picture: Uint8Array | null
}

/** A person who only gets the sealed copy. */
type CopyRecipient = { name: string; email: string; role: 'cc' }

/** The content of the certificate of one document (S7). */
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
type SealedDocument = {
  pdf: Uint8Array
  /**
   * How the original is included. `appended`: its pages, then the certificate. `converted`: an image as pages, and also
   * attached. `attached`: only attached.
   */
  form: 'appended' | 'converted' | 'attached'
  /** Why the original is only attached; null otherwise. */
  attachedBecause: string | null
}

export type Sealer = {
  /**
   * Makes the final form of a signed document, and seals it. It never fails because of the document.
   *
   * @param original at most 50 MiB
   * @param options.attachOnly attaches the original without reading it
   * @throws if the key, the certificate or the time stamp is not available or not valid
   */
  seal: (
    original: Uint8Array,
    certificate: Certificate,
    options?: { attachOnly?: boolean },
  ) => Promise<SealedDocument>
}
