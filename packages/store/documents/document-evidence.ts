import type { EvidenceSources } from '#deadlines/ports.ts'
import { fieldsById } from '../batch.ts'
import { type Db, strongly } from '../db.ts'
import { documentEntity } from './document-entity.ts'

/** Documents as evidence that an act was done (F9): those whose bytes have arrived. Deleted ones keep their names. */
export function documentEvidence(db: Db): Pick<EvidenceSources, 'documentExists' | 'documentNames'> {
  const documents = documentEntity(db)
  return {
    documentExists: async (workspaceId, documentId) => {
      const { data } = await documents.get({ workspace_id: workspaceId, id: documentId }).go(strongly)
      return data !== null && data.deleted_at === undefined && data.upload_expires_at === undefined
    },
    documentNames: async (workspace_id, ids) => {
      const found = await fieldsById(db, documents, workspace_id, ids, ['filename'])
      return new Map([...found].map(([id, { filename }]) => [id, filename]))
    },
  }
}
