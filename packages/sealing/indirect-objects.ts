import type { PDFContext, PDFObject, PDFRef } from '@cantoo/pdf-lib'
import { type Entry, objectAt, type PdfSource, type Section, streamAt } from './cross-references.ts'
import type { Definition } from './definitions.ts'
import { limits } from './limits.ts'
import { type ObjectStream, readObjectStream } from './object-streams.ts'
import { Unsure } from './unsure.ts'

/** The objects of a file, found by its cross-references. */
export type IndirectObjects = {
  /** The entries of the cross-references, by the number of the object. */
  entries: ReadonlyMap<number, Entry>
  /** The object streams by their numbers, older ones too. */
  objectStreams: ReadonlyMap<number, ObjectStream>
  /** The contents of the object streams. */
  packedTexts: readonly Buffer[]
  /**
   * Reads the object of a reference; undefined if there is none, which readers treat as null.
   *
   * @throws Unsure for a reference to another generation; errors of pdf-lib if the object is damaged
   */
  read: (ref: PDFRef, context: PDFContext) => PDFObject | undefined
}

/**
 * Compares cross-references with the file. Each entry must point to its object, each object must have an entry, and of
 * several objects with one number the last one in the file must count. So a reader that follows the entries finds the
 * same objects as a reader that reads the file from start to end.
 *
 * @param sections the newest first
 * @throws Unsure if a check fails
 */
export function indirectObjects(source: PdfSource, sections: readonly Section[]): IndirectObjects {
  const entries = new Map(sections.toReversed().flatMap((section) => [...section.entries]))
  const objectStreams = new Map<number, ObjectStream>()
  const objects: IndirectObjects = {
    entries,
    objectStreams,
    packedTexts: [],
    read: ({ objectNumber, generationNumber }, context) => {
      const entry = entries.get(objectNumber)
      if (entry === undefined || entry.kind === 'free') return undefined
      if (generationNumber !== (entry.kind === 'plain' ? entry.generation : 0)) {
        throw new Unsure('A reference has another generation.')
      }
      if (entry.kind === 'plain')
        return objectAt(source.file, definitionOf(source, objectNumber, entry), context)
      return objectStreams.get(entry.stream)?.read(entry.index, context)
    },
  }
  let packed = 0
  for (const number of containersOf(sections)) {
    const entry = entries.get(number)
    if (entry?.kind !== 'plain') throw new Unsure('There is no object stream where one must be.')
    const stream = streamAt(source.file, definitionOf(source, number, entry), source.context)
    const lengthOf = (ref: PDFRef) => objects.read(ref, source.context)
    const objectStream = readObjectStream(stream, lengthOf, source.readStream)
    packed += objectStream.numbers.length
    if (packed > limits.pdfObjects) throw new Unsure('There are too many objects.')
    objectStreams.set(number, objectStream)
  }
  requireNamed(source, sections, objectStreams)
  requireLast(source, sections, entries, objectStreams)
  return { ...objects, packedTexts: [...objectStreams.values()].map(({ data }) => data) }
}

/** The numbers of all object streams that an entry names, including older entries. */
function containersOf(sections: readonly Section[]): Set<number> {
  const all = sections.flatMap(({ entries }) => [...entries.values()])
  return new Set(all.flatMap((entry) => (entry.kind === 'packed' ? [entry.stream] : [])))
}

function definitionOf(
  { file, definitions }: PdfSource,
  number: number,
  { offset, generation }: Entry & { kind: 'plain' },
): Definition {
  const definition = definitions.get(offset)
  const isThere = definition?.number === number && definition.generation === generation
  if (!isThere || !startsLine(file, offset) || !delimiters.includes(file[definition.body] ?? 0)) {
    throw new Unsure('A cross-reference does not point to its object.')
  }
  return definition
}

/** An object that does not begin a line may stand in a comment. */
function startsLine(file: Buffer, offset: number): boolean {
  return file[offset - 1] === 0x0a || file[offset - 1] === 0x0d
}

const delimiters = Buffer.from('\0\t\n\f\r <[(/%', 'latin1')

function requireNamed(
  source: PdfSource,
  sections: readonly Section[],
  objectStreams: ReadonlyMap<number, ObjectStream>,
): void {
  const named = new Set(sections.map(({ offset }) => offset))
  const packed = new Set<string>()
  for (const { entries } of sections) {
    for (const [number, entry] of entries) {
      if (entry.kind === 'plain') named.add(definitionOf(source, number, entry).offset)
      if (entry.kind !== 'packed') continue
      if (objectStreams.get(entry.stream)?.numbers[entry.index] !== number) {
        throw new Unsure('A cross-reference does not point to its object.')
      }
      packed.add(`${entry.stream} ${entry.index}`)
    }
  }
  const inStreams = [...objectStreams.values()].reduce((sum, { numbers }) => sum + numbers.length, 0)
  const isNamed = [...source.definitions.keys()].every((offset) => named.has(offset))
  if (packed.size !== inStreams || !isNamed) throw new Unsure('An object has no cross-reference.')
}

function requireLast(
  { definitions }: PdfSource,
  sections: readonly Section[],
  entries: ReadonlyMap<number, Entry>,
  objectStreams: ReadonlyMap<number, ObjectStream>,
): void {
  const last = new Map<number, number>()
  for (const { number, offset } of definitions.values()) {
    last.set(number, offset)
    for (const packed of objectStreams.get(number)?.numbers ?? []) {
      // When a reader repairs a file, an object outside of streams takes precedence over an object in a stream.
      if (last.has(packed)) throw new Unsure('An object of a stream replaces an older one.')
      last.set(packed, offset)
    }
  }
  const offsetOf = (number: number): number | undefined => {
    const entry = entries.get(number)
    if (entry?.kind === 'packed') return offsetOf(entry.stream)
    return entry?.kind === 'plain' ? entry.offset : undefined
  }
  const ofSections = new Set(sections.map(({ offset }) => offset))
  for (const [number, offset] of last) {
    // Not every program writes an entry for its cross-reference streams.
    if (!entries.has(number) && ofSections.has(offset)) continue
    if (offsetOf(number) !== offset) throw new Unsure('An older object stands after a newer one.')
  }
}
