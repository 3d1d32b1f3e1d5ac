import { FormatFault } from './format-fault.ts'
import { numberPairsBefore, stepsFor } from './pdf-numbers.ts'
import { inflateWithin } from './pdf-streams.ts'
import {
  isLineEnd,
  PdfDictionary,
  type PdfNames,
  PdfParser,
  PdfReference,
  type PdfValue,
  plainNumber,
} from './pdf-syntax.ts'

/** The content of an object. `data`: the bytes after the dictionary of a stream, up to the end of the file. */
export type PdfContent = { value: PdfValue; data: Buffer | undefined }

/** The place where the content of an object begins: in a file, or in the data of an object stream. */
export type PdfPlace = { number: number; bytes: Buffer; body: number }

/** An object of a PDF. `content`: its content, if it contains one of the searched names. */
export type PdfObject = { place: PdfPlace; content: PdfContent | undefined }

/** The limits of `pdfObjects`; beyond them it throws `too_large`. */
const limits = {
  objects: 2_000_000,
  packedBytes: 128 * 1024 * 1024,
  streamBytes: 32 * 1024 * 1024,
  /** Objects may be inside others. The bytes that may be skipped: a factor of the file's size, and a constant. */
  passes: 4,
  passedBytes: 16 * 1024 * 1024,
}

/**
 * Every object that any reader may find in a PDF, in the order of the file. This is everything that looks like an
 * object, also in comments and streams, and the objects in object streams. Cross-references and declared lengths are
 * not trusted, so they cannot hide anything. The time is proportional to the bytes read, however objects are nested.
 *
 * @param names the names that are searched in each object, in any spelling. Skipping an object is much cheaper than
 *   reading it.
 * @throws FormatFault `too_large` beyond the limits, which no real document reaches; `corrupt` for an object stream
 *   that cannot be read, or an object that does not end
 */
export function* pdfObjects(file: Buffer, names: PdfNames): Generator<PdfObject> {
  const reader = new ObjectReader(names)
  reader.allow(file)
  let unknown = 0
  let packedBytes = 0
  for (const { number, body } of beginningsIn(file)) {
    if (number === undefined) unknown -= 1
    const object = reader.objectAt({ number: number ?? unknown, bytes: file, body })
    yield object
    const { value, data } = object.content ?? {}
    if (data === undefined || !(value instanceof PdfDictionary) || !isObjectStream(value)) continue
    const count = numberOf(value, '/N')
    if (count === 0) continue
    if (!isLineEnd(file[file.length - data.length - 1])) throw damagedStream()
    const packed = streamData(value, data, limits.streamBytes)
    if (packed !== data) {
      packedBytes += packed.length
      reader.allow(packed)
    }
    if (packedBytes > limits.packedBytes) throw tooLarge()
    for (const place of packedPlaces(packed, count, numberOf(value, '/First'))) yield reader.objectAt(place)
  }
}

/**
 * Skips objects, reads the ones with one of the names, and counts the skipped bytes. Like `pdfObjects`, for a file in
 * which the places of the objects are known.
 */
export class ObjectReader {
  private readonly names: PdfNames
  private readonly allowed = new Set<Buffer>()
  private newest: Buffer | undefined
  private objects = 0
  private bytesLeft: number = limits.passedBytes

  constructor(names: PdfNames) {
    this.names = names
  }

  allow({ length }: Buffer): void {
    this.bytesLeft += length * limits.passes
  }

  objectAt(place: PdfPlace): PdfObject {
    return { place, content: this.contentAt(place) }
  }

  /**
   * The content at a place where an object is known to be.
   *
   * @throws FormatFault as `pdfObjects`
   */
  known(place: PdfPlace): PdfContent | undefined {
    const { bytes } = place
    if (bytes !== this.newest) {
      if (!this.allowed.has(bytes)) this.allow(bytes)
      this.allowed.add(bytes)
      this.newest = bytes
    }
    return this.contentAt(place)
  }

  private contentAt(place: PdfPlace): PdfContent | undefined {
    const parser = new PdfParser(place.bytes, place.body)
    const content = parser.pass(this.names) ? contentOf(parser) : undefined
    this.objects += 1
    this.bytesLeft -= parser.passed
    if (this.objects > limits.objects || this.bytesLeft < 0) throw tooLarge()
    return content
  }
}

/** The content at a place. @throws FormatFault `corrupt` */
export function contentAt({ bytes, body }: PdfPlace): PdfContent {
  return contentOf(new PdfParser(bytes, body))
}

function contentOf(parser: PdfParser): PdfContent {
  parser.restart()
  const value = parser.value()
  return { value, data: value instanceof PdfDictionary ? parser.streamData() : undefined }
}

/**
 * The decoded data of a stream that is not compressed, or compressed only by Flate, without a predictor.
 *
 * @param data the bytes after the dictionary: compressed data marks its own end
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

function tooLarge(): FormatFault {
  return new FormatFault('too_large', 'The PDF has more objects than are read.')
}

/** Readers find packed objects by `N` and `First`, whatever the type is. */
function isObjectStream(dictionary: PdfDictionary): boolean {
  return dictionary.get('/N') !== undefined && dictionary.get('/First') !== undefined
}

/** A whole number, not negative, that is given directly and once. Readers choose differently among several. */
function numberOf(dictionary: PdfDictionary, key: string): number {
  const [value, ...others] = dictionary.all(key)
  if (!Number.isInteger(value) || Number(value) < 0 || others.length > 0) throw damagedStream()
  return Number(value)
}

function damagedStream(): FormatFault {
  return new FormatFault('corrupt', 'An object stream of the PDF is damaged.')
}

function* packedPlaces(packed: Buffer, count: number, first: number): Generator<PdfPlace> {
  if (count > packed.length) throw damagedStream()
  const head = new PdfParser(packed, 0)
  for (let at = 0; at < count; at += 1) {
    const [number, offset] = [head.integer(), head.integer()]
    if (number === undefined || offset === undefined) throw damagedStream()
    yield { number, bytes: packed, body: first + offset }
  }
}

/** The beginning of an object: `12 0 obj`. A number that is not written only with digits is undefined. */
type PdfBeginning = {
  number: number | undefined
  generation: number | undefined
  /** The place where its number begins. */
  offset: number
  /** The place where its content begins. */
  body: number
}

/**
 * The places where objects may begin, in the order of the file, with any white space or comment between the numbers and
 * `obj`. Text that only looks like an object, in a stream or in a comment, is included.
 *
 * @throws FormatFault `too_large` for a file with very much text that only looks like a number
 */
export function* beginningsIn(file: Buffer): Generator<PdfBeginning> {
  const steps = stepsFor(file)
  for (let keyword = file.indexOf('obj'); keyword >= 0; keyword = file.indexOf('obj', keyword + 3)) {
    for (const { start, end, generationStart, generationEnd } of numberPairsBefore(file, keyword, steps)) {
      const number = plainNumber(file, start, end)
      const generation = plainNumber(file, generationStart, generationEnd)
      yield { number, generation, offset: start, body: keyword + 3 }
      break
    }
  }
}
