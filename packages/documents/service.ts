import { createHash, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EnqueueJobs, Job } from '#jobs/job.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, failureOf, invalid, notFound } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { bareUuid, newId } from '#kernel/id.ts'
import type { Page, PageOut, PageRequest } from '#kernel/page.ts'
import { timeLeft } from '#kernel/time-limit.ts'
import { type CaseTimelineEntry, entryOf, type TimelineEntry } from '#timeline/schema.ts'
import { assigned } from './assign.ts'
import { detectType } from './detect-type.ts'
import { cleanFilename } from './filename.ts'
import { assignDocuments, eraseFiles, fileDocuments, readDocuments } from './jobs.ts'
import { bytesKey, keysOf, textKey, uploadKey } from './keys.ts'
import type {
  BulkAssignmentOrder,
  DocumentParties,
  DocumentRecord,
  DocumentStore,
  DocumentWorkspaces,
  Files,
  ListedDocument,
  References,
} from './ports.ts'
import {
  type AnnouncedUpload,
  type Assignment,
  type BulkAssignment,
  type Document,
  type DocumentFields,
  type DocumentParty,
  type DocumentQuery,
  type DocumentType,
  documentTypes,
  ExtractedText,
  type InboxUpload,
  type Ingested,
  maxUploadBytes,
  type UploadInput,
  uploadHours,
} from './schema.ts'

export type DocumentService = ReturnType<typeof documentService>

/** A file as it was sent. */
type SentFile = { filename: string; bytes: Uint8Array }

/** Who pushes documents through the webhook: a workspace, nobody in it. */
export type Pusher = { workspace_id: string }

/** How long the address for them is good. A function's own credentials, which sign it, do not live for a day. */
const addressSeconds = 3_600

/** How long `extract` waits for a document that is being read (D8). */
const patienceMilliseconds = 18_000

