import type { DocumentRecord } from '#documents/ports.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { envelopeChange } from '#signing/envelopes/envelope-change.ts'
import { maxDocuments, maxSigners } from '#signing/limits.ts'
import type { EnvelopeChange, EnvelopeRecord } from '#signing/ports.ts'
import type { AuditEntry } from '#signing/schema.ts'
import { anEnvelope, aSigner } from './an-envelope.ts'

const now = '2026-03-16T08:30:00.000Z'

/** A draft without documents for one signer, before it is added. */
export function envelopeRecord(workspace_id: string, changes: Partial<EnvelopeRecord> = {}): EnvelopeRecord {
  return anEnvelope({
    workspace_id,
    documents: [],
    signers: [aSigner()],
    sends_emails: true,
    created_at: now,
    version: 0,
    ...changes,
  })
}

/** Four bytes in UTF-8, and two code units: the largest form of text that an input may have. */
const wide = '𝔄'

/** The largest envelope that inputs allow: everybody has signed, one has declined, and everything is sealed. */
export function largestEnvelope(workspace_id: string, case_id: string): EnvelopeRecord {
  const signers = Array.from({ length: maxSigners }, (_, at) => {
    const id = newId('signer')
    return aSigner({
      id,
      order: at + 1,
      name: wide.repeat(200),
      email: `${at}@${'ü'.repeat(300)}.de`,
      role: 'approver',
      status: at === 0 ? 'declined' : 'signed',
      signed_at: at === 0 ? null : now,
      sent_at: now,
      opened_at: now,
      declined_at: at === 0 ? now : null,
      decline_reason: at === 0 ? wide.repeat(2_000) : null,
      delivery: 'bounced',
      link_sha256: hexDigest(id),
      access_code_hash: 'x'.repeat(200),
      mail_key: 'x'.repeat(200),
      signature: {
        name: wide.repeat(200),
        consent: 'x'.repeat(200),
        picture_key: 'x'.repeat(200),
        picture_sha256: hexDigest(id),
        ip: '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
        user_agent: 'ü'.repeat(500),
      },
    })
  })
  const documents = Array.from({ length: maxDocuments }, () => {
    const id = newId('document')
    return {
      ...envelopeDocument({
        id,
        filename: wide.repeat(500),
        mime_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
        size_bytes: 2_621_440,
        sha256: hexDigest(id),
      }),
      key: 'x'.repeat(200),
      sealed: {
        document_id: newId('document'),
        attempts: 3,
        sha256: hexDigest(id),
        key: 'x'.repeat(200),
        size_bytes: 2_721_440,
        attached_because: 'x'.repeat(100),
        is_filed: true,
      },
    }
  })
  return envelopeRecord(workspace_id, {
    case_id,
    title: wide.repeat(200),
    message: wide.repeat(5_000),
    reminders: { first_after_days: 30, repeat_every_days: 30 },
    status: 'sent',
    expires_at: now,
    next_reminder_at: now,
    sent_at: now,
    signers,
    documents,
  })
}

/** The data of a document in an envelope. */
export function envelopeDocument({
  id,
  filename,
  mime_type,
  size_bytes,
  sha256,
}: Pick<DocumentRecord, 'id' | 'filename' | 'mime_type' | 'size_bytes' | 'sha256'>) {
  return {
    id: newId('envelopeDocument'),
    document_id: id,
    filename,
    sha256: sha256 ?? '',
    mime_type,
    size_bytes,
    key: `files/${id}/${sha256}`,
    sealed: null,
  }
}

/** A user's change of this envelope. */
export function userChange(
  current: EnvelopeRecord,
  fields: Partial<EnvelopeRecord> = {},
  action: AuditEntry['action'] = 'changed',
): EnvelopeChange {
  const actor = { type: 'user' as const, id: current.created_by, name: 'Dr. Jana Vogt' }
  return envelopeChange(current, { fields, events: [{ at: now, actor, action, details: {} }] })
}

/** An envelope that no request adds, with the ids of the documents that it assigns. */
export function newEnvelope(change: EnvelopeChange, ...assigned: string[]) {
  return { ...change, assigned, answer: undefined }
}
