import { serviceActor } from '../audit/audit-actors.ts'
import { endNotices } from '../mail/end-notices.ts'
import type { EnvelopeChange, EnvelopeRecord } from '../ports.ts'
import { envelopeChange } from './envelope-change.ts'
import { isOverdue } from './envelope-states.ts'

/**
 * The change that records the expiry of an envelope (S3); undefined if it has not expired by `now`, or if that is
 * recorded already. Everybody who got a mail, and the user who created the envelope, get a notice. The sweeper makes
 * this change, and so does each request that reads or changes the envelope.
 */
export function expiryChange(current: EnvelopeRecord, now: Date): EnvelopeChange | undefined {
  if (!isOverdue(current, now)) return undefined
  const { expires_at } = current
  return envelopeChange(current, {
    fields: { status: 'expired', expired_at: expires_at, next_reminder_at: null },
    events: [{ at: now.toISOString(), actor: serviceActor, action: 'expired', details: { expires_at } }],
    mails: endNotices(current, 'expired'),
  })
}
