import type { InboxState } from '#inbox/state-schema.ts'
import type { EnqueueJobs } from '#jobs/job.ts'
import type { DueIndex } from '#jobs/sweeping.ts'
import type { Clock } from '#kernel/clock.ts'
import type { Files } from '#kernel/files.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageOut } from '#kernel/page.ts'
import type { Changes } from '#kernel/updated-since.ts'
import type { Changing, Removal, TimelineEntry, UnansweredChange } from '#timeline/schema.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import type { Judgement, Triage } from '#triage/schema.ts'
import type { Assignment, Document, DocumentQuery, StoredText } from './schema.ts'

/** The dependencies of the document use cases. */
export type DocumentDeps = {
  store: DocumentStore
  files: Files
  parties: DocumentParties
  workspaces: DocumentWorkspaces
  enqueue: EnqueueJobs
  pageOut: PageOut
  budgets: ReadingBudgets
  clock: Clock
}

/** The reading time that the attachments of a mail or beA message share. `renew` restores the full time. */
export type ReadingBudgets = { renew: (workspaceId: string, correspondenceId: string) => Promise<void> }

/** A document as it is stored. `version` counts its changes and attempts. */
export type DocumentRecord = Omit<Document, 'duplicate_of'> & {
  workspace_id: string
  /** Whether another document has ever had the same bytes. If not, views do not look for duplicates. */
  has_twins: boolean
  /** Until when the bytes of an announced upload may still arrive; null once they have arrived. */
  upload_expires_at: string | null
  /**
   * When each field was last assigned. Orders from before that time no longer change it. `mail`: when the document
   * last followed its mail (`follow-mail.ts`).
   */
  assigned_at: { [Field in AssignedField | 'mail']?: string | undefined }
  /** The number of attempts to read it since it last became `pending`, without cancelled ones. */
  attempts: number
  attempted_at: string | null
  /** The mail or beA message that it came with; null for all other documents. */
  correspondence_id: string | null
  /** Null for documents that never enter the inbox. */
  inbox: InboxState | null
  /** The sent envelopes that contain it, including ended ones. */
  envelope_ids: string[]
  /** When the newest change was written, for `updated_since`. The store sets it. */
  changed_at?: string | undefined
  /** When it last left a case. The store sets it. */
  left_case_at?: string | undefined
  version: number
}

/** The fields that an assignment changes. */
export type AssignedField = 'case_id' | 'folder_id' | 'parties'

/** A document as an entry of a list. */
export type ListedDocument = Omit<
  DocumentRecord,
  | 'version'
  | 'changed_at'
  | 'assigned_at'
  | 'attempts'
  | 'attempted_at'
  | 'correspondence_id'
  | 'inbox'
  | 'envelope_ids'
  | 'left_case_at'
>

/** A change of a document. `triage`: the new triage result; absent if it is unchanged. */
export type DocumentChange = UnansweredChange<DocumentRecord> & { triage?: Triage }

/** The case and the folder that a document is filed in. */
export type References = { case_id: string | null; folder_id: string | null }

