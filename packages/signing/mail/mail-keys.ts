import type { EnvelopeRecord, SignerRecord } from '../ports.ts'
import type { EnvelopeMail, MailKind } from '../queues.ts'

/** The unique key of a mail: the envelope, the kind, the person, and the number of the newest audit entry. */
export function mailKey(
  { id, audit_seq }: Pick<EnvelopeRecord, 'id' | 'audit_seq'>,
  { kind, to }: Pick<EnvelopeMail, 'kind' | 'to'>,
): string {
  const person = 'signer_id' in to ? to.signer_id : to.user_id
  return [id, kind, person, audit_seq].join(':')
}

/** The queued mails to signers, with their keys. The result of a queued mail is not known yet. */
export function queuedMails(signers: readonly SignerRecord[]): Pick<EnvelopeMail, 'kind' | 'to' | 'key'>[] {
  return signers.flatMap(({ id, delivery, mail_key: key }) => {
    if (delivery !== 'queued' || key === null) return []
    const [, kind] = key.split(':')
    return [{ kind: kind as MailKind, to: { signer_id: id }, key }]
  })
}

/**
 * When a mail without a known result is enqueued again: an hour after its request, which is longer than the attempts of
 * the queue. Its key ensures that it is sent once.
 */
export function mailsAgainAt(requestedAt: string): string {
  return new Date(Date.parse(requestedAt) + mailPauseMilliseconds).toISOString()
}

export const mailPauseMilliseconds = 60 * 60 * 1_000
