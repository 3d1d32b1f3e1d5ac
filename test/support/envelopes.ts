import { newRecord } from '#documents/new-documents.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import { sealedDocument } from '#documents/sealed-copy.ts'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { type AuditEvent, chained } from '#signing/audit.ts'
import { dueAt } from '#signing/envelope-states.ts'
import type { EnvelopeChange, EnvelopeRecord, SignerRecord } from '#signing/ports.ts'
import { caseStore } from '#store/cases/case-store.ts'
import type { Db } from '#store/db.ts'
import { documentListsFollowUp } from '#store/documents/document-actions.ts'
import { documentStore } from '#store/documents/document-store.ts'
import { outbox } from '#store/outbox.ts'
import { wordsFollowUp } from '#store/search.ts'
import { dueEnvelopes } from '#store/signing/due-envelopes.ts'
import { envelopeStore } from '#store/signing/envelope-store.ts'
import { mailStores, storeDeps } from './mail-stores.ts'

const at = '2026-03-16T08:30:00.000Z'

/** The stores that signing needs, on this table. The jobs of lists run right after each change; others wait. */
export function envelopeStores(db: Db) {
  const runner = jobRunner(wordsFollowUp(db))
  const deps = { ...storeDeps(db), outbox: outbox(db, runner, { error: () => {} }) }
  runner.handle(documentListsFollowUp(deps))
  const documents = documentStore(deps)
  return {
    envelopes: envelopeStore({
      ...deps,
      dueAt,
      documentOf: (workspaceId, copy) => sealedDocument(systemClock, workspaceId, copy),
    }),
    due: dueEnvelopes(db),
    documents,
    cases: caseStore(deps),
    addCase: mailStores(db).addCase,
    addDocument: async (workspaceId: string, changes: Partial<DocumentRecord> = {}) => {
      const record = newRecord(systemClock, workspaceId, {
        filename: 'Vollmacht.pdf',
        mime_type: 'application/pdf',
        size_bytes: 1_024,
        sha256: hexDigest(newId('document')),
        source: 'upload',
        ...changes,
      })
      await documents.add([{ record, timelineEntries: [] }])
      return record
    },
  }
}

/** A draft without documents, for one signer. */
export function envelopeRecord(workspace_id: string, changes: Partial<EnvelopeRecord> = {}): EnvelopeRecord {
  return {
    workspace_id,
    id: newId('envelope'),
    case_id: newId('case'),
    title: 'Vollmacht',
    status: 'draft',
    signing_order: 'parallel',
    message: null,
    documents: [],
    signers: [signerRecord()],
    reminders: null,
    sends_emails: true,
    expires_at: null,
    created_by: newId('user'),
    created_at: at,
    sent_at: null,
    completed_at: null,
    declined_at: null,
    voided_at: null,
    void_reason: null,
    expired_at: null,
    next_reminder_at: null,
    sealing_since: null,
    seal_again_at: null,
    audit_seq: 0,
    audit_hash: '',
    version: 1,
    ...changes,
  }
}

/** A signer who has done nothing yet and has no link. */
export function signerRecord(changes: Partial<SignerRecord> = {}): SignerRecord {
  return {
    id: newId('signer'),
    name: 'Max Müller',
    email: 'max@mueller.de',
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
    ...changes,
  }
}

/** What an envelope holds of a document that is signed. */
export function envelopeDocument({ id, filename, mime_type, size_bytes, sha256 }: DocumentRecord) {
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

/** A change to this record, with an entry of the audit trail for each of these events. */
export function envelopeChange(
  record: EnvelopeRecord,
  events: Partial<AuditEvent>[] = [{}],
  others: Partial<EnvelopeChange> = {},
): EnvelopeChange {
  const complete = events.map((event) => ({
    at,
    actor: { type: 'user' as const, id: record.created_by, name: 'Dr. Jana Vogt' },
    action: 'changed' as const,
    details: {},
    ...event,
  }))
  const { auditEntries, newest } = chained(record, complete)
  return { record: { ...record, ...newest }, auditEntries, timelineEntries: [], jobs: [], ...others }
}
