import type { Job } from '#jobs/job.ts'
import type { Page } from '#kernel/page.ts'
import type { CaseTimelineEntry, TimelineEntry } from '#timeline/schema.ts'
import type { Assignment, Document, DocumentParty, DocumentQuery, ExtractedText } from './schema.ts'

/** A document as it is stored. `version` counts its changes and attempts. */
export type DocumentRecord = Omit<Document, 'duplicate_of'> & {
  workspace_id: string
  /** Whether another document had the same bytes at some time; only then it is worth looking for them. */
  has_twins: boolean
  /** Until when the bytes of an announced upload may still come; null once they are here. */
  upload_expires_at: string | null
  /** When each was last assigned by somebody; an order of before that comes too late for it. */
  assigned_at: { [Thing in AssignedThing]?: string | undefined }
  /** How often reading it was begun and neither finished nor given back. */
  attempts: number
  attempted_at: string | null
  version: number
}

/** What an assignment changes. */
export type AssignedThing = 'case_id' | 'folder_id' | 'parties'

/** A document as lists know it. */
export type ListedDocument = Omit<DocumentRecord, 'version' | 'assigned_at' | 'attempts' | 'attempted_at'>

/** What becomes of a document, what the timelines of its cases say of it, and the jobs that follow. */
export type DocumentChange = {
  record: DocumentRecord
  timelineEntries: CaseTimelineEntry[]
  jobs?: Job[]
}

/** Things that a document is put into, which must be there when it is. */
export type References = { case_id: string | null; folder_id: string | null }

export type DocumentStore = {
  /** The document, unless it does not exist, was deleted, never arrived, or is another workspace's. */
  find: (workspaceId: string, id: string) => Promise<DocumentRecord | undefined>
  page: (workspaceId: string, query: DocumentQuery) => Promise<Page<ListedDocument>>
  /** The documents of these ids that exist, in no particular order. */
  findAll: (workspaceId: string, ids: string[]) => Promise<DocumentRecord[]>
  /** Ids of documents with these bytes, the oldest first, at most 101. */
  duplicates: (workspaceId: string, sha256: string) => Promise<string[]>
  /** @throws Failure CASE_NOT_FOUND, FOLDER_NOT_FOUND */
  requireAll: (workspaceId: string, references: References) => Promise<void>
  /**
   * Adds documents, all or none; those put into a case or folder are all put into the same.
   *
   * @throws Failure CASE_NOT_FOUND, FOLDER_NOT_FOUND
   */
  add: (changes: DocumentChange[]) => Promise<void>
  /**
   * Reads the document, has `decide` say what it becomes, and writes that with its timeline entries; read anew
   * where somebody else changed it in between. Where `decide` gives undefined, nothing is written.
   *
   * @throws Failure DOCUMENT_NOT_FOUND, CASE_NOT_FOUND, FOLDER_NOT_FOUND, and what `decide` throws
   */
  change: (
    workspaceId: string,
    id: string,
    decide: (current: DocumentRecord) => DocumentChange | undefined,
  ) => Promise<DocumentRecord>
  /** Deletes the document. @throws as `change` */
  remove: (
    workspaceId: string,
    id: string,
    decide: (current: DocumentRecord) => DocumentRemoval,
  ) => Promise<void>
  /**
   * Deletes an announced document whose bytes did not come in time, as of then.
   *
   * @returns false where it is gone or complete
   */
  removeExpired: (
    workspaceId: string,
    id: string,
    at: Date,
    decide: (current: DocumentRecord) => DocumentRemoval,
  ) => Promise<boolean>
  /**
   * Files documents under their digests, whatever became of them, unless they are deleted. Those that are still
   * pending are watched until they are read.
   */
  file: (workspaceId: string, documents: FiledDocument[]) => Promise<void>
  /** Marks every document with these bytes as having duplicates, if there are several. */
  markDuplicates: (workspaceId: string, sha256: string) => Promise<void>
  /** Notes that reading begins; undefined where somebody else did meanwhile or it is not pending any more. */
  beginAttempt: (record: DocumentRecord, at: string) => Promise<DocumentRecord | undefined>
  /** Takes an attempt back that ended by no fault of the document. */
  cancelAttempt: (record: DocumentRecord) => Promise<void>
}

