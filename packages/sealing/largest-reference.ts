import { numberPairsBefore, stepsFor } from '#formats/pdf-numbers.ts'
import { delimiters, isOf, plainNumber } from '#formats/pdf-syntax.ts'
import { limits } from './limits.ts'
import { Unsure } from './unsure.ts'

/**
 * The largest object number, up to the limit, that a text may refer to (`12 0 R`), also in a stream or a comment. A
 * reference without an object is null. If a new object got its number, the object would become part of the page with
 * the reference.
 *
 * @throws Unsure if the number of a reference cannot be determined; FormatFault for a text with very many candidates
 *   that are not references
 */
export function largestReference(text: Buffer): number {
  let largest = 0
  const steps = stepsFor(text)
  for (let keyword = text.indexOf(letterR); keyword >= 0; keyword = text.indexOf(letterR, keyword + 1)) {
    if (isRegular(text[keyword + 1])) continue
    for (const { start, end } of numberPairsBefore(text, keyword, steps)) {
      if (isRegular(text[start - 1])) continue
      const number = plainNumber(text, start, end)
      if (number === undefined) throw new Unsure('A reference has an unusual number.')
      if (number <= limits.pdfObjects) largest = Math.max(largest, number)
    }
  }
  return largest
}

const letterR = 0x52

function isRegular(byte: number | undefined): boolean {
  return byte !== undefined && !isOf(delimiters, byte)
}
