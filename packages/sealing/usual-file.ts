import { type PDFContext, PDFDict, PDFName, type PDFObject, PDFRef } from '@cantoo/pdf-lib'
import { compressionsOf, pdfStreams } from '#formats/pdf-streams.ts'
import { integerOf, objectAt, type PdfSource, type Section } from './cross-references.ts'
import type { Definition } from './definitions.ts'
import type { IndirectObjects } from './indirect-objects.ts'
import { Unsure } from './unsure.ts'

/** The entries of a file's newest trailer. */
type TrailerInfo = { root: PDFRef; info: PDFObject | undefined; id: PDFObject | undefined }

/**
 * Checks that every trailer belongs to one of the sections, that all name the same catalogue, and that none marks the
 * file as encrypted.
 *
 * @param sections the newest first
 * @throws Unsure if a check fails
 */
export function requireUsualTrailers(source: PdfSource, sections: readonly Section[]): TrailerInfo {
  const [newest] = sections
  const root = newest?.trailer.get(PDFName.of('Root'))
  if (newest === undefined || !(root instanceof PDFRef)) throw new Unsure('There is no catalogue.')
  for (const { trailer, entries } of sections) {
    if (trailer.has(PDFName.of('Encrypt'))) throw new Unsure('It is encrypted.')
    const other = trailer.get(PDFName.of('Root'))
    if (other !== undefined && other !== root) throw new Unsure('There are several catalogues.')
    for (const number of entries.keys()) {
      if (number >= newest.size) throw new Unsure('There are more objects than the trailer says.')
    }
  }
  const known = new Set(sections.map(({ trailerAt }) => trailerAt))
  if ([...placesOf(source.file, 'trailer')].some((place) => !known.has(place))) {
    throw new Unsure('There is another trailer.')
  }
  requireUsualBeginning(source, newest)
  const [info, id] = [newest.trailer.get(PDFName.of('Info')), newest.trailer.get(PDFName.of('ID'))]
  return { root, info, id }
}

/**
 * If the first object says that the file is linearized (ISO 32000-1, annex F), some readers begin with the section
 * after that object. After an update all readers begin at the end of the file.
 */
function requireUsualBeginning({ file, definitions, context }: PdfSource, newest: Section): void {
  const [first] = definitions.values()
  if (first === undefined || !/^(?:%[^\r\n]*[\r\n]+)+$/.test(file.toString('latin1', 0, first.offset))) {
    throw new Unsure('The beginning is unusual.')
  }
  if (linearizationOf(file, first, context) === undefined) return
  const end = file.indexOf('endobj') + 'endobj'.length
  if (end > 1_024 || end > newest.offset || /[^ \t\r\n]/.test(file.toString('latin1', end, newest.offset))) {
    throw new Unsure('It is linearized unusually.')
  }
}

/** The linearization in the first object of a file that was not updated since. */
function linearizationOf(file: Buffer, first: Definition, context: PDFContext): PDFDict | undefined {
  const object = objectAt(file, first, context)
  if (!(object instanceof PDFDict) || !object.has(PDFName.of('Linearized'))) return undefined
  return integerOf(object, 'L') === file.length ? object : undefined
}

/**
 * Checks that a linearized file has the number of pages and the first page that its first object names. Some readers
 * use that object, and after an update the page tree.
 *
 * @throws Unsure if a check fails
 */
export function requireUsualLinearization(
  { file, definitions, context }: PdfSource,
  pages: readonly PDFRef[],
): void {
  const [first] = definitions.values()
  const linearization = first && linearizationOf(file, first, context)
  if (linearization === undefined) return
  const firstPage = PDFRef.of(integerOf(linearization, 'O') ?? 0)
  const isFirst = pages[integerOf(linearization, 'P') ?? 0] === firstPage
  if (integerOf(linearization, 'N') !== pages.length || !isFirst) {
    throw new Unsure('It is linearized unusually.')
  }
}

/**
 * Checks that no stream contains an object, and that sections name all object streams and cross-reference streams. No
 * stream may be compressed more than once, and nothing may look like a signature.
 *
 * @throws Unsure if a check fails
 */
export function requireUsualObjects(
  { file, definitions }: PdfSource,
  sections: readonly Section[],
  { entries, objectStreams, packedTexts }: IndirectObjects,
): void {
  const offsets = [...definitions.keys()]
  let next = 0
  for (const { dictionary, data } of pdfStreams(file)) {
    const start = data.byteOffset - file.byteOffset
    while ((offsets[next] ?? file.length) < start) next += 1
    if ((offsets[next] ?? file.length) < start + data.length)
      throw new Unsure('An object stands in a stream.')
    if (compressionsOf(dictionary) > 1) throw new Unsure('A stream is compressed more than once.')
  }

  const known = new Set(sections.map(({ offset }) => offset))
  for (const number of objectStreams.keys()) {
    const entry = entries.get(number)
    if (entry?.kind === 'plain') known.add(entry.offset)
  }
  for (const type of ['/ObjStm', '/XRef']) {
    let object = 0
    for (const place of placesOf(file, type)) {
      if (/^\w/.test(file.toString('latin1', place + type.length, place + type.length + 1))) continue
      while ((offsets[object + 1] ?? file.length) < place) object += 1
      if (!known.has(offsets[object] ?? 0)) throw new Unsure('There is a stream that no section names.')
    }
  }

  for (const text of [file, ...packedTexts]) {
    if (text.includes('/ByteRange')) throw new Unsure('It may be signed.')
    for (const name of escapedNames(text)) {
      if (['ByteRange', 'ObjStm', 'XRef'].includes(name)) throw new Unsure('A name is written unusually.')
    }
  }
}

/** The short names with an escape (ISO 32000-1, 7.3.5), decoded. Text that only looks like a name is included. */
function* escapedNames(text: Buffer): Generator<string> {
  for (const place of placesOf(text, '#')) {
    const start = text.subarray(Math.max(0, place - 32), place).lastIndexOf('/')
    if (start < 0) continue
    const rest = text.toString('latin1', Math.max(0, place - 32) + start + 1, place + 32)
    const [name = ''] = /^[^\0\t\n\f\r ()<>[\]{}/%]*/.exec(rest) ?? []
    yield name.replace(/#([\dA-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
}

function* placesOf(file: Buffer, word: string): Generator<number> {
  for (let place = file.indexOf(word); place >= 0; place = file.indexOf(word, place + 1)) yield place
}
