import type { Job } from '#jobs/job.ts'
import type { Clock } from '#kernel/clock.ts'
import type { Files } from '#kernel/files.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { derivedId } from '#kernel/id.ts'
import { inParallel, inParallelUpTo } from '#kernel/in-parallel.ts'
import { detectType } from './detect-type.ts'
import { shortenedFilename } from './filename.ts'
import { indexDigests, readDocuments } from './jobs.ts'
import { bytesKey } from './keys.ts'
import { documentsPerTransaction, newRecord, type WithDigest } from './new-documents.ts'
import type { DocumentChange, DocumentRecord, DocumentStore } from './ports.ts'
import { readStoredText } from './stored-text.ts'

/** A file attached to a mail. `mime_type` is the type that the mail states. */
export type AttachedFile = { filename: string; mime_type: string; bytes: Uint8Array }

/** An attached document, as its mail shows it. */
export type AttachedDocument = Pick<DocumentRecord, 'filename' | 'mime_type' | 'size_bytes'> & {
  document_id: string
}

/** Transactions that run at the same time. */
const transactionsAtOnce = 3

/** Documents per job `document.read`. */
const documentsPerJob = 50

/** Makes documents from the attachments of received mail (I3). */
export function attachedDocuments(deps: {
  store: Pick<DocumentStore, 'known' | 'addMissing' | 'findAll'>
  files: Pick<Files, 'put' | 'read'>
  clock: Clock
}) {
  const { store, files, clock } = deps

  /** Stores the bytes of the new documents, then their records. */
  const addSome = async (workspaceId: string, some: { record: WithDigest; bytes: Uint8Array }[]) => {
    const ids = some.map(({ record }) => record.id)
    const known = await store.known(workspaceId, ids)
    const missing = some.filter(({ record }) => !known.has(record.id))
    await inParallel(missing, ({ record, bytes }) =>
      files.put(bytesKey(record), bytes, { mimeType: record.mime_type, sha256: record.sha256 }),
    )
    const documents = missing.map(({ record: { id, sha256 } }) => ({ id, sha256 }))
    const changes = missing.map(
      ({ record }, at): DocumentChange => ({
        record,
        jobs: at === 0 ? [indexDigests.of({ workspace_id: workspaceId, documents })] : [],
      }),
    )
    await store.addMissing(workspaceId, changes)
  }

  return {
    /**
     * Makes a document from each file, byte for byte, without a case. The id of a document is derived from the id of
     * the mail and the position of the file. So a concurrent or later repetition adds no document twice, not even one
     * that was deleted meanwhile.
     *
     * A file whose text can be read is `pending`; the caller enqueues the jobs together with the change that writes the
     * ids of the documents into the mail. Every other file is `failed` at once: `empty` or `unsupported_type`.
     *
     * @returns the documents, in the order of the files, and the jobs that read them
     */
    async add(
      mail: { workspace_id: string; id: string },
      attached: AttachedFile[],
      signal: AbortSignal,
    ): Promise<{ documents: AttachedDocument[]; jobs: Job[] }> {
      const { workspace_id } = mail
      const documents: AttachedDocument[] = []
      const isPending: boolean[] = []
      const starts = attached.flatMap((_, at) => (at % documentsPerTransaction === 0 ? [at] : []))
      const addFrom = async (start: number) => {
        signal.throwIfAborted()
        const some = await Promise.all(
          attached.slice(start, start + documentsPerTransaction).map(async (file, at) => {
            const about = await aboutFile(file)
            const id = derivedId('document', mail.id, start + at)
            const from = { source: 'email', correspondence_id: mail.id } as const
            return { record: newRecord(clock, workspace_id, { ...about, ...from, id }), bytes: file.bytes }
          }),
        )
        await addSome(workspace_id, some)
        for (const [at, { record }] of some.entries()) {
          const { id: document_id, filename, mime_type, size_bytes, status } = record
          documents[start + at] = { document_id, filename, mime_type, size_bytes }
          isPending[start + at] = status === 'pending'
        }
      }
      await inParallelUpTo(transactionsAtOnce, starts, addFrom)
      const pending = documents.filter((_, at) => isPending[at]).map(({ document_id }) => document_id)
      const jobs: Job[] = []
      for (let start = 0; start < pending.length; start += documentsPerJob)
        jobs.push(readDocuments.of({ workspace_id, ids: pending.slice(start, start + documentsPerJob) }))
      return { documents, jobs }
    },

    /**
     * Finds the texts of these documents. `is_pending`: at least one document has not been read yet. `read` returns the
     * texts in order, null for a document that has none or was deleted.
     *
     * @param maxTexts the number of texts to find. Documents after the last of them are ignored
     */
    async texts(
      workspaceId: string,
      ids: string[],
      maxTexts: number,
    ): Promise<{ is_pending: boolean; read: () => Promise<(string | null)[]> }> {
      const found = new Map((await store.findAll(workspaceId, ids)).map((record) => [record.id, record]))
      const wanted = new Set<string>()
      let is_pending = false
      for (const id of ids) {
        const { status, extracted_text_length } = found.get(id) ?? {}
        if (wanted.size === maxTexts) break
        if (status === 'pending') is_pending = true
        if (status === 'processed' && extracted_text_length) wanted.add(id)
      }
      const read = () =>
        Promise.all(
          ids.map(async (id) =>
            wanted.has(id) ? (await readStoredText(files, { workspace_id: workspaceId, id })).text : null,
          ),
        )
      return { is_pending, read }
    },
  }
}

/** The media type of a file: detected in its content if its text can be read, otherwise the stated type. */
export async function mediaTypeOf(file: AttachedFile): Promise<string> {
  return (await typeOf(file)).mime_type
}

async function typeOf({ mime_type: declared, bytes }: AttachedFile) {
  const detected = await detectType(bytes)
  const isReadable = detected !== undefined && !(detected === 'text/plain' && isOtherTextFormat(declared))
  return { isReadable, mime_type: isReadable ? detected : validType(declared) }
}

async function aboutFile(file: AttachedFile) {
  const { filename, bytes } = file
  const { isReadable, mime_type } = await typeOf(file)
  const status_reason = bytes.length === 0 ? 'empty' : isReadable ? null : 'unsupported_type'
  return {
    filename: shortenedFilename(filename, mime_type),
    mime_type,
    size_bytes: bytes.length,
    sha256: hexDigest(bytes),
    status: status_reason === null ? ('pending' as const) : ('failed' as const),
    status_reason,
  }
}

/** Whether it is a text format other than plain text: calendars, messages, web pages, XML, JSON, signatures. */
function isOtherTextFormat(declared: string): boolean {
  return /^(?:text\/(?!plain\b)|message\/|application\/(?:.{1,100}\+)?(?:xml|json)\b|application\/pgp-)/i.test(
    declared,
  )
}

/** The type that the mail states, if it is a media type (RFC 2045). */
function validType(declared: string): string {
  const type = declared.trim().toLowerCase()
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/.test(type)
    ? type
    : 'application/octet-stream'
}
