import { changesOf } from '#formats/changing-pdf.ts'
import { FormatFault } from '#formats/format-fault.ts'
import { Unalterable } from './unalterable.ts'

/**
 * Refuses a PDF that can change, or differs between readers, or between screen and paper (S11): a seal over it would say
 * nothing of what anybody saw.
 *
 * @throws Unalterable with the first reason
 */
export async function requireLasting(pdf: Uint8Array): Promise<void> {
  const [reason] = await changesIn(pdf)
  if (reason !== undefined) throw new Unalterable(reason, 'The PDF can change, or differs between readers.')
}

async function changesIn(pdf: Uint8Array) {
  try {
    return await changesOf(Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength))
  } catch (error) {
    if (!(error instanceof FormatFault)) throw error
    const reason = error.kind === 'too_large' ? 'too_complex' : 'damaged'
    throw new Unalterable(reason, error.message, { cause: error })
  }
}
