import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
} from '@cantoo/pdf-lib'
import type { Definition } from './definitions.ts'
import { limits } from './limits.ts'
import { parseObject } from './parse-object.ts'
import type { StreamReader } from './stream-data.ts'
import { Unsure } from './unsure.ts'

/**
 * The entry of an object in a cross-reference section: it begins at `offset`, or it is number `index` of an object
 * stream.
 */
export type Entry =
  | { kind: 'free' }
  | { kind: 'plain'; offset: number; generation: number }
  | { kind: 'packed'; stream: number; index: number }

/** A cross-reference table or a cross-reference stream with its trailer. */
export type Section = {
  offset: number
  entries: ReadonlyMap<number, Entry>
  trailer: PDFDict
  /** The declared size: one more than the largest object number. */
  size: number
  /** The position of the word `trailer`; null for a stream. */
  trailerAt: number | null
}

/** A file, and the offsets of its objects. */
export type PdfSource = {
  file: Buffer
  definitions: ReadonlyMap<number, Definition>
  context: PDFContext
  readStream: StreamReader
}

/**
 * The cross-reference sections of a file, newest first (ISO 32000-1, 7.5.4, 7.5.8): the section at `start`, the one
 * that its `XRefStm` names, the one that its `Prev` names, and so on. The first section with an entry for an object
 * counts.
 *
 * @throws Unsure, or errors of pdf-lib, if they break a rule
 */
export function crossReferences(source: PdfSource, start: number): Section[] {
  const sections: Section[] = []
  const visited = new Set<number>()
  let entries = 0
  const read = (offset: number) => {
    if (visited.has(offset) || visited.size >= maxSections) throw new Unsure('There are too many sections.')
    visited.add(offset)
    const isTable = source.file.toString('latin1', offset, offset + 4) === 'xref'
    const section = isTable ? readTable(source, offset) : readCrossReferenceStream(source, offset)
    entries += section.entries.size
    if (entries > limits.pdfObjects) throw new Unsure('There are too many objects.')
    sections.push(section)
    return section
  }
  for (let next: number | undefined = start; next !== undefined; ) {
    const section: Section = read(next)
    next = integerOf(section.trailer, 'Prev')
    const hidden = integerOf(section.trailer, 'XRefStm')
    if (hidden === undefined) continue
    if (section.trailerAt === null) throw new Unsure('A cross-reference stream names another one.')
    requireNoConflict(section, read(hidden))
  }
  return sections
}

const maxSections = 100

/** Readers disagree on which of the two takes precedence. */
function requireNoConflict({ entries }: Section, stream: Section): void {
  if (stream.trailerAt !== null || stream.trailer.has(PDFName.of('Prev'))) {
    throw new Unsure('A hybrid file is unusual.')
  }
  for (const number of stream.entries.keys()) {
    if (entries.has(number)) throw new Unsure('Two sections of the same update have the same object.')
  }
}

function readTable({ file, context }: PdfSource, offset: number): Section {
  const trailerAt = file.indexOf('trailer', offset)
  const end = file.indexOf('startxref', trailerAt)
  if (trailerAt < 0 || end < 0) throw new Unsure('A table has no trailer.')
  const text = file.toString('latin1', offset, trailerAt)
  const entries = new Map<number, Entry>()
  let [place] = match(/xref *(?:\r\n|\r|\n)/y, text, 0)
  while (/\d/.test(text[place] ?? '')) {
    const [afterLine, first, count] = match(/(\d{1,10}) (\d{1,10}) *(?:\r\n|\r|\n)/y, text, place)
    place = afterLine
    for (let number = first; number < first + count; number += 1) {
      const [afterEntry, at, generation] = match(/(\d{10}) (\d{5}) [nf](?: \r| \n|\r\n)/y, text, place)
      const isFree = text[place + useAt] === 'f'
      // Some readers treat it as the entry of object 0.
      if (isFree && number === 1 && first === 1) throw new Unsure('A table may begin at the wrong number.')
      addEntry(entries, number, isFree ? free : { kind: 'plain', offset: at, generation })
      place = afterEntry
    }
  }
  if (!/^[\t\n\r ]*$/.test(text.slice(place))) throw new Unsure('A table has more than its entries.')
  requireNoPoint(file, trailerAt, end)
  const trailer = parseObject(file.subarray(trailerAt + 'trailer'.length, end), context)
  if (!(trailer instanceof PDFDict)) throw new Unsure('A table has no trailer.')
  return { offset, entries, trailer, size: sizeOf(trailer), trailerAt }
}

/** The position of `n` or `f` in a line of a table (7.5.4). */
const useAt = 17

const free = { kind: 'free' } as const

