import { newId } from '#kernel/id.ts'
import type { EnvelopeRecord, SignerRecord } from '#signing/ports.ts'

/** A draft with one document and two signers. */
export function anEnvelope(fields: Partial<EnvelopeRecord> = {}): EnvelopeRecord {
  return {
    workspace_id: newId('workspace'),
    id: newId('envelope'),
    case_id: newId('case'),
    title: 'Vollmacht',
    status: 'draft',
    status_reason: null,
    signing_order: 'parallel',
    message: null,
    documents: [
      {
        id: newId('envelopeDocument'),
        document_id: newId('document'),
        filename: 'Vollmacht.pdf',
        sha256: 'ab'.repeat(32),
        mime_type: 'application/pdf',
        size_bytes: 1_000,
        key: 'files/vollmacht',
        sealed: null,
      },
    ],
    signers: [
      aSigner({ name: 'Anna Meier', order: 1 }),
      aSigner({ name: 'Bert Schulze', email: 'bert.schulze@example.com', order: 2 }),
    ],
    reminders: null,
    expires_at: null,
    created_by: newId('user'),
    created_at: '2026-03-16T08:00:00.000Z',
    sent_at: null,
    completed_at: null,
    declined_at: null,
    voided_at: null,
    void_reason: null,
    sends_emails: false,
    expired_at: null,
    next_reminder_at: null,
    sealing_since: null,
    seal_again_at: null,
    mails_again_at: null,
    audit_seq: 0,
    audit_hash: '',
    version: 1,
    ...fields,
  }
}

/** A signer who has not done anything yet. */
export function aSigner(fields: Partial<SignerRecord> = {}): SignerRecord {
  return {
    id: newId('signer'),
    name: 'Anna Meier',
    email: 'anna.meier@example.com',
    role: 'signer',
    status: 'pending',
    order: 1,
    signed_at: null,
    sent_at: null,
    opened_at: null,
    declined_at: null,
    decline_reason: null,
    delivery: null,
    link_sha256: null,
    access_code_hash: null,
    code_attempts: 0,
    mail_key: null,
    signature: null,
    ...fields,
  }
}

/** Documents without contents. */
export const noFiles = { read: async () => new Uint8Array(), head: async () => ({ sizeBytes: 0 }) }
