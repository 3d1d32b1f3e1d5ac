import type { Redact } from '#parties/erasure-ports.ts'
import { type Db, strongly } from '../db.ts'
import { documentEntity } from '../documents/document-entity.ts'
import { redactTriage } from '../inbox/redact-triage.ts'
import { change, retryStale, transact } from '../transact.ts'

/**
 * Takes data out of the name and triage of a document that was deleted while it was in no case (R5). No disposal
 * removes its record, which stays for the audit (G13).
 */
export function erasureInDeletedDocument(db: Db) {
  const items = documentEntity(db)
  return (workspace_id: string, id: string, redact: Redact): Promise<void> =>
    retryStale(async () => {
      const { data } = await items.get({ workspace_id, id }).go(strongly)
      if (data?.deleted_at === undefined || data.case_id !== undefined) return
      await redactTriage(db, workspace_id, id, redact)
      const filename = redact(data.filename)
      if (filename === data.filename) return
      const redacted = items
        .patch({ workspace_id, id })
        .set({ filename, version: data.version + 1 })
        .where(({ version }, { eq }) => eq(version, data.version))
      await transact(db, [change(redacted)])
    })
}
