import { type MailRequest, mailsTo } from '../envelopes/envelope-change.ts'
import type { EnvelopeRecord } from '../ports.ts'

/**
 * The mails about an envelope that ended without being completed: to the user who created it, and to everybody who got
 * a mail about it, or may still get one. A link that the office has made withdraws a queued mail, not the mails before
 * it.
 */
export function endNotices(
  { signers, created_by }: Pick<EnvelopeRecord, 'signers' | 'created_by'>,
  kind: Extract<MailRequest['kind'], 'declined' | 'expired'>,
): MailRequest[] {
  const mailed = signers.filter(({ mail_key, sent_at }) => mail_key !== null || sent_at !== null)
  return [{ kind, to: { user_id: created_by } }, ...mailsTo(kind, mailed)]
}
