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

/** What an object is. `data`: what follows the dictionary of a stream, up to the end of the file. */
export type PdfContent = { value: PdfValue; data: Buffer | undefined }

/** An object that a reader may find in a file. `has`: whether one of the names that are searched stands in it. */
export type PdfObject = { number: number; has: boolean; read: () => PdfContent }

/** The limits of `pdfObjects`: more is refused as `too_large`. */
const limits = {
  objects: 2_000_000,
  packedBytes: 128 * 1024 * 1024,
  streamBytes: 32 * 1024 * 1024,
  depth: 500,
  /** Objects may stand in others. So many bytes are passed over for each byte of the file, and so many besides. */
  passes: 4,
  passedBytes: 16 * 1024 * 1024,
}

/**
 * Every object that any reader may find in a PDF, in the order of the file: whatever looks like one, also in comments and in
 * streams, and what object streams hold. Cross-references and declared lengths are not trusted, so nothing can be hidden
 * from this by them. It takes time in proportion to what is read, however objects stand in each other.
 *
 * @param names the names that are searched in each object, however they are written. To pass over an object is much
 *   cheaper than to read it.
 * @throws FormatFault `too_large` for more than any real document has; `corrupt` for an object stream that cannot be
 *   read, or an object that does not end
 */
export function* pdfObjects(file: Buffer, names: PdfNames): Generator<PdfObject> {
  const reader = new ObjectReader(file.length)
  let packedBytes = 0
  for (const { number, body } of beginningsIn(file)) {
    const object = reader.objectAt(file, number, body, names)
    yield object
    if (!reader.mayBeObjectStream) continue
    const { value, data } = object.read()
    if (data === undefined || !(value instanceof PdfDictionary) || !isObjectStream(value)) continue
    const count = numberOf(value, '/N')
    if (count === 0) continue
    if (!isLineEnd(file[file.length - data.length - 1])) throw damagedStream()
    const packed = streamData(value, data, limits.streamBytes)
    if (packed !== data) {
      packedBytes += packed.length
      reader.allow(packed.length)
    }
    if (packedBytes > limits.packedBytes) throw tooLarge()
    for (const place of packedPlaces(packed, count, numberOf(value, '/First')))
      yield reader.objectAt(packed, place.number, place.body, names)
  }
}

/** Names that are searched, without their slash, and what each stream of objects has. */
export class PdfNames {
  private readonly names: ReadonlySet<string>
  /** Whether there is a name of this length that begins with this byte. */
  private readonly mayBe = new Uint8Array(32 * 256)

  constructor(names: Iterable<string>) {
    this.names = new Set([...names, 'First'])
    for (const name of this.names) this.mayBe[name.length * 256 + name.charCodeAt(0)] = 1
  }

  /** Whether the name that stands there is one of them. */
  has(bytes: Buffer, start: number, end: number): boolean {
    const length = end - start
    let isEscaped = false
    for (let at = start; at < end; at += 1) if (bytes[at] === hash) isEscaped = true
    if (!isEscaped && (length > 31 || this.mayBe[length * 256 + (bytes[start] ?? 0)] === 0)) return false
    return this.names.has(decodedName(bytes, start, end))
  }
}

/** Passes over objects, and counts what it passes over. */
class ObjectReader {
  /** Of the last object: whether it has one of the names, and so may be a stream of objects. */
  mayBeObjectStream = false
  private objects = 0
  private bytesLeft: number = limits.passedBytes

  constructor(bytes: number) {
    this.allow(bytes)
  }

  allow(bytes: number): void {
    this.bytesLeft += bytes * limits.passes
  }

  objectAt(bytes: Buffer, number: number, body: number, names: PdfNames): PdfObject {
    const parser = new Parser(bytes, body)
    const has = parser.pass(names)
    this.mayBeObjectStream = has
    this.objects += 1
    this.bytesLeft -= parser.passed
    if (this.objects > limits.objects || this.bytesLeft < 0) throw tooLarge()
    return { number, has, read: () => contentAt(bytes, body) }
  }
}

