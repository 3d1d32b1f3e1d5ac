import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { isRefusal } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { requireAttachments } from './attachments.ts'
import type { DraftBodies } from './draft-bodies.ts'
import { type MailContent, requireRecipients } from './outgoing-mail.ts'
import type { AttachableDocument, DraftRecord, DraftStore, MailDocuments, MailFiles } from './ports.ts'

export type NewDraftDeps = {
  drafts: Pick<DraftStore, 'add'>
  bodies: DraftBodies
  files: Pick<MailFiles, 'remove'>
  documents: MailDocuments
  clock: Clock
}

/**
 * Adds a draft of the actor. Stores its body first, then its record.
 *
 * @param answerOf makes the answer from the record and its clean body
 * @throws Failure CASE_NOT_FOUND, DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE, ATTACHMENT_TOO_LARGE, PAYLOAD_TOO_LARGE,
 * VALIDATION_ERROR for more than 50 recipients or HTML that is too complicated
 */
export async function addDraft<Answer>(
  { drafts, bodies, files, documents, clock }: NewDraftDeps,
  { workspace_id, user_id }: Actor,
  content: MailContent,
  answerOf: (record: DraftRecord, body: string) => Answer,
  warnings: string[] = [],
): Promise<Answered<Answer>> {
  const { body_html, document_ids, ...fields } = content
  requireRecipients(content, 'body.to')
  const body = await bodies.clean(body_html)
  const attached = await requireAttachments(documents, workspace_id, document_ids, fields.attachments_as)
  const named = { workspace_id, id: newId('draft') }
  const now = timestamp(clock)
  const record: DraftRecord = {
    ...named,
    user_id,
    ...fields,
    attachments: attachmentsOf(attached),
    warnings,
    ...unsent,
    body_key: await bodies.store(named, body),
    created_at: now,
    updated_at: now,
    version: 1,
  }
  return drafts.add({ record, answer: answerOf(record, body) }).catch(async (error: unknown) => {
    if (isRefusal(error) && record.body_key !== null) await files.remove([record.body_key]).catch(() => {})
    throw error
  })
}

/** The state of a draft without a send: a new draft, or one that was changed after its send failed. */
export const unsent = { status: 'draft', correspondence_id: null, sending_since: null } as const

/** Attachments as a draft shows them. */
export function attachmentsOf(documents: AttachableDocument[]): DraftRecord['attachments'] {
  return documents.map(({ id, filename }) => ({ document_id: id, filename }))
}
