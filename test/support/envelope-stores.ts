import { newRecord } from '#documents/new-documents.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import { sealedDocument } from '#documents/sealed-document.ts'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { dueAt, needsDocuments } from '#signing/envelopes/envelope-states.ts'
import { caseStore } from '#store/cases/case-store.ts'
import type { Db } from '#store/db.ts'
import { documentListsFollowUp } from '#store/documents/document-actions.ts'
import { documentStore } from '#store/documents/document-store.ts'
import { outbox } from '#store/outbox.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { dueEnvelopes } from '#store/signing/due-envelopes.ts'
import { envelopeStore } from '#store/signing/envelope-store.ts'
import { envelopeUses, type RequireUnused } from '#store/signing/envelope-uses.ts'
import { sealedCopyStore } from '#store/signing/sealed-copy-store.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'
import { mailStores, storeDeps } from './mail-stores.ts'

/** The stores that signing needs, on this table. The jobs of lists run right after each change; others wait. */
export function envelopeStores(db: Db) {
  const runner = jobRunner(wordsFollowUp(db))
  const deps = { ...storeDeps(db), outbox: outbox(db, runner, { error: () => {} }) }
  runner.handle(documentListsFollowUp(deps))
  const requireUnused = envelopeUses({ ...deps, needsDocuments })
  const documentsWith = (other: RequireUnused) => documentStore({ ...deps, requireUnused: other })
  const documents = documentsWith(requireUnused)
  return {
    envelopes: {
      ...envelopeStore({ ...deps, dueAt }),
      ...sealedCopyStore({
        ...deps,
        dueAt,
        documentOf: (workspaceId, copy) => sealedDocument(systemClock, workspaceId, copy),
      }),
    },
    due: dueEnvelopes(db),
    documents,
    requireUnused,
    documentsWith,
    cases: caseStore({ ...deps, numberKey: caseNumberKey }),
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
      await documents.add([{ record }], undefined)
      return record
    },
  }
}
