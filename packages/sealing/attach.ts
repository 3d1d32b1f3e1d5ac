import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { PDFDict, PDFHexString, PDFName, PDFRawStream } from '@cantoo/pdf-lib'
import type { PdfUpdate } from './pdf-update.ts'

/** Attaches a file to a new PDF, byte for byte. Readers open the PDF with the list of attachments. */
export function attach(
  { document: { context, catalog } }: PdfUpdate,
  bytes: Uint8Array,
  { filename, mime_type }: { filename: string; mime_type: string },
): void {
  const stream = context.obj({
    Type: 'EmbeddedFile',
    Filter: 'FlateDecode',
    Params: { Size: bytes.length },
  })
  stream.set(PDFName.of('Subtype'), PDFName.of(mime_type))
  const checkSum = PDFHexString.of(createHash('md5').update(bytes).digest('hex'))
  stream.lookup(PDFName.of('Params'), PDFDict).set(PDFName.of('CheckSum'), checkSum)
  const embedded = context.register(PDFRawStream.of(stream, deflateSync(bytes, { level: fastest })))
  const name = PDFHexString.fromText(filename)
  const file = context.obj({ Type: 'Filespec', EF: { F: embedded, UF: embedded }, AFRelationship: 'Source' })
  file.set(PDFName.of('F'), name)
  file.set(PDFName.of('UF'), name)
  const reference = context.register(file)
  catalog.set(PDFName.of('Names'), context.obj({ EmbeddedFiles: { Names: [name, reference] } }))
  catalog.set(PDFName.of('AF'), context.obj([reference]))
  catalog.set(PDFName.of('PageMode'), PDFName.of('UseAttachments'))
}

/** Most formats are compressed already. */
const fastest = 1
