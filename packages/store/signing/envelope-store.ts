import type { EnvelopeStore, SealedFile } from '#signing/ports.ts'
import type { AuditEntry } from '#signing/schema.ts'
import { caseActions } from '../cases/case-actions.ts'
import { chainPage } from '../chain-page.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { documentActions, listJobs } from '../documents/document-actions.ts'
import type { Outbox } from '../outbox.ts'
import { pageOfIds } from '../page-of-records.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import type { DueAt } from './due-envelopes.ts'
import { envelopeChanges } from './envelope-changes.ts'
import { envelopeAuditEntry } from './envelope-entity.ts'
import { envelopeLists } from './envelope-lists.ts'
import { sealedFile } from './sealed-file-entity.ts'
import { signingLink } from './signing-link-entity.ts'

/**
 * Envelopes in the table: the record, its audit trail, its magic links, its entries in the lists, and what is due.
 *
 * @param deps.dueAt when something must happen to an envelope by itself (`envelope-states.ts`)
 */
export function envelopeStore(deps: {
  db: Db
  cursors: Cursors
  outbox: Outbox
  dueAt: DueAt
}): EnvelopeStore {
  const { db, cursors, outbox } = deps
  const audit = envelopeAuditEntry(db)
  const links = signingLink(db)
  const sealed = sealedFile(db)
  const lists = envelopeLists(db)
  const documents = documentActions(db)
  const ofCase = caseActions(db)
  const recordEvents = eventActions(db)
  const { find, findAll, writes, changed } = envelopeChanges(deps)

  return {
    find,

    page: (workspaceId, { limit, cursor, case_id, status }) =>
      pageOfIds(
        cursors,
        [workspaceId, 'envelopes', { case_id, status }],
        { limit, cursor },
        (after, size) => lists.ids(workspaceId, { case_id, status }, after, size),
        async (ids) => {
          const records = await findAll(workspaceId, ids)
          // Envelopes whose status changed since the list was read are left out.
          return records.filter((record) => status === undefined || record.status === status)
        },
      ),

    overdue: async (workspaceId, now, limit) =>
      findAll(workspaceId, await lists.overdue(workspaceId, now, limit)),

    add: async (change, assigned) => {
      const { record } = change
      const { workspace_id, case_id, id, documents: ofEnvelope } = record
      const isAssigned = new Set(assigned.documentIds)
      const envelopeId = record.status === 'draft' ? undefined : id
      await outbox.commit(
        [
          ofCase.isThere(workspace_id, case_id),
          ...ofEnvelope.map(({ document_id }) =>
            documents.inCase(
              { workspace_id, id: document_id, case_id },
              { assignedAt: isAssigned.has(document_id) ? record.created_at : undefined, envelopeId },
            ),
          ),
          ...writes(undefined, change),
          ...ofCase.recordTimelines(workspace_id, assigned.timelineEntries),
          ...recordEvents(
            workspace_id,
            assigned.documentIds.map((id) => ({ type: 'document.updated', data: { id, case_id } })),
          ),
        ],
        [...change.jobs, ...listJobs(workspace_id, assigned.documentIds)],
      )
    },

    change: (workspaceId, id, decide) =>
      changed(workspaceId, id, decide, (before, { record }) => ({
        actions:
          before.status === 'draft' && record.status !== 'draft'
            ? record.documents.map(({ document_id }) =>
                documents.use({ workspace_id: workspaceId, id: document_id, case_id: record.case_id }, id),
              )
            : [],
        jobs: [],
      })),

    findLink: async (tokenSha256) => {
      const { data } = await links.get({ token_sha256: tokenSha256 }).go(strongly)
      if (data === null) return undefined
      const { workspace_id, envelope_id, signer_id } = data
      return { workspace_id, envelope_id, signer_id }
    },

    audit: (workspaceId, id, request) =>
      chainPage<AuditEntry>(cursors, [workspaceId, 'envelope_audit', id], request, (position, limit) =>
        audit.query
          .oldest({ workspace_id: workspaceId, envelope_id: id })
          .gte({ position })
          .go({ limit, ...strongly }),
      ),

    findSealed: async (sha256) => {
      const { data } = await sealed.get({ sha256 }).go(strongly)
      if (data === null) return undefined
      return { sha256, workspace_id: data.workspace_id, answer: data.answer as SealedFile['answer'] }
    },
  }
}
