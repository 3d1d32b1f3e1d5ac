import { writeMailAddress } from '#correspondence/address-schema.ts'
import { maxAttachmentBytes } from '#correspondence/schema.ts'
import type { SendServiceMail, ServiceMail } from '#correspondence/service-mail-schema.ts'
import type { Clock } from '#kernel/clock.ts'
import type { LogOf } from '#kernel/log.ts'
import { applyRule } from '#timeline/schema.ts'
import { envelopeChange, withSigner } from '../envelopes/envelope-change.ts'
import { requiredSigners } from '../envelopes/envelope-states.ts'
import type {
  EnvelopeRecord,
  EnvelopeStore,
  SignerRecord,
  SigningUsers,
  SigningWorkspaces,
} from '../ports.ts'
import type { EnvelopeMail } from '../queues.ts'
import { linkAddress, newLinkToken } from '../signer/link-token.ts'
import type { mailDelivery } from './mail-delivery.ts'
import { isDuplicate, isWanted, mailRules } from './mail-rules.ts'
import { type MailFacts, mailText, oneLine } from './mail-texts.ts'

type EnvelopeMailingDeps = {
  store: Pick<EnvelopeStore, 'find' | 'change'>
  delivery: Pick<ReturnType<typeof mailDelivery>, 'recordDropped'>
  users: SigningUsers
  workspaces: SigningWorkspaces
  documents: { findAll: (workspaceId: string, ids: string[]) => Promise<{ id: string }[]> }
  sendMail: SendServiceMail
  clock: Clock
  log: LogOf<'warn'>
  /** The address of the service, at the beginning of every link. */
  baseUrl: () => string
  /** Whether this stage sends mails. */
  canMail: () => boolean
}

/** The recipient of a mail; `signer` is null for the user who created the envelope. */
type Recipient = { name: string; email: string; signer: SignerRecord | null }

