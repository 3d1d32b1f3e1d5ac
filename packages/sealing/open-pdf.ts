import {
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFRef,
} from '@cantoo/pdf-lib'
import { compressedIn, compressionsOf, inflateWithin, pdfStreams } from '#formats/pdf-streams.ts'
import { largestReference } from './largest-reference.ts'
import { limits } from './limits.ts'
import type { PdfUpdate } from './pdf-update.ts'
import { Unalterable } from './unalterable.ts'

/**
 * Opens a PDF so that pages and a signature can be appended without changing its content.
 *
 * It refuses a PDF that a reader would have to repair: an update could change what such a PDF shows.
 *
 * @throws Unalterable with the reason.
 */
export async function openPdf(bytes: Uint8Array): Promise<PdfUpdate> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (file.subarray(0, 5).toString('latin1') !== '%PDF-') {
    throw new Unalterable('damaged', 'The PDF does not begin with its header.')
  }
  checkInflation(file)
  const previous = lastCrossReference(file)
  const document = await parse(bytes)
  const { context } = document
  const size = context.lookup(context.trailerInfo.Size)
  const sizeObjects = size instanceof PDFNumber ? size.asNumber() : 0
  context.largestObjectNumber = Math.max(
    context.largestObjectNumber,
    sizeObjects - 1,
    largestReferenceOf(file, document),
  )
  if (context.largestObjectNumber > limits.pdfObjects) {
    throw new Unalterable('too_complex', `The PDF has more than ${limits.pdfObjects} objects.`)
  }
  if (!(context.trailerInfo.Root instanceof PDFRef) || !(document.catalog instanceof PDFDict)) {
    throw new Unalterable('damaged', 'The PDF has no catalogue.')
  }
  if (!(document.catalog.get(PDFName.of('Pages')) instanceof PDFRef)) {
    throw new Unalterable('damaged', 'The PDF has no pages.')
  }
  checkForms(document)
  return { document, base: bytes, firstNew: context.largestObjectNumber + 1, touched: new Set(), previous }
}

/** New objects get larger numbers: `largestReference` says why. */
function largestReferenceOf(file: Buffer, { context }: PDFDocument): number {
  let largest = largestReferenceIn(file)
  const visit = (object: PDFObject, depth: number): void => {
    if (object instanceof PDFRef && object.objectNumber <= limits.pdfObjects) {
      largest = Math.max(largest, object.objectNumber)
    }
    if (depth > 100) throw new Unalterable('damaged', 'The PDF is nested too deeply.')
    if (object instanceof PDFArray) for (const part of object.asArray()) visit(part, depth + 1)
    if (object instanceof PDFDict) for (const value of object.values()) visit(value, depth + 1)
    if (object instanceof PDFRawStream) visit(object.dict, depth + 1)
  }
  for (const [, object] of context.enumerateIndirectObjects()) visit(object, 0)
  return largest
}

function largestReferenceIn(file: Buffer): number {
  try {
    return largestReference(file)
  } catch (error) {
    throw new Unalterable('damaged', 'The PDF refers to objects in an unusual way.', { cause: error })
  }
}

/**
 * pdf-lib inflates object streams and cross-reference streams in memory without a limit, so this is counted first. A
 * dictionary with only length and filter belongs to neither kind.
 */
function checkInflation(file: Buffer): void {
  let left: number = limits.inflatedBytes
  for (const { dictionary, data } of pdfStreams(file)) {
    if (/\/Subtype\s*\/Image\b/.test(dictionary) || hasNoType.test(dictionary)) continue
    if (compressionsOf(dictionary) > 1) {
      throw new Unalterable('too_complex', 'A part of the PDF is compressed more than once.')
    }
    if (/\/(?:LZWDecode|LZW|RunLengthDecode|RL)\b/.test(dictionary) && data.length > limits.lzwBytes) {
      throw new Unalterable('too_complex', 'A part of the PDF is compressed in an outdated way.')
    }
    for (const compressed of compressedIn(data)) {
      const inflated = inflateWithin(compressed, Math.min(left, limits.inflatedStreamBytes))
      if (inflated === undefined)
        throw new Unalterable('too_complex', 'The PDF inflates to more than is processed.')
      left -= inflated.length
    }
  }
}

const hasNoType = /^ ?obj\s*<<\s*(?:\/(?:Length\s+\d+(?:\s+\d+\s+R)?|Filter\s*\/FlateDecode)\s*)*>>\s*$/

/**
 * The target of the last `startxref` of the file, which must be a cross-reference section. Readers search for it in the
 * last 1 024 bytes, and their white space is narrower than JavaScript's `\s`.
 */
export function lastCrossReference(file: Buffer): NonNullable<PdfUpdate['previous']> {
  const tail = file.subarray(-1_024).toString('latin1')
  const end = /startxref[\t\n\r ]+(\d{1,10})[\t\n\r ]+%%EOF[\0\t\n\f\r ]*$/.exec(tail)
  const offset = Number(end?.[1] ?? Number.NaN)
  const target = file.subarray(offset || file.length, (offset || file.length) + 40).toString('latin1')
  if (/^xref[\t\n\r ]/.test(target)) return { offset, isStream: false }
  if (/^\d+[\t\n\r ]+\d+[\t\n\r ]+obj\b/.test(target)) return { offset, isStream: true }
  throw new Unalterable('damaged', 'The PDF does not say where its parts are.')
}

async function parse(bytes: Uint8Array): Promise<PDFDocument> {
  let document: PDFDocument
  try {
    document = await PDFDocument.load(bytes, {
      ignoreEncryption: true,
      updateMetadata: false,
      parseSpeed: Number.POSITIVE_INFINITY,
    })
  } catch (error) {
    throw new Unalterable('damaged', 'The PDF is damaged.', { cause: error })
  }
  if (document.context.trailerInfo.Encrypt !== undefined) {
    throw new Unalterable('encrypted', 'The PDF is encrypted.')
  }
  return document
}

/** Refuses signatures anywhere in the file, and forms that are drawn from data (XFA). */
function checkForms(document: PDFDocument): void {
  const { catalog, context } = document
  const form = context.lookup(catalog.get(PDFName.of('AcroForm')))
  if (form !== undefined && !(form instanceof PDFDict))
    throw new Unalterable('damaged', 'The form is damaged.')
  if (catalog.has(PDFName.of('Perms')) || catalog.has(PDFName.of('DSS'))) throw signed()
  for (const [, object] of context.enumerateIndirectObjects()) {
    if (holdsSignature(object)) throw signed()
  }
  if (form?.has(PDFName.of('XFA'))) {
    throw new Unalterable('dynamic_form', 'The PDF is a form that is drawn from data (XFA).')
  }
}

/** Whether a dictionary, or one nested directly in it, has a ByteRange (a field with its value, 12.8.1). */
function holdsSignature(object: PDFObject, depth = 0): boolean {
  if (depth > 20) return false
  if (object instanceof PDFRawStream) return false
  if (object instanceof PDFArray) return object.asArray().some((part) => holdsSignature(part, depth + 1))
  if (!(object instanceof PDFDict)) return false
  if (object.has(PDFName.of('ByteRange'))) return true
  return object.values().some((value) => holdsSignature(value, depth + 1))
}

function signed(): Unalterable {
  return new Unalterable('signed', 'The PDF is signed already.')
}
