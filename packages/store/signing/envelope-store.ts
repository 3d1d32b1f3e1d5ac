import type { EnvelopeStore } from '#signing/ports.ts'
import type { AuditEntry } from '#signing/schema.ts'
import { eventsAbout } from '#webhooks/catalogue-schema.ts'
import { caseActions } from '../cases/case-actions.ts'
import { chainPage } from '../chain-page.ts'
import { strongly } from '../db.ts'
import { documentActions, listJobs } from '../documents/document-actions.ts'
import { pageOfIds } from '../page-of-records.ts'
import type { StoreDeps } from '../store-deps.ts'
import type { DueAt } from './due-envelopes.ts'
import { envelopeChanges } from './envelope-changes.ts'
import { envelopeAuditEntry } from './envelope-entity.ts'
import { envelopeEvents } from './envelope-events.ts'
import { envelopeLists } from './envelope-lists.ts'
import { sealedFile } from './sealed-file-entity.ts'
import { signingLink } from './signing-link-entity.ts'

/**
 * Envelopes in the table: the record, its audit trail, its magic links, its entries in the lists, and its timed work.
 *
 * @param deps.dueAt when the next timed work is due (`envelope-states.ts`)
 */
export function envelopeStore(deps: StoreDeps & { dueAt: DueAt }): EnvelopeStore {
  const { db, cursors } = deps
  const audit = envelopeAuditEntry(db)
  const links = signingLink(db)
  const sealed = sealedFile(db)
  const lists = envelopeLists(db)
  const documents = documentActions(db)
  const ofCase = caseActions(db)
  const { find, findAll, add, change } = envelopeChanges(deps, (before, after) => {
    const { workspace_id, id, case_id, documents: ofEnvelope } = after
    // `add` records the use by a new envelope.
    const isSent = before?.status === 'draft' && after.status !== 'draft'
    if (!isSent) return { actions: [] }
    return {
      actions: [
        // A running envelope keeps its case from being disposed of, so it cannot begin once that has begun.
        ofCase.letsGo(workspace_id, case_id),
        ...ofEnvelope.map(({ document_id }) => documents.use({ workspace_id, id: document_id, case_id }, id)),
      ],
    }
  })

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

    add: async ({ assigned, ...added }) => {
      const { record, jobs = [] } = added
      const { workspace_id, case_id, id, documents: ofEnvelope, created_at } = record
      const isAssigned = new Set(assigned)
      const envelopeId = record.status === 'draft' ? undefined : id
      return add(
        {
          ...added,
          events: [
            ...envelopeEvents(undefined, record),
            ...assigned.flatMap((one) => eventsAbout({ id: one, case_id }, 'document.updated')),
          ],
          jobs: [...jobs, ...listJobs(workspace_id, assigned)],
        },
        ofCase.isThere(workspace_id, case_id),
        ...ofEnvelope.map(({ document_id }) =>
          documents.inCase(
            { workspace_id, id: document_id, case_id },
            { assignedAt: isAssigned.has(document_id) ? created_at : undefined, envelopeId },
          ),
        ),
      )
    },

    change,

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

    findSealedFile: async (sha256) => {
      const { data } = await sealed.get({ sha256 }).go(strongly)
      if (data === null) return undefined
      return { sha256, workspace_id: data.workspace_id, answer: data.answer }
    },
  }
}
