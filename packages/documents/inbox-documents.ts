import { type ItemKind, requireInbox } from '#inbox/filing-schema.ts'
import { documentItem } from '#inbox/schema.ts'
import type { Triage } from '#triage/schema.ts'
import { laterThan } from './assignments.ts'
import { dismissed, filed, reopened } from './filing.ts'
import { requireParties, withReservedParties } from './party-references.ts'
import type { DocumentChange, DocumentParties, DocumentRecord, DocumentStore } from './ports.ts'

/** Files, dismisses and reopens documents of the inbox, which were uploaded or pushed (I6). */
export function inboxDocuments(deps: {
  store: Pick<DocumentStore, 'find' | 'change'>
  parties: DocumentParties
  /** The triage result of a document; null if it has not been judged. */
  findTriage: (workspaceId: string, id: string) => Promise<Triage | null>
}): ItemKind<DocumentRecord, DocumentChange> {
  const { store, parties, findTriage } = deps
  return {
    store,
    notFoundCode: 'DOCUMENT_NOT_FOUND',
    filed: (current, input, by, partyNames) => filed(current, input, by, Object.fromEntries(partyNames)),
    dismissed,
    reopened,
    async accessOf({ workspace_id }, id, read) {
      const before = await read()
      const triage = await findTriage(workspace_id, id)
      return {
        view: (document) => documentItem(document, requireInbox(document), triage),
        changedAt: (now) => laterThan([before], now),
      }
    },
    partyNames: (workspaceId, ids) => requireParties(parties, workspaceId, ids),
    reserving: (document, partyIds, work) => withReservedParties(parties, partyIds, [document], work),
  }
}
