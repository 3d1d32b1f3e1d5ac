import type { Clock } from '#kernel/clock.ts'
import { failureOf } from '#kernel/failure.ts'
import type { Files } from '#kernel/files.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { shortenedFilename } from './filename.ts'
import { indexDigests, readDocuments } from './jobs.ts'
import { bytesKey } from './keys.ts'
import { documentsPerTransaction, newRecord } from './new-documents.ts'
import type { DocumentChange, DocumentStore } from './ports.ts'
import { documentTypes } from './schema.ts'

/** An attachment of a filed beA message. `key` is the key of its bytes, `document_id` the id of the new document. */
export type BeaAttachedFile = {
  document_id: string
  filename: string
  mime_type: string
  size_bytes: number
  sha256: string
  key: string
}

/**
 * Makes documents from the attachments of a filed beA message (B6), byte for byte. They are added directly to the case
 * `to`, in which the message has been since `at`, so that each document needs only one transaction. A deleted case
 * still gets them. If the case is being disposed of or no longer exists, they are in no case. Later they follow their
 * message (`follow-mail.ts`). A repetition adds no document twice, not even one that was deleted meanwhile. Documents
 * whose text can be read are enqueued for reading.
 *
 * @returns the ids of the added documents
 */
export function beaDocuments(deps: {
  store: Pick<DocumentStore, 'known' | 'addMissing'>
  files: Pick<Files, 'head' | 'copy'>
  clock: Clock
}) {
  const { store, files, clock } = deps
  return async (
    { workspace_id, id: correspondence_id }: { workspace_id: string; id: string },
    attached: BeaAttachedFile[],
    { to, at }: { to: string; at: string },
  ): Promise<ReadonlySet<string>> => {
    const made = new Set<string>()
    const ids = attached.map(({ document_id }) => document_id)
    const known = await store.known(workspace_id, ids)
    const missing = attached.filter(({ document_id }) => !known.has(document_id))
    for (let start = 0; start < missing.length; start += documentsPerTransaction) {
      const some = missing.slice(start, start + documentsPerTransaction).map((file) => {
        const { document_id: id, mime_type, size_bytes, sha256 } = file
        const reason = size_bytes === 0 ? 'empty' : isReadable(mime_type) ? null : 'unsupported_type'
        const record = newRecord(clock, workspace_id, {
          id,
          filename: shortenedFilename(file.filename, mime_type),
          mime_type,
          size_bytes,
          sha256,
          source: 'bea',
          correspondence_id,
          case_id: to,
          assigned_at: { case_id: at, mail: at },
          status: reason === null ? 'pending' : 'failed',
          status_reason: reason,
        })
        return { record, key: file.key }
      })
      await inParallel(some, async ({ record, key }) => {
        const object = await files.head(key)
        if (object === undefined) throw new Error(`The attachment ${key} is not in the bucket.`)
        await files.copy(key, bytesKey(record), { mimeType: record.mime_type, etag: object.etag })
      })
      const pending = some.filter(({ record }) => record.status === 'pending').map(({ record }) => record.id)
      const jobs = [
        indexDigests.of({
          workspace_id,
          documents: some.map(({ record: { id, sha256 } }) => ({ id, sha256 })),
        }),
        ...(pending.length === 0 ? [] : [readDocuments.of({ workspace_id, ids: pending })]),
      ]
      const changes = some.map(({ record }, at): DocumentChange => ({ record, jobs: at === 0 ? jobs : [] }))
      const added = await store.addMissing(workspace_id, changes).catch((error: unknown) => {
        if (failureOf(error)?.code !== 'CASE_NOT_FOUND') throw error
        return store.addMissing(workspace_id, changes.map(inNoCase))
      })
      for (const id of added) made.add(id)
    }
    return made
  }
}

function inNoCase({ record, ...change }: DocumentChange): DocumentChange {
  return { ...change, record: { ...record, case_id: null, assigned_at: {} } }
}

function isReadable(mimeType: string): boolean {
  return (documentTypes as readonly string[]).includes(mimeType)
}
