import { serviceActor } from './audit-actors.ts'
import { endNotices } from './end-notices.ts'
import { envelopeChange } from './envelope-change.ts'
import { isOverdue } from './envelope-states.ts'
import type { EnvelopeChange, EnvelopeRecord } from './ports.ts'

/**
 * The change that records that the time of an envelope is over; undefined where it is not over at `now`, or recorded
 * already (S3). Those who had a mail, and the user who created it, are mailed. The schedule, and whoever reads or
 * changes the envelope, do the same.
 */
export function expire(current: EnvelopeRecord, now: Date): EnvelopeChange | undefined {
  if (!isOverdue(current, now)) return undefined
  const { expires_at } = current
  return envelopeChange(current, {
    fields: { status: 'expired', expired_at: expires_at, next_reminder_at: null },
    events: [{ at: now.toISOString(), actor: serviceActor, action: 'expired', details: { expires_at } }],
    mails: endNotices(current, 'expired'),
  })
}
