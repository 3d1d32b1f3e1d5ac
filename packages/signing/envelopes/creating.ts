import type { Actor } from '#kernel/actor.ts'
import { conflict, Failure, notFound, requireKnown, unknownAt } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { entryOf } from '#timeline/schema.ts'
import type { AuditEvent } from '../audit/audit.ts'
import { userActor } from '../audit/audit-actors.ts'
import { maxTotalDocumentBytes } from '../limits.ts'
import type { EnvelopeDocumentRecord, EnvelopeRecord, SignableDocument, SignerRecord } from '../ports.ts'
import type { Envelope, EnvelopeInput, PromotionInput } from '../schema.ts'
import { envelopeChange } from './envelope-change.ts'
import { examineDocuments } from './examine-documents.ts'
import { requireExpiry } from './expiry-time.ts'
import { requireMailing, type SigningDeps } from './lookups.ts'
import { newSigners, signerDetails } from './new-signers.ts'
import { sendStep } from './send-step.ts'
import { envelopeView } from './views.ts'

/** Creating envelopes (S1). */
export function creatingEnvelopes(deps: SigningDeps) {
  const { store, documents: existingDocuments, files, cases, clock } = deps

  /**
   * @param place the path of the case id in the body, if it is there
   * @throws Failure CASE_NOT_FOUND, DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE, PAYLOAD_TOO_LARGE, in this order
   */
  const requireDocuments = async (
    { workspace_id }: Actor,
    caseId: string,
    ids: string[],
    place?: string,
  ): Promise<UploadedDocument[]> => {
    const [exists, found] = await Promise.all([
      cases.exists(workspace_id, caseId),
      existingDocuments.findAll(workspace_id, ids),
    ])
    if (!exists) throw notFound('CASE_NOT_FOUND', place === undefined ? undefined : unknownAt(place, caseId))
    const usable = found.filter(({ case_id }) => case_id === null || case_id === caseId)
    const byId = new Map(usable.map((document) => [document.id, document]))
    requireKnown(ids, byId, 'DOCUMENT_NOT_FOUND', 'body.document_ids')
    const complete = ids.flatMap((id) => byId.get(id) ?? []).map(requireUploaded)
    const bytes = complete.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
    if (bytes > maxTotalDocumentBytes) throw tooLarge()
    return complete
  }

  const add = async (
    actor: Actor,
    input: Omit<EnvelopeInput, 'document_ids' | 'signers'> & { case_id: string },
    chosen: UploadedDocument[],
    signers: SignerRecord[],
  ): Promise<Answered<Envelope>> => {
    const documents = await examineDocuments(files, chosen.map(envelopeDocument))
    const now = clock.now()
    const draft = draftOf(actor, input, { documents, signers, now })
    const auditActor = userActor(actor)
    const created: AuditEvent = {
      at: draft.created_at,
      actor: auditActor,
      action: 'created',
      details: createdDetails(draft),
    }
    const sent = input.send_emails
      ? sendStep(draft, { now, actor: auditActor, sendsEmails: true })
      : undefined
    const change = envelopeChange(draft, { ...sent, events: [created, ...(sent?.events ?? [])] })
    const assigned = chosen.filter(({ case_id }) => case_id === null)
    const entries = assigned.map(({ id, filename }) => ({
      case_id: input.case_id,
      entry: entryOf(clock, actor, {
        type: 'document.assigned',
        summary: `Dokument „${filename}“ der Akte zugeordnet`,
        ref: { type: 'document', id },
      }),
    }))
    return store.add({
      ...change,
      timeline: [...change.timeline, ...entries],
      assigned: assigned.map(({ id }) => id),
      answer: envelopeView(change.record, now),
    })
  }

  return {
    /**
     * Creates an envelope in a case: a draft or, with `send_emails`, one that is sent at once. Documents without a case
     * are assigned to this case. The envelope pins the bytes of its documents by digest.
     *
     * @throws Failure VALIDATION_ERROR, CASE_NOT_FOUND, DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE, PAYLOAD_TOO_LARGE,
     * MAIL_NOT_SENT (the stage sends no mail)
     */
    async create(
      actor: Actor,
      caseId: string,
      { document_ids, signers, ...input }: EnvelopeInput,
    ): Promise<Answered<Envelope>> {
      const now = clock.now()
      if (input.expires_at !== null) requireExpiry(input.expires_at, { now, sentAt: now })
      const chosen = await requireDocuments(actor, caseId, document_ids)
      if (input.send_emails) requireMailing(deps)
      return add(actor, { ...input, case_id: caseId }, chosen, await newSigners(signers))
    },

    /** Creates a draft without signers. @throws Failure as `create` */
    async promote(
      actor: Actor,
      { case_id, document_ids, title }: PromotionInput,
    ): Promise<Answered<Envelope>> {
      const chosen = await requireDocuments(actor, case_id, document_ids, 'body.case_id')
      const input = { title, signing_order: 'parallel', send_emails: false, case_id } as const
      return add(actor, { ...input, message: null, expires_at: null, reminders: null }, chosen, [])
    },
  }
}

/** A document whose bytes have arrived. */
type UploadedDocument = SignableDocument & { sha256: string }

/** @throws Failure UPLOAD_INCOMPLETE */
function requireUploaded(document: SignableDocument): UploadedDocument {
  const { sha256, is_complete, filename } = document
  if (!is_complete || sha256 === null) {
    throw conflict(
      'UPLOAD_INCOMPLETE',
      `The bytes of “${filename}” have not arrived yet: complete its upload first.`,
    )
  }
  return { ...document, sha256 }
}

function tooLarge(): Failure {
  return new Failure(
    'too_large',
    'PAYLOAD_TOO_LARGE',
    'The documents of an envelope may have at most 50 MiB together. Create several envelopes.',
  )
}

function draftOf(
  { workspace_id, user_id }: Actor,
  input: Omit<EnvelopeInput, 'document_ids' | 'signers'> & { case_id: string },
  parts: { documents: EnvelopeDocumentRecord[]; signers: SignerRecord[]; now: Date },
): EnvelopeRecord {
  const { case_id, title, signing_order, message, expires_at, reminders } = input
  return {
    workspace_id,
    id: newId('envelope'),
    case_id,
    title,
    status: 'draft',
    status_reason: null,
    signing_order,
    message,
    documents: parts.documents,
    signers: parts.signers,
    reminders,
    expires_at,
    created_by: user_id,
    created_at: parts.now.toISOString(),
    sent_at: null,
    completed_at: null,
    declined_at: null,
    voided_at: null,
    void_reason: null,
    sends_emails: false,
    expired_at: null,
    next_reminder_at: null,
    sealing_since: null,
    seal_again_at: null,
    mails_again_at: null,
    audit_seq: 0,
    audit_hash: '',
    version: 0,
  }
}

function envelopeDocument(document: UploadedDocument): EnvelopeDocumentRecord {
  const { id, filename, mime_type, size_bytes, sha256, key } = document
  return {
    id: newId('envelopeDocument'),
    document_id: id,
    filename,
    sha256,
    mime_type,
    size_bytes,
    key,
    sealed: null,
  }
}

function createdDetails(draft: EnvelopeRecord) {
  const { case_id, title, message, signing_order, expires_at, reminders, documents, signers } = draft
  return {
    case_id,
    title,
    message,
    signing_order,
    expires_at,
    reminders,
    documents: documents.map(({ id, document_id, filename, sha256, unmerged = [] }) => ({
      id,
      document_id,
      filename,
      sha256,
      ...(unmerged.length > 0 && { unmerged }),
    })),
    signers: signers.map(signerDetails),
  }
}
