import type { MessageFacts } from '#triage/facts-schema.ts'
import type { ReadAttachment, ReadMail } from './read-mail.ts'

/**
 * Facts that are not in the message itself. `texts` has the extracted text of each attachment, in order: null for an
 * attachment without text.
 */
export type ReceptionFacts = {
  received_on: MessageFacts['received_on']
  verdict: MessageFacts['verdict']
  texts: (string | null)[]
}

/** The facts of a message for the triage (I5). `from` is null if the header does not clearly name one sender. */
export function mailFacts(
  message: Omit<ReadMail, 'attachments'> & {
    attachments: Pick<ReadAttachment, 'filename' | 'mime_type'>[]
  },
  { received_on, verdict, texts }: ReceptionFacts,
): MessageFacts {
  const {
    from,
    has_clear_sender,
    subject,
    text,
    in_reply_to,
    references,
    headers,
    attachments,
    xjustiz,
    protection,
  } = message
  return {
    kind: 'mail',
    received_on,
    from: has_clear_sender ? from : null,
    subject,
    text,
    in_reply_to,
    references,
    headers,
    attachments: attachments.map(({ filename, mime_type }, at) => ({
      filename,
      mime_type,
      text: texts[at] ?? null,
    })),
    xjustiz,
    verdict,
    protection,
  }
}