function contentAt(bytes: Buffer, body: number): PdfContent {
  const parser = new Parser(bytes, body)
  const value = parser.value()
  const start = value instanceof PdfDictionary ? parser.startOfData() : undefined
  return { value, data: start === undefined ? undefined : bytes.subarray(start) }
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
  const parameters = ['/DecodeParms', '/DP'].flatMap((key) => dictionary.all(key)).flat()
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

/** The operations of a content stream, such as that of a page, each with its operands. */
export function* pdfOperations(content: Buffer): Generator<{ operator: string; operands: PdfValue[] }> {
  const parser = new Parser(content, 0)
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

function tooLarge(): FormatFault {
  return new FormatFault('too_large', 'The PDF has more objects than are read.')
}

/** Readers find what is packed by `N` and `First`, whatever the type says. */
function isObjectStream(dictionary: PdfDictionary): boolean {
  return dictionary.get('/N') !== undefined && dictionary.get('/First') !== undefined
}

/** A whole number that stands there itself, once: of several, readers take different ones. */
function numberOf(dictionary: PdfDictionary, key: string): number {
  const [value, ...others] = dictionary.all(key)
  if (typeof value !== 'number' || others.length > 0) throw damagedStream()
  return value
}

function damagedStream(): FormatFault {
  return new FormatFault('corrupt', 'An object stream of the PDF is damaged.')
}

function* packedPlaces(
  packed: Buffer,
  count: number,
  first: number,
): Generator<{ number: number; body: number }> {
  if (count > packed.length) throw damagedStream()
  const head = new Parser(packed, 0)
  for (let at = 0; at < count; at += 1) {
    const [number, offset] = [head.integer(), head.integer()]
    if (number === undefined || offset === undefined) throw damagedStream()
    yield { number, body: first + offset }
  }
}

/**
 * Where objects may begin: the places after `12 0 obj`, with any white space or comment between, however long. An object
 * whose number is written in an unusual way gets a number of its own.
 */
function* beginningsIn(file: Buffer): Generator<{ number: number; body: number }> {
  let unknown = 0
  for (let keyword = file.indexOf('obj'); keyword >= 0; keyword = file.indexOf('obj', keyword + 3)) {
    const generation = numberBefore(file, keyword)
    const number = generation && numberBefore(file, generation.start)
    if (generation === undefined || number === undefined || number.end === generation.start) continue
    const value = Number(number.text)
    if (!Number.isSafeInteger(value) || value < 0) unknown -= 1
    yield { number: Number.isSafeInteger(value) && value >= 0 ? value : unknown, body: keyword + 3 }
  }
}

/** What may be a number, with white space and comments between it and the place. */
function numberBefore(file: Buffer, place: number): { text: string; start: number; end: number } | undefined {
  let end = endBefore(file, place)
  for (let comment = commentBefore(file, end, place); comment !== undefined; ) {
    end = endBefore(file, comment)
    comment = commentBefore(file, end, comment)
  }
  let start = end
  while (start > 0 && isOfNumber[file[start - 1] ?? 0] === 1) start -= 1
  return start === end ? undefined : { text: file.toString('latin1', start, end), start, end }
}

function endBefore(file: Buffer, place: number): number {
  let end = place
  while (end > 0 && isSpace[file[end - 1] ?? 1] === 1) end -= 1
  return end
}

/** Where the comment begins that ends there, if a line ends between this and the place. */
function commentBefore(file: Buffer, end: number, place: number): number | undefined {
  let hasLineEnd = false
  for (let at = end; at < place; at += 1) if (isLineEnd(file[at])) hasLineEnd = true
  if (!hasLineEnd) return undefined
  let comment: number | undefined
  for (let at = end - 1; at >= 0 && !isLineEnd(file[at]); at -= 1) if (file[at] === percent) comment = at
  return comment
}

const isOfNumber = new Uint8Array(256)
for (const byte of Buffer.from('0123456789+-.eE')) isOfNumber[byte] = 1

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
    const word = this.word()
    return /^\+?\d{1,10}$/.test(word) ? Number(word) : undefined
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
    // Readers take `0x4` and `4e0` in different ways.
    if (!isNumber.test(word)) return null
    const number = Number(word)
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

  /** The word that follows, if it is no value. */
  operator(): string | undefined {
    this.skipSpace()
    const start = this.place
    const word = this.word()
    if (word !== '' && !isNumber.test(word) && !['true', 'false', 'null'].includes(word)) return word
    this.place = start
    return undefined
  }

  /** Passes over what `value` would read, and answers whether one of the names stands there. */
  pass(names: PdfNames): boolean {
    const { bytes } = this
    /** The ends of what has begun. */
    const ends: number[] = []
    let found = false
    do {
      this.skipSpace()
      if (ends.length > 0) this.requireMore()
      const byte = bytes[this.place]
      const isDouble = bytes[this.place + 1] === byte
      if (byte === slash) {
        const start = this.place + 1
        this.passWord(start)
        if (names.has(bytes, start, this.place)) found = true
      } else if (byte === ends.at(-1) && byte !== undefined && (byte === endBracket || isDouble)) {
        this.place += byte === endBracket ? 1 : 2
        ends.pop()
      } else if (byte === open) this.passLiteral()
      else if (byte === bracket || (byte === less && isDouble)) {
        this.place += byte === bracket ? 1 : 2
        ends.push(byte === bracket ? endBracket : greater)
        if (ends.length > limits.depth) throw new FormatFault('corrupt', 'The PDF is nested too deeply.')
      } else if (byte === less) this.passHexadecimal()
      else {
        const start = this.place
        this.passWord(start)
        // A delimiter without its beginning.
        if (this.place === start) this.place += 1
      }
    } while (ends.length > 0)
    return found
  }

  /** How many bytes were passed over, at least some for each object. */
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
      // Of a key without a value nothing can be said, but its name.
      const isAlone = this.bytes[this.place] === greater
      if (typeof key === 'string') dictionary.entries.push([key, isAlone ? null : this.value(depth + 1)])
    }
  }

  private name(): string {
    const start = this.place + 1
    this.passWord(start)
    return `/${decodedName(this.bytes, start, this.place)}`
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
    while (end < bytes.length && isDelimiter[bytes[end] ?? 0] === 0) end += 1
    this.place = end
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

const isNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/

function decodedName(bytes: Buffer, start: number, end: number): string {
  const name = bytes.toString('latin1', start, end)
  if (!name.includes('#')) return name
  return name.replace(/#([\dA-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
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
