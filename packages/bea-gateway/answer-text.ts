import { randomUUID } from 'node:crypto'

/** Texts of an answer that are longer are kept as bytes beside the JSON. */
const maxInlineBytes = 4_096

/** The limit for everything of an answer but its long texts: JSON takes several times its size in memory. */
const maxStructureBytes = 64 * 1024 * 1024

const quote = 0x22
const backslash = 0x5c

/**
 * A long text of a JSON answer, such as the contents of an attachment in base64. It stays in the buffers in which it arrived:
 * as a string, and decoded all at once, it would be in memory three times.
 */
export class LongText {
  #pieces: Buffer[]

  constructor(pieces: Buffer[]) {
    this.#pieces = pieces
  }

  /** The length as it was written, in bytes. */
  get bytes(): number {
    return this.#pieces.reduce((sum, { length }) => sum + length, 0)
  }

  /** The whole text. @throws SyntaxError where it is not a JSON text */
  text(): string {
    return JSON.parse(`"${Buffer.concat(this.#pieces).toString('utf8')}"`)
  }

  /**
   * The text piece by piece, each of which leaves the memory when it is taken; only ASCII is right, which base64 is.
   *
   * @throws SyntaxError for an escape that JSON lacks
   */
  *takeAsciiPieces(): Generator<string> {
    let rest = ''
    const pieces = this.#pieces.toReversed()
    this.#pieces = []
    for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
      const text = rest + piece.toString('latin1')
      // An escape that is cut off waits for the next piece.
      const end = text.length - (/\\(u[\da-f]{0,3})?$/i.exec(text)?.[0].length ?? 0)
      rest = text.slice(end)
      const whole = text.slice(0, end)
      yield whole.includes('\\') ? JSON.parse(`"${whole}"`) : whole
    }
    if (rest !== '') throw new SyntaxError('An escape is cut off.')
  }
}

/**
 * Reads the JSON of an answer as it arrives. Texts of more than 4 KiB become LongText.
 *
 * @param maxBytes where the answer is longer, reading ends
 * @throws SyntaxError where it is not JSON, RangeError where it is too long; errors of `chunks`
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
  /** Nobody else knows it, so that no text of an answer is taken for a placeholder. */
  readonly #placeholder = `${randomUUID()}:`
  readonly #structure: Buffer[] = []
  readonly #longTexts: LongText[] = []
  /** The pieces of a text that began in an earlier chunk. */
  #begun: Buffer[] | undefined
  #isEscaped = false
  #structureBytes = 0

  push(chunk: Buffer): void {
    // What lies before it is in the structure or in a text.
    let taken = 0
    let textStart = this.#begun === undefined ? -1 : 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (textStart < 0) {
        if (byte === quote) textStart = at + 1
      } else if (this.#isEscaped) {
        this.#isEscaped = false
      } else if (byte === backslash) {
        this.#isEscaped = true
      } else if (byte === quote) {
        if (this.#begun !== undefined || at - textStart > maxInlineBytes) {
          this.#addStructure(chunk.subarray(taken, textStart))
          this.#endText([...(this.#begun ?? []), chunk.subarray(textStart, at)])
          taken = at
        }
        this.#begun = undefined
        textStart = -1
      }
    }
    this.#addStructure(chunk.subarray(taken, textStart < 0 ? chunk.length : textStart))
    if (textStart < 0) return
    this.#begun ??= []
    this.#begun.push(chunk.subarray(textStart))
  }

  #endText(pieces: Buffer[]): void {
    const text = new LongText(pieces)
    if (text.bytes <= maxInlineBytes) {
      for (const piece of pieces) this.#addStructure(piece)
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
