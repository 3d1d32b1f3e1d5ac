import { conflict, Failure, requireKnown } from '#kernel/failure.ts'
import type { AttachableDocument, MailDocuments } from './ports.ts'
import { type Draft, maxAttachmentBytes } from './schema.ts'

/**
 * The documents with these ids, in the same order, if all of them can be attached (M3). Their text need not be read
 * yet.
 *
 * @param missing the failure if a document does not exist. Without it: DOCUMENT_NOT_FOUND
 * @throws Failure `missing`, UPLOAD_INCOMPLETE, ATTACHMENT_TOO_LARGE (only for `files`)
 */
export async function requireAttachments(
  documents: MailDocuments,
  workspaceId: string,
  ids: string[],
  attachmentsAs: Draft['attachments_as'],
  missing?: () => Failure,
): Promise<AttachableDocument[]> {
  if (ids.length === 0) return []
  const found = new Map((await documents.findAll(workspaceId, ids)).map((one) => [one.id, one]))
  const attached = ids.flatMap((id) => found.get(id) ?? [])
  if (attached.length < ids.length && missing !== undefined) throw missing()
  requireKnown(ids, found, 'DOCUMENT_NOT_FOUND', 'body.attachments')
  if (attached.some(({ is_complete }) => !is_complete)) {
    throw conflict(
      'UPLOAD_INCOMPLETE',
      'The bytes of an attached document have not arrived yet: complete its upload first.',
    )
  }
  const sizeBytes = attached.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  if (attachmentsAs === 'files' && sizeBytes > maxAttachmentBytes) {
    throw new Failure(
      'too_large',
      'ATTACHMENT_TOO_LARGE',
      'The attachments of a mail may have at most 6 MiB together. Send fewer, or send them as links (`attachments_as`).',
    )
  }
  return attached
}

/** A document was deleted after the draft was saved. */
export function attachmentGone(): Failure {
  return conflict(
    'ATTACHMENT_GONE',
    'An attached document was deleted. Nothing was sent: save the draft without it, then send it.',
  )
}
