import type { DocumentRecord } from '#documents/ports.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { getsById, readAll } from '../batch.ts'
import { type Db, strongly } from '../db.ts'
import { documentEntity } from './document-entity.ts'
import { type DocumentItem, documentRecord } from './document-record.ts'

/** Reads the records of documents, without deleted documents and expired uploads. */
export function documentRecords({ db, clock }: { db: Db; clock: Clock }) {
  const documents = documentEntity(db)

  const recordOf = (data: DocumentItem | null): DocumentRecord | undefined =>
    data === null || data.deleted_at !== undefined || isOver(data.upload_expires_at, clock)
      ? undefined
      : documentRecord(data)

  return {
    find: async (workspaceId: string, id: string): Promise<DocumentRecord | undefined> => {
      const { data } = await documents.get({ workspace_id: workspaceId, id }).go(strongly)
      return recordOf(data)
    },

    /** The documents of these ids, in no particular order. */
    findAll: async (workspaceId: string, ids: string[]): Promise<DocumentRecord[]> => {
      const items = await readAll(
        db,
        getsById(ids, (id) => documents.get({ workspace_id: workspaceId, id })),
      )
      return items.flatMap((item) => recordOf(documents.parse({ Item: item }).data) ?? [])
    },

    /** The existing ids among these, including deleted documents, with the digests of the accepted bytes. */
    known: async (workspaceId: string, ids: string[]): Promise<Map<string, string | null>> => {
      const items = await readAll(
        db,
        getsById(ids, (id) => documents.get({ workspace_id: workspaceId, id })),
      )
      return new Map(
        items.flatMap((item) => {
          const { data } = documents.parse({ Item: item })
          if (data === null) return []
          // The digest of an announced upload is what the client says.
          return [[data.id, data.upload_expires_at === undefined ? (data.sha256 ?? null) : null]]
        }),
      )
    },
  }
}

/** Whether an announced upload has expired. */
export function isOver(expiresAt: string | undefined, clock: Clock): boolean {
  return expiresAt !== undefined && expiresAt <= timestamp(clock)
}
