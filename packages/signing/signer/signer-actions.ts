import type { Clock } from '#kernel/clock.ts'
import { conflict, Failure, isRefusal } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { applyRule } from '#timeline/schema.ts'
import { signerActor } from '../audit/audit-actors.ts'
import { envelopeChange, mailsTo, withSigner } from '../envelopes/envelope-change.ts'
import { statusAt, whoseTurn } from '../envelopes/envelope-states.ts'
import { newSignatureKey } from '../keys.ts'
import { endNotices } from '../mail/end-notices.ts'
import type { EnvelopeChange, EnvelopeRecord, EnvelopeStore, SignerRecord, SigningFiles } from '../ports.ts'
import { beginSealing } from '../sealing/begin-sealing.ts'
import { consentOf, type SigningLanguage } from './consent.ts'
import type { DecliningForm, SigningForm } from './form-schema.ts'
import { type SignerState, signerState } from './signer-state.ts'
import { linkNotFound, requireLink, type Visit } from './signing-links.ts'

type SignerActionDeps = {
  store: Pick<EnvelopeStore, 'change'>
  files: Pick<SigningFiles, 'put' | 'remove'>
  /**
   * Checks a drawn signature. @throws Error with a readable message if it is not a complete PNG of an acceptable size
   */
  checkSignature: (png: Uint8Array) => Promise<void>
  clock: Clock
}

/** The facts about a signer's request that are recorded (S8). */
type SignerRequest = { ip: string; userAgent: string | undefined; language: SigningLanguage }

/**
 * The actions of a signer with a magic link: open, sign, decline. Each is one change of the envelope, decided on its
 * current record. A request that comes too early, twice, out of turn or after the end changes nothing.
 *
 * @throws Failure from each of them: SIGNING_LINK_NOT_FOUND (replaced meanwhile), SIGNING_LINK_ENDED,
 * SIGNING_LINK_LOCKED, NOT_YOUR_TURN
 */
export function signerActions({ store, files, checkSignature, clock }: SignerActionDeps) {
  /** Changes the envelope of a visit. Refuses a link that was replaced or has ended. */
  const change = (
    { workspace_id, envelope: { id }, signer: { id: signerId, link_sha256 } }: Visit,
    decide: (current: EnvelopeRecord, signer: SignerRecord, now: Date) => EnvelopeChange | undefined,
  ) =>
    applyRule(store, workspace_id, id, (current) => {
      const now = clock.now()
      const signer = current.signers.find((one) => one.id === signerId)
      if (signer === undefined || signer.link_sha256 !== link_sha256) throw linkNotFound()
      requireLink(current, signer, now)
      // After completion only the sealed copies are shown, not the originals.
      if (statusAt(current, now) === 'completed') throw ended()
      return decide(current, signer, now)
    })

  return {
    /**
     * Opens the documents. The first signer who opens them makes the envelope `in_progress` (S6). Opening again changes
     * nothing.
     */
    async open(visit: Visit, request: SignerRequest): Promise<void> {
      await change(visit, (current, signer, now) => {
        const state = signerState(current, signer, now)
        if (state === 'waiting' || state === 'watching') throw notYourTurn()
        if (state !== 'unopened') return undefined
        const opened_at = now.toISOString()
        return envelopeChange(current, {
          fields: {
            status: 'in_progress',
            signers: withSigner(current, { ...signer, opened_at }),
          },
          events: [{ at: opened_at, actor: signerActor(signer, request), action: 'opened', details: {} }],
        })
      })
    },

    /**
     * Signs. The last required signature enqueues the sealing of the envelope. With `sequential`, an earlier one
     * enqueues the mail to the next signer, unless the envelope was sent without mails.
     *
     * @throws Failure SIGNATURE_INVALID (422), ENVELOPE_NOT_OPENED, ALREADY_SIGNED
     */
    async sign(visit: Visit, form: SigningForm, request: SignerRequest): Promise<void> {
      const { workspace_id, envelope, signer: visitor } = visit
      requireMaySign(signerState(envelope, visitor, clock.now()))
      const png = form.signature
      if (png !== null) await requireValidPicture(png, visitor)
      const picture = png && {
        key: newSignatureKey({ workspace_id, envelope_id: envelope.id, signer_id: visitor.id }),
        sha256: hexDigest(png),
      }
      if (png && picture) await files.put(picture.key, png, { mimeType: 'image/png', sha256: picture.sha256 })
      try {
        await change(visit, (current, signer, now) => {
          requireMaySign(signerState(current, signer, now))
          const consent = consentOf(signer.role, form.language ?? request.language)
          const signed: SignerRecord = {
            ...signer,
            status: 'signed',
            signed_at: now.toISOString(),
            signature: {
              name: form.name,
              consent,
              picture_key: picture?.key ?? null,
              picture_sha256: picture?.sha256 ?? null,
              ip: request.ip,
              user_agent: request.userAgent ?? '',
            },
          }
          return signedChange(current, signed, request, now)
        })
      } catch (error) {
        // Removes the picture only if the record certainly does not refer to it. A failure here is ignored: an unused
        // picture does no harm, and the signer must see the refusal.
        if (picture && isRefusal(error)) await files.remove([picture.key]).catch(() => undefined)
        throw error
      }
    },

    /**
     * Declines, also before opening the documents. This ends the envelope for everybody (S3).
     *
     * @throws Failure ALREADY_SIGNED
     */
    async decline(visit: Visit, { reason }: DecliningForm, request: SignerRequest): Promise<void> {
      await change(visit, (current, signer, now) => {
        const state = signerState(current, signer, now)
        if (state !== 'unopened') requireMaySign(state)
        const declined_at = now.toISOString()
        const declined: SignerRecord = { ...signer, status: 'declined', declined_at, decline_reason: reason }
        return envelopeChange(current, {
          fields: {
            status: 'declined',
            declined_at,
            next_reminder_at: null,
            signers: withSigner(current, declined),
          },
          events: [
            { at: declined_at, actor: signerActor(signer, request), action: 'declined', details: { reason } },
          ],
          mails: endNotices(current, 'declined').filter(
            ({ to }) => !('signer_id' in to && to.signer_id === signer.id),
          ),
        })
      })
    },
  }

  async function requireValidPicture(png: Uint8Array, { role }: SignerRecord): Promise<void> {
    if (role === 'approver')
      throw signatureInvalid('An approver does not draw a signature: leave this empty.')
    try {
      await checkSignature(png)
    } catch (error) {
      throw signatureInvalid(error instanceof Error ? error.message : 'This is not a PNG.')
    }
  }
}

