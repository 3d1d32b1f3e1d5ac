import { Failure } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { LogOf } from '#kernel/log.ts'
import { answered, applyRule } from '#timeline/schema.ts'
import { serviceActor } from '../audit/audit-actors.ts'
import { envelopeChange, type MailRequest, mailsTo } from '../envelopes/envelope-change.ts'
import { isSealing, requiredSigners } from '../envelopes/envelope-states.ts'
import type {
  CopyToFile,
  EnvelopeChange,
  EnvelopeDocumentRecord,
  EnvelopeRecord,
  EnvelopeStore,
  SealedCopyRecord,
  SealedCopyStore,
  Sealer,
  SigningFiles,
  SigningWorkspaces,
} from '../ports.ts'
import type { EnvelopeToSeal } from '../queues.ts'
import { certificateOf, completedAt, type Pictures } from './certificate-of.ts'
import { sealedFilename } from './sealed-filename.ts'
import { BytesLost, faultToShow } from './sealing-fault.ts'

/** After this number of crashed attempts, a document is attached to its certificate unread. */
const maxAttempts = 3

export type CompletionDeps = {
  store: Pick<EnvelopeStore, 'find' | 'change'> & SealedCopyStore
  files: Pick<SigningFiles, 'head' | 'read' | 'put' | 'remove'>
  workspaces: SigningWorkspaces
  sealer: Sealer
  /** The key of a sealed copy in the bucket. It includes the digest of the bytes. */
  keyOf: (copy: { workspace_id: string; id: string; sha256: string }) => string
  log: LogOf<'warn'>
  clock: { now: () => Date }
}

/**
 * Completes envelopes that everybody has signed (S7): seals and files each document, then records `completed` with the
 * mails that follow. Each step is recorded before the next begins. So there is one sealed copy of each document, one
 * `completed`, and one mail to each person, even if a message comes twice or late, or a process crashes.
 *
 * 1. An attempt is counted before the sealing begins. After three crashes at a document, it is attached unread.
 * 2. Digest and key of the sealed copy are recorded before its bytes are stored. The next attempt files the stored
 *    copy.
 * 3. The document, its digest for `verify`, and `is_filed` are one transaction. A second worker removes its own
 *    bytes.
 * 4. `completed`, its audit entry, its timeline entry and the jobs of its mails are one transaction.
 */
