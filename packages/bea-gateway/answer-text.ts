import { randomUUID } from 'node:crypto'
import { LongText } from './long-text.ts'

/** Longer texts of an answer are kept as bytes outside the JSON. */
const maxInlineBytes = 4_096

/** The limit for an answer without its long texts: parsed JSON needs several times its size in memory. */
const maxStructureBytes = 64 * 1024 * 1024

const quote = 0x22
const backslash = 0x5c

/**
 * Reads the JSON of an answer as it arrives. Texts of more than 4 KiB become LongText.
 *
 * @param maxBytes if the answer is longer, reading ends
 * @throws SyntaxError if it is not JSON, RangeError if it is too long; errors of `chunks`
 */
export async function readAnswer(chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<unknown> {
  const reader = new LongTextFilter()
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new RangeError('The answer is too long.')
    reader.push(chunk)
  }
  return reader.end()
}

/** Divides JSON into its structure, where placeholders stand for long texts, and these texts. */
class LongTextFilter {
  /** Random, so that no text of an answer can look like a placeholder. */
  readonly #placeholder = `${randomUUID()}:`
  readonly #structure: Buffer[] = []
  readonly #longTexts: LongText[] = []
  /** A text that began in an earlier chunk. */
  #begun: LongText | undefined
  #isEscaped = false
  #structureBytes = 0

  push(chunk: Buffer): void {
    if (chunk.length === 0) return
    const nextQuote = finder(chunk, quote)
    const nextBackslash = finder(chunk, backslash)
    // The bytes before this index are in the structure or in a text.
    let taken = 0
    let textStart = this.#begun === undefined ? -1 : 0
    let at = this.#isEscaped ? 1 : 0
    this.#isEscaped = false
    for (let end = nextQuote(at); end < chunk.length || textStart >= 0; end = nextQuote(at)) {
      const escapeAt = nextBackslash(at)
      if (textStart < 0) {
        textStart = end + 1
        at = textStart
      } else if (escapeAt < end) {
        at = escapeAt + 2
        this.#isEscaped = at > chunk.length
      } else if (end < chunk.length) {
        if (this.#begun !== undefined || end - textStart > maxInlineBytes) {
          this.#addStructure(chunk.subarray(taken, textStart))
          const text = this.#begun ?? new LongText()
          text.add(chunk.subarray(textStart, end))
          this.#endText(text)
          taken = end
        }
        this.#begun = undefined
        textStart = -1
        at = end + 1
      } else break
    }
    this.#addStructure(chunk.subarray(taken, textStart < 0 ? chunk.length : textStart))
    if (textStart < 0) return
    this.#begun ??= new LongText()
    this.#begun.add(chunk.subarray(textStart))
  }

  #endText(text: LongText): void {
    if (text.bytes <= maxInlineBytes) {
      this.#addStructure(text.written())
      return
    }
    this.#addStructure(Buffer.from(`${this.#placeholder}${this.#longTexts.length}`))
    this.#longTexts.push(text)
  }

  #addStructure(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#structureBytes += bytes.length
    if (this.#structureBytes > maxStructureBytes) throw new RangeError('The answer has too many members.')
    this.#structure.push(bytes)
  }

  /** @throws SyntaxError */
  end(): unknown {
    if (this.#begun !== undefined) throw new SyntaxError('The answer ends in the middle.')
    const json = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(this.#structure))
    if (this.#longTexts.length === 0) return JSON.parse(json)
    return JSON.parse(json, (_, value) =>
      typeof value === 'string' && value.startsWith(this.#placeholder)
        ? this.#longTexts[Number(value.slice(this.#placeholder.length))]
        : value,
    )
  }
}

/** Finds a byte in a chunk from increasing positions, many times faster than a loop. Infinity if there is none. */
function finder(chunk: Buffer, byte: number): (from: number) => number {
  let found = -1
  return (from) => {
    if (found >= from) return found
    const at = chunk.indexOf(byte, from)
    found = at < 0 ? Number.POSITIVE_INFINITY : at
    return found
  }
}
