import { idPrefixes } from '#kernel/id.ts'
import type { HistoryEntry } from './history-schema.ts'
import type { Evidence } from './schema.ts'

/** The id of the document or beA message that is the evidence; undefined if the evidence is neither. */
export function evidenceId(evidence: Evidence | null): string | undefined {
  if (evidence?.type === 'document') return evidence.document_id
  return evidence?.type === 'bea_receipt' ? evidence.message_id : undefined
}

/** The id of the beA message for which a receipt was given; undefined for an entry of another kind. */
export function receiptedId({ action, reason }: Pick<HistoryEntry, 'action' | 'reason'>): string | undefined {
  return action === 'receipt_given' ? messageId.exec(reason ?? '')?.[0] : undefined
}

const messageId = new RegExp(`${idPrefixes.beaMessage}[0-9a-f-]{36}`)
