import type { Clock } from '#kernel/clock.ts'
import { systemActor } from '#timeline/schema.ts'
import { acceptedJobs, entriesOfNew, newRecord } from './new-documents.ts'
import type { DocumentChange } from './ports.ts'

/** A signed and sealed PDF whose bytes are stored, with the id that was reserved for it. */
export type SealedPdf = {
  document_id: string
  filename: string
  size_bytes: number
  sha256: string
  case_id: string | null
}

/** The change that files a sealed PDF in its case (S7). Like an upload, it is read and filed under its digest. */
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
    timeline: entriesOfNew(clock, systemActor, record),
    jobs: acceptedJobs([record]),
  }
}
