import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '#kernel/actor.ts'
import { invalid } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Precondition } from '#kernel/precondition.ts'
import { applyRule } from '#timeline/schema.ts'
import type { AuditEvent } from '../audit/audit.ts'
import { userActor } from '../audit/audit-actors.ts'
import { maxSigners } from '../limits.ts'
import type { EnvelopeChange, EnvelopeRecord } from '../ports.ts'
import type { Envelope, EnvelopeChanges, SignersInput } from '../schema.ts'
import { envelopeChange } from './envelope-change.ts'
import { defaultExpiry, requireExpiry } from './expiry-time.ts'
import {
  notDraft,
  requireChangeable,
  requireDraft,
  requireSigner,
  type SigningDeps,
  signingLookups,
} from './lookups.ts'
import { newSigners, numberSigners, signerDetails } from './new-signers.ts'
import { nextReminderAt } from './reminders.ts'
import { envelopeView } from './views.ts'

/** Changing envelopes and their signers (S4). */
export function changingEnvelopes(deps: SigningDeps) {
  const { store, clock } = deps
  const { changeCurrent, requireCurrent } = signingLookups(deps)

  const changed = (actor: Actor, now: Date, details: AuditEvent['details']): AuditEvent => ({
    at: now.toISOString(),
    actor: userActor(actor),
    action: 'changed',
    details,
  })

  return {
    /**
     * Changes the included fields; null resets to the default. A sent envelope accepts only `expires_at` and
     * `reminders`.
     *
     * @throws Failure ENVELOPE_NOT_FOUND, ENVELOPE_ENDED, ENVELOPE_NOT_DRAFT, VALIDATION_ERROR, PRECONDITION_FAILED
     */
    async change(
      actor: Actor,
      id: string,
      changes: EnvelopeChanges,
      precondition: Precondition<unknown>,
    ): Promise<Envelope> {
      return changeCurrent(actor, id, envelopeView, (current, now) => {
        requireChangeable(current)
        const fields = changedFields(current, changes, now)
        precondition(envelopeView(current, now))
        const names = Object.keys(fields) as (keyof typeof fields)[]
        if (names.length === 0) return undefined
        const before = Object.fromEntries(names.map((name) => [name, current[name]]))
        const reminded = { ...current, ...fields }
        return envelopeChange(current, {
          fields: {
            ...fields,
            ...('reminders' in fields && { next_reminder_at: nextReminderAt(reminded, now) }),
          },
          events: [changed(actor, now, { before, after: fields })],
        })
      })
    },

    /**
     * Adds signers to a draft, after the existing ones. @throws Failure ENVELOPE_NOT_FOUND, ENVELOPE_NOT_DRAFT,
     * VALIDATION_ERROR
     */
    async addSigners(
      actor: Actor,
      id: string,
      { signers: inputs }: SignersInput,
    ): Promise<Answered<Envelope>> {
      // Hashing access codes takes time, so this is checked before and again in the change.
      const requireRoom = (current: EnvelopeRecord) => {
        requireDraft(current)
        if (current.signers.length + inputs.length > maxSigners) throw tooManySigners()
      }
      requireRoom(await requireCurrent(actor, id))
      const added = await newSigners(inputs)
      return changeCurrent(actor, id, envelopeView, (current, now): EnvelopeChange => {
        requireRoom(current)
        const signers = numberSigners([...current.signers, ...added])
        const details = { signers_added: signers.slice(current.signers.length).map(signerDetails) }
        return envelopeChange(current, { fields: { signers }, events: [changed(actor, now, details)] })
      })
    },

    /** Removes a signer of a draft. @throws Failure ENVELOPE_NOT_FOUND, SIGNER_NOT_FOUND, ENVELOPE_NOT_DRAFT */
    async removeSigner(actor: Actor, id: string, signerId: string): Promise<void> {
      await applyRule(store, actor.workspace_id, id, (current) => {
        const signer = requireSigner(current, signerId)
        requireDraft(current)
        const signers = numberSigners(current.signers.filter((one) => one.id !== signerId))
        const details = { signer_removed: signerDetails(signer) }
        return envelopeChange(current, {
          fields: { signers },
          events: [changed(actor, clock.now(), details)],
        })
      })
    },
  }
}

type Changeable = Pick<EnvelopeRecord, 'title' | 'message' | 'signing_order' | 'expires_at' | 'reminders'>

/** The fields whose values change. @throws Failure ENVELOPE_NOT_DRAFT, VALIDATION_ERROR */
function changedFields(current: EnvelopeRecord, changes: EnvelopeChanges, now: Date): Partial<Changeable> {
  const sentAt = current.sent_at === null ? undefined : new Date(current.sent_at)
  const { expires_at, reminders, ...draftFields } = changes
  if (sentAt !== undefined && Object.values(draftFields).some((value) => value !== undefined))
    throw notDraft()
  const wanted: { [Name in keyof Changeable]?: Changeable[Name] | undefined } = {
    ...draftFields,
    reminders,
    expires_at: expires_at === null && sentAt !== undefined ? defaultExpiry(sentAt) : expires_at,
  }
  const fields = Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => value !== undefined && !isDeepStrictEqual(value, current[name as keyof Changeable]),
    ),
  ) as Partial<Changeable>
  if (fields.expires_at) requireExpiry(fields.expires_at, { now, sentAt: sentAt ?? now })
  return fields
}

function tooManySigners() {
  return invalid('An envelope has at most 50 signers.', [
    { path: 'body.signers', message: `At most ${maxSigners}, including the existing signers.` },
  ])
}
