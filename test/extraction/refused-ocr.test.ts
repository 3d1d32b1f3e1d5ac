import { expect, test } from 'vitest'
import { extract } from '#extraction/extract.ts'
import { ExtractionRefusal } from '#extraction/refusal.ts'
import { corpusFile } from '#test/support/corpus.ts'

const refusing = {
  readPages: () => Promise.reject(new ExtractionRefusal('corrupt', 'OCR could not read it.')),
}

test('a PDF whose scanned page OCR refuses keeps the text of its other pages', async () => {
  const result = await extract(corpusFile('gemischt.pdf'), 'application/pdf', { ocr: refusing })

  expect(result).toMatchObject({
    page_count: 3,
    text: expect.stringMatching(/\p{L}{4,}/u),
    unread: 'pages_unread',
  })
})

test('a PDF without a text layer is refused with the reason of OCR', async () => {
  const result = await extract(corpusFile('scan.pdf'), 'application/pdf', { ocr: refusing })

  expect(result).toMatchObject({ refused: 'corrupt' })
})

test('a scan of two pages keeps the text of the page that OCR could read', async () => {
  const readPages = async () => new Map([[2, 'Antrag auf Prozesskostenhilfe']])

  expect(await extract(corpusFile('zwei-seiten.tif'), 'image/tiff', { ocr: { readPages } })).toMatchObject({
    text: 'Antrag auf Prozesskostenhilfe',
    unread: 'pages_unread',
  })
})
