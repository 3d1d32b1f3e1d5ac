import { createHash } from 'node:crypto'
import { signDetached, type TimeStamper } from './cms.ts'
import { limits } from './limits.ts'
import type { Prepared, SignatureNote } from './signature-field.ts'
import { SealFault, type Signer, sealingKey } from './signer.ts'

/** The signer, the note of the signature, and the time stamper. With a time stamper the seal is B-T, otherwise B-B. */
export type Seal = { signer: Signer; timeStamper?: TimeStamper; note: SignatureNote }

/**
 * Puts the signature into a PDF that was prepared with `signatureBytes(seal)`. It changes `prepared.bytes` and returns them.
 */
export async function sealPrepared({ bytes, byteRange }: Prepared, seal: Seal): Promise<Uint8Array> {
  checkValidity(seal)
  const [, length, second, rest] = byteRange
  const signed = [bytes.subarray(0, length), bytes.subarray(second, second + rest)]
  const hash = createHash('sha256')
  for (const stretch of signed) hash.update(stretch)
  const signature = await signDetached(hash.digest(), seal.signer, seal.timeStamper)
  const space = second - length - 2
  const text = Buffer.from(signature).toString('hex')
  if (text.length > space) {
    throw new SealFault(
      'space',
      `The signature has ${signature.length} bytes; there is space for ${space / 2}.`,
    )
  }
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  file.write(text, length + 1, 'latin1')
  return bytes
}

/** Bytes to reserve for the signature: certificates, attributes, and a time stamp with its own certificates. */
export function signatureBytes({ signer, timeStamper }: Seal): number {
  const certificates = signer.certificates.reduce((sum, { length }) => sum + length, 0)
  return certificates + 2_048 + (timeStamper ? limits.timeStampBytes : 0)
}

/** Refuses a certificate that is not valid now: nobody would accept the seal. @throws SealFault */
export function checkValidity({ signer, note: { sealedAt } }: Seal): void {
  const { certificate } = sealingKey(signer)
  if (sealedAt < certificate.validFromDate || sealedAt > certificate.validToDate) {
    throw new SealFault('certificate', 'The certificate of the signer is not valid at this time.')
  }
}
