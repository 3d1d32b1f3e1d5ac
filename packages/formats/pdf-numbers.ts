import { FormatFault } from './format-fault.ts'
import { bytesOf, isLineEnd, isOf, percent, whiteSpace } from './pdf-syntax.ts'

/**
 * The places of two numbers in a text: from `start` to `end`, and the generation from `generationStart` to
 * `generationEnd`.
 */
type NumberPair = { start: number; end: number; generationStart: number; generationEnd: number }

/**
 * The two numbers that may come before a place, such as `12 0` before `obj` or `R`, with white space and comments
 * between them. Text that looks like a comment may be part of a string, so there may be several pairs; pairs with the
 * fewest comments come first.
 *
 * @param steps counts down the bytes that are read
 * @throws FormatFault `too_large` if none are left
 */
export function* numberPairsBefore(text: Buffer, place: number, steps: Steps): Generator<NumberPair> {
  for (const generationEnd of endsBefore(text, place, steps)) {
    const generationStart = startOfNumber(text, generationEnd, steps)
    if (generationStart === generationEnd) continue
    for (const end of endsBefore(text, generationStart, steps)) {
      const start = end === generationStart ? end : startOfNumber(text, end, steps)
      if (start < end) yield { start, end, generationStart, generationEnd }
    }
  }
}

export type Steps = { left: number }

/** Enough for every real text of this length. */
export function stepsFor(text: Buffer): Steps {
  return { left: text.length / 8 + 1_000_000 }
}

function step(steps: Steps): void {
  steps.left -= 1
  if (steps.left < 0)
    throw new FormatFault('too_large', 'The PDF has too much text that looks like a number.')
}

/** The possible ends of the word before a place: before white space, or before a comment. */
function* endsBefore(text: Buffer, place: number, steps: Steps, comments = 0): Generator<number> {
  if (comments > maxComments)
    throw new FormatFault('too_large', 'The PDF has very many comments before an object.')
  let end = place
  let hasLineEnd = false
  while (end > 0 && isOf(whiteSpace, text[end - 1])) {
    end -= 1
    hasLineEnd ||= isLineEnd(text[end])
    step(steps)
  }
  yield end
  if (!hasLineEnd) return
  for (let at = end - 1; at >= 0 && !isLineEnd(text[at]); at -= 1) {
    step(steps)
    if (text[at] === percent) yield* endsBefore(text, at, steps, comments + 1)
  }
}

/** The maximum number of comments between two numbers. */
const maxComments = 100

/** Some readers accept `7.0` and `0.7e1` as the number of an object. */
function startOfNumber(text: Buffer, end: number, steps: Steps): number {
  let start = end
  while (start > 0 && isOf(numeric, text[start - 1])) {
    start -= 1
    if (end - start > maxDigits) step(steps)
  }
  return start
}

const numeric = bytesOf('0123456789+-.eE')

/** No number has more digits; longer digit sequences count as steps. */
const maxDigits = 32
