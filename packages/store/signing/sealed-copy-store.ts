import type { DocumentChange } from '#documents/ports.ts'
import type { CopyToFile, SealedCopy, SealedCopyStore } from '#signing/ports.ts'
import { caseActions } from '../cases/case-actions.ts'
import { documentChanges } from '../documents/document-changes.ts'
import { rewrite } from '../rewrite.ts'
import type { StoreDeps } from '../store-deps.ts'
import type { DueAt } from './due-envelopes.ts'
import { envelopeChanges } from './envelope-changes.ts'
import { sealedFile } from './sealed-file-entity.ts'

/**
 * Files sealed copies for the worker `seal`: the document, the public facts about its digest, and the envelope.
 *
 * @param deps.dueAt as in `envelopeStore`
 * @param deps.documentOf makes the document of a sealed copy
 */
export function sealedCopyStore(
  deps: StoreDeps & { dueAt: DueAt; documentOf: (workspaceId: string, copy: SealedCopy) => DocumentChange },
): SealedCopyStore {
  const { db, documentOf } = deps
  const sealed = sealedFile(db)
  const documents = documentChanges(deps)
  const ofCase = caseActions(db)
  const { change } = envelopeChanges<CopyToFile>(
    deps,
    async (_, { workspace_id }, { copy, sealedFile: { sha256, answer } }) => {
      const { actions, jobs } = await documents.additions([documentOf(workspace_id, copy)])
      const known = rewrite(sealed, sealed.put({ sha256, workspace_id, answer }), {})
      const { case_id } = copy
      return { actions: [...ofCase.withCase({ workspace_id, case_id }), ...actions, known], jobs }
    },
  )
  return { fileCopy: change }
}
