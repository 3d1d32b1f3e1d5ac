import { describe, expect, test } from 'vitest'
import { detectType } from '#documents/detect-type.ts'
import { extract } from '#extraction/extract.ts'
import type { Ocr } from '#extraction/ocr.ts'
import { corpus, corpusFile, missingWords } from '#test/support/corpus.ts'

const nothingScanned: Ocr = {
  readPages: async () => {
    throw new Error('no page of this file needs reading by machine')
  },
}

/** Returns a text with the page number for each requested page, and records the requested pages. */
function countingOcr(): Ocr & { asked: number[] } {
  const asked: number[] = []
  return {
    asked,
    readPages: async ({ pages }) => {
      asked.push(...pages)
      return new Map(pages.map((page) => [page, `Gelesene Seite ${page} mit genug Buchstaben`]))
    },
  }
}

const withTextLayer = Object.entries(corpus.files).filter(([, file]) => file.scanned_pages.length === 0)
const scanned = Object.entries(corpus.files).filter(([, file]) => file.scanned_pages.length > 0)

describe.each([...Object.entries(corpus.files)])('%s', (name, file) => {
  test('is recognised by its content', async () => {
    expect(await detectType(corpusFile(name))).toBe(file.mime_type)
  })
})

test.each(withTextLayer)('%s gives every word of its source, without OCR', async (name, file) => {
  const result = await extract(corpusFile(name), file.mime_type, { ocr: nothingScanned })

  if ('refused' in result) throw new Error(result.message)
  expect(missingWords(result.text, file.text)).toEqual([])
  expect(result.page_count).toBe(file.page_count)
  expect(result.word_count).toBeGreaterThan(50)
})

test.each(scanned)('OCR reads exactly the scanned pages of %s', async (name, file) => {
  const ocr = countingOcr()

  const result = await extract(corpusFile(name), file.mime_type, { ocr })

  expect(ocr.asked).toEqual(file.scanned_pages)
  expect(result).toMatchObject({ page_count: file.page_count })
})

test('the text of a scanned page is between the texts of the pages around it', async () => {
  const result = await extract(corpusFile('gemischt.pdf'), 'application/pdf', { ocr: countingOcr() })

  if ('refused' in result) throw new Error(result.message)
  const places = ['Landgericht München', 'Gelesene Seite 2', 'Zweite Seite'].map((part) =>
    result.text.indexOf(part),
  )
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

test('a Word document gives headers first, text boxes after their paragraph, notes and footers last', async () => {
  const result = await extract(
    corpusFile('schriftsatz.docx'),
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    { ocr: nothingScanned },
  )

  if ('refused' in result) throw new Error(result.message)
  const order = [
    'Änne Großmüller',
    'Jörg Weiß',
    'Textfeld',
    'Streitwert\t12.500',
    'Vgl.',
    'Endnote',
    'Geschäftskonto',
  ]
  const places = order.map((part) => result.text.indexOf(part))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(result.text.match(/Textfeld/g)).toHaveLength(1)
})

test.each(Object.entries(corpus.refused))('%s keeps its type and is refused with its reason', async (name, [
  mimeType,
  reason,
]) => {
  const bytes = corpusFile(name)

  const type = await detectType(bytes)
  const result = await extract(bytes, mimeType, { ocr: nothingScanned })

  expect(type).toBe(mimeType)
  expect(result).toEqual({ refused: reason, message: expect.stringMatching(/^[A-Z].*\.$/) })
})

test('reading does not change the bytes', async () => {
  const bytes = corpusFile('schriftsatz.pdf')

  await extract(bytes, 'application/pdf', { ocr: nothingScanned })

  expect(Buffer.from(bytes).equals(Buffer.from(corpusFile('schriftsatz.pdf')))).toBe(true)
})