/** A document whose bytes are stored, with their digest. */
export type FiledDocument = { id: string; sha256: string }

/** When a document is deleted, what the timelines of its cases say of it, and the jobs that follow. */
export type DocumentRemoval = Pick<DocumentChange, 'timelineEntries' | 'jobs'> & { deleted_at: string }

/** Documents that wait: their bytes are to come, or they are to be read. Shards keep them apart, as with jobs. */
export type DocumentWatches = {
  shards: readonly string[]
  /** Documents of a shard that were not read yet, with the time when their message was last sent, oldest first. */
  unread: (shard: string, limit: number) => Promise<{ workspace_id: string; id: string; sent_at: string }[]>
  /** Documents of a shard that were announced before then and are not complete, oldest first. */
  announcedBefore: (shard: string, at: Date, limit: number) => Promise<{ workspace_id: string; id: string }[]>
  /** Stores when the message was sent again. */
  sent: (id: string, at: Date) => Promise<void>
  /** The document no longer waits. */
  forget: (awaited: 'reading' | 'bytes', id: string) => Promise<void>
}

/** An assignment of many documents with everything that is needed to carry it out later. */
export type BulkAssignmentOrder = {
  document_ids: string[]
  assignment: Assignment
  /** Names of the parties that the assignment names. */
  party_names: Record<string, string>
  actor: TimelineEntry['actor']
  at: string
}

/** Where bytes and texts lie. Keys are given by `keys.ts`. */
export type Files = {
  /** Durable once it resolves. `sha256` in hexadecimal is checked where the bytes arrive. */
  put: (key: string, bytes: Uint8Array, about: { mimeType: string; sha256: string }) => Promise<void>
  /** The object's bytes, or those from `first` to `last`, as they come. @throws where it does not exist */
  stream: (key: string, range?: { first: number; last: number }) => Promise<AsyncIterable<Uint8Array>>
  read: (key: string, range?: { first: number; last: number }) => Promise<Uint8Array>
  /** What is there, if anything; `etag` names this very content. */
  head: (key: string) => Promise<{ sizeBytes: number; etag: string } | undefined>
  /** Where somebody without credentials may put an object of exactly this size and type. */
  presignPut: (
    key: string,
    about: { mimeType: string; sizeBytes: number; expiresInSeconds: number },
  ) => Promise<string>
  /** Copies, unless the source is no longer what `etag` names; then it throws. */
  copy: (from: string, to: string, about: { mimeType: string; etag: string }) => Promise<void>
  /** Removes what is there. */
  remove: (keys: string[]) => Promise<void>
}

/** What documents need of parties. */
export type DocumentParties = {
  /** Current names by id; who does not exist is missing. */
  names: (workspaceId: string, ids: string[]) => Promise<Map<string, string>>
  /**
   * Keeps these parties from being deleted while the documents are being changed to name them.
   *
   * @returns what to call when that is decided; it never fails
   * @throws Failure PARTY_NOT_FOUND where one does not exist
   */
  reserve: (workspaceId: string, ids: string[], documentIds: string[]) => Promise<() => Promise<void>>
}

/** What the workspace's own door needs: the token that it opens to. */
export type DocumentWorkspaces = {
  find: (id: string) => Promise<{ id: string; webhook_token: string } | undefined>
}

/** Reads the text of a document: it, or why there is none. It rejects where trying again makes sense. */
export type ReadText = (
  bytes: Uint8Array,
  document: Pick<DocumentRecord, 'id' | 'mime_type'> & { key: string },
  signal: AbortSignal,
) => Promise<ExtractedText | { refused: string }>

export type { DocumentParty }

/**
 * The time for reading a document is over, but what was begun elsewhere goes on, as a recognition at Textract
 * does: asked for again, it may be done. That is no fault of the document, so it counts as no attempt.
 */
export class StillReading extends Error {
  constructor(options: { cause: unknown }) {
    super('The document is still being read.', options)
    this.name = 'StillReading'
  }
}
