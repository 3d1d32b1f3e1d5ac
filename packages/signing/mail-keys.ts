import type { EnvelopeMail, MailKind } from './messages.ts'
import type { EnvelopeRecord, SignerRecord } from './ports.ts'

/** The key of a mail: envelope, kind, person, and the number of the newest audit entry, so that no two are the same. */
export function mailKey(
  { id, audit_seq }: Pick<EnvelopeRecord, 'id' | 'audit_seq'>,
  { kind, to }: Pick<EnvelopeMail, 'kind' | 'to'>,
): string {
  const person = 'signer_id' in to ? to.signer_id : to.user_id
  return [id, kind, person, audit_seq].join(':')
}

/** The mails to signers that were asked for and of which nothing is known yet, under their keys. */
export function queuedMails(signers: readonly SignerRecord[]): Pick<EnvelopeMail, 'kind' | 'to' | 'key'>[] {
  return signers.flatMap(({ id, delivery, mail_key: key }) => {
    if (delivery !== 'queued' || key === null) return []
    const [, kind] = key.split(':')
    return [{ kind: kind as MailKind, to: { signer_id: id }, key }]
  })
}

/**
 * Mails of which nothing is known an hour after they were asked for are handed over again: the queue tries for less. Under
 * their keys they are sent once, however often they are handed over.
 */
export function mailsAgainAt(askedAt: string): string {
  return new Date(Date.parse(askedAt) + mailPauseMilliseconds).toISOString()
}

export const mailPauseMilliseconds = 60 * 60 * 1_000
