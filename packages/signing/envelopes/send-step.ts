import { Failure } from '#kernel/failure.ts'
import type { AuditEvent } from '../audit/audit.ts'
import type { EnvelopeRecord } from '../ports.ts'
import { type EnvelopeStep, mailsTo } from './envelope-change.ts'
import { requiredSigners, whoseTurn } from './envelope-states.ts'
import { defaultExpiry, requireExpiry } from './expiry-time.ts'
import { nextReminderAt } from './reminders.ts'

/**
 * The step that sends a draft (S3, S4): it becomes `sent` and gets its expiry. The signers whose turn it is get a mail,
 * unless it is sent without mails.
 *
 * @throws Failure NO_SIGNERS if nobody has to act; VALIDATION_ERROR if its expiry has passed
 */
export function sendStep(
  draft: EnvelopeRecord,
  { now, actor, sendsEmails }: { now: Date; actor: AuditEvent['actor']; sendsEmails: boolean },
): Required<Pick<EnvelopeStep, 'fields' | 'events' | 'mails'>> {
  if (requiredSigners(draft.signers).length === 0) throw noSigners()
  if (draft.expires_at !== null) requireExpiry(draft.expires_at, { now, sentAt: now })
  const sent_at = now.toISOString()
  const expires_at = draft.expires_at ?? defaultExpiry(now)
  const { reminders } = draft
  const next_reminder_at = nextReminderAt({ reminders, sent_at, sends_emails: sendsEmails }, now)
  const details = { send_emails: sendsEmails, expires_at }
  return {
    fields: { status: 'sent', sends_emails: sendsEmails, sent_at, expires_at, next_reminder_at },
    events: [{ at: sent_at, actor, action: 'sent', details }],
    mails: sendsEmails ? mailsTo('invitation', whoseTurn(draft)) : [],
  }
}

function noSigners(): Failure {
  return new Failure(
    'invalid',
    'NO_SIGNERS',
    'Nobody has to sign or approve this envelope: add a signer before you send it.',
  )
}