/** Storing documents, giving them back, and saying where they belong. */
export function documentService(world: {
  store: DocumentStore
  files: Files
  parties: DocumentParties
  workspaces: DocumentWorkspaces
  enqueue: EnqueueJobs
  pageOut: PageOut
  clock: Clock
}) {
  const { store, files, parties, workspaces, enqueue, pageOut, clock } = world

  const found = async (workspaceId: string, id: string): Promise<DocumentRecord> => {
    const record = await store.find(workspaceId, id)
    if (record === undefined) throw notFound('DOCUMENT_NOT_FOUND')
    return record
  }

  /** A document whose bytes are here. @throws Failure DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE */
  const arrived = async (workspaceId: string, id: string): Promise<DocumentRecord> => {
    const record = await found(workspaceId, id)
    if (record.upload_expires_at !== null) throw incomplete()
    return record
  }

  /** Documents as they are shown: parties with the names they bear now, and who else has the same bytes. */
  const shownAll = async (workspaceId: string, records: ListedDocument[]): Promise<Document[]> => {
    const ids = [...new Set(records.flatMap((record) => record.parties.map((party) => party.id)))]
    const digests = new Set(records.flatMap(({ has_twins, sha256 }) => (has_twins ? (sha256 ?? []) : [])))
    const [names, twins] = await Promise.all([
      ids.length === 0 ? new Map<string, string>() : parties.names(workspaceId, ids),
      Promise.all(
        Array.from(digests, async (sha256) => [sha256, await store.duplicates(workspaceId, sha256)] as const),
      ).then((found) => new Map(found)),
    ])
    return records.map((record) => ({
      ...record,
      parties: record.parties.map((party) => ({ ...party, name: names.get(party.id) ?? party.name })),
      duplicate_of: record.has_twins ? others(record.id, twins.get(record.sha256 ?? '')) : [],
    }))
  }

  const others = (id: string, ids: string[] = []): string[] => ids.filter((twin) => twin !== id).slice(0, 100)

  const shown = async (record: DocumentRecord): Promise<Document> => {
    const [document] = await shownAll(record.workspace_id, [record])
    return document as Document
  }

  /**
   * Documents that were just written. Should the store no longer answer, they are shown as they were written: what
   * is stored must not be answered by an error for the sake of a party's present name or of a duplicate.
   */
  const shownWritten = (workspaceId: string, records: DocumentRecord[]): Promise<Document[]> =>
    shownAll(workspaceId, records).catch(
      unlessAnswered(records.map((record) => ({ ...record, duplicate_of: [] }))),
    )

  const shownChanged = async (record: DocumentRecord): Promise<Document> => {
    const [document] = await shownWritten(record.workspace_id, [record])
    return document as Document
  }

  /** A document that was just stored: who has the same bytes is asked, since its record was written before. */
  const shownNew = (record: DocumentRecord): Promise<Document> => shownChanged({ ...record, has_twins: true })

  /** Names of parties by id. @throws Failure PARTY_NOT_FOUND */
  const namesOf = async (workspaceId: string, ids: string[]): Promise<Map<string, string>> => {
    const names =
      ids.length === 0 ? new Map<string, string>() : await parties.names(workspaceId, [...new Set(ids)])
    if (ids.some((id) => !names.has(id))) throw notFound('PARTY_NOT_FOUND')
    return names
  }

  const newRecord = (
    workspaceId: string,
    about: Pick<DocumentRecord, 'filename' | 'mime_type' | 'size_bytes' | 'sha256' | 'source'> &
      Partial<DocumentRecord>,
  ): DocumentRecord => {
    const now = timestamp(clock)
    return {
      workspace_id: workspaceId,
      id: newId('document'),
      status: 'pending',
      status_reason: null,
      case_id: null,
      folder_id: null,
      parties: [],
      extracted_text_length: null,
      page_count: null,
      metadata: null,
      created_at: now,
      updated_at: now,
      has_twins: false,
      upload_expires_at: null,
      assigned_at: {},
      attempts: 0,
      attempted_at: null,
      version: 1,
      ...about,
    }
  }

  const added = (actor: Actor, record: DocumentRecord): CaseTimelineEntry[] => {
    if (record.case_id === null) return []
    const entry = entryOf(clock, actor, {
      type: 'document.created',
      summary: `Dokument „${record.filename}“ hinzugefügt`,
      ref: { type: 'document', id: record.id },
    })
    return [{ case_id: record.case_id, entry }]
  }

  const putBytes = (record: DocumentRecord, bytes: Uint8Array): Promise<void> =>
    files.put(bytesKey(record), bytes, { mimeType: record.mime_type, sha256: record.sha256 ?? '' })

  /** Bytes first, then the record (D1). What is refused after all leaves no bytes. */
  const addStored = async (
    documents: { record: DocumentRecord; bytes: Uint8Array }[],
    timelineEntriesOf: (record: DocumentRecord) => CaseTimelineEntry[],
  ): Promise<void> => {
    await Promise.all(documents.map(({ record, bytes }) => putBytes(record, bytes)))
    const jobs = accepted(documents.map(({ record }) => record))
    const changes = documents.map(({ record }, at) => ({
      record,
      timelineEntries: timelineEntriesOf(record),
      jobs: at === 0 ? jobs : [],
    }))
    await store.add(changes).catch(async (error: unknown) => {
      const isRefused = error instanceof Failure && error.kind !== 'unavailable'
      if (isRefused) await files.remove(documents.map(({ record }) => bytesKey(record))).catch(() => {})
      throw error
    })
  }

  /** Does the work that names a document's parties, none of which can be deleted meanwhile. */
  const withParties = async <Result>(
    record: DocumentRecord,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    if (record.parties.length === 0) return work()
    const ids = record.parties.map(({ id }) => id)
    const release = await parties.reserve(record.workspace_id, ids, [record.id])
    return work().finally(release)
  }

  return {
    /** A page of documents, newest first. */
    async list(actor: Actor, query: DocumentQuery): Promise<Page<Document>> {
      const page = await store.page(actor.workspace_id, query)
      return { data: await shownAll(actor.workspace_id, page.data), pagination: page.pagination }
    },

    /** @throws Failure DOCUMENT_NOT_FOUND */
    get: async (actor: Actor, id: string): Promise<Document> => shown(await found(actor.workspace_id, id)),

    /**
     * Stores a file (D1, D2). What it answers is durable.
     *
     * @throws Failure VALIDATION_ERROR for an empty file, UNSUPPORTED_MEDIA_TYPE, CASE_NOT_FOUND,
     * FOLDER_NOT_FOUND, PARTY_NOT_FOUND
     */
    async upload(actor: Actor, file: SentFile, fields: DocumentFields): Promise<Document> {
      const { workspace_id } = actor
      const checked = await checkedFile(file, 'body.file', documentTypes)
      const references = { case_id: fields.case_id ?? null, folder_id: fields.folder_id ?? null }
      await store.requireAll(workspace_id, references)
      const names = await namesOf(workspace_id, fields.party_ids ?? [])
      const record = newRecord(workspace_id, {
        ...checked.about,
        ...references,
        parties: partiesOf(fields.party_ids ?? [], names),
        source: 'upload',
      })
      await withParties(record, () => addStored([{ record, bytes: file.bytes }], () => added(actor, record)))
      return shownNew(record)
    },

    /** Stores the files of an inbox upload, all or none (D12). @throws Failure as `upload`, naming the file */
    async uploadToInbox(
      actor: Actor,
      sent: SentFile[],
      fields: { source?: string | undefined },
    ): Promise<InboxUpload> {
      const checked = await Promise.all(
        sent.map((file, at) => checkedFile(file, `body.files.${at}`, documentTypes)),
      )
      const documents = checked.map(({ about, bytes }) => ({
        record: newRecord(actor.workspace_id, {
          ...about,
          source: 'inbox',
          metadata: fields.source ? { source: fields.source } : null,
        }),
        bytes,
      }))
      await addStored(documents, () => [])
      return {
        uploaded: documents.map(({ record }) => ({
          document_id: record.id,
          filename: record.filename,
          status: 'processing',
        })),
      }
    },

    /**
     * Who may push documents into this workspace (D11): whoever shows its token, compared in constant time.
     *
     * @throws Failure WEBHOOK_TOKEN_INVALID, WORKSPACE_NOT_FOUND
     */
    async admitPusher(workspaceId: string, token: string | undefined): Promise<Pusher> {
      if (token === undefined || token === '') throw tokenRefused()
      const workspace = await workspaces.find(workspaceId)
      if (workspace === undefined) throw notFound('WORKSPACE_NOT_FOUND')
      const digest = (text: string) => createHash('sha256').update(text).digest()
      if (!timingSafeEqual(digest(token), digest(workspace.webhook_token))) throw tokenRefused()
      return { workspace_id: workspace.id }
    },

    /** Stores a file that another system pushed (D11). @throws Failure VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE */
    async ingest(
      { workspace_id }: Pusher,
      file: SentFile,
      fields: {
        folder_id?: string | null | undefined
        metadata?: Record<string, unknown> | null | undefined
      },
    ): Promise<Ingested> {
      requireContent(file, 'body.file')
      const references = { case_id: null, folder_id: fields.folder_id ?? null }
      await store.requireAll(workspace_id, references).catch(asMalformed)
      const pushed = documentTypes.filter((type) => type !== 'text/plain')
      const { about } = await checkedFile(file, 'body.file', pushed)
      const record = newRecord(workspace_id, {
        ...about,
        ...references,
        metadata: fields.metadata ?? null,
        source: 'webhook',
      })
      await addStored([{ record, bytes: file.bytes }], () => []).catch(asMalformed)
      return { status: 'ok', document_id: bareUuid(record.id), filename: record.filename }
    },

    /**
     * Announces a file that is too large for the gateway, and says where its bytes go (D3).
     *
     * @throws Failure PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, and as `upload`
     */
    async announce(actor: Actor, input: UploadInput): Promise<AnnouncedUpload> {
      const { workspace_id } = actor
      const mime_type = announcedType(input.mime_type)
      if (input.size_bytes > maxUploadBytes) {
        throw new Failure('too_large', 'PAYLOAD_TOO_LARGE', 'A file may have at most 200 MiB.')
      }
      const references = { case_id: input.case_id ?? null, folder_id: input.folder_id ?? null }
      await store.requireAll(workspace_id, references)
      const names = await namesOf(workspace_id, input.party_ids ?? [])
      const after = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000).toISOString()
      const record = newRecord(workspace_id, {
        filename: requireFilename(input.filename, mime_type, 'body.filename'),
        mime_type,
        size_bytes: input.size_bytes,
        sha256: input.sha256 ?? null,
        ...references,
        parties: partiesOf(input.party_ids ?? [], names),
        source: 'upload',
        upload_expires_at: after(uploadHours * 3_600),
      })
      const url = await files.presignPut(uploadKey(record), {
        mimeType: mime_type,
        sizeBytes: input.size_bytes,
        expiresInSeconds: addressSeconds,
      })
      await withParties(record, () => store.add([{ record, timelineEntries: [] }]))
      return {
        document: { ...record, duplicate_of: [] },
        upload: {
          method: 'PUT',
          url,
          headers: { 'Content-Type': mime_type },
          expires_at: after(addressSeconds),
        },
      }
    },

    /**
     * Takes over the bytes of an announced upload once they are what was announced (D3).
     *
     * @throws Failure DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE, UPLOAD_MISMATCH (the bytes are then removed)
     */
    async complete(actor: Actor, id: string): Promise<Document> {
      const record = await found(actor.workspace_id, id)
      if (record.upload_expires_at === null) return shown(record)
      const sha256 = await takeOver(files, record).catch(async (error: unknown) => {
        // Another call was faster and has taken the bytes away.
        const current = await found(actor.workspace_id, id)
        if (current.upload_expires_at === null) return undefined
        throw error
      })
      if (sha256 === undefined) return shown(await found(actor.workspace_id, id))
      const completed = await store.change(actor.workspace_id, id, (current) => {
        if (current.upload_expires_at === null) return undefined
        const after = {
          ...current,
          sha256,
          upload_expires_at: null,
          updated_at: timestamp(clock),
          version: current.version + 1,
        }
        return { record: after, timelineEntries: added(actor, after), jobs: accepted([after]) }
      })
      await files.remove([uploadKey(record)]).catch(() => {})
      return shownNew(completed)
    },

    /** The file itself. @throws Failure DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE */
    async download(actor: Actor, id: string) {
      const record = await arrived(actor.workspace_id, id)
      return {
        filename: record.filename,
        mimeType: record.mime_type,
        sizeBytes: record.size_bytes,
        version: record.sha256 ?? '',
        open: (range: { first: number; last: number } | undefined) => files.stream(bytesKey(record), range),
      }
    },

    /**
     * Its text (D8). Of a document that is just being read it waits for some seconds.
     *
     * @throws Failure DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE, EXTRACTION_PENDING, EXTRACTION_FAILED
     */
    async extract(actor: Actor, id: string): Promise<ExtractedText> {
      const until = performance.now() + Math.min(patienceMilliseconds, timeLeft() - 5_000)
      for (let pauseMilliseconds = 50; ; pauseMilliseconds = Math.min(1_000, pauseMilliseconds * 1.5)) {
        const record = await arrived(actor.workspace_id, id)
        if (record.status === 'failed') throw unreadable(record)
        if (record.status === 'processed') {
          const json = new TextDecoder().decode(await files.read(textKey(record)))
          return ExtractedText.parse(JSON.parse(json))
        }
        if (performance.now() + pauseMilliseconds > until) throw stillPending()
        await sleep(pauseMilliseconds)
      }
    },

    /** Its parties (D7). @throws Failure DOCUMENT_NOT_FOUND */
    async listParties(actor: Actor, id: string, request: PageRequest): Promise<Page<DocumentParty>> {
      const { parties } = await shown(await found(actor.workspace_id, id))
      return pageOut([actor.workspace_id, 'document_parties', id], parties, request, (party) => party.id)
    },

    /**
     * Says where a document belongs: case, folder, parties (D7).
     *
     * @throws Failure DOCUMENT_NOT_FOUND, CASE_NOT_FOUND, FOLDER_NOT_FOUND, PARTY_NOT_FOUND, VALIDATION_ERROR
     */
    async assign(actor: Actor, id: string, assignment: Assignment): Promise<Document> {
      const before = await found(actor.workspace_id, id)
      return withAssignment(actor, assignment, [before], async (order) =>
        shownChanged(await store.change(actor.workspace_id, id, (current) => assigned(current, order))),
      )
    },

    /** As `assign`, for several documents, all or none (D7). */
    async assignAll(actor: Actor, { document_ids, ...assignment }: BulkAssignment): Promise<Document[]> {
      const ids = [...new Set(document_ids)]
      const before = inOrder(ids, await store.findAll(actor.workspace_id, ids))
      return withAssignment(actor, assignment, before, async (order) => {
        // What the order would be refused for is found before it is given.
        for (const record of before) assigned(record, order)
        const { workspace_id } = actor
        await enqueue([assignDocuments.of({ workspace_id, ...order, document_ids: ids })])
        const after = await store
          .findAll(actor.workspace_id, ids)
          .then((records) => inOrder(ids, records))
          .catch(unlessAnswered(before))
        // One that was not reached yet is shown as it will be: the order is recorded.
        const settled = after.map((record) => assigned(record, order)?.record ?? record)
        return shownWritten(actor.workspace_id, settled)
      })
    },

    /** Deletes a document: gone from lists and search, its record kept for the audit (G13). @throws Failure DOCUMENT_NOT_FOUND */
    async remove(actor: Actor, id: string): Promise<void> {
      await store.remove(actor.workspace_id, id, (current) => {
        const entry = entryOf(clock, actor, {
          type: 'document.deleted',
          summary: `Dokument „${current.filename}“ gelöscht`,
          ref: { type: 'document', id },
        })
        return {
          deleted_at: entry.occurred_at,
          timelineEntries: current.case_id === null ? [] : [{ case_id: current.case_id, entry }],
          jobs: [eraseFiles.of({ keys: keysOf(current) })],
        }
      })
    },
  }

  /** Carries out an assignment whose places and parties exist; the parties cannot be deleted meanwhile. */
  async function withAssignment<Result>(
    actor: Actor,
    assignment: Assignment,
    records: DocumentRecord[],
    carryOut: (order: Omit<BulkAssignmentOrder, 'document_ids'>) => Promise<Result>,
  ): Promise<Result> {
    const { workspace_id } = actor
    const references: References = {
      case_id: assignment.case_id ?? null,
      folder_id: assignment.folder_id ?? null,
    }
    await store.requireAll(workspace_id, references)
    const { party_ids, primary_party_id } = assignment
    const ids = [...new Set([...(party_ids ?? []), ...(primary_party_id ? [primary_party_id] : [])])]
    const names = await namesOf(workspace_id, ids)
    const order = {
      assignment,
      party_names: Object.fromEntries(names),
      actor: teller(actor),
      at: laterThan(records, timestamp(clock)),
    }
    const named = [...new Set(party_ids ?? [])]
    if (named.length === 0) return carryOut(order)
    const release = await parties.reserve(
      workspace_id,
      named,
      records.map(({ id }) => id),
    )
    return carryOut(order).finally(release)
  }
}

