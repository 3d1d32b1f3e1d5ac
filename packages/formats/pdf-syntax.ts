import { FormatFault } from './format-fault.ts'

/**
 * An object of a PDF. Names begin with a slash and are decoded, such as `/JavaScript`. A dictionary is a list of its
 * entries, because a key may occur twice, and readers do not agree on which one counts.
 */
export type PdfValue = number | boolean | null | string | PdfText | PdfReference | PdfValue[] | PdfDictionary

/** A string, byte by byte. */
export class PdfText {
  readonly bytes: Buffer
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

export class PdfReference {
  readonly number: number
  constructor(number: number) {
    this.number = number
  }
}

const none: readonly PdfValue[] = []

export class PdfDictionary {
  readonly entries: [key: string, value: PdfValue][] = []

  /** All values of a key: usually one or none. */
  all(key: string): readonly PdfValue[] {
    let values: PdfValue[] | undefined
    for (const entry of this.entries) {
      if (entry[0] !== key) continue
      values ??= []
      values.push(entry[1])
    }
    return values ?? none
  }

  get(key: string): PdfValue | undefined {
    for (const entry of this.entries) if (entry[0] === key) return entry[1]
    return undefined
  }
}

/** The searched names, without their slash, and the names that each object stream has. */
export class PdfNames {
  private readonly names: ReadonlySet<string>
  /** Whether there is a name of this length that begins with this byte. */
  private readonly mayBe = new Uint8Array(32 * 256)

  constructor(names: Iterable<string>) {
    this.names = new Set([...names, 'First'])
    for (const name of this.names) this.mayBe[name.length * 256 + name.charCodeAt(0)] = 1
  }

  /** Whether the name at this place is one of them. */
  has(bytes: Buffer, start: number, end: number, isEscaped: boolean): boolean {
    const length = end - start
    if (!isEscaped && (length > 31 || this.mayBe[length * 256 + (bytes[start] ?? 0)] === 0)) return false
    return this.names.has(decodedName(bytes, start, end))
  }
}

/** The operations of a content stream, for example of a page, each with its operands. */
export function* pdfOperations(content: Buffer): Generator<{ operator: string; operands: PdfValue[] }> {
  const parser = new PdfParser(content, 0)
  let operands: PdfValue[] = []
  while (!parser.isAtEnd()) {
    const operator = parser.operator()
    if (operator === undefined) operands.push(parser.value())
    else {
      yield { operator, operands }
      operands = []
    }
  }
}

/** Reads objects from bytes. It skips the same parts as PDF readers, such as unknown words. */
export class PdfParser {
  private readonly bytes: Buffer
  private readonly start: number
  private place: number

  constructor(bytes: Buffer, place: number) {
    this.bytes = bytes
    this.start = place
    this.place = place
  }

  isAtEnd(): boolean {
    this.skipSpace()
    return this.place >= this.bytes.length
  }

  /** Goes back to its start. */
  restart(): void {
    this.place = this.start
  }

  /** The bytes after a dictionary up to the end, if the dictionary belongs to a stream. */
  streamData(): Buffer | undefined {
    this.skipSpace()
    if (this.bytes.toString('latin1', this.place, this.place + 6) !== 'stream') return undefined
    let start = this.place + 6
    if (this.bytes[start] === 0x0d) start += 1
    if (this.bytes[start] === 0x0a) start += 1
    return this.bytes.subarray(start)
  }

  integer(): number | undefined {
    this.skipSpace()
    const word = this.word()
    return /^\+?\d{1,10}$/.test(word) ? Number(word) : undefined
  }

  value(depth = 0): PdfValue {
    if (depth > maxDepth) throw new FormatFault('corrupt', 'The PDF is nested too deeply.')
    this.skipSpace()
    const byte = this.bytes[this.place]
    if (byte === slash) return this.name()
    if (byte === open) return this.literal()
    if (byte === bracket) return this.array(depth)
    if (byte === less)
      return this.bytes[this.place + 1] === less ? this.dictionary(depth) : this.hexadecimal()
    const start = this.place
    this.passWord(start)
    const number = plainNumber(this.bytes, start, this.place)
    if (number !== undefined) return this.reference(number) ?? number
    // An unmatched closing delimiter.
    if (this.place === start) {
      this.place += 1
      return null
    }
    const word = this.bytes.toString('latin1', start, this.place)
    if (word === 'true' || word === 'false') return word === 'true'
    // Readers interpret `0x4` and `4e0` differently.
    if (!isNumber.test(word)) return null
    return this.reference(Number(word)) ?? Number(word)
  }

