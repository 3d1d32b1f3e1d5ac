import type { EvidenceSources } from '#deadlines/ports.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { documentEntity } from './document-entity.ts'

/** Documents as evidence that an act was done (F9): those whose bytes have arrived. */
export function documentEvidence(db: Db): Pick<EvidenceSources, 'documentExists'> {
  const documents = lazily(() => documentEntity(db))
  return {
    documentExists: async (workspaceId, documentId) => {
      const { data } = await documents.get({ workspace_id: workspaceId, id: documentId }).go(strongly)
      return data !== null && data.deleted_at === undefined && data.upload_expires_at === undefined
    },
  }
}
