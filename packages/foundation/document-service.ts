import { documentService } from '#documents/documents.ts'
import { readingBudgets } from '#store/documents/reading-budget.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import type { storedDocuments } from './documents.ts'
import type { Base } from './foundation.ts'

/** The use cases of documents, for functions that serve them. */
export function documents(base: Base, { files, store, enqueue }: ReturnType<typeof storedDocuments>) {
  return documentService({
    store,
    files,
    parties: partyStore(base),
    workspaces: workspaceStore(base.db),
    enqueue,
    pageOut: base.pageOut,
    budgets: readingBudgets(base),
    clock: base.clock,
  })
}