  /** The rest of a reference after a number, if there is one. */
  private reference(number: number): PdfReference | undefined {
    const place = this.place
    this.skipSpace()
    const next = this.bytes[this.place]
    if ((isOf(digits, next) || next === plus) && Number.isInteger(number) && number >= 0) {
      if (/^\+?\d+$/.test(this.word())) {
        this.skipSpace()
        const start = this.place
        this.passWord(start)
        if (this.place === start + 1 && this.bytes[start] === letterR) return new PdfReference(number)
      }
    }
    this.place = place
    return undefined
  }

  /** The next word, if it is not a value. */
  operator(): string | undefined {
    this.skipSpace()
    const start = this.place
    const word = this.word()
    if (word !== '' && !isNumber.test(word) && !['true', 'false', 'null'].includes(word)) return word
    this.place = start
    return undefined
  }

  /** Skips the part that `value` would read, up to the first of the names; returns whether it found one. */
  pass(names: PdfNames): boolean {
    const { bytes } = this
    const { length } = bytes
    /** The expected ends of the open lists and dictionaries. */
    let ends: number[] | undefined
    let end = 0
    this.skipSpace()
    do {
      if (end !== 0) {
        // Numbers, words and white space inside other values do not matter.
        let place = this.place
        while (place < length && isPlain[bytes[place] as number] === 1) place += 1
        this.place = place
        if (bytes[place] === percent) this.skipSpace()
        this.requireMore()
      }
      const byte = bytes[this.place]
      if (byte === slash) {
        const start = this.place + 1
        let at = start
        let isEscaped = false
        for (; at < length; at += 1) {
          const character = bytes[at] as number
          if (delimiters[character] !== 0) break
          if (character === hash) isEscaped = true
        }
        this.place = at
        if (names.has(bytes, start, at, isEscaped)) return true
        continue
      }
      const isDouble = bytes[this.place + 1] === byte
      if (byte === end && end !== 0 && (byte === endBracket || isDouble)) {
        this.place += byte === endBracket ? 1 : 2
        ends?.pop()
        end = ends?.at(-1) ?? 0
      } else if (byte === open) this.passLiteral()
      else if (byte === bracket || (byte === less && isDouble)) {
        this.place += byte === bracket ? 1 : 2
        end = byte === bracket ? endBracket : greater
        ends ??= []
        ends.push(end)
        if (ends.length > maxDepth) throw new FormatFault('corrupt', 'The PDF is nested too deeply.')
      } else if (byte === less) this.passHexadecimal()
      else {
        const start = this.place
        this.passWord(start)
        // An unmatched closing delimiter.
        if (this.place === start) this.place += 1
      }
    } while (end !== 0)
    return false
  }

  /** The number of skipped bytes, with a minimum for each object. */
  get passed(): number {
    return this.place - this.start + 32
  }

  private array(depth: number): PdfValue[] {
    const values: PdfValue[] = []
    this.place += 1
    for (;;) {
      this.skipSpace()
      this.requireMore()
      if (this.bytes[this.place] === endBracket) {
        this.place += 1
        return values
      }
      values.push(this.value(depth + 1))
    }
  }

  private dictionary(depth: number): PdfDictionary {
    const dictionary = new PdfDictionary()
    this.place += 2
    for (;;) {
      this.skipSpace()
      this.requireMore()
      if (this.bytes[this.place] === greater && this.bytes[this.place + 1] === greater) {
        this.place += 2
        return dictionary
      }
      const key = this.value(depth + 1)
      this.skipSpace()
      // A key without a value gets null.
      const isAlone = this.bytes[this.place] === greater
      if (typeof key === 'string') dictionary.entries.push([key, isAlone ? null : this.value(depth + 1)])
    }
  }

  private name(): string {
    const start = this.place + 1
    this.passWord(start)
    return knownName(this.bytes, start, this.place) ?? `/${decodedName(this.bytes, start, this.place)}`
  }

  private literal(): PdfText {
    const start = this.place + 1
    this.passLiteral()
    const raw = this.bytes.subarray(start, this.place - 1)
    return new PdfText(raw.includes(backslash) ? unescaped(raw) : raw)
  }

  private passLiteral(): void {
    this.place += 1
    for (let depth = 1; depth > 0; this.place += 1) {
      this.requireMore()
      const byte = this.bytes[this.place]
      if (byte === backslash) this.place += 1
      else if (byte === open) depth += 1
      else if (byte === close) depth -= 1
    }
  }

