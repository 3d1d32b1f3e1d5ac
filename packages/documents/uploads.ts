import { newInboxState } from '#inbox/state-schema.ts'
import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { addDocuments, creationEntries, newRecord } from './new-documents.ts'
import { newParties, requireParties, withReservedParties } from './party-references.ts'
import type { DocumentDeps } from './ports.ts'
import type { Document, DocumentFields, InboxUpload } from './schema.ts'
import { checkFile, type SentFile } from './sent-file.ts'
import { documentViews } from './views.ts'

/** Files that are sent in the request itself, not to the bucket. */
export function uploads(deps: DocumentDeps) {
  const { store, parties, clock } = deps
  const views = documentViews(deps)

  return {
    /**
     * Stores a file (D1, D2). The file is durable before this resolves.
     *
     * @throws Failure VALIDATION_ERROR for an empty file, UNSUPPORTED_MEDIA_TYPE, CASE_NOT_FOUND,
     * FOLDER_NOT_FOUND, PARTY_NOT_FOUND
     */
    async upload(actor: Actor, file: SentFile, fields: DocumentFields): Promise<Answered<Document>> {
      const { workspace_id } = actor
      const { about, bytes } = await checkFile(file, 'body.file')
      const references = { case_id: fields.case_id ?? null, folder_id: fields.folder_id ?? null }
      await store.requireAll(workspace_id, references)
      const partyIds = [...new Set(fields.party_ids ?? [])]
      const names = await requireParties(parties, workspace_id, partyIds)
      const record = newRecord(clock, workspace_id, {
        ...about,
        ...references,
        parties: newParties(partyIds, names),
        source: 'upload',
      })
      const view = await views.viewNew(record)
      const timeline = creationEntries(clock, actor, record)
      return withReservedParties(parties, partyIds, [record], () =>
        addDocuments(deps, [{ record, bytes, timeline }], view),
      )
    },

    /** Stores the files of an inbox upload, all or none (D12). @throws Failure like `upload`; it names the file */
    async uploadToInbox(
      actor: Actor,
      sent: SentFile[],
      fields: { source?: string | undefined },
    ): Promise<Answered<InboxUpload>> {
      const checked = await Promise.all(sent.map((file, at) => checkFile(file, `body.files.${at}`)))
      const documents = checked.map(({ about, bytes }) => ({
        record: newRecord(clock, actor.workspace_id, {
          ...about,
          source: 'inbox',
          inbox: newInboxState(timestamp(clock)),
          metadata: fields.source ? { source: fields.source } : null,
        }),
        bytes,
      }))
      const answer: InboxUpload = {
        uploaded: documents.map(({ record }) => ({
          document_id: record.id,
          filename: record.filename,
          status: 'processing',
        })),
      }
      return addDocuments(deps, documents, answer)
    },
  }
}
