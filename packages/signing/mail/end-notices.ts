import { type MailRequest, mailsTo } from '../envelopes/envelope-change.ts'
import type { EnvelopeRecord } from '../ports.ts'

/**
 * The mails about an envelope that ended without being completed. They go to the user who created it, and to all
 * signers who got a mail about it or have one in the queue. `mail_key` alone does not show this: a new link from the
 * office removes the `mail_key` of a queued mail, even if the signer got an earlier mail.
 */
export function endNotices(
  { signers, created_by }: Pick<EnvelopeRecord, 'signers' | 'created_by'>,
  kind: Extract<MailRequest['kind'], 'declined' | 'expired'>,
): MailRequest[] {
  const mailed = signers.filter(({ mail_key, sent_at }) => mail_key !== null || sent_at !== null)
  return [{ kind, to: { user_id: created_by } }, ...mailsTo(kind, mailed)]
}
