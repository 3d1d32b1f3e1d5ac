import { type Clock, systemClock } from '#kernel/clock.ts'
import type { Sealer } from '#signing/ports.ts'
import type { TimeStamper } from './cms.ts'
import { prepareInProcess } from './prepare-in-process.ts'
import type { Signer } from './signer.ts'

type SealerDeps = {
  /** Called for each document, so that an imported certificate is used at once. */
  findSigner: () => Promise<Signer>
  /** If present, seals are PAdES-B-T, otherwise B-B. */
  timeStamper?: TimeStamper | undefined
  clock?: Clock
  /** Makes the document without its seal. */
  prepare?: typeof prepareInProcess
}

/**
 * Seals documents. It throws a SealFault if key, certificate or time stamp do not match, and passes on the errors of
 * signer and time stamper. It throws a RangeError for a document that is too large, and an Error for a drawn signature
 * that `checkSignature` would refuse. The libraries are loaded with the first document, the PDF libraries in a separate
 * process, so that a function starts without them.
 */
export function sealer(deps: SealerDeps): Sealer {
  const { findSigner, timeStamper, clock = systemClock, prepare = prepareInProcess } = deps
  return {
    async seal(original, certificate, { attachOnly = false } = {}) {
      const { checkValidity, sealPrepared, signatureBytes } = await import('./seal-prepared.ts')
      const signer = await findSigner()
      const note = {
        sealedAt: clock.now(),
        name: certificate.office,
        reason: reasons[certificate.language](certificate.envelope.id),
      }
      const seal = { signer, note, ...(timeStamper && { timeStamper }) }
      checkValidity(seal)
      const space = { note, signatureBytes: signatureBytes(seal) }
      const prepared = await prepare(original, certificate, space, attachOnly ? 'too_complex' : null)
      const pdf = await sealPrepared(prepared, seal)
      if (prepared.form === 'appended' || prepared.form === 'converted') {
        return { pdf, form: prepared.form, attachedBecause: null }
      }
      return { pdf, form: 'attached', attachedBecause: prepared.form }
    },
  }
}

/** The reason of the signature, as a viewer shows it. */
const reasons = {
  de: (envelope: string) => `Abschluss des Signaturvorgangs ${envelope}`,
  en: (envelope: string) => `Completion of envelope ${envelope}`,
}
