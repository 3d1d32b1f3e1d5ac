import { unlessGone } from '#kernel/failure.ts'
import { applyRule } from '#timeline/schema.ts'
import { envelopeChange, withSigner } from '../envelopes/envelope-change.ts'
import type { EnvelopeStore, SignerRecord } from '../ports.ts'
import type { Signer } from '../schema.ts'

/** The result of a mail of an envelope. `bounced`: it bounced, or its address was refused. */
export type MailOutcome = {
  workspace_id: string
  about: { id: string; signer_id: string | null; key: string; link_sha256: string | null }
  state: 'sending' | 'sent' | 'refused' | 'lost' | 'bounced'
  sent_at: string | null
}

/**
 * A signer's `delivery` after each outcome of the newest mail to them. A refused mail is retried. A lost mail is not:
 * it counts as bounced, so that a person takes care of it, unless a later event proves that it was sent.
 */
const deliveries: Record<MailOutcome['state'], Signer['delivery']> = {
  sending: 'queued',
  refused: 'queued',
  sent: 'sent',
  bounced: 'bounced',
  lost: 'bounced',
}

/** Keeps the `delivery` of signers consistent with the results of their mails (S2). */
export function mailDelivery({ store }: { store: Pick<EnvelopeStore, 'change'> }) {
  const changeSigner = async (
    { workspace_id, about }: Pick<MailOutcome, 'workspace_id' | 'about'>,
    after: (signer: SignerRecord) => SignerRecord,
  ): Promise<void> => {
    if (about.signer_id === null) return
    await applyRule(store, workspace_id, about.id, (current) => {
      const before = current.signers.find(({ id }) => id === about.signer_id)
      const changed = before && after(before)
      if (changed === undefined || changed === before) return undefined
      return envelopeChange(current, { fields: { signers: withSigner(current, changed) }, events: [] })
    }).catch(unlessGone('ENVELOPE_NOT_FOUND'))
  }

  return {
    /**
     * Records the result of a mail. Reports may come twice and in any order. Only the newest mail to a signer changes
     * `delivery`. The first sent mail with a link sets `sent_at`.
     */
    recordOutcome: (outcome: MailOutcome): Promise<void> =>
      changeSigner(outcome, (signer) => {
        const { about, state, sent_at } = outcome
        const delivery = signer.mail_key === about.key ? deliveries[state] : signer.delivery
        const sentAt = signer.sent_at ?? (about.link_sha256 === null ? null : sent_at)
        if (signer.delivery === delivery && signer.sent_at === sentAt) return signer
        return { ...signer, delivery, sent_at: sentAt }
      }),

    /** Records that a queued mail will not be sent, because it is no longer wanted. */
    recordDropped: (mail: Pick<MailOutcome, 'workspace_id' | 'about'>): Promise<void> =>
      changeSigner(mail, (signer) => {
        if (signer.mail_key !== mail.about.key || signer.delivery !== 'queued') return signer
        return { ...signer, delivery: deliveryBefore(signer) }
      }),
  }
}

/** The `delivery` of a signer whose newest mail is not sent: `sent` if an earlier mail was sent, otherwise null. */
export function deliveryBefore({ sent_at }: Pick<SignerRecord, 'sent_at'>): Signer['delivery'] {
  return sent_at === null ? null : 'sent'
}
