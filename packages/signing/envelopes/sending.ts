import type { Actor } from '#kernel/actor.ts'
import { conflict } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import type { AuditEvent } from '../audit/audit.ts'
import { userActor } from '../audit/audit-actors.ts'
import { deliveryBefore } from '../mail/mail-delivery.ts'
import type { EnvelopeRecord, SignerRecord } from '../ports.ts'
import type { Envelope, SendInput, SignerLink, VoidInput } from '../schema.ts'
import { linkAddress, newLinkToken } from '../signer/link-token.ts'
import { envelopeChange, mailsTo, withSigner } from './envelope-change.ts'
import { isEnded, whoseTurn } from './envelope-states.ts'
import { examineDocuments } from './examine-documents.ts'
import {
  requireAwaitingSignatures,
  requireChangeable,
  requireMailing,
  requireSigner,
  type SigningDeps,
  signingLookups,
} from './lookups.ts'
import { sendStep } from './send-step.ts'
import { envelopeView } from './views.ts'

/** Sending, reminding, voiding, and magic links (S4). */
export function sendingEnvelopes(deps: SigningDeps) {
  const { changeCurrent, requireCurrent } = signingLookups(deps)

  const auditEvent = (
    actor: Actor,
    now: Date,
    what: Pick<AuditEvent, 'action' | 'details'>,
  ): [AuditEvent] => [{ at: now.toISOString(), actor: userActor(actor), ...what }]

  return {
    /**
     * Sends a draft. If the envelope was sent already, nothing changes and the precondition is not checked. Without
     * mails, the office gets the links from `makeLink`.
     *
     * @throws Failure ENVELOPE_NOT_FOUND, NO_SIGNERS, VALIDATION_ERROR, DOCUMENT_NOT_FOUND, ENVELOPE_ENDED,
     * CASE_NOT_FOUND, PRECONDITION_FAILED, MAIL_NOT_SENT (the stage sends no mail)
     */
    async send(
      actor: Actor,
      id: string,
      { send_emails: sendsEmails }: SendInput,
      precondition: Precondition<Envelope> = anyState,
    ): Promise<Answered<Envelope>> {
      // Drafts of older releases were not examined.
      const { status, documents } = await requireCurrent(actor, id)
      const known = status === 'draft' ? await examineDocuments(deps.files, documents) : documents
      return changeCurrent(actor, id, envelopeView, (current, now) => {
        if (current.status === 'draft') {
          precondition(envelopeView(current, now))
          const step = sendStep(current, { now, actor: userActor(actor), sendsEmails })
          if (sendsEmails) requireMailing(deps)
          return envelopeChange(current, { ...step, fields: { ...step.fields, documents: known } })
        }
        // An envelope that is being sealed was sent already.
        if (isEnded(current.status)) requireChangeable(current)
        return undefined
      })
    },

    /**
     * Mails a new link to everybody whose turn it is, also if the envelope was sent without mails.
     *
     * @throws Failure ENVELOPE_NOT_FOUND, ENVELOPE_NOT_SENT, ENVELOPE_ENDED, PRECONDITION_FAILED,
     * MAIL_NOT_SENT (the stage sends no mail)
     */
    async remind(
      actor: Actor,
      id: string,
      precondition: Precondition<Envelope> = anyState,
    ): Promise<Answered<Envelope>> {
      return changeCurrent(actor, id, envelopeView, (current, now) => {
        requireAwaitingSignatures(current)
        precondition(envelopeView(current, now))
        requireMailing(deps)
        const reminded = whoseTurn(current)
        const details = { signers: reminded.map(({ id, name }) => ({ id, name })) }
        return envelopeChange(current, {
          events: auditEvent(actor, now, { action: 'reminded', details }),
          mails: mailsTo('reminder', reminded),
        })
      })
    },

    /**
     * Ends an envelope. Its links stop working.
     *
     * @throws Failure ENVELOPE_NOT_FOUND, ENVELOPE_NOT_SENT, ENVELOPE_ENDED, PRECONDITION_FAILED
     */
    async void(
      actor: Actor,
      id: string,
      { reason }: VoidInput,
      precondition: Precondition<Envelope> = anyState,
    ): Promise<Answered<Envelope>> {
      return changeCurrent(actor, id, envelopeView, (current, now) => {
        requireAwaitingSignatures(current)
        precondition(envelopeView(current, now))
        const voided_at = now.toISOString()
        return envelopeChange(current, {
          fields: { status: 'voided', voided_at, void_reason: reason, next_reminder_at: null },
          events: auditEvent(actor, now, { action: 'voided', details: { reason } }),
        })
      })
    },

    /**
     * Makes a new magic link for a signer whose turn it is. The previous link becomes invalid, and the count of wrong
     * access codes is reset. A queued mail is not sent: its link would replace this one, perhaps while somebody signs
     * with it. Only this answer contains the address; the service stores the digest of the token.
     *
     * @throws Failure ENVELOPE_NOT_FOUND, SIGNER_NOT_FOUND, ENVELOPE_NOT_SENT, ENVELOPE_ENDED, ALREADY_SIGNED,
     * NOT_YOUR_TURN
     */
    async makeLink(
      actor: Actor,
      id: string,
      signerId: string,
      { baseUrl }: { baseUrl: string },
    ): Promise<Answered<SignerLink>> {
      const { token, sha256 } = newLinkToken()
      return changeCurrent(
        actor,
        id,
        (record) => ({ url: linkAddress(baseUrl, token), expires_at: expiryOf(record) }),
        (current, now) => {
          const signer = requireSigner(current, signerId)
          requireAwaitingSignatures(current)
          requireTurn(current, signer)
          const details = { signer: { id: signer.id, name: signer.name } }
          const linked = { ...cancelQueuedMail(signer), link_sha256: sha256, code_attempts: 0 }
          return envelopeChange(current, {
            fields: { signers: withSigner(current, linked) },
            events: auditEvent(actor, now, { action: 'link_made', details }),
          })
        },
      )
    },
  }
}

/** Cancels the queued mail of a signer: the worker sends only the mail with the signer's `mail_key`. */
function cancelQueuedMail(signer: SignerRecord): SignerRecord {
  return signer.delivery === 'queued'
    ? { ...signer, mail_key: null, delivery: deliveryBefore(signer) }
    : signer
}

/** @throws Failure ALREADY_SIGNED, NOT_YOUR_TURN */
function requireTurn(envelope: EnvelopeRecord, signer: SignerRecord): void {
  if (signer.status === 'signed') {
    throw conflict('ALREADY_SIGNED', `${signer.name} has signed already.`)
  }
  if (whoseTurn(envelope).some(({ id }) => id === signer.id)) return
  const why =
    signer.role === 'cc'
      ? 'only gets the sealed copies, and has nothing to sign.'
      : 'signs after others who have not signed yet.'
  throw conflict('NOT_YOUR_TURN', `${signer.name} ${why}`)
}

function expiryOf({ id, expires_at }: EnvelopeRecord): string {
  if (expires_at === null) throw new Error(`${id} was sent and has no expiry.`)
  return expires_at
}
