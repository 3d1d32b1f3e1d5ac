import { createHash } from 'node:crypto'
import { newInboxState } from '#inbox/state-schema.ts'
import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { conflict, Failure, notFound } from '#kernel/failure.ts'
import { type Answered, unchanged } from '#kernel/idempotency.ts'
import { detectType } from './detect-type.ts'
import type { Pusher } from './ingestion.ts'
import { bytesKey, uploadKey } from './keys.ts'
import { acceptedJobs, creationEntries, newRecord, type WithDigest } from './new-documents.ts'
import { newParties, requireParties, withReservedParties } from './party-references.ts'
import type { DocumentDeps, DocumentRecord } from './ports.ts'
import {
  type AnnouncedUpload,
  type Document,
  type DocumentType,
  documentTypes,
  maxUploadBytes,
  type PushedUploadInput,
  pushedTypes,
  type UploadInput,
  uploadHours,
} from './schema.ts'
import { requireFilename } from './sent-file.ts'
import { documentViews, requireDocument } from './views.ts'

/** How long an upload URL is valid. It must expire before the credentials of the function that signs it. */
const uploadUrlSeconds = 3_600

/**
 * Uploads that are too large for the gateway: the client announces a file, sends it to S3, and completes the upload (D3).
 */
export function announcedUploads(deps: DocumentDeps) {
  const { store, files, parties, clock } = deps
  const views = documentViews(deps)

  /** A new record without bytes, and the answer with the upload URL for them. @throws Failure like `announce` */
  const newUpload = async (
    workspace_id: string,
    input: Omit<UploadInput, 'case_id' | 'party_ids'>,
    types: readonly DocumentType[],
    about: Pick<DocumentRecord, 'source'> & Partial<DocumentRecord>,
  ) => {
    const mime_type = announcedType(input.mime_type, types)
    if (input.size_bytes > maxUploadBytes) {
      const message = 'A file may have at most 200 MiB.'
      throw new Failure('too_large', 'PAYLOAD_TOO_LARGE', message, {
        details: [{ path: 'body.size_bytes', message }],
      })
    }
    const after = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000).toISOString()
    const record = newRecord(clock, workspace_id, {
      filename: requireFilename(input.filename, mime_type, 'body.filename'),
      mime_type,
      size_bytes: input.size_bytes,
      sha256: input.sha256 ?? null,
      folder_id: input.folder_id ?? null,
      upload_expires_at: after(uploadHours * 3_600),
      ...about,
    })
    const { case_id, folder_id } = record
    await store.requireAll(workspace_id, { case_id, folder_id })
    const url = await files.presignPut(uploadKey(record), {
      mimeType: mime_type,
      sizeBytes: input.size_bytes,
      expiresInSeconds: uploadUrlSeconds,
    })
    const answer: AnnouncedUpload = {
      document: { ...record, duplicate_of: [] },
      upload: {
        method: 'PUT',
        url,
        headers: { 'Content-Type': mime_type },
        expires_at: after(uploadUrlSeconds),
      },
    }
    return { record, answer }
  }

  /**
   * Accepts the bytes of an announced upload if they match the announcement.
   *
   * @param readView is called before the change. It reads what the answer needs, and returns the function that makes
   *   the answer
   * @returns undefined if another call has accepted them
   * @throws Failure UPLOAD_INCOMPLETE, UPLOAD_MISMATCH (the bytes are then removed)
   */
  const accept = async (
    record: DocumentRecord,
    by: Parameters<typeof creationEntries>[1],
    readView: (record: WithDigest) => Promise<(after: DocumentRecord) => Document>,
  ): Promise<Answered<Document> | undefined> => {
    if (record.upload_expires_at === null) return undefined
    const { workspace_id, id } = record
    const sha256 = await acceptBytes(deps, record).catch(async (error: unknown) => {
      // Another call was faster and has removed the bytes.
      const current = await requireDocument(store, workspace_id, id)
      if (current.upload_expires_at === null) return undefined
      throw error
    })
    if (sha256 === undefined) return undefined
    const viewOf = await readView({ ...record, sha256 })
    const completed = await store.change(workspace_id, id, (current) => {
      if (current.upload_expires_at === null) return { answer: viewOf(current) }
      const isUnfiled = current.case_id === null && current.folder_id === null
      const after = {
        ...current,
        sha256,
        upload_expires_at: null,
        ...(current.source === 'webhook' && isUnfiled && { inbox: newInboxState(timestamp(clock)) }),
        updated_at: timestamp(clock),
        version: current.version + 1,
      }
      return {
        record: after,
        timeline: creationEntries(clock, by, after),
        jobs: acceptedJobs([after]),
        answer: viewOf(after),
      }
    })
    await files.remove([uploadKey(record)]).catch(() => {})
    return completed
  }

  return {
    /**
     * Announces a file, and answers with the upload URL for its bytes.
     *
     * @throws Failure PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR, CASE_NOT_FOUND,
     * FOLDER_NOT_FOUND, PARTY_NOT_FOUND
     */
    async announce({ workspace_id }: Actor, input: UploadInput): Promise<Answered<AnnouncedUpload>> {
      const partyIds = [...new Set(input.party_ids ?? [])]
      const names = await requireParties(parties, workspace_id, partyIds)
      const { record, answer } = await newUpload(workspace_id, input, documentTypes, {
        case_id: input.case_id ?? null,
        parties: newParties(partyIds, names),
        source: 'upload',
      })
      return withReservedParties(parties, partyIds, [record], () => store.add([{ record }], answer))
    },

    /**
     * Completes an announced upload. A second call changes nothing.
     *
     * @throws Failure DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE, UPLOAD_MISMATCH (the bytes are then removed)
     */
    async complete(actor: Actor, id: string): Promise<Answered<Document>> {
      const record = await requireDocument(store, actor.workspace_id, id)
      const completed = await accept(record, actor, async (withDigest) => {
        const { duplicate_of, parties: named } = await views.viewNew(withDigest)
        return (document) => ({ ...document, duplicate_of, parties: named })
      })
      if (completed !== undefined) return completed
      return unchanged(await views.view(await requireDocument(store, actor.workspace_id, id)))
    },

    /**
     * Announces a file of a system that has the webhook token (D14).
     *
     * @throws Failure PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR, FOLDER_NOT_FOUND
     */
    async announcePushed({ workspace_id }: Pusher, input: PushedUploadInput): Promise<AnnouncedUpload> {
      const { record, answer } = await newUpload(workspace_id, input, pushedTypes, {
        metadata: input.metadata ?? null,
        source: 'webhook',
      })
      return store.add([{ record }], answer)
    },

    /**
     * Completes an upload that was announced with the webhook token. A document without a folder enters the inbox. The
     * answer does not contain the case, the parties and the duplicates.
     *
     * @throws Failure like `complete`; DOCUMENT_NOT_FOUND for a document from another source
     */
    async completePushed({ workspace_id }: Pusher, id: string): Promise<Document> {
      const record = await requireDocument(store, workspace_id, id)
      if (record.source !== 'webhook') throw notFound('DOCUMENT_NOT_FOUND')
      const completed = await accept(record, webhookActor, async () => asPushed)
      return completed ?? asPushed(await requireDocument(store, workspace_id, id))
    },
  }
}