/** What follows once the bytes of these documents of a workspace are stored. */
function accepted(records: DocumentRecord[]): Job[] {
  const [first] = records
  if (first === undefined) return []
  const { workspace_id } = first
  return [
    readDocuments.of({ workspace_id, ids: records.map(({ id }) => id) }),
    fileDocuments.of({
      workspace_id,
      documents: records.map(({ id, sha256 }) => ({ id, sha256 })),
    }),
  ]
}

/** The name, type and digest of a file. @throws Failure VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE */
async function checkedFile(file: SentFile, place: string, types: readonly DocumentType[]) {
  requireContent(file, place)
  const mime_type = await detectType(file.bytes)
  if (mime_type === undefined || !types.includes(mime_type)) {
    throw new Failure(
      'unsupported_media',
      'UNSUPPORTED_MEDIA_TYPE',
      `${quoted(file)} is of no accepted type: send PDF, DOCX, DOC, PNG, JPG${types.includes('text/plain') ? ', TIFF or plain text' : ' or TIFF'}.`,
    )
  }
  const about = {
    filename: requireFilename(file.filename, mime_type, place),
    mime_type,
    size_bytes: file.bytes.length,
    sha256: hexDigest(file.bytes),
  }
  return { about, bytes: file.bytes }
}

function requireContent(file: SentFile, place: string): void {
  if (file.bytes.length > 0) return
  throw invalid(`${quoted(file)} is empty.`, [{ path: place, message: 'An empty file cannot be stored.' }])
}