export type DocumentStore = {
  /** The document; undefined if it is unknown, deleted, an expired upload, or of another workspace. */
  find: (workspaceId: string, id: string) => Promise<DocumentRecord | undefined>
  page: (workspaceId: string, query: DocumentQuery) => Promise<Page<ListedDocument>>
  /** Documents created, changed or deleted since a time, oldest change first (G16). */
  changes: (workspaceId: string, query: DocumentQuery, since: string) => Promise<Changes<ListedDocument>>
  /** The existing documents among these ids, in no particular order. */
  findAll: (workspaceId: string, ids: string[]) => Promise<DocumentRecord[]>
  /** Ids of documents with these bytes, the oldest first, at most 101. */
  duplicates: (workspaceId: string, sha256: string) => Promise<string[]>
  /** Checks that these exist. @throws Failure CASE_NOT_FOUND, FOLDER_NOT_FOUND */
  requireAll: (workspaceId: string, references: References) => Promise<void>
  /** Checks that none of these cases is on hold (R2). @throws Failure LEGAL_HOLD */
  requireUnheld: (workspaceId: string, caseIds: readonly string[]) => Promise<void>
  /**
   * Adds documents, all or none. All have the same case and folder, or none.
   *
   * @throws Failure CASE_NOT_FOUND, FOLDER_NOT_FOUND
   */
  add: <Answer>(changes: DocumentChange[], answer: Answer) => Promise<Answered<Answer>>
  /**
   * Must be called before the bytes of new documents are stored. If the process then dies before their records are
   * written, the sweeper finds the bytes a day later (D13).
   */
  noteBytes: (documents: { workspace_id: string; id: string; sha256: string }[]) => Promise<void>
  /**
   * All documents that ever had one of these ids, including deleted ones: the digest of their bytes by id, or null if
   * no bytes were accepted.
   */
  known: (workspaceId: string, ids: string[]) => Promise<ReadonlyMap<string, string | null>>
  /**
   * Adds documents in one transaction, except documents that were added before. All have the same case or none, and no
   * folder. A deleted case is accepted.
   *
   * @returns the ids of the added documents
   * @throws Failure CASE_NOT_FOUND if the case is being disposed of, or is gone
   */
  addMissing: (workspaceId: string, changes: DocumentChange[]) => Promise<ReadonlySet<string>>
  /**
   * Writes the result of `decide`. Calls it again if somebody else changed the document in between.
   *
   * @throws Failure DOCUMENT_NOT_FOUND, CASE_NOT_FOUND, FOLDER_NOT_FOUND, LEGAL_HOLD if it would leave a case on hold,
   *   and what `decide` throws
   */
  change: Changing<DocumentRecord, DocumentChange>['change']
  /** Deletes the document. @throws Failure like `change`, and DOCUMENT_IN_USE if an envelope needs it (D10) */
  remove: (workspaceId: string, id: string, decide: (current: DocumentRecord) => Removal) => Promise<void>
  /**
   * Deletes an announced document whose time for the upload is over at `at`.
   *
   * @returns false if it was deleted before, or is complete
   */
  removeExpired: (
    workspaceId: string,
    id: string,
    at: Date,
    decide: (current: DocumentRecord) => Removal,
  ) => Promise<boolean>
  /**
   * Indexes documents by their digests, except deleted ones. The sweeper watches the pending ones until they are read.
   */
  indexDigests: (workspaceId: string, documents: DocumentDigest[]) => Promise<void>
  /** Marks every document with these bytes as having duplicates, if there are several. */
  markDuplicates: (workspaceId: string, sha256: string) => Promise<void>
  /** Counts an attempt to read the document. @returns undefined if the document was changed after `record` was read */
  beginAttempt: (record: DocumentRecord, at: string) => Promise<DocumentRecord | undefined>
  /** Takes back an attempt that failed for a reason outside the document. */
  cancelAttempt: (record: DocumentRecord) => Promise<void>
}

/** A document whose bytes are stored, with their digest. */
export type DocumentDigest = { id: string; sha256: string }

/** Indexes for the sweeper: the documents that wait for their bytes, for their record, or to be read. */
export type DocumentWatches = {
  /** All documents that have not been read yet. `sent_at`: when their message was last sent. */
  unread: DueIndex<{ workspace_id: string; id: string; waits_since: string; sent_at: string }>
  /** Documents that were announced before the given time and are not complete. */
  announced: DueIndex<{ workspace_id: string; id: string }>
  /** Documents for which `noteBytes` was called before the given time. Most of them have a record. */
  stored: DueIndex<{ workspace_id: string; id: string; sha256: string }>
  /** Records when the message of a document was sent again. */
  sent: (id: string, at: Date) => Promise<void>
  /** Records that the document no longer waits. */
  forget: (awaited: 'reading' | 'bytes' | 'record', id: string) => Promise<void>
}

/** An assignment of documents, with all data that is needed to run it later. */
export type BulkAssignmentOrder = {
  document_ids: string[]
  assignment: Assignment
  /** The names of the parties in the assignment, by id. */
  party_names: Record<string, string>
  actor: TimelineEntry['actor']
  at: string
}

/** The parties of documents. */
export type DocumentParties = {
  /** Current names by id, without unknown ids. */
  names: (workspaceId: string, ids: string[]) => Promise<Map<string, string>>
  /**
   * Prevents the deletion of these parties while they are added to the documents.
   *
   * @returns a function that ends the reservation; it never fails
   * @throws Failure PARTY_NOT_FOUND if one does not exist
   */
  reserve: (workspaceId: string, ids: string[], documentIds: string[]) => Promise<() => Promise<void>>
}

/** The workspaces and the tokens of their webhooks. */
export type DocumentWorkspaces = {
  find: (id: string) => Promise<{ id: string; webhook_token: string } | undefined>
  /** The workspace that has this token now. */
  findByWebhookToken: (token: string) => Promise<{ id: string } | undefined>
}

/**
 * Reads the text of a document, or returns why it has none. `unread`: other content that could not be read. It rejects
 * if another attempt can succeed.
 */
export type ReadText = (
  bytes: Uint8Array,
  document: Pick<DocumentRecord, 'id' | 'workspace_id' | 'correspondence_id' | 'mime_type'> & { key: string },
  signal: AbortSignal,
) => Promise<(StoredText & { unread?: string }) | { refused: string }>

/** Judges a document by its text (I5). */
export type JudgeDocument = (workspaceId: string, facts: MessageFacts) => Promise<Pick<Judgement, 'triage'>>

/**
 * The time limit was reached while Textract was still reading the document. A later attempt finds Textract's job,
 * running or finished, so this does not count as an attempt.
 */
export class StillReading extends Error {
  constructor(options: { cause: unknown }) {
    super('The document is still being read.', options)
    this.name = 'StillReading'
  }
}