export function completion(deps: CompletionDeps) {
  const { store, files, workspaces, sealer, keyOf, log, clock } = deps

  /** Changes the record of a sealed copy that is not filed yet. */
  const changeCopy = (
    { workspace_id, id }: EnvelopeRecord,
    documentId: string,
    change: (sealed: SealedCopyRecord) => Partial<SealedCopyRecord>,
  ): Promise<EnvelopeRecord> =>
    applyRule(store, workspace_id, id, (current) => {
      const sealed = unfiledCopy(current, documentId)
      return sealed && copyChange(current, documentId, { ...sealed, ...change(sealed) })
    })

  const sealDocument = async (
    envelope: EnvelopeRecord,
    document: EnvelopeDocumentRecord,
    parts: SharedParts,
  ) => {
    const original = await readVerified(document.key, document.sha256, `„${document.filename}“`)
    const begun = await changeCopy(envelope, document.id, ({ attempts }) => ({ attempts: attempts + 1 }))
    const attempts = unfiledCopy(begun, document.id)?.attempts
    if (attempts === undefined) return undefined
    const attachOnly = attempts > maxAttempts
    if (attachOnly) {
      const { workspace_id, id: envelope_id } = envelope
      log.warn('document attached unread', { workspace_id, envelope_id, id: document.id, attempts })
    }
    try {
      const certificate = certificateOf(begun, document, parts.office, parts.pictures)
      return await sealer.seal(original, certificate, { attachOnly })
    } catch (error) {
      // The sealer fails only for reasons outside the document, so such an attempt does not count.
      await changeCopy(envelope, document.id, (sealed) => ({
        attempts: Math.max(0, sealed.attempts - 1),
      })).catch(() => {})
      throw error
    }
  }

  /** Seals a document and stores the copy; undefined if another worker has filed a copy in the meantime. */
  const sealAndStore = async (
    envelope: EnvelopeRecord,
    document: EnvelopeDocumentRecord,
    parts: SharedParts,
  ): Promise<StoredCopy | undefined> => {
    const sealed = await sealDocument(envelope, document, parts)
    if (sealed === undefined || document.sealed === null) return undefined
    const { pdf, attachedBecause } = sealed
    const { document_id: id } = document.sealed
    const sha256 = hexDigest(pdf)
    const key = keyOf({ workspace_id: envelope.workspace_id, id, sha256 })
    const copy = { sha256, key, size_bytes: pdf.length }
    let replaced: string | null = null
    const recorded = await changeCopy(envelope, document.id, (before) => {
      replaced = before.key
      return { ...copy, attached_because: attachedBecause, attempts: 0 }
    })
    if (unfiledCopy(recorded, document.id) === undefined) return undefined
    if (replaced !== null && replaced !== key) await files.remove([replaced])
    await files.put(key, pdf, { mimeType: 'application/pdf', sha256 })
    return copy
  }

  /** The copy that an earlier attempt has stored but not filed. */
  const storedCopy = async ({ sealed }: EnvelopeDocumentRecord): Promise<StoredCopy | undefined> => {
    if (sealed === null || sealed.sha256 === null || sealed.key === null) return undefined
    const { sha256, key } = sealed
    const object = await files.head(key)
    return object?.sizeBytes === sealed.size_bytes ? { sha256, key, size_bytes: object.sizeBytes } : undefined
  }

  const fileDocument = async (
    { workspace_id, id, case_id }: EnvelopeRecord,
    documentId: string,
    copy: StoredCopy,
  ): Promise<void> => {
    const fileIn = (caseId: string | null) =>
      store.fileCopy(workspace_id, id, (current) =>
        answered(current, filingChange(current, documentId, copy, caseId), (after) => after),
      )
    const after = await fileIn(case_id).catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'CASE_NOT_FOUND') return fileIn(null)
      throw error
    })
    const sealed = after.documents.find((document) => document.id === documentId)?.sealed
    if (sealed?.key !== copy.key) await files.remove([copy.key])
    if (!sealed?.is_filed) throw new Error(`Another worker is sealing ${documentId} of ${id}.`)
  }

  /** @throws BytesLost */
  const readVerified = async (key: string, sha256: string, what: string): Promise<Uint8Array> => {
    const bytes = await files.read(key).catch(async (error: unknown) => {
      if ((await files.head(key)) === undefined) throw new BytesLost('bytes_missing', { key, what })
      throw error
    })
    if (hexDigest(bytes) !== sha256) throw new BytesLost('bytes_damaged', { key, what })
    return bytes
  }

  const sharedParts = async ({ workspace_id, signers }: EnvelopeRecord): Promise<SharedParts> => {
    const workspace = await workspaces.find(workspace_id)
    if (workspace === undefined) throw new Error(`There is no workspace ${workspace_id}.`)
    const pictures = new Map<string, Uint8Array>()
    for (const { id, name, signature } of requiredSigners(signers)) {
      const { picture_key, picture_sha256 } = signature ?? {}
      if (!picture_key || !picture_sha256) continue
      const what = `die gezeichnete Unterschrift von ${name}`
      pictures.set(id, await readVerified(picture_key, picture_sha256, what))
    }
    return { office: workspace.name, pictures }
  }

  /** Seals and files every document that is not filed. If one fails, the others are still filed. */
  const fileAll = async (envelope: EnvelopeRecord, signal: AbortSignal): Promise<void> => {
    const waiting = envelope.documents.filter(({ sealed }) => !sealed?.is_filed)
    if (waiting.length === 0) return
    const parts = await sharedParts(envelope)
    const faults: unknown[] = []
    for (const document of waiting) {
      signal.throwIfAborted()
      try {
        const copy = (await storedCopy(document)) ?? (await sealAndStore(envelope, document, parts))
        if (copy !== undefined) await fileDocument(envelope, document.id, copy)
      } catch (error) {
        faults.push(error)
      }
    }
    if (faults.length > 0) throw new AggregateError(faults, faults.map(String).join('; '))
  }

  /** If lost bytes caused the failure, records that in the envelope. The caller still handles the failure. */
  const recordLoss = async ({ workspace_id, id }: EnvelopeRecord, error: unknown): Promise<void> => {
    const errors: unknown[] = error instanceof AggregateError ? error.errors : [error]
    const loss = errors.find((one) => one instanceof BytesLost)
    if (loss === undefined) return
    await applyRule(store, workspace_id, id, (current) => {
      const shown = faultToShow(current, loss, clock.now())
      if (shown === undefined) return undefined
      const { status_reason, timeline } = shown
      return { ...envelopeChange(current, { fields: { status_reason }, events: [] }), timeline }
    })
  }

  return {
    /**
     * Completes an envelope; does nothing if it is not being sealed. Lost bytes are shown in its `status_reason` and in
     * the timeline of the case.
     *
     * @param signal ends the work before the next document
     * @throws if a document could not be sealed or filed; documents filed by then stay filed
     */
    async complete({ workspace_id, envelope_id }: EnvelopeToSeal, signal: AbortSignal): Promise<void> {
      const envelope = await store.find(workspace_id, envelope_id)
      if (envelope === undefined || !isSealing(envelope)) return
      await fileAll(envelope, signal).catch(async (error: unknown) => {
        await recordLoss(envelope, error).catch((failure: unknown) =>
          log.warn('lost bytes not shown', { workspace_id, envelope_id, error: String(failure) }),
        )
        throw error
      })
      await applyRule(store, workspace_id, envelope_id, (current) => completedChange(current, clock.now()))
    },
  }
}

