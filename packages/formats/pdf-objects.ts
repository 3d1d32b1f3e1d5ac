import { setImmediate } from 'node:timers/promises'
import { FormatFault } from './format-fault.ts'
import { inflateWithin } from './pdf-streams.ts'

/**
 * An object of a PDF. Names begin with a slash and are decoded: `/JavaScript`, however it is written. A dictionary is a list
 * of its entries, since a key may be there twice, and readers do not agree on which one counts.
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

export class PdfDictionary {
  readonly entries: [key: string, value: PdfValue][] = []

  /** All values of a key: usually one or none. */
  all(key: string): PdfValue[] {
    return this.entries.flatMap(([name, value]) => (name === key ? [value] : []))
  }

  get(key: string): PdfValue | undefined {
    return this.entries.find(([name]) => name === key)?.[1]
  }
}

/** An object that a reader may find in a file. `data`: what follows the dictionary of a stream, up to the end of the file. */
export type PdfObject = { number: number; value: PdfValue; data: Buffer | undefined }

/** The limits of `pdfObjects`: more is refused as `too_large`. */
const limits = {
  objects: 2_000_000,
  packedBytes: 128 * 1024 * 1024,
  streamBytes: 32 * 1024 * 1024,
  depth: 500,
}

/** The objects between which other work of the process runs. */
const objectsOfTurn = 1_000

/**
 * Every object that any reader may find in a PDF, in the order of the file: whatever looks like one, also in comments and in
 * streams, and what object streams hold. Cross-references and declared lengths are not trusted, so nothing can be hidden
 * from this by them. It takes time in proportion to what is read.
 *
 * @throws FormatFault `too_large` for more than any real document has; `corrupt` for an object stream that cannot be
 *   read, or an object that does not end
 */
export async function* pdfObjects(file: Buffer): AsyncGenerator<PdfObject> {
  let objects = 0
  let packedBytes = 0
  for (const { number, body } of beginningsIn(file)) {
    objects += 1
    if (objects % objectsOfTurn === 0) await setImmediate()
    const parser = new Parser(file, body)
    const value = parser.value()
    const start = value instanceof PdfDictionary ? parser.startOfData() : undefined
    const data = start === undefined ? undefined : file.subarray(start)
    yield { number, value, data }
    if (data === undefined || !(value instanceof PdfDictionary) || !isObjectStream(value)) continue
    const packed = streamData(value, data, limits.streamBytes)
    packedBytes += packed.length
    for (const one of packedObjects(value, packed)) {
      objects += 1
      if (objects % objectsOfTurn === 0) await setImmediate()
      yield one
    }
    if (objects > limits.objects || packedBytes > limits.packedBytes) throw tooLarge()
  }
  if (objects > limits.objects) throw tooLarge()
}

/**
 * The decoded data of a stream that is not compressed, or compressed by Flate alone, without a predictor.
 *
 * @param data what follows the dictionary: compressed data says where it ends
 * @throws FormatFault `too_large` if it has more than `maxBytes`, `corrupt` for any other filter
 */
export function streamData(dictionary: PdfDictionary, data: Buffer, maxBytes: number): Buffer {
  const filters = dictionary.all('/Filter').flat()
  if (filters.length === 0) return data
  const parameters = dictionary.all('/DecodeParms').flat()
  const hasPredictor = parameters.some(
    (one) =>
      one instanceof PdfReference || (one instanceof PdfDictionary && one.get('/Predictor') !== undefined),
  )
  const [filter] = filters
  if (filters.length > 1 || (filter !== '/FlateDecode' && filter !== '/Fl') || hasPredictor)
    throw new FormatFault('corrupt', 'A part of the PDF is encoded in an unusual way.')
  const inflated = inflateWithin(data, maxBytes)
  if (inflated === undefined) throw tooLarge()
  return inflated
}

/** Reads an object at the beginning of some bytes, and says where it ends. Used for what stands in contents of pages. */
export function pdfTexts(content: Buffer): Buffer[] {
  const parser = new Parser(content, 0)
  const texts: Buffer[] = []
  const collect = (value: PdfValue): void => {
    if (value instanceof PdfText) texts.push(value.bytes)
    if (Array.isArray(value)) for (const part of value) collect(part)
  }
  while (!parser.isAtEnd()) collect(parser.value())
  return texts
}

function tooLarge(): FormatFault {
  return new FormatFault('too_large', 'The PDF has more objects than are read.')
}

/** Readers find what is packed by `N` and `First`, whatever the type says. */
function isObjectStream(dictionary: PdfDictionary): boolean {
  return dictionary.get('/N') !== undefined && dictionary.get('/First') !== undefined
}

function* packedObjects(dictionary: PdfDictionary, packed: Buffer): Generator<PdfObject> {
  const [count, first] = [dictionary.get('/N'), dictionary.get('/First')]
  if (typeof count !== 'number' || typeof first !== 'number' || count > packed.length)
    throw new FormatFault('corrupt', 'An object stream of the PDF is damaged.')
  const head = new Parser(packed, 0)
  for (let at = 0; at < count; at += 1) {
    const [number, offset] = [head.integer(), head.integer()]
    if (number === undefined || offset === undefined) return
    yield { number, value: new Parser(packed, first + offset).value(), data: undefined }
  }
}

