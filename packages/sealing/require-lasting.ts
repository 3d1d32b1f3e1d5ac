import { changesOf } from '#formats/changing-pdf.ts'
import { FormatFault } from '#formats/format-fault.ts'
import type { PdfPlace } from '#formats/pdf-objects.ts'
import { Unalterable } from './unalterable.ts'

/**
 * Refuses a PDF that can change, or looks different in different readers or on paper (S11): a seal would not prove what
 * a signer saw.
 *
 * @param places the places of its objects; undefined if readers may disagree on them
 * @throws Unalterable with the first reason
 */
export async function requireLasting(pdf: Uint8Array, places: Iterable<PdfPlace> | undefined): Promise<void> {
  const [reason] = await changesIn(Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength), places)
  if (reason !== undefined)
    throw new Unalterable(reason, 'The PDF can change, or looks different in different readers.')
}

async function changesIn(file: Buffer, places: Iterable<PdfPlace> | undefined) {
  try {
    return await (places ? changesOf(places) : changesOf(file, 'uncertain'))
  } catch (error) {
    if (!(error instanceof FormatFault)) throw error
    const reason = error.kind === 'too_large' ? 'too_complex' : 'damaged'
    throw new Unalterable(reason, error.message, { cause: error })
  }
}
