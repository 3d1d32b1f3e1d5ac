import type { ExistingDocuments } from '#documents/existing-schema.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { readById } from '../batch.ts'
import type { Db } from '../db.ts'
import { documentEntity } from './document-entity.ts'

/**
 * The documents that a mail, a beA message or an envelope may use (M3, B7, S1): all that are not deleted. An announced
 * upload exists until it expires.
 *
 * @param deps.bytesKey the key of a document's bytes in the bucket
 */
export function existingDocuments(deps: {
  db: Db
  clock: Clock
  bytesKey: (document: { workspace_id: string; id: string; sha256: string | null }) => string
}): ExistingDocuments {
  const { db, clock, bytesKey } = deps
  const documents = documentEntity(db)
  return {
    findAll: async (workspaceId, ids) => {
      const items = await readById(db, documents, workspaceId, ids)
      const now = timestamp(clock)
      return items.flatMap((data) => {
        if (data.deleted_at !== undefined) return []
        if (data.upload_expires_at !== undefined && data.upload_expires_at <= now) return []
        const { id, filename, mime_type, size_bytes, sha256 = null, case_id = null } = data
        const { upload_expires_at, left_case_at } = data
        const key = bytesKey({ workspace_id: workspaceId, id, sha256 })
        const is_complete = upload_expires_at === undefined
        const is_protected = data.status_reason === 'password_protected'
        const about = { id, filename, mime_type, size_bytes, sha256, case_id, left_case_at }
        return [{ ...about, is_complete, is_protected, key }]
      })
    },
  }
}
