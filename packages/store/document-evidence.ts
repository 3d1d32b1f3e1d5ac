import type { EvidenceSources } from '#deadlines/ports.ts'
import type { Db } from './db.ts'
import { documentEntity } from './entities/document.ts'
import { lazily } from './lazily.ts'

/** Documents as evidence that a deadline was kept: those whose bytes are stored, and that are not deleted. */
export function documentEvidence(db: Db): EvidenceSources {
  const documents = lazily(() => documentEntity(db))
  return {
    documentExists: async (workspaceId, id) => {
      const { data } = await documents.get({ workspace_id: workspaceId, id }).go({ consistent: true })
      return data !== null && data.deleted_at === undefined && data.upload_expires_at === undefined
    },
  }
}
