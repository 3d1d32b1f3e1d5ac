import type { Clock } from '#kernel/clock.ts'
import { Failure, invalid } from '#kernel/failure.ts'
import { isAccessCode } from './access-code.ts'
import type { AuditEvent } from './audit.ts'
import { signerActor } from './audit-actors.ts'
import { envelopeChange } from './envelope-change.ts'
import { isSealing } from './envelope-states.ts'
import { maxCodeAttempts } from './limits.ts'
import type { EnvelopeChange, EnvelopeRecord, EnvelopeStore, SignerRecord } from './ports.ts'
import { accessCookieOf, linkLocked, linkNotFound, requireLink, type Visit } from './signing-links.ts'
import { timelineEntriesOf } from './timeline-entries.ts'

export type AccessAttemptDeps = { store: Pick<EnvelopeStore, 'change'>; clock: Clock }

/** Attempts to open a link with its access code (S4). */
export function accessAttempts({ store, clock }: AccessAttemptDeps) {
  const changeSigner = (
    { workspace_id, envelope, signer }: Visit,
    decide: (current: EnvelopeRecord, one: SignerRecord) => EnvelopeChange,
  ): Promise<EnvelopeRecord> =>
    store.change(workspace_id, envelope.id, (current) => {
      const one = current.signers.find(({ id }) => id === signer.id)
      if (one === undefined) throw linkNotFound()
      return decide(current, one)
    })

  const counted = (current: EnvelopeRecord, one: SignerRecord, by: 1 | -1): EnvelopeChange => {
    const code_attempts = Math.max(0, one.code_attempts + by)
    const signers = current.signers.map((it) => (it === one ? { ...one, code_attempts } : it))
    return envelopeChange(current, { fields: { signers }, events: [] })
  }

  return {
    /**
     * The value of the cookie that opens the link, for the right code; undefined where the link has none. A wrong code
     * is in the audit trail and in the timeline of the case, with the address that it came from.
     *
     * An attempt is counted before the code is compared, and taken back if it was right: however many codes come at
     * once, five are compared at most. The count outlives the link that a reminder replaces.
     *
     * @throws Failure VALIDATION_ERROR for a wrong code, SIGNING_LINK_LOCKED for the fifth wrong one and all after it,
     * SIGNING_LINK_ENDED, SIGNING_LINK_NOT_FOUND, ENVELOPE_ENDED while it is being sealed: the audit trail is closed, so
     * no code is compared
     */
    async unlock(
      visit: Visit,
      code: string,
      request: { ip: string; userAgent: string | undefined },
    ): Promise<string | undefined> {
      const { access_code_hash } = visit.signer
      if (access_code_hash === null) return undefined
      const { signers } = await changeSigner(visit, (current, one) => {
        if (one.link_sha256 !== visit.signer.link_sha256) throw linkNotFound()
        requireLink(current, one, clock.now())
        if (isSealing(current)) throw beingSealed()
        return counted(current, one, 1)
      })
      if (await isAccessCode(code, access_code_hash)) {
        await changeSigner(visit, (current, one) => counted(current, one, -1))
        return accessCookieOf(visit)
      }
      const { ip, userAgent = '' } = request
      const attempts = signers.find(({ id }) => id === visit.signer.id)?.code_attempts ?? 0
      const isLastOne = attempts >= maxCodeAttempts
      await changeSigner(visit, (current, one) => {
        const event: AuditEvent = {
          at: clock.now().toISOString(),
          actor: signerActor(one, { ip, userAgent }),
          action: 'code_refused',
          details: { attempts, locked: isLastOne },
        }
        if (!isSealing(current)) return envelopeChange(current, { events: [event] })
        // The last signature came while the code was compared: certificates name the newest entry of the trail.
        const timelineEntries = timelineEntriesOf(current, [event])
        return { ...envelopeChange(current, { events: [] }), timelineEntries }
      })
      throw isLastOne ? linkLocked() : wrongCode()
    },
  }
}

function wrongCode(): Failure {
  const message = 'This is not the access code.'
  return invalid(message, [{ path: 'body.code', message }])
}

function beingSealed(): Failure {
  return new Failure(
    'conflict',
    'ENVELOPE_ENDED',
    'Everybody has signed, and the documents are being sealed. Enter the access code again in some minutes.',
  )
}