  private hexadecimal(): PdfText {
    const start = this.place + 1
    this.passHexadecimal()
    const digits = this.bytes.toString('latin1', start, this.place - 1).replace(/[^\dA-Fa-f]/g, '')
    return new PdfText(Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex'))
  }

  private passHexadecimal(): void {
    const end = this.bytes.indexOf(greater, this.place)
    if (end < 0) throw unended()
    this.place = end + 1
  }

  private word(): string {
    const start = this.place
    this.passWord(start)
    return this.bytes.toString('latin1', start, this.place)
  }

  private passWord(start: number): void {
    const { bytes } = this
    let end = start
    while (end < bytes.length && delimiters[bytes[end] ?? 0] === 0) end += 1
    this.place = end
  }

  private skipSpace(): void {
    for (;;) {
      const byte = this.bytes[this.place]
      if (byte === undefined) return
      if (byte === percent) {
        while (this.place < this.bytes.length && !isLineEnd(this.bytes[this.place])) this.place += 1
      } else if (whiteSpace[byte] === 1) this.place += 1
      else return
    }
  }

  private requireMore(): void {
    if (this.place >= this.bytes.length) throw unended()
  }
}

/** Deeper nesting is refused as `corrupt`. */
const maxDepth = 500

/** The number of these digits; undefined if there are none, too many, or other characters. */
export function plainNumber(text: Buffer, start: number, end: number): number | undefined {
  if (start === end || end - start > maxDigits) return undefined
  let value = 0
  for (let at = start; at < end; at += 1) {
    const digit = (text[at] ?? 0) - zero
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}

const [maxDigits, zero] = [15, 0x30]

const isNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/

/** Which bytes are one of these characters, for `isOf`. */
export function bytesOf(characters: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const byte of Buffer.from(characters, 'latin1')) table[byte] = 1
  return table
}

export function isOf(table: Uint8Array, byte: number | undefined): boolean {
  return byte !== undefined && table[byte] === 1
}

/** Names repeat, and looking one up is much cheaper than making it again. Names with escapes are not kept. */
const knownNames = new Map<number, string>()
const maxKnownNames = 4_096

function knownName(bytes: Buffer, start: number, end: number): string | undefined {
  let digest = 0
  for (let at = start; at < end; at += 1) digest = (Math.imul(digest, 31) + (bytes[at] ?? 0)) | 0
  const known = knownNames.get(digest)
  if (known !== undefined) return isName(known, bytes, start, end) ? known : undefined
  const name = `/${bytes.toString('latin1', start, end)}`
  if (name.includes('#') || name.length > 64) return undefined
  if (knownNames.size < maxKnownNames) knownNames.set(digest, name)
  return name
}

function isName(name: string, bytes: Buffer, start: number, end: number): boolean {
  if (name.length !== end - start + 1) return false
  for (let at = start; at < end; at += 1) if (name.charCodeAt(at - start + 1) !== bytes[at]) return false
  return true
}

function decodedName(bytes: Buffer, start: number, end: number): string {
  const name = bytes.toString('latin1', start, end)
  if (!name.includes('#')) return name
  return name.replace(/#([\dA-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function unended(): FormatFault {
  return new FormatFault('corrupt', 'An object of the PDF does not end.')
}

export function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d
}

/** A string without its escapes (ISO 32000-1, 7.3.4.2). */
function unescaped(raw: Buffer): Buffer {
  const text = raw
    .toString('latin1')
    .replace(/\\(?:([0-7]{1,3})|(\r\n|\r|\n)|([\s\S]))/g, (_, octal, lineEnd, other) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
      if (lineEnd !== undefined) return ''
      return controls[other] ?? other
    })
  return Buffer.from(text, 'latin1')
}

const controls: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

const [slash, open, close, less, greater, bracket, endBracket, backslash, hash] = [
  ...Buffer.from('/()<>[]\\#'),
] as [number, number, number, number, number, number, number, number, number]
export const percent = 0x25

export const whiteSpace = bytesOf('\0\t\n\f\r ')
export const delimiters = bytesOf('\0\t\n\f\r ()<>[]{}/%')
/** Bytes that are not delimiters. */
const isPlain = whiteSpace.map((isSpace, byte) => (isSpace || !delimiters[byte] ? 1 : 0))
const digits = bytesOf('0123456789')
const [plus, letterR] = [0x2b, 0x52]