/** The position of the next line, and the two numbers of this line. */
function match(line: RegExp, text: string, place: number): [next: number, first: number, second: number] {
  line.lastIndex = place
  const found = line.exec(text)
  if (found === null) throw new Unsure('A line of a table is malformed.')
  return [line.lastIndex, Number(found[1]), Number(found[2])]
}

function addEntry(entries: Map<number, Entry>, number: number, entry: Entry): void {
  if (number > limits.pdfObjects) throw new Unsure('There are too many objects.')
  if (number === 0 && entry.kind !== 'free') throw new Unsure('Object 0 is not free.')
  if (entries.has(number)) throw new Unsure('A section has the same object twice.')
  entries.set(number, entry)
}

function readCrossReferenceStream(
  { file, definitions, context, readStream }: PdfSource,
  offset: number,
): Section {
  const definition = definitions.get(offset)
  if (definition === undefined) throw new Unsure('There is no cross-reference section where one must be.')
  const stream = streamAt(file, definition, context)
  if (!(stream instanceof PDFRawStream) || stream.dict.get(PDFName.of('Type')) !== PDFName.of('XRef')) {
    throw new Unsure('There is no cross-reference section where one must be.')
  }
  const { dict } = stream
  if (integerOf(dict, 'Length') !== stream.contents.length) throw new Unsure('A stream has another length.')
  const data = readStream(stream)
  const [typeBytes = 0, secondBytes = 0, thirdBytes = 0, ...others] = integersOf(dict, 'W') ?? []
  const widths = [typeBytes, secondBytes, thirdBytes]
  if (others.length > 0 || widths.some((width) => width > 6) || secondBytes === 0) {
    throw new Unsure('A cross-reference stream has unusual fields.')
  }
  const ranges = integersOf(dict, 'Index') ?? [0, sizeOf(dict)]
  const entries = new Map<number, Entry>()
  let place = 0
  const field = (bytes: number, otherwise: number) => {
    if (bytes === 0) return otherwise
    place += bytes
    return data.readUIntBE(place - bytes, bytes)
  }
  for (let range = 0; range < ranges.length; range += 2) {
    const [first = 0, count = 0] = ranges.slice(range, range + 2)
    for (let number = first; number < first + count; number += 1) {
      const type = field(typeBytes, 1)
      const [second, third] = [field(secondBytes, 0), field(thirdBytes, 0)]
      addEntry(entries, number, entryOf(type, second, third))
    }
  }
  if (place !== data.length) throw new Unsure('A cross-reference stream has more than its entries.')
  return { offset, entries, trailer: dict, size: sizeOf(dict), trailerAt: null }
}

function entryOf(type: number, second: number, third: number): Entry {
  if (type === 0) return free
  if (type === 1) return { kind: 'plain', offset: second, generation: third }
  if (type === 2) return { kind: 'packed', stream: second, index: third }
  throw new Unsure('A cross-reference stream has unusual entries.')
}

/** Reads an object up to its `endobj`, at most to the beginning of the next object. */
export function objectAt(file: Buffer, { body, end }: Definition, context: PDFContext): PDFObject {
  const text = file.subarray(body, end)
  const length = text.lastIndexOf('endobj')
  if (length < 0) throw new Unsure('An object does not end where it must.')
  return parseObject(text.subarray(0, length), context)
}

/** Reads an object stream or a cross-reference stream. */
export function streamAt(file: Buffer, definition: Definition, context: PDFContext): PDFObject {
  requireNoPoint(file, definition.body, file.indexOf('stream', definition.body))
  return objectAt(file, definition, context)
}

/** Readers disagree on whether `12.0` is a whole number. */
function requireNoPoint(file: Buffer, start: number, end: number): void {
  if (file.subarray(start, end).includes('.')) throw new Unsure('A number may not be whole.')
}

function sizeOf(trailer: PDFDict): number {
  const size = integerOf(trailer, 'Size')
  if (size === undefined) throw new Unsure('A trailer does not say how many objects there are.')
  return size
}

/** A whole number in a dictionary, stored directly and not by reference. */
export function integerOf(dictionary: PDFDict, name: string): number | undefined {
  const value = dictionary.get(PDFName.of(name))
  return value === undefined ? undefined : asInteger(value)
}

function integersOf(dictionary: PDFDict, name: string): number[] | undefined {
  const value = dictionary.get(PDFName.of(name))
  if (value === undefined) return undefined
  if (!(value instanceof PDFArray)) throw new Unsure('A cross-reference stream has unusual fields.')
  return value.asArray().map(asInteger)
}

function asInteger(object: PDFObject): number {
  const value = object instanceof PDFNumber ? object.asNumber() : Number.NaN
  if (!Number.isSafeInteger(value) || value < 0) throw new Unsure('A number is not whole.')
  return value
}
