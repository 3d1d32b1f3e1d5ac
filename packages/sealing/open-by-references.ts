import { PDFArray, PDFContext, PDFDict, PDFDocument, PDFName, type PDFObject, PDFRef } from '@cantoo/pdf-lib'
import type { PdfPlace } from '#formats/pdf-objects.ts'
import { crossReferences, type PdfSource, type Section } from './cross-references.ts'
import { definitionsIn } from './definitions.ts'
import { type IndirectObjects, indirectObjects } from './indirect-objects.ts'
import { largestReference } from './largest-reference.ts'
import { limits } from './limits.ts'
import { lastCrossReference } from './open-pdf.ts'
import { pagesOfTree, type Resolve } from './page-tree.ts'
import type { PdfUpdate } from './pdf-update.ts'
import { serialized } from './serialized.ts'
import { streamReader } from './stream-data.ts'
import { Unsure } from './unsure.ts'
import { requireUsualLinearization, requireUsualObjects, requireUsualTrailers } from './usual-file.ts'

/** An opened PDF and the places of its objects, older ones before newer ones. */
type OpenedPdf = { update: PdfUpdate; places: Iterable<PdfPlace> }

/**
 * Opens a PDF as readers do: it follows the cross-references, and reads the catalogue, the form and the nodes of the
 * pages. So the appended pages follow the pages that every reader finds.
 *
 * It opens only files without unusual parts and with complete cross-references. A reader that reads such a file from
 * start to end finds the same objects.
 *
 * @returns undefined if this is not certain; `open-pdf.ts` then reads the whole file, or says what is wrong with it
 */
export async function openByReferences(bytes: Uint8Array): Promise<OpenedPdf | undefined> {
  try {
    return await open(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  } catch {
    // pdf-lib and zlib throw many kinds of errors for an unusual file.
    return undefined
  }
}

async function open(file: Buffer): Promise<OpenedPdf> {
  const [header] = /^%PDF-[12]\.\d(?=[\r\n ])/.exec(file.toString('latin1', 0, 16)) ?? []
  if (header === undefined) throw new Unsure('The header is unusual.')
  const previous = lastCrossReference(file)
  const context = PDFContext.create()
  const definitions = new Map(definitionsIn(file).map((definition) => [definition.offset, definition]))
  const source: PdfSource = { file, definitions, context, readStream: streamReader() }
  const sections = crossReferences(source, previous.offset)
  const { root, info, id } = requireUsualTrailers(source, sections)
  const objects = indirectObjects(source, sections)
  requireUsualObjects(source, sections, objects)

  const document = await documentOf(header, root, objects.read(root, context))
  const resolve: Resolve = (object) => {
    if (!(object instanceof PDFRef)) return object
    const found = document.context.lookup(object) ?? objects.read(object, document.context)
    if (found instanceof PDFRef) throw new Unsure('A reference names a reference.')
    if (found !== undefined) document.context.assign(object, found)
    return found
  }
  const pages = pagesOfTree(document.catalog.get(PDFName.of('Pages')), resolve)
  if (pages.length < 1 || pages.length > limits.pages) throw new Unsure('The number of pages is unusual.')
  requireUsualLinearization(source, pages)
  requireUsualForm(document.catalog, resolve)
  const trailerId = resolve(id)
  document.context.trailerInfo = {
    Root: root,
    ...(info && { Info: info }),
    ...(trailerId && { ID: trailerId }),
  }
  const firstNew = 1 + largestNumber(source, sections, [file, ...objects.packedTexts])
  document.context.largestObjectNumber = firstNew - 1
  const update = { document, base: file, firstNew, touched: new Set<PDFRef>(), previous }
  return { update, places: placesOf(source, objects) }
}

/** Each object of the file; an object stream is followed by the objects in it. */
function* placesOf(
  { file, definitions }: PdfSource,
  { objectStreams }: IndirectObjects,
): Generator<PdfPlace> {
  for (const { number, body } of definitions.values()) {
    yield { number, bytes: file, body }
    yield* objectStreams.get(number)?.places ?? []
  }
}

/** A document with only its catalogue. */
async function documentOf(
  header: string,
  { objectNumber, generationNumber }: PDFRef,
  catalog: PDFObject | undefined,
): Promise<PDFDocument> {
  if (!(catalog instanceof PDFDict) || catalog.get(PDFName.of('Type')) !== PDFName.of('Catalog')) {
    throw new Unsure('There is no catalogue.')
  }
  const version = catalog.get(PDFName.of('Version'))
  if (version !== undefined && !(version instanceof PDFName)) throw new Unsure('The version is unusual.')
  const name = `${objectNumber} ${generationNumber}`
  const file = [
    Buffer.from(`${header}\n${name} obj\n`, 'latin1'),
    serialized(catalog),
    Buffer.from(`\nendobj\ntrailer\n<</Root ${name} R>>\nstartxref\n0\n%%EOF\n`, 'latin1'),
  ]
  return PDFDocument.load(Buffer.concat(file), { updateMetadata: false })
}

/** Requires that there is no signature, no form drawn from data (XFA), and that the names of fields can be read. */
function requireUsualForm(catalog: PDFDict, resolve: Resolve): void {
  if (catalog.has(PDFName.of('Perms')) || catalog.has(PDFName.of('DSS')))
    throw new Unsure('It may be signed.')
  const form = resolve(catalog.get(PDFName.of('AcroForm')))
  if (form === undefined) return
  if (!(form instanceof PDFDict) || form.has(PDFName.of('XFA')) || form.has(PDFName.of('SigFlags'))) {
    throw new Unsure('The form is unusual.')
  }
  const fields = resolve(form.get(PDFName.of('Fields')))
  if (!(fields instanceof PDFArray)) throw new Unsure('The form is unusual.')
  for (const field of fields.asArray().map(resolve)) {
    if (!(field instanceof PDFDict)) throw new Unsure('A field is missing.')
    resolve(field.get(PDFName.of('T')))
  }
}

/** The largest number of an object, or of a missing object that something refers to. */
function largestNumber(
  { definitions }: PdfSource,
  sections: readonly Section[],
  texts: readonly Buffer[],
): number {
  let largest = 0
  for (const { number } of definitions.values()) largest = Math.max(largest, number)
  for (const { entries, size } of sections) {
    largest = Math.max(largest, size - 1)
    for (const number of entries.keys()) largest = Math.max(largest, number)
  }
  for (const text of texts) largest = Math.max(largest, largestReference(text))
  if (largest > limits.pdfObjects) throw new Unsure('There are too many objects.')
  return largest
}
