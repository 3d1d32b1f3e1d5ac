import { type MailRequest, mailsTo } from '../envelopes/envelope-change.ts'
import type { EnvelopeRecord } from '../ports.ts'

/**
 * The mails about an envelope that ended without being completed. They go to the user who created it, and to all
 * signers who got a mail about it or have one in the queue. A signer without a `mail_key` may have got an earlier mail:
 * if the office makes a new link, the key of the queued mail is removed.
 */
export function endNotices(
  { signers, created_by }: Pick<EnvelopeRecord, 'signers' | 'created_by'>,
  kind: Extract<MailRequest['kind'], 'declined' | 'expired'>,
): MailRequest[] {
  const mailed = signers.filter(({ mail_key, sent_at }) => mail_key !== null || sent_at !== null)
  return [{ kind, to: { user_id: created_by } }, ...mailsTo(kind, mailed)]
}
