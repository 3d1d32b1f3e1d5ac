import { type Clock, timestamp } from '#kernel/clock.ts'
import { entriesIn, systemActor } from '#timeline/schema.ts'
import { acceptedJobs, newRecord } from './new-documents.ts'
import type { DocumentChange } from './ports.ts'

/** A signed and sealed PDF whose bytes are stored, with the id that was reserved for it. */
export type SealedPdf = {
  document_id: string
  filename: string
  size_bytes: number
  sha256: string
  case_id: string | null
}

/** The document as which a sealed PDF is filed in its case (S7). Like an upload, it is read and filed under its digest. */
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
    timelineEntries: entriesIn(case_id, {
      type: 'document.created',
      occurred_at: timestamp(clock),
      actor: systemActor,
      summary: `Dokument „${record.filename}“ hinzugefügt`,
      ref: { type: 'document', id },
    }),
    jobs: acceptedJobs([record]),
  }
}