function requireFilename(sent: string, mimeType: string, place: string): string {
  const name = cleanFilename(sent, mimeType)
  if (name !== undefined) return name
  throw invalid('The name of the file is too long.', [{ path: place, message: 'At most 500 characters.' }])
}

function quoted({ filename }: SentFile): string {
  return `The file "${(cleanFilename(filename, '') ?? filename).slice(0, 200)}"`
}

/** The accepted type that an announcement names. @throws Failure UNSUPPORTED_MEDIA_TYPE */
function announcedType(text: string): DocumentType {
  const [name = ''] = text.toLowerCase().split(';')
  const type = synonyms[name.trim()] ?? name.trim()
  const accepted = documentTypes.find((candidate) => candidate === type)
  if (accepted !== undefined) return accepted
  throw new Failure(
    'unsupported_media',
    'UNSUPPORTED_MEDIA_TYPE',
    `mime_type must be one of ${documentTypes.join(', ')}.`,
  )
}

const synonyms: Record<string, DocumentType> = {
  'image/jpg': 'image/jpeg',
  'image/tif': 'image/tiff',
  'application/x-pdf': 'application/pdf',
}

/**
 * Checks the bytes that arrived against what was announced, and copies exactly those to their place.
 *
 * @returns their SHA-256.
 */
