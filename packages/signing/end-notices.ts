import { type MailRequest, mailsTo } from './envelope-change.ts'
import type { EnvelopeRecord } from './ports.ts'

/** Who is told by mail that an envelope ended without being completed: the user who created it, and all who were mailed because of it. */
export function endNotices(
  { signers, created_by }: Pick<EnvelopeRecord, 'signers' | 'created_by'>,
  kind: Extract<MailRequest['kind'], 'declined' | 'expired'>,
): MailRequest[] {
  const mailed = signers.filter(({ mail_key }) => mail_key !== null)
  return [{ kind, to: { user_id: created_by } }, ...mailsTo(kind, mailed)]
}
