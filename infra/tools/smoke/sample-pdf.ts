import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib'

/** A letter of one page whose text contains this word. */
export async function samplePdf(word: string): Promise<Uint8Array<ArrayBuffer>> {
  const pdf = await PDFDocument.create()
  const page = pdf.addPage()
  const font = await pdf.embedFont(StandardFonts.Helvetica)
  const lines = [
    'Sehr geehrte Damen und Herren,',
    `in der Sache ${word} zeigen wir die Vertretung an.`,
    'Rechtsanwältin',
  ]
  for (const [at, line] of lines.entries())
    page.drawText(line, { x: 60, y: page.getHeight() - 100 - 24 * at, size: 12, font })
  return new Uint8Array(await pdf.save())
}
