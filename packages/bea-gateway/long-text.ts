/**
 * Base64 of longer texts is decoded as it arrives. For shorter ones, of which a message may have a thousand, this does
 * not pay.
 */
const maxWrittenBytes = 1024 * 1024

/**
 * A long text of a JSON answer, such as the contents of an attachment in base64. It stays in the buffers in which it
 * arrived: as a string that is decoded at once, it would be in memory three times. The beginning of a very long text is
 * decoded as it arrives, which needs a quarter less memory. This ends at the first character outside the usual alphabet
 * of base64, or at a line break.
 */
export class LongText {
  /** Its beginning, decoded. The buffer's memory doubles when it is full. */
  #decoded: Buffer = Buffer.alloc(0)
  #decodedBytes = 0
  /** The rest, as it arrived. */
  #pieces: Buffer[] = []
  #pieceBytes = 0
  #isDecoding = true

  /** Adds the next bytes, as written in the JSON. */
  add(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#pieceBytes += piece.length
    if (this.#isDecoding && this.bytes > maxWrittenBytes) this.#decode()
  }

  /** The length of `written`. */
  get bytes(): number {
    return (this.#decodedBytes / 3) * 4 + this.#pieceBytes
  }

  /** The text between its quotes in the JSON. In the decoded part, slashes have no backslash. */
  written(): Buffer {
    const decoded = this.#decoded.toString('base64', 0, this.#decodedBytes)
    return Buffer.concat([Buffer.from(decoded, 'latin1'), ...this.#pieces])
  }

  /** The whole text. @throws SyntaxError if it is not a JSON text */
  text(): string {
    return JSON.parse(`"${this.written().toString('utf8')}"`)
  }

  /**
   * Removes and returns the text as base64: `memory` has room for all its bytes, and begins with the `decodedBytes`.
   * `rest` is the remaining text, piece by piece; each piece is freed when it is read. The rest must be ASCII, as
   * base64 is. It throws SyntaxError for an escape that JSON does not have.
   */
  take(): { memory: Buffer; decodedBytes: number; rest: Iterable<string> } {
    const decodedBytes = this.#decodedBytes
    const length = decodedBytes + Math.ceil(this.#pieceBytes / 4) * 3
    this.#reserve(length)
    const memory = this.#decoded.subarray(0, length)
    const pieces = this.#pieces.toReversed()
    this.#decoded = Buffer.alloc(0)
    this.#decodedBytes = 0
    this.#pieces = []
    this.#pieceBytes = 0
    return { memory, decodedBytes, rest: unescaped(pieces) }
  }

  /** Decodes the pieces in groups of four characters, unless they have other characters, such as the padding at the end. */
  #decode(): void {
    const pieces = this.#pieces.toReversed()
    let rest: Buffer = Buffer.alloc(0)
    for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
      const all = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      const text = all.toString('latin1').replaceAll('\\/', '/')
      const end = text.length - (text.endsWith('\\') ? 1 : 0)
      const digits = text.slice(0, end - (end % 4))
      if (/[^\w+/]/.test(digits) || digits.includes('_')) {
        this.#isDecoding = false
        rest = Buffer.concat([all, ...pieces.toReversed()])
        break
      }
      this.#reserve(this.#decodedBytes + (digits.length / 4) * 3)
      this.#decodedBytes += this.#decoded.write(digits, this.#decodedBytes, 'base64')
      rest = Buffer.from(text.slice(digits.length), 'latin1')
    }
    this.#pieces = [rest]
    this.#pieceBytes = rest.length
  }

  /** Makes room for this number of decoded bytes. */
  #reserve(bytes: number): void {
    const full = this.#decoded
    if (bytes <= full.length) return
    this.#decoded = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * full.length))
    full.copy(this.#decoded, 0, 0, this.#decodedBytes)
    giveBack(full)
  }
}

/**
 * Pieces of a JSON text, in reverse order, without their escapes. @throws SyntaxError for an escape that JSON does not
 * have
 */
function* unescaped(pieces: Buffer[]): Generator<string> {
  let rest = ''
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    const text = rest + piece.toString('latin1')
    // An incomplete escape waits for the next piece.
    const end = text.length - (/\\(u[\da-f]{0,3})?$/i.exec(text)?.[0].length ?? 0)
    rest = text.slice(end)
    const whole = text.slice(0, end)
    yield whole.includes('\\') ? JSON.parse(`"${whole}"`) : whole
  }
  if (rest !== '') throw new SyntaxError('An escape is cut off.')
}

/**
 * Frees the memory of a buffer at once. Otherwise the garbage collector frees it late, since buffers are outside the
 * heap. The buffer must not be used afterwards. Buffers that share their ArrayBuffer are kept.
 */
export function giveBack({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
