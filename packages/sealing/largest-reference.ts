import { limits } from './limits.ts'
import { Unsure } from './unsure.ts'

/**
 * The largest number of an object that a text may refer to (`12 0 R`), in a stream or in a comment too, if no more objects are
 * processed than that. What has no object is nothing, until a new object gets its number: then it would become part of what
 * refers to it.
 *
 * @throws Unsure where a reference is written in a form in which its number cannot be told
 */
export function largestReference(text: Buffer): number {
  let largest = 0
  const steps = { left: text.length / 8 + 1_000_000 }
  for (let keyword = text.indexOf(letterR); keyword >= 0; keyword = text.indexOf(letterR, keyword + 1)) {
    if (isRegular(text[keyword + 1])) continue
    steps.left -= 1
    if (steps.left < 0) throw new Unsure('There is very much that is no reference.')
    for (const generationEnd of endsBefore(text, keyword, steps)) {
      const generation = startOfNumber(text, generationEnd)
      if (generation === undefined) continue
      for (const end of endsBefore(text, generation, steps)) {
        const start = startOfNumber(text, end)
        if (start === undefined || end === generation) continue
        const word = text.toString('latin1', start, end)
        if (!/^\d{1,15}$/.test(word)) throw new Unsure('A reference has an unusual number.')
        const number = Number(word)
        if (number <= limits.pdfObjects) largest = Math.max(largest, number)
      }
    }
  }
  return largest
}

const letterR = 0x52

/** Where the word before a place may end: before white space, and before a comment that ends there. */
function* endsBefore(text: Buffer, place: number, steps: { left: number }): Generator<number> {
  let end = place
  let hasLineBreak = false
  while (end > 0 && whiteSpace.includes(text[end - 1] ?? 0)) {
    end -= 1
    hasLineBreak ||= isLineBreak(text[end])
    steps.left -= 1
  }
  yield end
  if (!hasLineBreak) return
  for (let at = end - 1; at >= 0 && !isLineBreak(text[at]); at -= 1) {
    steps.left -= 1
    if (steps.left < 0) throw new Unsure('There is very much that is no reference.')
    if (text[at] === percent) yield* endsBefore(text, at, steps)
  }
}

const percent = 0x25
const whiteSpace = Buffer.from('\0\t\n\f\r ', 'latin1')
const delimiters = Buffer.from('\0\t\n\f\r ()<>[]{}/%', 'latin1')

function isLineBreak(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d
}

function isRegular(byte: number | undefined): boolean {
  return byte !== undefined && !delimiters.includes(byte)
}

/** Some readers take `7.0` and `0.7e1` for a number of an object. */
function startOfNumber(text: Buffer, end: number): number | undefined {
  let start = end
  while (start > 0 && numeric.includes(text[start - 1] ?? 0)) {
    start -= 1
    if (end - start > maxDigits) throw new Unsure('A reference has an unusual number.')
  }
  return start === end || isRegular(text[start - 1]) ? undefined : start
}

const maxDigits = 32
const numeric = Buffer.from('0123456789+-.eE', 'latin1')
