import { createHash } from 'node:crypto'
import {
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFRef,
} from '@cantoo/pdf-lib'
import { serialized } from './serialized.ts'

/**
 * A PDF with changes that are not written yet. They are appended as an incremental update (ISO 32000-1, 7.5.6): no byte
 * of `base` changes, and every object that is not in `touched` keeps its value.
 */
export type PdfUpdate = {
  document: PDFDocument
  /** The original file; only a header for a new file. */
  base: Uint8Array
  /** Objects from this number on are new. */
  firstNew: number
  /** Objects of the base that are replaced. */
  touched: Set<PDFRef>
  /** The last cross-reference section of the base; the new one must have the same form. */
  previous: { offset: number; isStream: boolean } | undefined
}

/** A new PDF without pages. */
export async function newPdf(): Promise<PdfUpdate> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const base = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')
  return { document, base, firstNew: 1, touched: new Set(), previous: undefined }
}

export function pageRoot({ document }: PdfUpdate): { root: PDFDict; ref: PDFRef } {
  const ref = document.catalog.get(PDFName.of('Pages'))
  if (!(ref instanceof PDFRef)) throw new TypeError('The root of the pages is no reference.')
  return { root: document.context.lookup(ref, PDFDict), ref }
}

/** The number of pages that the root of the pages declares. */
export function pageCount(update: PdfUpdate): number {
  return update.document.context.lookup(pageRoot(update).root.get(PDFName.of('Count')), PDFNumber).asNumber()
}

/**
 * Whether the pages, the form and its fields are separate objects. If one array served as two of them, an appended
 * field would also be a page.
 */
export function hasSeparateParts(update: PdfUpdate): boolean {
  const { catalog, context } = update.document
  const { root, ref } = pageRoot(update)
  const formRef = catalog.get(PDFName.of('AcroForm'))
  const form = context.lookup(formRef)
  const fields = form instanceof PDFDict ? form.get(PDFName.of('Fields')) : undefined
  const parts = [context.trailerInfo.Root, ref, root.get(PDFName.of('Kids')), formRef, fields]
  const refs = parts.filter((part) => part instanceof PDFRef)
  return new Set(refs).size === refs.length
}

/** Marks an object of the base as replaced. */
export function touch(update: PdfUpdate, ref: PDFObject | undefined): void {
  if (ref instanceof PDFRef && ref.objectNumber < update.firstNew) update.touched.add(ref)
}

type WrittenUpdate = {
  bytes: Uint8Array
  /** Where each new or replaced object begins, by object number. */
  offsets: Map<number, number>
}

/** The base, followed by what is new or replaced. The same update always gives the same bytes. */
export async function writeUpdate(update: PdfUpdate): Promise<WrittenUpdate> {
  const { document, base, previous } = update
  await document.flush()
  const { context } = document
  const parts: Uint8Array[] = [base, newline]
  const offsets = new Map<number, number>()
  const entries: XrefEntry[] = []
  let length = base.length + newline.length
  const write = (ref: PDFRef, object: PDFObject) => {
    const bytes = indirect(ref, object)
    offsets.set(ref.objectNumber, length)
    entries.push({ number: ref.objectNumber, generation: ref.generationNumber, offset: length })
    parts.push(bytes)
    length += bytes.length
  }
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (ref.objectNumber >= update.firstNew || update.touched.has(ref)) write(ref, object)
  }

  const xrefOffset = length
  const trailer = context.obj({})
  trailer.set(PDFName.of('Root'), required(context.trailerInfo.Root))
  if (context.trailerInfo.Info) trailer.set(PDFName.of('Info'), context.trailerInfo.Info)
  trailer.set(PDFName.of('ID'), idOf(update, parts.slice(1)))
  if (previous) trailer.set(PDFName.of('Prev'), PDFNumber.of(previous.offset))
  if (previous?.isStream) {
    const ref = context.nextRef()
    entries.push({ number: ref.objectNumber, generation: 0, offset: xrefOffset })
    trailer.set(PDFName.of('Size'), PDFNumber.of(context.largestObjectNumber + 1))
    parts.push(indirect(ref, xrefStream(trailer, entries)))
  } else {
    trailer.set(PDFName.of('Size'), PDFNumber.of(context.largestObjectNumber + 1))
    parts.push(Buffer.from(`${xrefTable(entries, previous === undefined)}trailer\n`, 'latin1'))
    parts.push(serialized(trailer), newline)
  }
  parts.push(Buffer.from(`startxref\n${xrefOffset}\n%%EOF\n`, 'latin1'))
  const whole = Buffer.concat(parts)
  return { bytes: new Uint8Array(whole.buffer, whole.byteOffset, whole.length), offsets }
}

