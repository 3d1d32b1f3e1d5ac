import type { DocumentChange } from '#documents/ports.ts'
import type { SealedCopy, SealedCopyStore } from '#signing/ports.ts'
import { caseActions } from '../cases/case-actions.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import { documentChanges } from '../documents/document-changes.ts'
import type { Outbox } from '../outbox.ts'
import { rewrite } from '../rewrite.ts'
import type { DueAt } from './due-envelopes.ts'
import { envelopeChanges } from './envelope-changes.ts'
import { sealedFile } from './sealed-file-entity.ts'

/**
 * Sealed copies in the table, for the worker that seals: the document, what is known of its digest, and its envelope.
 *
 * @param deps.dueAt as `envelopeStore` has it
 * @param deps.documentOf the document as which a sealed copy is filed
 */
export function sealedCopyStore(deps: {
  db: Db
  cursors: Cursors
  outbox: Outbox
  dueAt: DueAt
  documentOf: (workspaceId: string, copy: SealedCopy) => DocumentChange
}): SealedCopyStore {
  const { db, documentOf } = deps
  const sealed = sealedFile(db)
  const documents = documentChanges(deps)
  const ofCase = caseActions(db)
  const { changed } = envelopeChanges(deps)
  return {
    fileSealed: (workspaceId, id, decide) =>
      changed(workspaceId, id, decide, async (_, { copy, sealedFile: { sha256, answer } }) => {
        const filed = await documents.additions([documentOf(workspaceId, copy)])
        return {
          actions: [
            ...ofCase.inCase({ workspace_id: workspaceId, case_id: copy.case_id }),
            ...filed.actions,
            rewrite(sealed, sealed.put({ sha256, workspace_id: workspaceId, answer }), {}),
          ],
          jobs: filed.jobs,
        }
      }),
  }
}