function signedChange(
  current: EnvelopeRecord,
  signed: SignerRecord,
  request: SignerRequest,
  now: Date,
): EnvelopeChange {
  const signers = withSigner(current, signed)
  const remaining = whoseTurn({ ...current, signers })
  const isLast = remaining.length === 0
  const sealing = isLast ? beginSealing(current, now) : undefined
  const isNextMailed = current.signing_order === 'sequential' && current.sends_emails
  return envelopeChange(current, {
    fields: { signers, ...sealing?.fields },
    events: [
      {
        at: now.toISOString(),
        actor: signerActor(signed, request),
        action: 'signed',
        details: signatureDetails(current, signed),
      },
    ],
    mails: isNextMailed ? mailsTo('your_turn', remaining) : [],
    jobs: sealing?.jobs ?? [],
  })
}

/** The audit details of a signature: what was signed, under which name, and the consent. */
function signatureDetails({ documents }: EnvelopeRecord, { role, signature }: SignerRecord) {
  return {
    role,
    name: signature?.name,
    consent: signature?.consent,
    picture_sha256: signature?.picture_sha256,
    documents: documents.map(({ id, filename, sha256 }) => ({ id, filename, sha256 })),
  }
}

function requireMaySign(state: SignerState): void {
  if (state === 'open') return
  if (state === 'signed') throw conflict('ALREADY_SIGNED', 'You have signed already. Nothing was changed.')
  if (state === 'unopened')
    throw conflict('ENVELOPE_NOT_OPENED', 'Open the documents before you sign. Nothing was changed.')
  if (state === 'waiting' || state === 'watching') throw notYourTurn()
  throw ended()
}

function notYourTurn(): Failure {
  return conflict('NOT_YOUR_TURN', 'It is not your turn. Nothing was changed.')
}

function ended(): Failure {
  return new Failure('gone', 'SIGNING_LINK_ENDED', 'This envelope has ended. Nothing was changed.')
}

function signatureInvalid(message: string): Failure {
  return new Failure('unprocessable', 'SIGNATURE_INVALID', 'The drawn signature cannot be used.', {
    details: [{ path: 'body.signature', message }],
  })
}
