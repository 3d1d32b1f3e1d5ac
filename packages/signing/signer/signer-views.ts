import { isUtf8 } from 'node:buffer'
import type { Clock } from '#kernel/clock.ts'
import { conflict, Failure, notFound, required } from '#kernel/failure.ts'
import { copiesUntil, isSealing, requiredSigners } from '../envelopes/envelope-states.ts'
import { maxCodeAttempts } from '../limits.ts'
import type { EnvelopeDocumentRecord, SigningFiles } from '../ports.ts'
import { sealedFilename } from '../sealing/sealed-filename.ts'
import type { SignerRole } from '../status-schema.ts'
import { type SignerState, signerState } from './signer-state.ts'
import { isUnlocked, type Visit } from './signing-links.ts'
import type { UnmergedReason } from './unmerged-schema.ts'

type SignerViewDeps = { files: Pick<SigningFiles, 'stream' | 'head' | 'read'>; clock: Clock }

/** A file that the page offers. */
export type OfferedFile = {
  id: string
  filename: string
  mime_type: string
  size_bytes: number
  /** Why it will be attached to its certificate unchanged. */
  unmerged?: readonly UnmergedReason[]
}

/** The content of the page. In the state `code` it is only the form for the access code. */
export type SignerView =
  | { state: 'code'; remaining_attempts: number }
  | {
      state: SignerState
      office: string
      time_zone: string
      title: string
      message: string | null
      name: string
      role: SignerRole
      documents: OfferedFile[]
      sealed_copies: OfferedFile[]
      copies_until: string | null
      expires_at: string | null
      signed_at: string | null
      /** Whether it was this signer who declined. */
      has_declined: boolean
      /** How many of the required signers have signed. */
      signed_count: number
      required_count: number
      is_sealing: boolean
      /**
       * Whether the envelope was sent with mails. If not, signers still get the sealed copies by mail if the stage
       * sends mail.
       */
      sends_emails: boolean
    }

/** The views of a magic link: the page, the documents, and the sealed copies (S5, S6). They change nothing. */
export function signerViews({ files, clock }: SignerViewDeps) {
  return {
    show(visit: Visit, cookie: string | undefined): SignerView {
      const { envelope, signer, office } = visit
      if (!isUnlocked(visit, cookie))
        return { state: 'code', remaining_attempts: Math.max(0, maxCodeAttempts - signer.code_attempts) }
      const signers = requiredSigners(envelope.signers)
      return {
        state: signerState(envelope, signer, clock.now()),
        office: office.name,
        time_zone: office.time_zone,
        title: envelope.title,
        message: envelope.message,
        name: signer.name,
        role: signer.role,
        documents: envelope.documents.map(({ id, filename, mime_type, size_bytes, unmerged = [] }) => ({
          id,
          filename,
          mime_type,
          size_bytes,
          unmerged,
        })),
        sealed_copies: envelope.documents.map((document) => ({
          id: document.id,
          filename: sealedFilename(document),
          mime_type: 'application/pdf',
          size_bytes: document.sealed?.size_bytes ?? 0,
        })),
        copies_until: copiesUntil(envelope)?.toISOString() ?? null,
        expires_at: envelope.expires_at,
        signed_at: signer.signed_at,
        has_declined: signer.status === 'declined',
        signed_count: signers.filter(({ status }) => status === 'signed').length,
        required_count: signers.length,
        is_sealing: isSealing(envelope),
        sends_emails: envelope.sends_emails,
      }
    },

    /**
     * A document to sign, with the bytes pinned by the envelope.
     *
     * @throws Failure ENVELOPE_NOT_OPENED, NOT_YOUR_TURN, SIGNING_LINK_ENDED (completed: only the sealed copies are
     * left), DOCUMENT_NOT_FOUND
     */
    async document(visit: Visit, id: string) {
      const state = signerState(visit.envelope, visit.signer, clock.now())
      if (state === 'unopened') throw conflict('ENVELOPE_NOT_OPENED', 'Open the documents on the page first.')
      if (state === 'waiting' || state === 'watching')
        throw conflict('NOT_YOUR_TURN', 'It is not your turn yet.')
      if (state !== 'open' && state !== 'signed')
        throw new Failure(
          'gone',
          'SIGNING_LINK_ENDED',
          'The envelope is completed: only its sealed copies are available.',
        )
      const { key, filename, mime_type, size_bytes, sha256 } = documentOf(visit, id)
      return file({ key, filename, mime_type: await shownType(key, mime_type), size_bytes, sha256 })
    },

    /** A sealed copy. @throws Failure DOCUMENT_NOT_FOUND, also if it does not exist yet or the office has deleted it */
    async sealedCopy(visit: Visit, id: string) {
      const isCompleted = signerState(visit.envelope, visit.signer, clock.now()) === 'completed'
      const document = documentOf(visit, id)
      const { key, sha256, size_bytes } = document.sealed ?? {}
      if (!isCompleted || !key || !sha256 || !size_bytes) throw notFound('DOCUMENT_NOT_FOUND')
      required(await files.head(key), 'DOCUMENT_NOT_FOUND')
      return file({
        key,
        filename: sealedFilename(document),
        mime_type: 'application/pdf',
        size_bytes,
        sha256,
      })
    },
  }

  /** The media type. A text gets its charset, UTF-8 or Windows-1252 (D2), because browsers do not detect UTF-8. */
  async function shownType(key: string, mimeType: string): Promise<string> {
    if (mimeType !== 'text/plain') return mimeType
    return `text/plain; charset=${isUtf8(await files.read(key)) ? 'utf-8' : 'windows-1252'}`
  }

  function file(of: Omit<OfferedFile, 'id'> & { key: string; sha256: string }) {
    return {
      filename: of.filename,
      mimeType: of.mime_type,
      sizeBytes: of.size_bytes,
      version: of.sha256,
      open: (range: { first: number; last: number } | undefined) => files.stream(of.key, range),
    }
  }
}

function documentOf({ envelope }: Visit, id: string): EnvelopeDocumentRecord {
  const document = envelope.documents.find((one) => one.id === id)
  if (document === undefined) throw notFound('DOCUMENT_NOT_FOUND')
  return document
}
