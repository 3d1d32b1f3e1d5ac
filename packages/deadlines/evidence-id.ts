import type { Evidence } from './schema.ts'

/** The id of the document or beA message that is the evidence; undefined where it is neither. */
export function evidenceId(evidence: Evidence | null): string | undefined {
  if (evidence?.type === 'document') return evidence.document_id
  return evidence?.type === 'bea_receipt' ? evidence.message_id : undefined
}