/** The mails of envelopes: invitations, reminders and notices (S3, S4, S7). */
export function envelopeMailing(deps: EnvelopeMailingDeps) {
  const { store, delivery, users, workspaces, documents, sendMail, clock, log } = deps

  /** A user who may get a notice. Deactivated users get none: a notice names the signers and says why one declined. */
  const findActiveUser = async (workspaceId: string, id: string) => {
    const user = await users.find(workspaceId, id)
    return user?.active ? user : undefined
  }

  const recipientOf = async (
    envelope: EnvelopeRecord,
    { to }: EnvelopeMail,
  ): Promise<Recipient | undefined> => {
    if ('signer_id' in to) {
      const signer = envelope.signers.find(({ id }) => id === to.signer_id)
      return signer && { ...signer, signer }
    }
    const user = await findActiveUser(envelope.workspace_id, to.user_id)
    return user && { ...user, signer: null }
  }

  /** Whether another person with the same address gets this notice instead. */
  const isDuplicateNotice = async (envelope: EnvelopeRecord, mail: EnvelopeMail): Promise<boolean> => {
    if (mailRules[mail.kind].hasLink) return false
    const creator = await findActiveUser(envelope.workspace_id, envelope.created_by)
    return isDuplicate(envelope, mail, creator?.email)
  }

  /**
   * Activates the link of the outgoing mail, which invalidates the signer's previous link (S5). The count of wrong
   * access codes stays, because otherwise each reminder would allow five more guesses. Only a link that the office
   * makes resets it.
   *
   * @throws Error if the mail is no longer wanted, for example because the person has just signed
   */
  const activateLink = async (mail: EnvelopeMail, signerId: string, link_sha256: string): Promise<void> => {
    await applyRule(store, mail.workspace_id, mail.envelope_id, (current) => {
      if (!isWanted(current, mail, clock.now())) throw new Error('The mail is no longer wanted.')
      const signer = current.signers.find(({ id }) => id === signerId)
      if (signer === undefined || signer.link_sha256 === link_sha256) return undefined
      const signers = withSigner(current, { ...signer, link_sha256 })
      return envelopeChange(current, { fields: { signers }, events: [] })
    })
  }

  /** The sealed copies that still exist, for a signer. The creator finds them in the case. */
  const copiesFor = async (envelope: EnvelopeRecord, { kind }: EnvelopeMail, { signer }: Recipient) => {
    const none = { attachments: [], attachments_as: 'files' as const, copies: 'none' as const }
    if (kind !== 'completed' || signer === null) return none
    const sealed = envelope.documents.flatMap((document) => document.sealed ?? [])
    const ids = sealed.map(({ document_id }) => document_id)
    const found = new Set((await documents.findAll(envelope.workspace_id, ids)).map(({ id }) => id))
    const existing = sealed.filter(({ document_id }) => found.has(document_id))
    if (existing.length === 0) return none
    const sizeBytes = existing.reduce((sum, { size_bytes }) => sum + (size_bytes ?? 0), 0)
    const isLarge = sizeBytes > maxAttachmentBytes
    return {
      attachments: existing.map(({ document_id }) => document_id),
      attachments_as: isLarge ? ('links' as const) : ('files' as const),
      copies: isLarge ? ('linked' as const) : ('attached' as const),
    }
  }

  const compose = async (
    envelope: EnvelopeRecord,
    mail: EnvelopeMail,
    recipient: Recipient,
    baseUrl: string,
  ): Promise<ServiceMail> => {
    const { workspace_id, id, created_by, case_id } = envelope
    const [workspace, creator, { copies, ...attached }] = await Promise.all([
      workspaces.find(workspace_id),
      users.find(workspace_id, created_by),
      copiesFor(envelope, mail, recipient),
    ])
    const { signer } = recipient
    const link = mailRules[mail.kind].hasLink && signer !== null ? newLinkToken() : null
    const facts: MailFacts = {
      office: workspace?.name ?? '',
      sender: creator?.name ?? workspace?.name ?? '',
      recipient: { name: recipient.name, role: signer?.role ?? 'creator' },
      title: envelope.title,
      documents: envelope.documents.map(({ filename }) => filename),
      message: envelope.message,
      expires_at: envelope.expires_at,
      time_zone: workspace?.time_zone ?? 'Europe/Berlin',
      link: link && linkAddress(baseUrl, link.token),
      has_access_code: signer !== null && signer.access_code_hash !== null,
      verify_url: `${baseUrl}/verify`,
      copies,
      declined: declinedIn(envelope),
      missing: requiredSigners(envelope.signers)
        .filter(({ status }) => status === 'pending')
        .map(({ name }) => name),
    }
    return {
      workspace_id,
      user_id: created_by,
      key: mail.key,
      case_id,
      to: writeMailAddress({ name: oneLine(recipient.name), email: recipient.email }),
      ...mailText(mail.kind, facts),
      ...attached,
      about: {
        type: 'envelope',
        id,
        signer_id: signer?.id ?? null,
        mail: mail.kind,
        link_sha256: link?.sha256 ?? null,
      },
      beforeSending: async ({ about }) => {
        if (signer !== null && about !== null && about.link_sha256 !== null)
          await activateLink(mail, signer.id, about.link_sha256)
      },
    }
  }

  return {
    /**
     * Sends a mail of an envelope, if it is still wanted (`mail-rules.ts`). If the message arrives several times, one
     * mail is sent. After a failure it throws, so that the message arrives again. If the envelope was sent without
     * mails and the stage sends none, nothing is sent. The state of the mail decides whether it throws:
     *
     * - `sent`: done.
     * - `refused`: throws, and the next message tries again. If the address was refused: done, because a retry would
     *   not help.
     * - `sending`: throws. The next message finds the mail `sent`, or after ten minutes `lost`.
     * - `lost`: done. It is not sent again; the signer's `delivery` says that it did not arrive.
     */
    async send(mail: EnvelopeMail): Promise<void> {
      const { workspace_id, envelope_id, kind, key, to } = mail
      const logFields = { envelope_id, kind, key }
      const envelope = await store.find(workspace_id, envelope_id)
      const recipient = envelope && (await recipientOf(envelope, mail))
      if (envelope === undefined || recipient === undefined)
        return log.warn(
          'mail dropped: its envelope or its recipient does not exist, or the user is deactivated',
          logFields,
        )
      const isWithoutMails = !envelope.sends_emails && !deps.canMail()
      if (
        isWithoutMails ||
        !isWanted(envelope, mail, clock.now()) ||
        (await isDuplicateNotice(envelope, mail))
      ) {
        const signer_id = 'signer_id' in to ? to.signer_id : null
        return delivery.recordDropped({
          workspace_id,
          about: { id: envelope_id, signer_id, key, link_sha256: null },
        })
      }

      const baseUrl = deps.baseUrl()
      const composed = await compose(envelope, mail, recipient, baseUrl)
      const { id, state, refusal, isFinal } = await sendMail(composed, { baseUrl })
      if (state === 'sent') return
      if (!isFinal) throw new Error(`The mail ${id} is ${state}: ${refusal?.message ?? 'no answer yet'}`)
      log.warn('mail of an envelope not sent', {
        ...logFields,
        correspondence_id: id,
        state,
        refusal: refusal?.kind,
      })
    },
  }
}

function declinedIn({ signers }: EnvelopeRecord): MailFacts['declined'] {
  const signer = signers.find(({ status }) => status === 'declined')
  return signer === undefined ? null : { name: signer.name, reason: signer.decline_reason }
}
