import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '#kernel/actor.ts'
import { conflict, Failure } from '#kernel/failure.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { timeLeft } from '#kernel/time-limit.ts'
import { type ShownChanges, shownChanges } from '#kernel/updated-since.ts'
import { announcedUploads, incomplete } from './announced-uploads.ts'
import { assignments } from './assignments.ts'
import { editing } from './editing.ts'
import { ingestion } from './ingestion.ts'
import { bytesKey } from './keys.ts'
import type { DocumentDeps, DocumentRecord } from './ports.ts'
import { readingAgain } from './reading-again.ts'
import type { Document, DocumentParty, DocumentQuery, ExtractedText } from './schema.ts'
import { readStoredText } from './stored-text.ts'
import { uploads } from './uploads.ts'
import { documentViews, requireDocument } from './views.ts'

export type DocumentService = ReturnType<typeof documentService>

/** How long `extract` waits for a document that is being read (D8). */
const maxWaitMilliseconds = 18_000

/** The use cases of documents. */
export function documentService(deps: DocumentDeps) {
  const { store, files, pageOut } = deps
  const views = documentViews(deps)

  /** A document whose bytes have arrived. @throws Failure DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE */
  const requireArrived = async (workspaceId: string, id: string): Promise<DocumentRecord> => {
    const record = await requireDocument(store, workspaceId, id)
    if (record.upload_expires_at !== null) throw incomplete()
    return record
  }

  return {
    ...uploads(deps),
    ...announcedUploads(deps),
    ...ingestion(deps),
    ...assignments(deps),
    ...readingAgain(deps),
    ...editing(deps),

    /** A page of documents, newest first. */
    async list(actor: Actor, query: DocumentQuery): Promise<Page<Document> | ShownChanges<Document>> {
      const { updated_since: since } = query
      if (since !== undefined)
        return shownChanges(await store.changes(actor.workspace_id, query, since), (records) =>
          views.viewAll(actor.workspace_id, records),
        )
      const page = await store.page(actor.workspace_id, query)
      return { data: await views.viewAll(actor.workspace_id, page.data), pagination: page.pagination }
    },

    /** @throws Failure DOCUMENT_NOT_FOUND */
    get: async (actor: Actor, id: string): Promise<Document> =>
      views.view(await requireDocument(store, actor.workspace_id, id)),

    /** The file itself. @throws Failure DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE */
    async download(actor: Actor, id: string) {
      const record = await requireArrived(actor.workspace_id, id)
      return {
        filename: record.filename,
        mimeType: record.mime_type,
        sizeBytes: record.size_bytes,
        version: record.sha256 ?? '',
        open: (range: { first: number; last: number } | undefined) => files.stream(bytesKey(record), range),
      }
    },

    /**
     * The text of a document (D8). Waits up to 18 seconds until the document is read.
     *
     * @throws Failure DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE, EXTRACTION_PENDING, EXTRACTION_FAILED
     */
    async extract(actor: Actor, id: string): Promise<ExtractedText> {
      const until = performance.now() + Math.min(maxWaitMilliseconds, timeLeft() - 5_000)
      for (let pauseMilliseconds = 50; ; pauseMilliseconds = Math.min(1_000, pauseMilliseconds * 1.5)) {
        const record = await requireArrived(actor.workspace_id, id)
        if (record.status === 'failed') throw unreadable(record)
        if (record.status === 'processed') {
          const { page_starts: _, ...text } = await readStoredText(files, record)
          return text
        }
        if (performance.now() + pauseMilliseconds > until) throw stillPending()
        await sleep(pauseMilliseconds)
      }
    },

    /** The parties of a document (D7). @throws Failure DOCUMENT_NOT_FOUND */
    async listParties(actor: Actor, id: string, request: PageRequest): Promise<Page<DocumentParty>> {
      const { parties } = await views.view(await requireDocument(store, actor.workspace_id, id))
      return pageOut([actor.workspace_id, 'document_parties', id], parties, request, (party) => party.id)
    },
  }
}

function stillPending(): Failure {
  return conflict('EXTRACTION_PENDING', 'The document is still being read. Try again in a moment.', {
    retryAfterSeconds: 10,
  })
}

function unreadable({ status_reason }: DocumentRecord): Failure {
  const reason = status_reason ?? 'corrupt'
  return new Failure('unprocessable', 'EXTRACTION_FAILED', `The document cannot be read: ${reason}.`, {
    details: [{ path: 'status_reason', message: reason }],
  })
}
