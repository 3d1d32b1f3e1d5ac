import { limits } from './limits.ts'
import { Unsure } from './unsure.ts'

/** An object as it stands in a file: `12 0 obj`, its contents, and whatever follows up to the next one. */
export type Definition = {
  number: number
  generation: number
  /** Where its number begins. */
  offset: number
  /** Where its contents begin. */
  body: number
  /** Where the next object begins, or the file ends. */
  end: number
}

/**
 * All objects that a reader could find who reads the file from its beginning to its end, in this order. What only looks like
 * one, in a stream or in a comment, is among them.
 *
 * @throws Unsure where an object may begin in an unusual way, such as with a comment between its numbers
 */
export function definitionsIn(file: Buffer): Definition[] {
  const definitions: Definition[] = []
  for (let keyword = file.indexOf('obj'); keyword >= 0; keyword = file.indexOf('obj', keyword + 1)) {
    const generation = integerBefore(file, keyword)
    const number = generation && integerBefore(file, generation.start)
    if (!generation || !number) continue
    if (number.end === generation.start) throw new Unsure('A number of an object is too long.')
    if (definitions.length >= limits.pdfObjects) throw new Unsure('There are too many objects.')
    const last = definitions.at(-1)
    if (last) last.end = number.start
    definitions.push({
      number: number.value,
      generation: generation.value,
      offset: number.start,
      body: keyword + 'obj'.length,
      end: file.length,
    })
  }
  return definitions
}

/** The digits before a place of the file, with white space between them and the place. */
function integerBefore(
  file: Buffer,
  place: number,
): { value: number; start: number; end: number } | undefined {
  let end = place
  let hasLineBreak = false
  while (isWhiteSpace(file[end - 1])) {
    end -= 1
    hasLineBreak ||= file[end] === lineFeed || file[end] === carriageReturn
    if (place - end > maxGap) throw new Unsure('There is much white space before an object.')
  }
  let start = end
  while (isDigit(file[start - 1]) && end - start <= maxDigits) start -= 1
  if (start === end) {
    if (hasLineBreak && mayEndComment(file, end)) throw new Unsure('A comment may stand inside a beginning.')
    return undefined
  }
  return { value: Number(file.toString('latin1', start, end)), start, end }
}

/** More of either is no number of an object. */
const [maxGap, maxDigits] = [64, 12]

/** Whether the line that ends here has a comment; a line without a beginning nearby may have one. */
function mayEndComment(file: Buffer, end: number): boolean {
  for (let place = end - 1; place >= 0 && end - place <= 256; place -= 1) {
    if (file[place] === percent) return true
    if (file[place] === lineFeed || file[place] === carriageReturn) return false
  }
  return end > 256
}

const [lineFeed, carriageReturn, percent] = [0x0a, 0x0d, 0x25]

function isWhiteSpace(byte: number | undefined): boolean {
  return (
    byte === 0x20 ||
    byte === lineFeed ||
    byte === carriageReturn ||
    byte === 0x09 ||
    byte === 0x0c ||
    byte === 0
  )
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}