/** The data that all certificates of an envelope share. */
type SharedParts = { office: string; pictures: Pictures }

type StoredCopy = { sha256: string; key: string; size_bytes: number }

/** The record of a sealed copy that is not filed; undefined if it is filed, or if the envelope is not being sealed. */
function unfiledCopy(envelope: EnvelopeRecord, documentId: string): SealedCopyRecord | undefined {
  const sealed = envelope.documents.find(({ id }) => id === documentId)?.sealed
  return sealed && !sealed.is_filed && isSealing(envelope) ? sealed : undefined
}

function copyChange(current: EnvelopeRecord, documentId: string, sealed: SealedCopyRecord): EnvelopeChange {
  const documents = current.documents.map((document) =>
    document.id === documentId ? { ...document, sealed } : document,
  )
  return envelopeChange(current, { fields: { documents }, events: [] })
}

/**
 * The change that files a copy; undefined if one is filed already, or if another worker has recorded a different one.
 */
function filingChange(
  current: EnvelopeRecord,
  documentId: string,
  { sha256, key, size_bytes }: StoredCopy,
  case_id: string | null,
): (EnvelopeChange & CopyToFile) | undefined {
  const sealed = unfiledCopy(current, documentId)
  const document = current.documents.find(({ id }) => id === documentId)
  if (sealed?.key !== key || document === undefined) return undefined
  const { id, title, signers } = current
  const filename = sealedFilename(document)
  return {
    ...copyChange(current, documentId, { ...sealed, is_filed: true }),
    copy: { document_id: sealed.document_id, filename, size_bytes, sha256, case_id },
    sealedFile: {
      sha256,
      answer: {
        known: true,
        envelope: { id, title, completed_at: completedAt(current) },
        document: { filename },
        signers: requiredSigners(signers).flatMap(({ name, signed_at }) =>
          signed_at === null ? [] : [{ name, signed_at }],
        ),
      },
    },
  }
}

/** The change to `completed`; undefined if the envelope is completed already. */
function completedChange(current: EnvelopeRecord, now: Date): EnvelopeChange | undefined {
  if (!isSealing(current)) return undefined
  const { documents, signers, created_by } = current
  if (documents.some(({ sealed }) => !sealed?.is_filed))
    throw new Error(`${current.id} has unsealed documents.`)
  const creator: MailRequest = { kind: 'completed', to: { user_id: created_by } }
  return envelopeChange(current, {
    fields: {
      status: 'completed',
      status_reason: null,
      completed_at: completedAt(current),
      seal_again_at: null,
    },
    events: [
      {
        at: now.toISOString(),
        actor: serviceActor,
        action: 'completed',
        details: {
          documents: documents.map(({ id, filename, sha256, sealed }) => ({
            id,
            filename,
            sha256,
            sealed_document_id: sealed?.document_id,
            sealed_sha256: sealed?.sha256,
            attached_because: sealed?.attached_because,
          })),
        },
      },
    ],
    mails: [...mailsTo('completed', signers), creator],
  })
}
