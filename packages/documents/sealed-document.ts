import type { Clock } from '#kernel/clock.ts'
import { systemActor } from '#timeline/schema.ts'
import { acceptedJobs, creationEntries, newRecord } from './new-documents.ts'
import type { DocumentChange, DocumentRecord } from './ports.ts'

/** A sealed PDF whose bytes are stored, with the reserved id of its document. */
type SealedPdf = Pick<DocumentRecord, 'filename' | 'size_bytes' | 'case_id'> & {
  document_id: string
  sha256: string
}

/** The change that adds a sealed PDF to its case (S7). Like an upload, it is read and indexed by its digest. */
export function sealedDocument(clock: Clock, workspaceId: string, pdf: SealedPdf): DocumentChange {
  const { document_id: id, case_id, ...about } = pdf
  const record = newRecord(clock, workspaceId, {
    ...about,
    id,
    case_id,
    mime_type: 'application/pdf',
    source: 'signing',
  })
  return {
    record,
    timeline: creationEntries(clock, systemActor, record),
    jobs: acceptedJobs([record]),
  }
}
