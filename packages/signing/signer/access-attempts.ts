import type { Clock } from '#kernel/clock.ts'
import { conflict, type Failure, invalidAt } from '#kernel/failure.ts'
import { applyRule } from '#timeline/schema.ts'
import type { AuditEvent } from '../audit/audit.ts'
import { signerActor } from '../audit/audit-actors.ts'
import { timelineEntriesOf } from '../audit/timeline-entries.ts'
import { envelopeChange, withSigner } from '../envelopes/envelope-change.ts'
import { isSealing } from '../envelopes/envelope-states.ts'
import { maxCodeAttempts } from '../limits.ts'
import type { EnvelopeChange, EnvelopeRecord, EnvelopeStore, SignerRecord } from '../ports.ts'
import { isAccessCode } from './access-code.ts'
import { accessCookieOf, linkLocked, linkNotFound, requireLink, type Visit } from './signing-links.ts'

type AccessAttemptDeps = { store: Pick<EnvelopeStore, 'change'>; clock: Clock }

/** Attempts to open a link with its access code (S4). */
export function accessAttempts({ store, clock }: AccessAttemptDeps) {
  const changeSigner = (
    { workspace_id, envelope, signer }: Visit,
    decide: (current: EnvelopeRecord, one: SignerRecord) => EnvelopeChange,
  ): Promise<EnvelopeRecord> =>
    applyRule(store, workspace_id, envelope.id, (current) => {
      const one = current.signers.find(({ id }) => id === signer.id)
      if (one === undefined) throw linkNotFound()
      return decide(current, one)
    })

  const countAttempt = (current: EnvelopeRecord, one: SignerRecord, by: 1 | -1): EnvelopeChange => {
    const code_attempts = Math.max(0, one.code_attempts + by)
    const signers = withSigner(current, { ...one, code_attempts })
    return envelopeChange(current, { fields: { signers }, events: [] })
  }

  return {
    /**
     * Returns the value of the cookie that opens the link, if the code is right; undefined if the link has no code. A
     * wrong code is recorded in the audit trail, with the IP address and the browser, and in the timeline of the case.
     *
     * An attempt is counted before the code is compared, and the count is undone if the code was right. So at most five
     * codes are compared, even if many arrive at the same time. A reminder, which replaces the link, does not reset the
     * count. While the envelope is being sealed, its audit trail is closed, so no code is compared.
     *
     * @throws Failure VALIDATION_ERROR for a wrong code; SIGNING_LINK_LOCKED for the fifth wrong code and any code
     * after it; SIGNING_LINK_ENDED; SIGNING_LINK_NOT_FOUND; ENVELOPE_ENDED while the envelope is being sealed
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
        return countAttempt(current, one, 1)
      })
      if (await isAccessCode(code, access_code_hash)) {
        await changeSigner(visit, (current, one) => countAttempt(current, one, -1))
        return accessCookieOf(visit)
      }
      const attempts = signers.find(({ id }) => id === visit.signer.id)?.code_attempts ?? 0
      const isLocked = attempts >= maxCodeAttempts
      await changeSigner(visit, (current, one) => {
        const event: AuditEvent = {
          at: clock.now().toISOString(),
          actor: signerActor(one, request),
          action: 'code_refused',
          details: { attempts, locked: isLocked },
        }
        if (!isSealing(current)) return envelopeChange(current, { events: [event] })
        // The last signature came while the code was compared. Certificates name the newest audit entry, so only the
        // timeline gets an entry.
        const timeline = timelineEntriesOf(current, [event])
        return { ...envelopeChange(current, { events: [] }), timeline }
      })
      throw isLocked ? linkLocked() : wrongCode()
    },
  }
}

function wrongCode(): Failure {
  return invalidAt('body.code', 'This is not the access code.')
}

function beingSealed(): Failure {
  return conflict(
    'ENVELOPE_ENDED',
    'Everybody has signed, and the documents are being sealed. Enter the access code again in a few minutes.',
  )
}
