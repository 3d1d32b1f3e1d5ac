import { setImmediate } from 'node:timers/promises'
import { compressedIn, compressionsOf, inflateWithin, pdfStreams } from '#formats/pdf-streams.ts'
import { limits } from './limits.ts'
import { ExtractionRefusal } from './refusal.ts'

/**
 * Refuses a PDF whose streams inflate to more than the limits. pdf.js inflates each stream in memory without a limit.
 * So this function first inflates and counts every stream, in the order of the file, and does not trust its declared
 * length.
 *
 * A compressed stream that is encoded as text (ASCII85, hexadecimal) is recognised by its first bytes. This check
 * cannot inflate streams that are encrypted (a PDF that opens without a password can have them) or that use the rare
 * LZW and run-length filters. Only the memory and the time of the thread limit these.
 *
 * @returns the inflated size, in bytes, of the largest stream that is neither a picture nor an embedded file
 * @throws ExtractionRefusal `too_large`, or `too_complex` for a stream that is compressed twice
 */
export async function checkInflation(bytes: Uint8Array, step: () => void): Promise<number> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let left: number = limits.inflatedPdfBytes
  let largestBytes = 0
  for (const { dictionary, data } of pdfStreams(file)) {
    if (compressionsOf(dictionary) > 1) {
      throw new ExtractionRefusal('too_complex', 'A part of the PDF is compressed more than once.')
    }
    const isPicture = /\/Subtype\s*\/Image\b/.test(dictionary)
    const isFile = /\/Type\s*\/EmbeddedFile\b/.test(dictionary)
    const maxOfOthers = isFile ? limits.embeddedFileBytes : limits.inflatedPdfStreamBytes
    const maxBytes = isPicture ? limits.pixels * bytesPerPixel : maxOfOthers
    if (isPicture && data.length * maxInflation < maxBytes) continue
    const inflated = compressedIn(data).map((bytes) => inflateWithin(bytes, maxBytes))
    const inflatedBytes = Math.max(0, ...inflated.map((bytes) => bytes?.length ?? maxBytes + 1))
    if (!isPicture) {
      if ([data, ...inflated].some((bytes) => bytes !== undefined && makesLongText(bytes)))
        throw new ExtractionRefusal(
          'too_complex',
          'A font of the PDF maps a glyph to an extremely long text.',
        )
      left -= inflatedBytes
      if (!isFile) largestBytes = Math.max(largestBytes, inflatedBytes)
    }
    if (inflatedBytes > maxBytes || left < 0) {
      throw new ExtractionRefusal('too_large', 'The PDF inflates to too many bytes.')
    }
    await setImmediate()
    step()
  }
  return largestBytes
}

const bytesPerPixel = 4
/** Deflate compresses by a factor of 1032 at best. */
const maxInflation = 1_032
/**
 * The longest text that one glyph may map to, in bytes of UTF-16; the longest ligature of Unicode has 18 characters.
 */
const maxGlyphTextBytes = 128

/**
 * Whether the stream maps a glyph to an extremely long text (ToUnicode, PDF 32000-1, 9.10.3). For such a PDF of one
 * kilobyte, pdf.js would create gigabytes of text before it returns anything.
 */
function makesLongText(stream: Buffer): boolean {
  if (!stream.includes('beginbf')) return false
  const longText = new RegExp(`<[\\s\\da-f]{${maxGlyphTextBytes * 2 + 1}}`, 'i')
  return longText.test(stream.toString('latin1'))
}
