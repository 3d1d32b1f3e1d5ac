import { mailboxOf } from '#correspondence/address-schema.ts'
import { isSealing, statusAt, whoseTurn } from '../envelopes/envelope-states.ts'
import type { EnvelopeRecord, SignerRecord } from '../ports.ts'
import type { EnvelopeMail, MailKind } from '../queues.ts'
import { type EnvelopeStatus, runningStatuses } from '../status-schema.ts'

/** The recipients of a kind of mail, and the statuses of the envelope in which it is sent. */
type Rule = {
  statuses: readonly EnvelopeStatus[]
  /** Which signers get it. */
  signers: (signer: SignerRecord, envelope: EnvelopeRecord) => boolean
  /**
   * Whether it contains a magic link. A mail without a link is a notice, which also goes to the user who created the
   * envelope, unless that user is deactivated.
   */
  hasLink: boolean
  /**
   * Each address gets only one notice. If a signer and the creator share an address, this says which of their notices
   * is sent: the creator's has more information, but no sealed copies. Null for a mail with a link, because each signer
   * gets one.
   */
  preferred: 'signers' | 'creator' | null
}

const isTurnOf: Rule['signers'] = ({ id }, envelope) =>
  !isSealing(envelope) && whoseTurn(envelope).some((signer) => signer.id === id)
/** The rule for a mail that asks a signer to act. */
const requestRule: Rule = {
  statuses: runningStatuses,
  signers: isTurnOf,
  hasLink: true,
  preferred: null,
}
const wasMailed: Rule['signers'] = ({ sent_at }) => sent_at !== null

/**
 * The mails of an envelope (S3, S4, S7).
 *
 * | kind | while the envelope is | to signers | to the creator |
 * |---|---|---|---|
 * | `invitation`, `your_turn`, `reminder` | `sent`, `in_progress` | signers whose turn it is, with a new link | no |
 * | `completed` | `completed` | all, `cc` too | yes |
 * | `declined` | `declined` | signers who got a mail before, except the one who declined | yes |
 * | `expired` | `expired` | signers who got a mail before | yes |
 *
 * A notice (the last three) goes to each address once, even if several people share it (`isDuplicate`).
 */
export const mailRules: Record<MailKind, Rule> = {
  invitation: requestRule,
  your_turn: requestRule,
  reminder: requestRule,
  completed: {
    statuses: ['completed'],
    signers: () => true,
    hasLink: false,
    preferred: 'signers',
  },
  declined: {
    statuses: ['declined'],
    signers: (signer, envelope) => wasMailed(signer, envelope) && signer.status !== 'declined',
    hasLink: false,
    preferred: 'creator',
  },
  expired: {
    statuses: ['expired'],
    signers: wasMailed,
    hasLink: false,
    preferred: 'creator',
  },
}

/**
 * Whether a requested mail should still be sent at `now`. A signer gets only the newest mail: a reminder replaces an
 * invitation that is still in the queue.
 */
export function isWanted(
  envelope: EnvelopeRecord,
  { kind, to, key }: Pick<EnvelopeMail, 'kind' | 'to' | 'key'>,
  now: Date,
): boolean {
  const { statuses, signers, hasLink } = mailRules[kind]
  if (!statuses.includes(statusAt(envelope, now))) return false
  if ('user_id' in to) return !hasLink && to.user_id === envelope.created_by
  const signer = envelope.signers.find(({ id }) => id === to.signer_id)
  return signer !== undefined && signer.mail_key === key && signers(signer, envelope)
}

/**
 * Whether another person's mail of this kind goes to the same address, so that this one is not sent. Several signers
 * may share an address, and the user who created the envelope may be one of them.
 *
 * @param creatorEmail the address of the user who created the envelope; undefined if that user gets no notices
 */
export function isDuplicate(
  envelope: EnvelopeRecord,
  { kind, to }: Pick<EnvelopeMail, 'kind' | 'to'>,
  creatorEmail: string | undefined,
): boolean {
  const { signers, preferred } = mailRules[kind]
  if (preferred === null) return false
  const ofSigners = envelope.signers
    .filter((signer) => signers(signer, envelope))
    .map(({ id, email }) => ({ id, mailbox: mailboxOf(email) }))
  const { created_by } = envelope
  const ofCreator = creatorEmail !== undefined ? [{ id: created_by, mailbox: mailboxOf(creatorEmail) }] : []
  const all = preferred === 'signers' ? [...ofSigners, ...ofCreator] : [...ofCreator, ...ofSigners]
  const recipient = 'signer_id' in to ? to.signer_id : to.user_id
  const mailbox = all.find(({ id }) => id === recipient)?.mailbox
  return mailbox !== undefined && all.find((one) => one.mailbox === mailbox)?.id !== recipient
}
