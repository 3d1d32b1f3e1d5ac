import { isSealing, statusAt, whoseTurn } from './envelope-states.ts'
import type { EnvelopeMail, MailKind } from './messages.ts'
import type { EnvelopeRecord, SignerRecord } from './ports.ts'
import type { EnvelopeStatus } from './schema.ts'

/** To whom a mail of a kind goes, and in which states of the envelope. */
type Rule = {
  statuses: readonly EnvelopeStatus[]
  /** Which signers get it. */
  signers: (signer: SignerRecord, envelope: EnvelopeRecord) => boolean
  /** Whether the user who made the envelope gets it. */
  creator: boolean
  /** Whether it holds a magic link. */
  hasLink: boolean
}

const running = ['sent', 'in_progress'] as const
const isTurnOf: Rule['signers'] = ({ id }, envelope) =>
  !isSealing(envelope) && whoseTurn(envelope).some((signer) => signer.id === id)
const wasMailed: Rule['signers'] = ({ sent_at }) => sent_at !== null

/**
 * The mails of an envelope (S3, S4, S7).
 *
 * | kind | while the envelope is | to signers | to the creator |
 * |---|---|---|---|
 * | `invitation`, `your_turn`, `reminder` | `sent`, `in_progress` | whose turn it is, with a new link | no |
 * | `completed` | `completed` | all, `cc` too | yes |
 * | `declined` | `declined` | who had a mail before, but not who declined | yes |
 * | `expired` | `expired` | who had a mail before | yes |
 */
export const mailRules: Record<MailKind, Rule> = {
  invitation: { statuses: running, signers: isTurnOf, creator: false, hasLink: true },
  your_turn: { statuses: running, signers: isTurnOf, creator: false, hasLink: true },
  reminder: { statuses: running, signers: isTurnOf, creator: false, hasLink: true },
  completed: { statuses: ['completed'], signers: () => true, creator: true, hasLink: false },
  declined: {
    statuses: ['declined'],
    signers: (signer, envelope) => wasMailed(signer, envelope) && signer.status !== 'declined',
    creator: true,
    hasLink: false,
  },
  expired: { statuses: ['expired'], signers: wasMailed, creator: true, hasLink: false },
}

/**
 * Whether a mail that was asked for is still to be sent at `now`. To a signer only the newest one is: a reminder that
 * was asked for later has taken the place of an invitation that is still in the queue.
 */
export function isWanted(
  envelope: EnvelopeRecord,
  { kind, to, key }: Pick<EnvelopeMail, 'kind' | 'to' | 'key'>,
  now: Date,
): boolean {
  const { statuses, signers, creator } = mailRules[kind]
  if (!statuses.includes(statusAt(envelope, now))) return false
  if ('user_id' in to) return creator && to.user_id === envelope.created_by
  const signer = envelope.signers.find(({ id }) => id === to.signer_id)
  return signer !== undefined && signer.mail_key === key && signers(signer, envelope)
}
