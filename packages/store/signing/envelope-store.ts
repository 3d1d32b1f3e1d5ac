import type { DocumentChange } from '#documents/ports.ts'
import type { Job } from '#jobs/job.ts'
import { notFound } from '#kernel/failure.ts'
import type { EnvelopeChange, EnvelopeRecord, EnvelopeStore, SealedCopy, SealedFile } from '#signing/ports.ts'
import type { AuditEntry } from '#signing/schema.ts'
import { readAll } from '../batch.ts'
import { caseActions } from '../cases/case-actions.ts'
import { chainPage, positionOf } from '../chain-page.ts'
import { type Cursors, pageByCursor } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { documentActions } from '../documents/document-actions.ts'
import { lazily } from '../lazily.ts'
import { withoutNulls } from '../nulls.ts'
import type { Outbox } from '../outbox.ts'
import { pageOfRecords } from '../page-of-records.ts'
import { type Action, erase, put, retryStale } from '../transact.ts'
import { type DueAt, dueActions } from './due-envelopes.ts'
import { envelopeAuditEntry, envelopeEntity } from './envelope-entity.ts'
import { envelopeLists } from './envelope-lists.ts'
import { envelopeOf } from './envelope-record.ts'
import { sealedFile } from './sealed-file-entity.ts'
import { signingLink } from './signing-link-entity.ts'

/**
 * Envelopes in the table: the record, its audit trail, its magic links, its entries in the lists, and what is due.
 *
 * @param deps.dueAt when something must happen to an envelope by itself (`envelope-states.ts`)
 * @param deps.documentOf the document as which a sealed copy is filed
 */
export function envelopeStore(deps: {
  db: Db
  cursors: Cursors
  outbox: Outbox
  dueAt: DueAt
  documentOf: (workspaceId: string, copy: SealedCopy) => DocumentChange
}): EnvelopeStore {
  const { db, cursors, outbox, documentOf } = deps
  const envelopes = lazily(() => envelopeEntity(db))
  const audit = lazily(() => envelopeAuditEntry(db))
  const links = lazily(() => signingLink(db))
  const sealed = lazily(() => sealedFile(db))
  const lists = envelopeLists(db)
  const due = dueActions(db, deps.dueAt)
  const documents = documentActions(deps)
  const ofCase = caseActions(db)

  const find = async (workspaceId: string, id: string): Promise<EnvelopeRecord | undefined> => {
    const { data } = await envelopes.get({ workspace_id: workspaceId, id }).go(strongly)
    return data === null ? undefined : envelopeOf(data)
  }

  const findAll = async (workspaceId: string, ids: string[]): Promise<EnvelopeRecord[]> => {
    const gets = ids.map((id) => envelopes.get({ workspace_id: workspaceId, id }))
    return (await readAll(db, gets)).flatMap((item) => {
      const { data } = envelopes.parse({ Item: item })
      return data === null ? [] : [envelopeOf(data)]
    })
  }

  /** The writes of a change: everything but what it means for documents. */
  const writes = (before: EnvelopeRecord | undefined, change: EnvelopeChange): Action[] => {
    const { record: after } = change
    const { workspace_id, id: envelope_id } = after
    const item = withoutNulls(after)
    return [
      put(
        before === undefined
          ? envelopes.create(item)
          : envelopes.put(item).where(({ version }, { eq }) => eq(version, before.version)),
      ),
      ...change.auditEntries.map((entry) =>
        put(audit.create({ workspace_id, envelope_id, position: positionOf(entry.seq), entry })),
      ),
      ...lists.changes(before, after),
      ...due(before, after),
      ...linkActions(before, after),
      ...change.timelineEntries.map(({ case_id, entry }) =>
        ofCase.recordTimeline(workspace_id, case_id, entry),
      ),
    ]
  }

  /** Magic links lead where the signers' digests say: new ones are put, and those that were replaced are erased. */
  const linkActions = (before: EnvelopeRecord | undefined, after: EnvelopeRecord): Action[] => {
    const { workspace_id, id: envelope_id } = after
    const [old, now] = [linksOf(before), linksOf(after)]
    return [
      ...[...old.keys()]
        .filter((token_sha256) => !now.has(token_sha256))
        .map((token_sha256) => erase(links.delete({ token_sha256 }))),
      ...[...now]
        .filter(([token_sha256, signer_id]) => old.get(token_sha256) !== signer_id)
        .map(([token_sha256, signer_id]) =>
          put(links.put({ token_sha256, workspace_id, envelope_id, signer_id })),
        ),
    ]
  }

  /** Changes an envelope; `more` says what else belongs to the transaction. */
  const changed = <Change extends EnvelopeChange>(
    workspaceId: string,
    id: string,
    decide: (current: EnvelopeRecord) => Change | undefined,
    more: (before: EnvelopeRecord, change: Change) => { actions: Action[]; jobs: Job[] },
  ): Promise<EnvelopeRecord> =>
    retryStale(async () => {
      const before = await find(workspaceId, id)
      if (before === undefined) throw notFound('ENVELOPE_NOT_FOUND')
      const change = decide(before)
      if (change === undefined) return before
      const { actions, jobs } = more(before, change)
      await outbox.commit([...writes(before, change), ...actions], [...change.jobs, ...jobs])
      return change.record
    })

  return {
    find,

    page: (workspaceId, { limit, cursor, case_id, status }) =>
      pageOfRecords(
        { limit, cursor },
        (request) =>
          pageByCursor(
            cursors,
            [workspaceId, 'envelopes', { case_id, status }],
            request,
            async (after, size) => {
              const ids = await lists.ids(workspaceId, { case_id, status }, after, size + 1)
              const items = ids.slice(0, size)
              return { items, next: ids.length > size ? items.at(-1) : undefined }
            },
          ),
        async (ids) => {
          const records = await findAll(workspaceId, ids)
          // What changed its status since the list was read is left out.
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
          ...assigned.timelineEntries.map((one) =>
            ofCase.recordTimeline(workspace_id, one.case_id, one.entry),
          ),
        ],
        [...change.jobs, ...documents.listJobs(workspace_id, assigned.documentIds)],
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

    fileSealed: (workspaceId, id, decide) =>
      changed(workspaceId, id, decide, (_, { copy, sealedFile: { sha256, answer } }) => {
        const filed = documentOf(workspaceId, copy)
        return {
          actions: [
            ...(copy.case_id === null ? [] : [ofCase.isThere(workspaceId, copy.case_id)]),
            ...documents.addition(filed),
            put(sealed.put({ sha256, answer })),
          ],
          jobs: documents.additionJobs(filed),
        }
      }),

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
      return data === null ? undefined : (data as SealedFile)
    },
  }
}

/** The signers of an envelope by the digest of their magic link. */
function linksOf(record: EnvelopeRecord | undefined): Map<string, string> {
  return new Map(
    (record?.signers ?? []).flatMap(({ link_sha256, id }) =>
      link_sha256 === null ? [] : [[link_sha256, id]],
    ),
  )
}
