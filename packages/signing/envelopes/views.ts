import type { EnvelopeRecord, SignerRecord } from '../ports.ts'
import type { CaseEnvelope, Envelope, Signer } from '../schema.ts'
import { isLocked } from '../signer/signer-state.ts'
import { statusAt } from './envelope-states.ts'
import { warningsOf } from './examine-documents.ts'

/** An envelope as the API shows it at `now` (S2). */
export function envelopeView(record: EnvelopeRecord, now: Date): Envelope {
  const status = statusAt(record, now)
  return {
    id: record.id,
    case_id: record.case_id,
    title: record.title,
    status,
    status_reason: record.status_reason,
    signing_order: record.signing_order,
    message: record.message,
    documents: record.documents.map(({ id, document_id, filename, sha256, sealed }) => ({
      id,
      document_id,
      filename,
      sha256,
      sealed_document_id: status === 'completed' ? (sealed?.document_id ?? null) : null,
    })),
    warnings: warningsOf(record.documents),
    signers: record.signers.map(signerView),
    reminders: record.reminders,
    expires_at: record.expires_at,
    created_by: record.created_by,
    created_at: record.created_at,
    sent_at: record.sent_at,
    completed_at: record.completed_at,
    declined_at: record.declined_at,
    voided_at: record.voided_at,
    void_reason: record.void_reason,
  }
}

/** An envelope in the list of its case (S10). */
export function caseEnvelopeView(record: EnvelopeRecord, now: Date): CaseEnvelope {
  const signers = record.signers.map(({ name, status, signed_at }) => ({ name, status, signed_at }))
  return { id: record.id, title: record.title, status: statusAt(record, now), signers }
}

function signerView(signer: SignerRecord): Signer {
  const {
    link_sha256: _link,
    access_code_hash: _code,
    code_attempts: _attempts,
    mail_key: _mail,
    signature: _signature,
    ...shown
  } = signer
  return { ...shown, locked: isLocked(signer) }
}
