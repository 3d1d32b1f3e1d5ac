import type { Clock } from '#kernel/clock.ts'
import { type Failure, invalid } from '#kernel/failure.ts'
import { isAccessCode } from './access-code.ts'
import { envelopeChange } from './envelope-change.ts'
import { maxCodeAttempts } from './limits.ts'
import type { EnvelopeRecord, EnvelopeStore, SignerRecord } from './ports.ts'
import { accessCookieOf, linkLocked, linkNotFound, requireLink, type Visit } from './signing-links.ts'

export type AccessAttemptDeps = { store: Pick<EnvelopeStore, 'change'>; clock: Clock }

/** Attempts to open a link with its access code (S4). */
export function accessAttempts({ store, clock }: AccessAttemptDeps) {
  /** Changes how many wrong codes the link has got. */
  const count = ({ workspace_id, envelope, signer }: Visit, by: 1 | -1): Promise<EnvelopeRecord> =>
    store.change(workspace_id, envelope.id, (current) => {
      const one = current.signers.find(({ id }) => id === signer.id)
      if (one === undefined || one.link_sha256 !== signer.link_sha256) throw linkNotFound()
      if (by === 1) requireLink(current, one, clock.now())
      const counted: SignerRecord = { ...one, code_attempts: Math.max(0, one.code_attempts + by) }
      const signers = current.signers.map((it) => (it === one ? counted : it))
      return envelopeChange(current, { fields: { signers }, events: [] })
    })

  return {
    /**
     * The value of the cookie that opens the link, for the right code; undefined where the link has none.
     *
     * An attempt is counted before the code is compared, and taken back where it was right: however many codes come at
     * once, five are compared at most.
     *
     * @throws Failure VALIDATION_ERROR for a wrong code, SIGNING_LINK_LOCKED for the fifth wrong one and all after it,
     * SIGNING_LINK_ENDED, SIGNING_LINK_NOT_FOUND
     */
    async unlock(visit: Visit, code: string): Promise<string | undefined> {
      const { access_code_hash, id } = visit.signer
      if (access_code_hash === null) return undefined
      const counted = await count(visit, 1)
      if (await isAccessCode(code, access_code_hash)) {
        await count(visit, -1)
        return accessCookieOf(visit)
      }
      const attempts = counted.signers.find((signer) => signer.id === id)?.code_attempts ?? 0
      throw attempts >= maxCodeAttempts ? linkLocked() : wrongCode()
    },
  }
}

function wrongCode(): Failure {
  const message = 'This is not the access code.'
  return invalid(message, [{ path: 'body.code', message }])
}
