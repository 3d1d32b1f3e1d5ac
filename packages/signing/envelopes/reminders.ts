import { dayMilliseconds } from '../limits.ts'
import type { EnvelopeRecord } from '../ports.ts'

/**
 * When the signers whose turn it is get the next automatic reminder after `now`: `first_after_days` after sending, then
 * every `repeat_every_days` (S4). Null if no reminders are set, or if the envelope was sent without mails.
 */
export function nextReminderAt(
  { reminders, sent_at, sends_emails }: Pick<EnvelopeRecord, 'reminders' | 'sent_at' | 'sends_emails'>,
  now: Date,
): string | null {
  if (reminders === null || sent_at === null || !sends_emails) return null
  const first = Date.parse(sent_at) + reminders.first_after_days * dayMilliseconds
  const period = reminders.repeat_every_days * dayMilliseconds
  const passed = Math.max(0, Math.floor((now.getTime() - first) / period) + 1)
  return new Date(first + passed * period).toISOString()
}