/** Where objects may begin: the places after `12 0 obj`, with any white space or comment between. */
function* beginningsIn(file: Buffer): Generator<{ number: number; body: number }> {
  for (let keyword = file.indexOf('obj'); keyword >= 0; keyword = file.indexOf('obj', keyword + 3)) {
    const before = file.toString('latin1', Math.max(0, keyword - 64), keyword)
    const [, number] = beginning.exec(before) ?? []
    if (number !== undefined) yield { number: Number(number), body: keyword + 3 }
  }
}

const beginning =
  /(\d{1,10})(?:[\0\t\n\f\r ]|%[^\r\n]{0,40}[\r\n]){1,20}\+?\d{1,5}(?:[\0\t\n\f\r ]|%[^\r\n]{0,40}[\r\n]){0,20}$/

const [slash, open, close, less, greater, bracket, endBracket, percent, backslash, hash] = [
  ...Buffer.from('/()<>[]%\\#'),
] as [number, number, number, number, number, number, number, number, number, number]

const isSpace = new Uint8Array(256)
for (const byte of Buffer.from('\0\t\n\f\r ', 'latin1')) isSpace[byte] = 1
const isDelimiter = new Uint8Array(256)
for (const byte of Buffer.from('\0\t\n\f\r ()<>[]{}/%', 'latin1')) isDelimiter[byte] = 1

/** Reads objects from bytes. What readers pass over, such as unknown words, it passes over as well. */
class Parser {
  private readonly bytes: Buffer
  private place: number

  constructor(bytes: Buffer, place: number) {
    this.bytes = bytes
    this.place = place
  }

  isAtEnd(): boolean {
    this.skipSpace()
    return this.place >= this.bytes.length
  }

  /** The data of a stream begins here; undefined if the object is none. */
  startOfData(): number | undefined {
    this.skipSpace()
    if (this.bytes.toString('latin1', this.place, this.place + 6) !== 'stream') return undefined
    let start = this.place + 6
    if (this.bytes[start] === 0x0d) start += 1
    if (this.bytes[start] === 0x0a) start += 1
    return start
  }

  integer(): number | undefined {
    this.skipSpace()
    const number = Number(this.word())
    return Number.isSafeInteger(number) ? number : undefined
  }

  value(depth = 0): PdfValue {
    if (depth > limits.depth) throw new FormatFault('corrupt', 'The PDF is nested too deeply.')
    this.skipSpace()
    const byte = this.bytes[this.place]
    if (byte === slash) return this.name()
    if (byte === open) return this.literal()
    if (byte === bracket) return this.array(depth)
    if (byte === less)
      return this.bytes[this.place + 1] === less ? this.dictionary(depth) : this.hexadecimal()
    const word = this.word()
    // A delimiter without its beginning.
    if (word === '') {
      this.place += 1
      return null
    }
    if (word === 'true' || word === 'false') return word === 'true'
    const number = Number(word)
    if (Number.isNaN(number)) return null
    return this.reference(number) ?? number
  }

  /** What follows a number, if it makes it a reference. */
  private reference(number: number): PdfReference | undefined {
    const place = this.place
    if (Number.isInteger(number) && number >= 0) {
      this.skipSpace()
      if (/^\+?\d+$/.test(this.word())) {
        this.skipSpace()
        if (this.word() === 'R') return new PdfReference(number)
      }
    }
    this.place = place
    return undefined
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
      // Of a key without a value nothing can be said, but its name.
      const isAlone = this.bytes[this.place] === greater
      if (typeof key === 'string') dictionary.entries.push([key, isAlone ? null : this.value(depth + 1)])
    }
  }

  private name(): string {
    this.place += 1
    const start = this.place
    while (this.place < this.bytes.length && isDelimiter[this.bytes[this.place] ?? 0] === 0) this.place += 1
    const name = this.bytes.toString('latin1', start, this.place)
    if (!this.bytes.subarray(start, this.place).includes(hash)) return `/${name}`
    return `/${name.replace(/#([\dA-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))}`
  }

  private literal(): PdfText {
    this.place += 1
    const start = this.place
    for (let depth = 1; depth > 0; this.place += 1) {
      this.requireMore()
      const byte = this.bytes[this.place]
      if (byte === backslash) this.place += 1
      else if (byte === open) depth += 1
      else if (byte === close) depth -= 1
    }
    const raw = this.bytes.subarray(start, this.place - 1)
    return new PdfText(raw.includes(backslash) ? unescaped(raw) : raw)
  }

  private hexadecimal(): PdfText {
    const end = this.bytes.indexOf(greater, this.place)
    if (end < 0) throw unended()
    const digits = this.bytes.toString('latin1', this.place + 1, end).replace(/[^\dA-Fa-f]/g, '')
    this.place = end + 1
    return new PdfText(Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex'))
  }

  private word(): string {
    const start = this.place
    while (this.place < this.bytes.length && isDelimiter[this.bytes[this.place] ?? 0] === 0) this.place += 1
    return this.bytes.toString('latin1', start, this.place)
  }

  private skipSpace(): void {
    for (;;) {
      const byte = this.bytes[this.place]
      if (byte === undefined) return
      if (byte === percent) {
        while (this.place < this.bytes.length && !isLineEnd(this.bytes[this.place])) this.place += 1
      } else if (isSpace[byte] === 1) this.place += 1
      else return
    }
  }

  private requireMore(): void {
    if (this.place >= this.bytes.length) throw unended()
  }
}

function unended(): FormatFault {
  return new FormatFault('corrupt', 'An object of the PDF does not end.')
}

function isLineEnd(byte: number | undefined): boolean {
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
