import { newRecord } from '#documents/new-documents.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import { sealedDocument } from '#documents/sealed-copy.ts'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { envelopeChange } from '#signing/envelope-change.ts'
import { dueAt, needsDocuments } from '#signing/envelope-states.ts'
import type { EnvelopeChange, EnvelopeRecord, SignerRecord } from '#signing/ports.ts'
import type { AuditEntry } from '#signing/schema.ts'
import { caseStore } from '#store/cases/case-store.ts'
import type { Db } from '#store/db.ts'
import { documentListsFollowUp } from '#store/documents/document-actions.ts'
import { documentStore } from '#store/documents/document-store.ts'
import { outbox } from '#store/outbox.ts'
import { wordsFollowUp } from '#store/search.ts'
import { dueEnvelopes } from '#store/signing/due-envelopes.ts'
import { envelopeStore } from '#store/signing/envelope-store.ts'
import { envelopeUses, type RequireUnused } from '#store/signing/envelope-uses.ts'
import { mailStores, storeDeps } from './mail-stores.ts'

const at = '2026-03-16T08:30:00.000Z'

/** The stores that signing needs, on this table. The jobs of lists run right after each change; others wait. */
export function envelopeStores(db: Db) {
  const runner = jobRunner(wordsFollowUp(db))
  const deps = { ...storeDeps(db), outbox: outbox(db, runner, { error: () => {} }) }
  runner.handle(documentListsFollowUp(deps))
  const requireUnused = envelopeUses({ ...deps, needsDocuments })
  const documentsWith = (other: RequireUnused) => documentStore({ ...deps, requireUnused: other })
  const documents = documentsWith(requireUnused)
  return {
    envelopes: envelopeStore({
      ...deps,
      dueAt,
      documentOf: (workspaceId, copy) => sealedDocument(systemClock, workspaceId, copy),
    }),
    due: dueEnvelopes(db),
    documents,
    requireUnused,
    documentsWith,
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

/** A draft without documents for one signer, before it is added. */
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
    mails_again_at: null,
    audit_seq: 0,
    audit_hash: '',
    version: 0,
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

/** A change of this envelope that a user made. */
export function userChange(
  current: EnvelopeRecord,
  fields: Partial<EnvelopeRecord> = {},
  action: AuditEntry['action'] = 'changed',
): EnvelopeChange {
  const actor = { type: 'user' as const, id: current.created_by, name: 'Dr. Jana Vogt' }
  return envelopeChange(current, { fields, events: [{ at, actor, action, details: {} }] })
}