const webhookActor = { type: 'external' as const, id: null, name: 'Webhook' }

/** The view of a document for the system that pushed it. */
function asPushed(record: DocumentRecord): Document {
  return { ...record, case_id: null, parties: [], duplicate_of: [] }
}

/**
 * Compares the uploaded bytes with the announcement, and copies exactly these bytes to their final key. If the process
 * dies before the record is changed, the sweeper removes the copy (D13).
 *
 * @returns the SHA-256 of the bytes
 */
async function acceptBytes(
  { files, store }: Pick<DocumentDeps, 'files' | 'store'>,
  record: DocumentRecord,
): Promise<string> {
  const key = uploadKey(record)
  const object = await files.head(key)
  if (object === undefined) throw incomplete()
  const mismatch = async (field: string): Promise<Failure> => {
    await files.remove([key])
    return new Failure(
      'unprocessable',
      'UPLOAD_MISMATCH',
      `The uploaded bytes differ from the announcement (${field}). Send them again.`,
    )
  }
  if (object.sizeBytes !== record.size_bytes) throw await mismatch('size_bytes')
  const read = (offset: number, lengthBytes: number) => {
    const last = Math.min(offset + lengthBytes, object.sizeBytes) - 1
    return last < offset ? Promise.resolve(new Uint8Array()) : files.read(key, { first: offset, last })
  }
  const type = await detectType({ sizeBytes: object.sizeBytes, read })
  if (type !== record.mime_type) throw await mismatch('mime_type')
  const hash = createHash('sha256')
  for await (const chunk of await files.stream(key)) hash.update(chunk)
  const sha256 = hash.digest('hex')
  if (record.sha256 !== null && record.sha256 !== sha256) throw await mismatch('sha256')
  await store.noteBytes([{ ...record, sha256 }])
  await files.copy(key, bytesKey({ ...record, sha256 }), { mimeType: record.mime_type, etag: object.etag })
  return sha256
}

/** The type of an announced file. @throws Failure UNSUPPORTED_MEDIA_TYPE if it is not accepted */
function announcedType(text: string, types: readonly DocumentType[]): DocumentType {
  const [name = ''] = text.toLowerCase().split(';')
  const type = synonyms[name.trim()] ?? name.trim()
  const accepted = types.find((candidate) => candidate === type)
  if (accepted !== undefined) return accepted
  const message = `\`mime_type\` must be one of ${types.join(', ')}.`
  throw new Failure('unsupported_media', 'UNSUPPORTED_MEDIA_TYPE', message, {
    details: [{ path: 'body.mime_type', message }],
  })
}

const synonyms: Record<string, DocumentType> = {
  'image/jpg': 'image/jpeg',
  'image/tif': 'image/tiff',
  'application/x-pdf': 'application/pdf',
}

/** The refusal of a request that needs the bytes before they have arrived. */
export function incomplete(): Failure {
  return conflict(
    'UPLOAD_INCOMPLETE',
    'The bytes of this document have not arrived yet: send them, then complete the upload.',
  )
}