const newline = Buffer.from('\n')

type XrefEntry = { number: number; generation: number; offset: number }

function indirect(ref: PDFRef, object: PDFObject): Uint8Array {
  const head = Buffer.from(`${ref.objectNumber} ${ref.generationNumber} obj\n`, 'latin1')
  return Buffer.concat([head, serialized(object), Buffer.from('\nendobj\n', 'latin1')])
}

/** Entries in order of their numbers; consecutive numbers form one group. */
function subsections(entries: readonly XrefEntry[]): XrefEntry[][] {
  const sections: XrefEntry[][] = []
  for (const entry of entries.toSorted((one, other) => one.number - other.number)) {
    const last = sections.at(-1)
    if (last?.at(-1)?.number === entry.number - 1) last.push(entry)
    else sections.push([entry])
  }
  return sections
}

/** Each line has exactly 20 bytes (7.5.4). The first table of a file begins with the head of the free list. */
function xrefTable(entries: readonly XrefEntry[], isFirst: boolean): string {
  const line = ({ offset, generation }: XrefEntry) =>
    `${String(offset).padStart(10, '0')} ${String(generation).padStart(5, '0')} n \n`
  const free = isFirst ? '0 1\n0000000000 65535 f \n' : ''
  const sections = subsections(entries).map(
    (section) => `${section[0]?.number} ${section.length}\n${section.map(line).join('')}`,
  )
  return `xref\n${free}${sections.join('')}`
}

/** A cross-reference stream (7.5.8) with entries of 1, 4 and 2 bytes. */
function xrefStream(trailer: PDFDict, entries: readonly XrefEntry[]): PDFRawStream {
  const { context } = trailer
  const sections = subsections(entries)
  const data = Buffer.alloc(entries.length * 7)
  for (const [index, { offset, generation }] of sections.flat().entries()) {
    data.writeUInt8(1, index * 7)
    data.writeUInt32BE(offset, index * 7 + 1)
    data.writeUInt16BE(generation, index * 7 + 5)
  }
  trailer.set(PDFName.of('Type'), PDFName.of('XRef'))
  trailer.set(PDFName.of('W'), context.obj([1, 4, 2]))
  const ranges = sections.flatMap((section) => [section[0]?.number ?? 0, section.length])
  trailer.set(PDFName.of('Index'), context.obj(ranges))
  return PDFRawStream.of(trailer, data)
}

/** The identifier of the file: the first half stays, the second is a hash of the new content (14.4). */
function idOf({ document, base }: PdfUpdate, parts: readonly Uint8Array[]): PDFArray {
  const { context } = document
  const hash = createHash('sha256').update(base)
  for (const part of parts) hash.update(part)
  const current = PDFHexString.of(hash.digest('hex').slice(0, 32))
  const before = context.lookup(context.trailerInfo.ID)
  const first = before instanceof PDFArray && before.size() === 2 ? before.get(0) : current
  const id = PDFArray.withContext(context)
  id.push(first)
  id.push(current)
  return id
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError('The PDF has no catalogue.')
  return value
}
