import { type Clock, systemClock } from '#kernel/clock.ts'
import type { Certificate } from './certificate.ts'
import type { TimeStamper } from './cms.ts'
import type { PreparedDocument, SignatureSpace } from './prepare-document.ts'
import type { Signer } from './signer.ts'
import type { UnalterableReason } from './unalterable.ts'

/** A document in its final form (S7): a PDF with certificate and seal. */
export type SealedDocument = {
  pdf: Uint8Array
  /** How the original is part of it: before the certificate, as a picture's pages with the picture attached, or attached. */
  form: 'appended' | 'converted' | 'attached'
  /** Why the original is attached and not extended; null where it is extended or converted. */
  attachedBecause: UnalterableReason | null
}

export type Sealer = {
  /**
   * Makes the final form of a signed document, and seals it.
   *
   * @param original at most 50 MiB
   * @throws SealFault where key, certificate or time stamp do not fit; whatever the signer and the time stamper throw;
   *   RangeError for a document that is too large; Error for a drawn signature that `checkSignature` refuses
   */
  seal: (original: Uint8Array, certificate: Certificate) => Promise<SealedDocument>
}

export type SealerDeps = {
  /** Asked for each document, so that a certificate that was brought is used at once. */
  findSigner: () => Promise<Signer>
  /** Then the seals are PAdES-B-T, otherwise B-B. */
  timeStamper?: TimeStamper | undefined
  clock?: Clock
  /** Makes everything but the seal. */
  prepare?: (
    original: Uint8Array,
    certificate: Certificate,
    space: SignatureSpace,
  ) => Promise<PreparedDocument>
}

/** Seals documents. The libraries are loaded with the first document, so that a function starts without them. */
export function sealer({
  findSigner,
  timeStamper,
  clock = systemClock,
  prepare = prepareHere,
}: SealerDeps): Sealer {
  return {
    async seal(original, certificate) {
      const { sealPrepared, signatureBytes } = await import('./seal-pdf.ts')
      const signer = await findSigner()
      const note = {
        sealedAt: clock.now(),
        name: certificate.office,
        reason: reasons[certificate.language](certificate.envelope.id),
      }
      const seal = { signer, note, ...(timeStamper && { timeStamper }) }
      const space = { note, signatureBytes: signatureBytes(seal) }
      const prepared = await prepare(original, certificate, space)
      const pdf = await sealPrepared(prepared, seal)
      if (prepared.form === 'appended' || prepared.form === 'converted') {
        return { pdf, form: prepared.form, attachedBecause: null }
      }
      return { pdf, form: 'attached', attachedBecause: prepared.form }
    },
  }
}

const prepareHere: NonNullable<SealerDeps['prepare']> = async (...input) =>
  (await import('./prepare-document.ts')).prepareDocument(...input)

/** What a viewer shows as the reason of the signature. */
const reasons = {
  de: (envelope: string) => `Abschluss des Umschlags ${envelope}`,
  en: (envelope: string) => `Completion of envelope ${envelope}`,
}