async function takeOver(files: Files, record: DocumentRecord): Promise<string> {
  const key = uploadKey(record)
  const object = await files.head(key)
  if (object === undefined) throw incomplete()
  const mismatch = async (field: string): Promise<Failure> => {
    await files.remove([key])
    return new Failure(
      'unprocessable',
      'UPLOAD_MISMATCH',
      `The bytes that arrived are not those that were announced (${field}). Send them again.`,
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
  await files.copy(key, bytesKey({ ...record, sha256 }), { mimeType: record.mime_type, etag: object.etag })
  return sha256
}

/** A time for a new order: now, or, since clocks differ, just after all that these documents were assigned before. */
function laterThan(records: DocumentRecord[], now: string): string {
  const before = records
    .flatMap((record) => Object.values(record.assigned_at))
    .map((at) => Date.parse(at ?? ''))
  const latest = before.reduce((one, other) => Math.max(one, other), 0)
  return new Date(Math.max(Date.parse(now), latest + 1)).toISOString()
}

/** Each once, in the order given; the first is the primary one (D4). */
function partiesOf(ids: string[], names: ReadonlyMap<string, string>): DocumentParty[] {
  return [...new Set(ids)].map((id, at) => ({ id, name: names.get(id) ?? '', is_primary: at === 0 }))
}

/** @throws Failure DOCUMENT_NOT_FOUND where one is missing */
function inOrder(ids: string[], records: DocumentRecord[]): DocumentRecord[] {
  const byId = new Map(records.map((record) => [record.id, record]))
  return ids.map((id) => {
    const record = byId.get(id)
    if (record === undefined) throw notFound('DOCUMENT_NOT_FOUND')
    return record
  })
}

/** What takes the place of a read that got no answer. */
function unlessAnswered<Value>(inHand: Value): (error: unknown) => Value {
  return (error) => {
    if (failureOf(error)?.kind !== 'unavailable') throw error
    return inHand
  }
}

function teller(actor: Actor): TimelineEntry['actor'] {
  return { type: 'user', id: actor.user_id, name: actor.user_name }
}

function incomplete(): Failure {
  return new Failure(
    'conflict',
    'UPLOAD_INCOMPLETE',
    'The bytes of this document have not arrived yet: send them, then complete the upload.',
  )
}

function stillPending(): Failure {
  return new Failure(
    'conflict',
    'EXTRACTION_PENDING',
    'The document is still being read. Try again in a moment.',
    { retryAfterSeconds: 10 },
  )
}

function unreadable({ status_reason }: DocumentRecord): Failure {
  const reason = status_reason ?? 'corrupt'
  return new Failure('unprocessable', 'EXTRACTION_FAILED', `The document cannot be read: ${reason}.`, {
    details: [{ path: 'status_reason', message: reason }],
  })
}

function tokenRefused(): Failure {
  return new Failure(
    'unauthenticated',
    'WEBHOOK_TOKEN_INVALID',
    'Send the webhook token of the workspace as X-Service-Token.',
  )
}

/** The webhook knows no 404 but that of the workspace: what its form names in vain is malformed (D11). */
function asMalformed(error: unknown): never {
  if (error instanceof Failure && error.code === 'FOLDER_NOT_FOUND') {
    throw invalid('There is no folder with this id in the workspace.', [
      { path: 'body.folder_id', message: 'This folder does not exist.' },
    ])
  }
  throw error
}
