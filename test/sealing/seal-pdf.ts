import { openPdf } from '#sealing/open-pdf.ts'
import { checkValidity, type Seal, sealPrepared, signatureBytes } from '#sealing/seal-prepared.ts'
import { prepareSignature } from '#sealing/signature-field.ts'
import { SealFault } from '#sealing/signer.ts'

/**
 * Seals a PDF with PAdES (EN 319 142-1): an invisible certifying signature over the whole file. It is appended, so no
 * byte of the file changes.
 *
 * @throws Unalterable if the PDF cannot be changed without harm
 * @throws SealFault if signer, certificate or time stamp do not match; errors of signer and time stamper
 */
export async function sealPdf(pdf: Uint8Array, seal: Seal): Promise<Uint8Array> {
  checkValidity(seal)
  const update = await openPdf(pdf)
  const page = update.document.getPages().at(-1)
  if (page === undefined) throw new SealFault('space', 'The PDF has no page.')
  return sealPrepared(await prepareSignature(update, page.ref, seal.note, signatureBytes(seal)), seal)
}
