import type { Job } from '#jobs/job.ts'
import { type AuditEvent, chainEvents } from '../audit/audit.ts'
import { timelineEntriesOf } from '../audit/timeline-entries.ts'
import { sendEnvelopeMails } from '../jobs.ts'
import { mailKey, mailsAgainAt, queuedMails } from '../mail/mail-keys.ts'
import type { EnvelopeChange, EnvelopeRecord, SignerRecord } from '../ports.ts'
import type { EnvelopeMail } from '../queues.ts'

/** A mail that a change requests: its kind and its recipient. */
export type MailRequest = Pick<EnvelopeMail, 'kind' | 'to'>

/** One step in the life of an envelope. */
export type EnvelopeStep = {
  fields?: Partial<EnvelopeRecord>
  /** The new entries of the audit trail. The timeline entries follow from them. */
  events: readonly AuditEvent[]
  mails?: readonly MailRequest[]
  /** Jobs in addition to the ones that send the mails. */
  jobs?: readonly Job[]
}

/**
 * The change of an envelope by one step. Every change of an envelope is made here.
 *
 * A step must request each kind of mail at most once per person, so that its key (`mail/mail-keys.ts`) is unique. The
 * `delivery` of these signers becomes `queued`. While a mail is queued, `mails_again_at` says when it is enqueued
 * again.
 */
export function envelopeChange(current: EnvelopeRecord, step: EnvelopeStep): EnvelopeChange {
  const { fields = {}, events, mails = [], jobs = [] } = step
  const { auditEntries, newest } = chainEvents(current, events)
  const after = { ...current, ...fields, ...newest, version: current.version + 1 }
  const { workspace_id, id: envelope_id } = after
  const keyed = mails.map((mail) => ({ ...mail, key: mailKey(after, mail) }))
  const job = sendEnvelopeMails.of({ workspace_id, envelope_id, mails: keyed })
  const signers = after.signers.map((signer) => withQueuedMail(signer, keyed))
  const requestedAt = keyed.length === 0 ? undefined : events.at(-1)?.at
  const againAt = requestedAt === undefined ? after.mails_again_at : mailsAgainAt(requestedAt)
  return {
    record: { ...after, signers, mails_again_at: queuedMails(signers).length === 0 ? null : againAt },
    auditEntries,
    timeline: timelineEntriesOf(after, events),
    jobs: [...jobs, ...(keyed.length === 0 ? [] : [job])],
  }
}

/** Mails of one kind to several signers. */
export function mailsTo(kind: MailRequest['kind'], signers: readonly Pick<SignerRecord, 'id'>[]) {
  return signers.map(({ id }): MailRequest => ({ kind, to: { signer_id: id } }))
}

/** The signers of an envelope, one of them changed. */
export function withSigner(
  { signers }: Pick<EnvelopeRecord, 'signers'>,
  changed: SignerRecord,
): SignerRecord[] {
  return signers.map((signer) => (signer.id === changed.id ? changed : signer))
}

function withQueuedMail(
  signer: SignerRecord,
  mails: readonly (MailRequest & { key: string })[],
): SignerRecord {
  const mail = mails.findLast(({ to }) => 'signer_id' in to && to.signer_id === signer.id)
  return mail === undefined ? signer : { ...signer, delivery: 'queued', mail_key: mail.key }
}
