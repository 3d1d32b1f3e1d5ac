import { randomBytes } from 'node:crypto'
import { PDFDocument, PDFRawStream, StandardFonts } from '@cantoo/pdf-lib'
import { caseDraft } from './case-names.ts'

/**
 * A typical file of a law firm, of about 1 MiB: 450 pages of text, each in its own stream, and ten scanned pages. It
 * has a cross-reference table, as most programs write it.
 */
export async function textHeavyPdf(): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  const [font, bold] = [
    await document.embedFont(StandardFonts.TimesRoman),
    await document.embedFont(StandardFonts.TimesRomanBold),
  ]
  for (let page = 0; page < 450; page += 1) {
    const sheet = document.addPage()
    sheet.drawText(`Blatt ${page + 1}`, { x: 60, y: 800, size: 12, font: bold })
    const lines = Array.from({ length: 48 }, (_, line) => `${line + 1}. ${caseDraft(page * 48 + line).name}`)
    sheet.drawText(lines.join('\n'), { x: 60, y: 770, size: 10, lineHeight: 15, font })
  }
  for (let page = 0; page < 10; page += 1) addScan(document, 40_000)
  return document.save({ useObjectStreams: false })
}

/** A PDF of 200 scanned pages that has this many bytes but for some ten thousand. */
export async function scannedPdf(bytes: number): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  const pages = 200
  for (let page = 0; page < pages; page += 1) addScan(document, Math.floor((bytes - 200_000) / pages))
  return document.save({ useObjectStreams: false })
}

/** A page with a picture of this many bytes, which nobody decodes. */
function addScan(document: PDFDocument, bytes: number): void {
  const picture = document.context.obj({
    Type: 'XObject',
    Subtype: 'Image',
    Width: 1_654,
    Height: 2_339,
    ColorSpace: 'DeviceGray',
    BitsPerComponent: 8,
    Filter: 'DCTDecode',
  })
  const page = document.addPage()
  const ref = document.context.register(PDFRawStream.of(picture, randomBytes(bytes)))
  const name = page.node.newXObject('Scan', ref)
  page.node.addContentStream(
    document.context.register(document.context.flateStream(`q 595 0 0 842 0 0 cm ${name.asString()} Do Q`)),
  )
}
