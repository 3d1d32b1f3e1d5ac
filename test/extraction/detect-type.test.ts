import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { detectType } from '#documents/detect-type.ts'
import { readPlainText } from '#extraction/plain-text.ts'
import { corpus, corpusFile } from '#test/support/corpus.ts'
import { docxOf, paragraph, zipOf } from '#test/support/zip-writer.ts'

const bytesOf = (...parts: (string | number[])[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
    ),
  )

test.each(corpus.not_accepted)('%s is not accepted', async (name) => {
  expect(await detectType(corpusFile(name))).toBeUndefined()
})

test('executables are refused, even if they contain a document', async () => {
  const node = new Uint8Array(readFileSync(process.execPath).subarray(0, 2_000_000))
  const windowsProgram = bytesOf('MZ\x90\x00\x03\x00\x00\x00', '%PDF-1.7')
  const selfExtracting = bytesOf('MZ\x90\x00', [...docxOf(paragraph('Text'))].map(Number))

  expect(await detectType(node)).toBeUndefined()
  expect(await detectType(windowsProgram)).toBeUndefined()
  expect(await detectType(selfExtracting)).toBeUndefined()
})

test('a ZIP is a Word document only if its content types say so', async () => {
  const macros = docxOf(paragraph('Text'))
  const types = (main: string) =>
    zipOf([
      { name: '[Content_Types].xml', content: main },
      { name: 'word/document.xml', content: '' },
    ])

  expect(await detectType(macros)).toBe(
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  )
  expect(await detectType(types('<Types/>'))).toBeUndefined()
  expect(
    await detectType(
      types('<Override ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/>'),
    ),
  ).toBeUndefined()
  expect(await detectType(zipOf([{ name: 'lies.txt', content: 'word/document.xml' }]))).toBeUndefined()
})

test('a DOCX is refused whose content types inflate to a huge size', async () => {
  const bomb = zipOf([
    { name: '[Content_Types].xml', content: Buffer.alloc(50_000_000, ' '), claimedBytes: 300 },
  ])

  expect(await detectType(bomb)).toBeUndefined()
})

test('a Word document with a password counts as DOCX, since its content cannot be read', async () => {
  const bytes = Buffer.from(corpusFile('tabelle.xls'))
  renameStream(bytes, 'Workbook', 'EncryptedPackage')
  renameStream(bytes, '\x05SummaryInformation', 'EncryptionInfo')

  expect(await detectType(new Uint8Array(bytes))).toBe(
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  )
})

/** Renames an entry of an OLE directory: 64 bytes of UTF-16, then the length with the terminating zero. */
function renameStream(file: Buffer, from: string, to: string): void {
  const entry = file.indexOf(Buffer.from(from, 'utf16le'))
  file.fill(0, entry, entry + 64)
  file.write(to, entry, 'utf16le')
  file.writeUInt16LE(to.length * 2 + 2, entry + 64)
}

test('text is UTF-8 or Windows-1252 without control characters', async () => {
  expect(await detectType(bytesOf('Gr\xfc\xdfe, \x84Zitat\x93 \x80 5'))).toBe('text/plain')
  expect(await detectType(new TextEncoder().encode('Grüße\t§ 5\r\n\fSeite 2'))).toBe('text/plain')
  expect(await detectType(bytesOf('\xef\xbb\xbfText'))).toBe('text/plain')
  expect(await detectType(bytesOf('Gr\xfc\xdfe \x81'))).toBeUndefined()
  expect(await detectType(bytesOf('Text\x00'))).toBeUndefined()
  expect(await detectType(bytesOf('Text\x1b[31m'))).toBeUndefined()
  expect(await detectType(bytesOf('\xff\xfeT\x00e\x00x\x00t\x00'))).toBeUndefined()
})

test('an EDA file in a DOS code page is accepted, and its umlauts are read', async () => {
  const eda = bytesOf('AA4.00\r\n01M\x81ller, J\x94rg, Gro\xe1e Stra\xe1e\r\n')

  expect(await detectType(eda)).toBe('text/plain')
  expect(readPlainText(eda)).toBe('AA4.00\r\n01Müller, Jörg, Große Straße\r\n')
  expect(await detectType(bytesOf('AA4.00\r\n01M\x81ller\x8d'))).toBeUndefined()
  expect(await detectType(bytesOf('01M\x81ller'))).toBeUndefined()
  expect(readPlainText(bytesOf('M\xfcller AA'))).toBe('Müller AA')
})

test('a letter at the border of two chunks is accepted, and a control character at the end is found', async () => {
  const edge = new TextEncoder().encode(`${'a'.repeat(1024 * 1024 - 1)}ü${'€'.repeat(400_000)}`)
  const spoiled = Uint8Array.of(...new TextEncoder().encode('a'.repeat(1000)), 0)

  expect(await detectType(edge)).toBe('text/plain')
  expect(await detectType(spoiled)).toBeUndefined()
})

test('an empty file has no type', async () => {
  expect(await detectType(new Uint8Array())).toBeUndefined()
})

test('only small ranges of a large file are read', async () => {
  const docx = docxOf(paragraph('Text'), [{ name: 'word/media/bild.png', content: randomBytes(3_000_000) }])
  let fetchedBytes = 0
  const source = {
    sizeBytes: docx.length,
    read: async (offset: number, lengthBytes: number) => {
      fetchedBytes += Math.max(0, Math.min(lengthBytes, docx.length - offset))
      return docx.subarray(offset, offset + lengthBytes)
    },
  }

  expect(await detectType(source)).toBe(
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  )
  expect(fetchedBytes).toBeLessThan(300_000)
})

test('an error of the source is thrown, not taken for another type', async () => {
  const docx = docxOf(paragraph('Text'), [{ name: 'word/media/scan.jpeg', content: randomBytes(5_000_000) }])
  let reads = 0
  const source = {
    sizeBytes: docx.length,
    read: async (offset: number, lengthBytes: number) => {
      reads += 1
      if (reads > 1) throw new Error('S3 is out of reach')
      return docx.subarray(offset, offset + lengthBytes)
    },
  }

  await expect(detectType(source)).rejects.toThrow('S3 is out of reach')
})

function randomBytes(count: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, index) => (index * 2654435761) >>> 13)
}

test('a DOCX with a thousand pictures is recognised in S3 with few requests', async () => {
  const pictures = Array.from({ length: 1_000 }, (_, at) => ({
    name: `word/media/image${at}.jpeg`,
    content: randomBytes(1_024),
  }))
  const file = docxOf(paragraph('Lichtbilder'), pictures)
  let requests = 0
  const read = async (offset: number, lengthBytes: number) => {
    requests += 1
    return file.subarray(offset, offset + lengthBytes)
  }

  expect(await detectType({ sizeBytes: file.length, read })).toBe(await detectType(file))
  expect(requests).toBeLessThan(10)
})
