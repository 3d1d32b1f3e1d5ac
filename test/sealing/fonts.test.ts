import { decodePDFRawStream, PDFDict, PDFName, PDFRawStream } from '@cantoo/pdf-lib'
import { expect, it } from 'vitest'
import { embedFonts } from '#sealing/fonts.ts'
import { newPdf } from '#sealing/pdf-update.ts'

it('the characters that a reader copies do not depend on the document before', async () => {
  // Below an accent an i loses its dot: the font draws both with the same glyph.
  const [accented, dotless] = ['i\u030b', '\u0131']
  const before = await charactersOf(accented)

  const after = await charactersOf(dotless)

  expect([before[0], after]).toEqual(['0069', ['0131']])
})

/** The characters that a reader finds in a document with this text. */
async function charactersOf(text: string): Promise<string[]> {
  const update = await newPdf()
  const { regular } = await embedFonts(update)
  regular.encodeText(text)
  await update.document.flush()
  const { context } = update.document
  const font = context.lookup(regular.ref, PDFDict)
  const map = font.lookup(PDFName.of('ToUnicode'))
  if (!(map instanceof PDFRawStream)) throw new TypeError('The font has no map of its characters.')
  const words = Buffer.from(decodePDFRawStream(map).decode()).toString('latin1')
  const [, pairs = ''] = /beginbfchar(.*?)endbfchar/s.exec(words) ?? []
  return [...pairs.matchAll(/<[\dA-F]+>\s*<([\dA-F]+)>/g)].map(([, character = '']) => character)
}
