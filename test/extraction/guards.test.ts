import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { detectType } from '#documents/detect-type.ts'
import type { DocumentType } from '#documents/schema.ts'
import { extract } from '#extraction/extract.ts'
import { limits } from '#extraction/limits.ts'
import type { Ocr } from '#extraction/ocr.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { pdfOf, picturePage } from '#test/support/pdf-writer.ts'
import { blackAndWhite, type TiffField, tiffOf } from '#test/support/tiff-writer.ts'
import { docxOf, paragraph, zipOf } from '#test/support/zip-writer.ts'

const docx: DocumentType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const ocr: Ocr = { readPages: async ({ pages }) => new Map(pages.map((page) => [page, ''])) }
const read = (bytes: Uint8Array, mimeType: DocumentType) => extract(bytes, mimeType, { ocr })

async function textOf(bytes: Uint8Array, mimeType: DocumentType): Promise<string> {
  const result = await read(bytes, mimeType)
  if ('refused' in result) throw new Error(result.message)
  return result.text
}

describe('a DOCX', () => {
  test('that inflates to a huge size is refused with little memory, even if it declares a small size', async () => {
    const bomb = docxOf(Buffer.alloc(limits.inflatedBytes + 1_000_000, ' '), [], 1_000)
    const before = process.memoryUsage.rss()

    const honest = await read(docxOf(Buffer.alloc(limits.inflatedBytes + 1_000_000, ' ')), docx)
    const lying = await read(bomb, docx)

    expect(honest).toMatchObject({ refused: 'too_large' })
    expect('refused' in lying && ['too_large', 'corrupt'].includes(lying.refused)).toBe(true)
    expect(process.memoryUsage.rss() - before).toBeLessThan(400_000_000)
  })

  test('with too many entries is refused', async () => {
    const media = Array.from({ length: limits.zipEntries }, (_, index) => ({
      name: `word/media/${index}.png`,
      content: '',
    }))

    expect(await read(docxOf(paragraph('Text'), media), docx)).toMatchObject({ refused: 'too_large' })
  })

  test('that declares entities is refused before they are expanded', async () => {
    const laughs = `<!DOCTYPE w:document [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><w:document>${paragraph('&b;')}</w:document>`
    const fetching = `<!DOCTYPE w:document SYSTEM "file:///etc/passwd"><w:document>${paragraph('x')}</w:document>`

    expect(await read(docxOf(Buffer.from(laughs)), docx)).toMatchObject({ refused: 'unsafe' })
    expect(await read(docxOf(Buffer.from(fetching)), docx)).toMatchObject({ refused: 'unsafe' })
  })

  test('that is nested too deeply is refused', async () => {
    const deep = `${'<w:sdt>'.repeat(limits.xmlDepth)}${paragraph('tief')}${'</w:sdt>'.repeat(limits.xmlDepth)}`

    expect(await read(docxOf(deep), docx)).toMatchObject({ refused: 'too_complex' })
  })

  test('is read if its body has the content type of its extension, as the Open XML SDK writes it', async () => {
    const type = (part: string) =>
      `ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.${part}+xml"`
    const types = `<Types><Default Extension="XML" ${type('document.main')}/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/Footer1.xml" ${type('footer')}/><Override PartName="/word/settings.xml" ${type('settings')}/></Types>`
    const written = zipOf([
      { name: 'word/document.xml', content: `<w:document>${paragraph('Klage')}</w:document>` },
      { name: 'word/footer1.xml', content: `<w:ftr>${paragraph('Seite')}</w:ftr>` },
      { name: 'word/settings.xml', content: `<w:settings>${paragraph('nicht zu lesen')}</w:settings>` },
      { name: '_rels/.rels', content: '<Relationships/>' },
      { name: '[Content_Types].xml', content: types },
    ])

    expect(await detectType(written)).toBe(docx)
    expect(await textOf(written, docx)).toBe('Klage\n\nSeite')
  })

  test('is read if the body and the default of its extension both have the type of a body', async () => {
    const type =
      'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"'
    const written = zipOf([
      { name: 'word/document.xml', content: `<w:document>${paragraph('Klage')}</w:document>` },
      { name: 'customXml/item1.xml', content: '<item/>' },
      {
        name: '[Content_Types].xml',
        content: `<Types><Default Extension="xml" ${type}/><Override PartName="/word/document.xml" ${type}/></Types>`,
      },
    ])

    expect(await textOf(written, docx)).toBe('Klage')
  })

  test('has the chosen entries of its drop-down fields, of which Word stores only the number', async () => {
    const field = (choice: string) =>
      `<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList>${choice}<w:listEntry w:val="Klage"/><w:listEntry w:val="Berufung"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMDROPDOWN </w:instrText></w:r></w:p>`
    const [none, chosen, both] = ['', '<w:result w:val="1"/>', '<w:result w:val="0"/><w:default w:val="1"/>']

    expect(await textOf(docxOf([none, chosen, both].map(field).join('')), docx)).toBe(
      'Klage\nBerufung\nKlage',
    )
  })

  test('that is not well-formed, or has no body, is corrupt', async () => {
    const noBody = zipOf([{ name: '[Content_Types].xml', content: '<Types/>' }])

    expect(await read(docxOf('<w:p>'), docx)).toMatchObject({ refused: 'corrupt' })
    expect(await read(noBody, docx)).toMatchObject({ refused: 'corrupt' })
  })

  test('with a part that ends inside a character is corrupt', async () => {
    const whole = docxOf(paragraph('Wü'))
    for (const tail of [[0xc3], [0xe2, 0x82]]) {
      const part = Buffer.concat([
        Buffer.from(`<w:document>${paragraph('Wü')}</w:document>`),
        Buffer.from(tail),
      ])

      expect(await read(docxOf(part), docx)).toMatchObject({ refused: 'corrupt' })
    }
    expect(await read(whole, docx)).toMatchObject({ text: 'Wü' })
  })

  test('without a word is empty', async () => {
    expect(await read(docxOf(paragraph(' – ')), docx)).toMatchObject({ refused: 'empty' })
  })

  test('with too much text is refused', async () => {
    const long = docxOf(paragraph('Wort '.repeat(limits.textCharacters / 5 + 1)))

    expect(await read(long, docx)).toMatchObject({ refused: 'too_large' })
  })

  test('keeps line breaks, leaves out deleted text and field codes, and reads a text box once', async () => {
    const box = (kind: string) => `<${kind}><w:txbxContent>${paragraph('Kasten')}</w:txbxContent></${kind}>`
    const body = [
      '<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>eins</w:t><w:br/><w:t>zwei</w:t></w:r>',
      '<w:del><w:r><w:delText>gestrichen</w:delText></w:r></w:del>',
      '<w:r><w:instrText>PAGEREF _Toc1</w:instrText></w:r>',
      '<w:moveFrom><w:r><w:t>verschoben</w:t></w:r></w:moveFrom>',
      '<w:r><w:drawing><wp:posOffset xmlns:wp="urn:wp">914400</wp:posOffset></w:drawing></w:r>',
      `<w:r><mc:AlternateContent>${box('mc:Choice')}${box('mc:Fallback')}</mc:AlternateContent></w:r></w:p>`,
      `<w:p><w:r><mc:AlternateContent><mc:Choice/>${box('mc:Fallback')}</mc:AlternateContent></w:r></w:p>`,
    ].join('')

    expect(await textOf(docxOf('<w:p><w:r><w:t><![CDATA[wörtlich]]></w:t></w:r></w:p>'), docx)).toBe(
      'wörtlich',
    )
    expect(await textOf(docxOf(body), docx)).toBe('eins\nzwei\nKasten\n\nKasten')
  })
})

describe('a DOC', () => {
  test('with a loop of sectors is refused immediately', async () => {
    const doc = Buffer.from(corpusFile('schriftsatz.doc'))
    const table = 512 + doc.readInt32LE(76) * 512
    for (let sector = 0; sector < 128; sector += 1)
      doc.writeInt32LE(sector % 2 === 0 ? sector + 1 : sector - 1, table + sector * 4)

    expect(await read(new Uint8Array(doc), 'application/msword')).toMatchObject({ refused: 'corrupt' })
  })

  test('with a loop of small sectors is refused immediately', async () => {
    const ole = Buffer.alloc(5 * 512)
    Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(ole)
    ole.writeUInt16LE(9, 30)
    ole.writeUInt16LE(6, 32)
    for (const [at, value] of [
      [44, 1],
      [48, 1],
      [56, -1],
      [60, 2],
      [68, -2],
    ] as const)
      ole.writeInt32LE(value, at)
    for (let sector = 0; sector < 109; sector += 1) ole.writeInt32LE(sector === 0 ? 0 : -1, 76 + sector * 4)
    // The table of sectors, then the directory. The table of small sectors is zero: each is followed by the first.
    for (let sector = 0; sector < 128; sector += 1) ole.writeInt32LE(sector === 0 ? -3 : -2, 512 + sector * 4)
    const entries = [
      ['Root Entry', 5, 1, 3, 64],
      ['WordDocument', 2, -1, 0, 0xffff_fff0],
    ] as const
    for (const [index, [name, type, child, start, size]] of entries.entries()) {
      const at = 1024 + index * 128
      ole.write(name, at, 'utf16le')
      ole.writeUInt16LE((name.length + 1) * 2, at + 64)
      ole.writeUInt8(type, at + 66)
      for (const [place, value] of [
        [68, -1],
        [72, -1],
        [76, child],
        [116, start],
      ] as const)
        ole.writeInt32LE(value, at + place)
      ole.writeUInt32LE(size, at + 120)
    }

    expect(await read(new Uint8Array(ole), 'application/msword')).toMatchObject({ refused: 'corrupt' })
  })

  test('keeps text with any character spacing', async () => {
    const doc = Buffer.from(corpusFile('vertrag.doc'))
    const [size, spacing] = [0x4a43, 0x8840]
    for (let at = 0; at + 4 <= doc.length; at += 1) {
      if (doc.readUInt16LE(at) !== size) continue
      doc.writeUInt16LE(spacing, at)
      doc.writeInt16LE(-1, at + 2)
    }

    expect(await textOf(new Uint8Array(doc), 'application/msword')).toBe(
      await textOf(corpusFile('vertrag.doc'), 'application/msword'),
    )
  })

  test('repeats no text if header positions descend or are -1', async () => {
    const doc = Buffer.from(corpusFile('schriftsatz.doc'))
    const word = Array.from({ length: doc.length / 512 }, (_, sector) => sector * 512).find(
      (at) => at > 0 && doc.readUInt16LE(at) === 0xa5ec,
    )
    if (word === undefined) throw new Error('the file of the corpus has no Word stream')
    doc.writeUInt32LE(0, word + 0xf2)
    doc.writeUInt32LE(400, word + 0xf6)

    const text = await textOf(new Uint8Array(doc), 'application/msword')

    const whole = await textOf(corpusFile('schriftsatz.doc'), 'application/msword')
    expect(text.match(/Textfeld/g)).toHaveLength(1)
    expect(text.length).toBeLessThanOrEqual(whole.length)
  })

  test.each([
    ['the separators of footnotes', [0, 1, 2, 3, 4, 5]],
    ['a header and a footer of the first section', [6, 9]],
    ['the headers at the end', [11, 12, 13]],
  ])('keeps all headers if %s have the position -1', async (_, missing) => {
    const doc = Buffer.from(corpusFile('schriftsatz.doc'))
    const positions = [0, 0, 0, 0, 0, 0, 0, 0, 57, 57, 108, 110, 112, 114]
    const at = doc.indexOf(Buffer.from(Uint32Array.from(positions).buffer))
    for (const index of missing) doc.writeInt32LE(-1, at + index * 4)

    expect(await textOf(new Uint8Array(doc), 'application/msword')).toBe(
      await textOf(corpusFile('schriftsatz.doc'), 'application/msword'),
    )
  })

  test.each([
    ['characters', 0xfa],
    ['paragraphs', 0x102],
  ])('that refers to one property page of %s many times is refused', async (_, place) => {
    const doc = Buffer.from(corpusFile('vertrag.doc'))
    const word = doc.indexOf(Buffer.from([0xec, 0xa5]))
    const [emptyTable, namesOfPages] = [7_709, 13]
    doc.writeUInt32LE(emptyTable, word + place)
    doc.writeUInt32LE(namesOfPages * 8 + 4, word + place + 4)

    expect(await read(new Uint8Array(doc), 'application/msword')).toMatchObject({ refused: 'corrupt' })
  })

  test('damaged at any place is refused or read, but never ends the process', async () => {
    const original = corpusFile('schriftsatz.doc')
    for (let seed = 1; seed <= 200; seed += 1) {
      const damaged = original.slice()
      for (let hit = 0; hit < 8; hit += 1)
        damaged[(seed * 7919 + hit * 104_729 * seed) % damaged.length] = (seed * 31 + hit * 17) % 256

      const result = await read(damaged, 'application/msword')

      expect(
        'text' in result ||
          ['corrupt', 'password_protected', 'unsupported_version', 'too_large', 'empty'].includes(
            result.refused,
          ),
      ).toBe(true)
    }
  })

  test('whose pieces declare too much text is refused', async () => {
    const doc = Buffer.from(corpusFile('schriftsatz.doc'))
    const pieceTable = [1, 2, 3, 4, 5, 6, 7, 8]
      .map((pieces) => ({ pieces, at: doc.indexOf(Buffer.from([2, pieces * 12 + 4, 0, 0, 0, 0, 0, 0, 0])) }))
      .find(({ at }) => at >= 0)
    if (pieceTable === undefined) throw new Error('the file of the corpus has no piece table')
    doc.writeUInt32LE(0x7fff_ffff, pieceTable.at + 5 + pieceTable.pieces * 4)

    expect(await read(new Uint8Array(doc), 'application/msword')).toMatchObject({ refused: 'too_large' })
  })

  test('of Word 95 or earlier is refused as an unsupported version', async () => {
    const doc = Buffer.from(corpusFile('schriftsatz.doc'))
    for (let at = 512; at < doc.length; at += 512)
      if (doc.readUInt16LE(at) === 0xa5ec) doc.writeUInt16LE(0x0068, at + 2)

    expect(await read(new Uint8Array(doc), 'application/msword')).toMatchObject({
      refused: 'unsupported_version',
    })
  })
})

test('a text with too many characters is refused before it is split into lines', async () => {
  const lines = Buffer.alloc(limits.textCharacters + 1, '\n')

  expect(await read(new Uint8Array(lines), 'text/plain')).toMatchObject({ refused: 'too_large' })
})

describe('a picture', () => {
  test('that declares too many pixels is refused before anything is decoded', async () => {
    expect(await read(png(10_001, 10_000), 'image/png')).toMatchObject({ refused: 'too_many_pixels' })
    expect(await read(jpg(60_000, 100), 'image/jpeg')).toMatchObject({ refused: 'too_many_pixels' })
    expect(await read(tiff(1, 20_000), 'image/tiff')).toMatchObject({ refused: 'too_many_pixels' })
  })

  test('with too many pages or a loop of pages is refused', async () => {
    expect(await read(tiff(limits.pages + 1, 100), 'image/tiff')).toMatchObject({ refused: 'too_many_pages' })
    expect(await read(tiff(3, 100, { circle: true }), 'image/tiff')).toMatchObject({ refused: 'corrupt' })
  })

  test.each<[string, (dataAt: number) => TiffField[]]>([
    [
      'two numbers as its width and two as its height, which a decoder looks up elsewhere',
      (dataAt) => [
        { tag: 256, count: 2, value: dataAt },
        { tag: 257, count: 2, value: dataAt + 8 },
        ...blackAndWhite(1, 1).slice(2),
      ],
    ],
    ['its width given twice', () => [{ tag: 256, value: 1 }, ...blackAndWhite(60_000, 60_000)]],
    ['its width as bytes', () => [{ tag: 256, type: 1, value: 9 }, ...blackAndWhite(0, 100).slice(1)]],
    ['no number as its width', () => [{ tag: 256, count: 0, value: 9 }, ...blackAndWhite(0, 100).slice(1)]],
    ['no height', () => blackAndWhite(100, 100).filter(({ tag }) => tag !== 257)],
    [
      'a field of four billion values',
      () => [...blackAndWhite(100, 100), { tag: 305, count: 2 ** 32 - 1, value: 8 }],
    ],
    ['a field beyond its end', () => [...blackAndWhite(100, 100), { tag: 305, count: 8, value: 10_000 }]],
  ])('as a TIFF with %s is corrupt', async (_, fields) => {
    const values = Buffer.alloc(16)
    for (const at of [0, 4, 8, 12]) values.writeUInt32LE(30_000, at)

    expect(await read(tiffOf(fields, values), 'image/tiff')).toMatchObject({ refused: 'corrupt' })
  })

  test('with too large tiles (TIFF) is refused', async () => {
    const tiled = [...blackAndWhite(100, 100), { tag: 322, value: 60_000 }, { tag: 323, value: 60_000 }]

    expect(await read(tiffOf(tiled), 'image/tiff')).toMatchObject({ refused: 'too_many_pixels' })
  })

  test('that ends in its header is corrupt', async () => {
    for (const [name, type] of [
      ['scan.png', 'image/png'],
      ['scan.jpg', 'image/jpeg'],
      ['scan-lzw.tif', 'image/tiff'],
    ] as const) {
      expect(await read(corpusFile(name).subarray(0, 18), type)).toMatchObject({ refused: 'corrupt' })
    }
  })

  test('without words has an empty text', async () => {
    expect(await read(png(100, 100), 'image/png')).toEqual({
      ...{ text: '', page_count: 1, word_count: 0 },
      page_starts: [0],
    })
  })
})

describe('a PDF', () => {
  test('is read with the values of form fields and with notes, without passwords and hidden ones', async () => {
    const field = (top: number, more: string) =>
      `<</Type/Annot/Subtype/Widget/FT/Tx/Rect[50 ${top - 20} 400 ${top}]/DA(/F1 12 Tf 0 g)${more}>>`
    const page = 'BT /F1 12 Tf 50 700 Td (Antrag auf Prozesskostenhilfe) Tj ET'
    const form = pdfOf([
      '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R 7 0 R 8 0 R]/DR<</Font<</F1 5 0 R>>>>>>>>',
      '<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>>>',
      '<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[6 0 R 7 0 R 8 0 R 9 0 R]>>',
      `<</Length ${page.length}>>stream\n${page}\nendstream`,
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
      field(600, '/T(name)/V(Annegret M\\374ller)/F 4'),
      field(500, '/T(code)/V(geheim)/Ff 8192/F 4'),
      field(400, '/T(intern)/V(versteckt)/F 2'),
      '<</Type/Annot/Subtype/FreeText/Contents(Eingegangen)/Rect[50 760 400 800]/DA(/F1 12 Tf 0 g)/F 4>>',
    ])

    const text = await textOf(form, 'application/pdf')

    expect(text.split('\n')).toEqual(['Antrag auf Prozesskostenhilfe', 'Eingegangen', 'Annegret Müller'])
  })

  test('with too many pages is refused', async () => {
    expect(await read(pdf(limits.pages + 1, ''), 'application/pdf')).toMatchObject({
      refused: 'too_many_pages',
    })
  })

  test('with a scanned page that is too long for OCR is refused, and not sent to OCR', async () => {
    const asked: number[] = []
    const attentive: Ocr = {
      readPages: async ({ pages }) => {
        asked.push(...pages)
        return new Map()
      },
    }

    const long = await extract(picturePage(595, 100_000), 'application/pdf', { ocr: attentive })
    expect([long, asked]).toMatchObject([{ refused: 'too_many_pixels' }, []])

    const poster = await extract(picturePage(2_384, 3_370), 'application/pdf', { ocr: attentive })
    expect([poster, asked]).toMatchObject([{ page_count: 1 }, [1]])
  })

  test('with such a page keeps the text of its other pages', async () => {
    const text = 'BT /F1 12 Tf 50 700 Td (Antrag auf Prozesskostenhilfe) Tj ET'
    const picture = 'BI /W 1 /H 1 /BPC 8 /CS /G ID 0 EI'
    const bytes = pdfOf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Count 2/Kids[3 0 R 4 0 R]/Resources<</Font<</F1 7 0 R>>>>>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 10000]/Contents 6 0 R>>',
      `<</Length ${text.length}>>stream\n${text}\nendstream`,
      `<</Length ${picture.length}>>stream\n${picture}\nendstream`,
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ])

    expect(await read(bytes, 'application/pdf')).toMatchObject({
      text: 'Antrag auf Prozesskostenhilfe',
      page_count: 2,
      unread: 'pages_unread',
    })
  })

  test('of empty pages is not sent to OCR', async () => {
    const asked: number[] = []
    const attentive: Ocr = {
      readPages: async ({ pages }) => {
        asked.push(...pages)
        return new Map()
      },
    }

    const result = await extract(pdf(3, ''), 'application/pdf', { ocr: attentive })

    expect(result).toEqual({ text: '', page_count: 3, word_count: 0, page_starts: [0, 0, 0] })
    expect(asked).toEqual([])
  })

  test('with too much text is refused, even if the file is small', async () => {
    const page = `BT /F1 0.01 Tf (${'A'.repeat(1_000)}) Tj ET `.repeat(16)
    const bytes = pdfOfGlyphs(page, 'Wort '.repeat(12), {
      pages: Math.ceil(limits.textCharacters / 960_000) + 1,
    })

    const result = await read(bytes, 'application/pdf')

    expect(bytes.length).toBeLessThan(20_000)
    expect('refused' in result && result.refused).toBe('too_large')
  })

  test.each([
    ['compressed', deflateSync, '/Filter/FlateDecode'],
    ['plain', Buffer.from, ''],
  ])('with a %s map from a glyph to an extremely long text is refused before it is opened', async (_, form, filter) => {
    const show = `BT /F1 12 Tf 50 700 Td (${'A'.repeat(20)}) Tj ET`

    const endless = await read(pdfOfGlyphs(show, 'W'.repeat(10_000), { form, filter }), 'application/pdf')
    const ligature = await textOf(pdfOfGlyphs(show, 'ffi', { form, filter }), 'application/pdf')

    expect(endless).toMatchObject({ refused: 'too_complex' })
    expect(ligature).toBe('ffi'.repeat(20))
  })

  test('that inflates to a huge size is refused before it is opened', async () => {
    const result = await read(pdf(1, ' '.repeat(200_000_000)), 'application/pdf')
    const twice = await read(pdf(1, 'BT ET', '[/FlateDecode/FlateDecode]'), 'application/pdf')

    expect(result).toMatchObject({ refused: 'too_large' })
    expect(twice).toMatchObject({ refused: 'too_complex' })
  })

  test.each([
    ['ASCII85', '[/ASCII85Decode/FlateDecode]', ascii85],
    ['hexadecimal', '[/ASCIIHexDecode/FlateDecode]', hexadecimal],
  ])('that inflates to a huge size and is encoded as %s is refused too', async (_, filter, form) => {
    const bomb = pdf(1, ' '.repeat(200_000_000), filter, form)
    const letter = pdf(1, 'BT /F1 12 Tf 50 700 Td (Klageschrift gegen die Beklagte) Tj ET', filter, form)

    expect(await read(bomb, 'application/pdf')).toMatchObject({ refused: 'too_large' })
    expect(await textOf(letter, 'application/pdf')).toBe('Klageschrift gegen die Beklagte')
  })

  test('that is nothing but its first line is corrupt', async () => {
    expect(await read(new TextEncoder().encode('%PDF-1.7\n'), 'application/pdf')).toMatchObject({
      refused: 'corrupt',
    })
  })
})

test('an aborted signal ends the reading with its reason', async () => {
  const enough = new Error('time is over')

  for (const [name, type] of [
    ['schriftsatz.pdf', 'application/pdf'],
    ['schriftsatz.docx', docx],
  ] as const) {
    await expect(extract(corpusFile(name), type, { ocr, signal: AbortSignal.abort(enough) })).rejects.toBe(
      enough,
    )
  }
})

test('a failure of OCR is thrown, so that another attempt follows', async () => {
  const throttled = new Error('ThrottlingException')
  const failing: Ocr = { readPages: async () => Promise.reject(throttled) }

  await expect(extract(corpusFile('gemischt.pdf'), 'application/pdf', { ocr: failing })).rejects.toBe(
    throttled,
  )
  await expect(extract(corpusFile('scan.png'), 'image/png', { ocr: failing })).rejects.toBe(throttled)
})

test('an empty file is refused as empty', async () => {
  expect(await read(new Uint8Array(), 'text/plain')).toMatchObject({ refused: 'empty' })
  expect(await read(new TextEncoder().encode(' \n\t'), 'text/plain')).toMatchObject({ refused: 'empty' })
})

/** The head of a PNG of this size. */
function png(width: number, height: number): Uint8Array {
  const bytes = Buffer.alloc(33)
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return new Uint8Array(bytes)
}

/** The head of a JPG of this size, behind a comment. */
function jpg(width: number, height: number): Uint8Array {
  const frame = Buffer.from('ffd8fffe00046162ffc2000b08000000000101110000', 'hex')
  frame.writeUInt16BE(height, 13)
  frame.writeUInt16BE(width, 15)
  return new Uint8Array(frame)
}

/** A TIFF of pages without pixels. */
function tiff(pages: number, width: number, { circle = false } = {}): Uint8Array {
  const directoryBytes = 2 + 2 * 12 + 4
  const bytes = Buffer.alloc(8 + pages * directoryBytes)
  bytes.write('II*\0', 'latin1')
  bytes.writeUInt32LE(8, 4)
  for (let page = 0; page < pages; page += 1) {
    const start = 8 + page * directoryBytes
    bytes.writeUInt16LE(2, start)
    for (const [index, tag] of [256, 257].entries()) {
      bytes.writeUInt16LE(tag, start + 2 + index * 12)
      bytes.writeUInt16LE(4, start + 4 + index * 12)
      bytes.writeUInt32LE(1, start + 6 + index * 12)
      bytes.writeUInt32LE(index === 0 ? width : 100, start + 10 + index * 12)
    }
    const isLast = page === pages - 1
    bytes.writeUInt32LE(isLast ? (circle ? 8 : 0) : start + directoryBytes, start + directoryBytes - 4)
  }
  return new Uint8Array(bytes)
}

function hexadecimal(bytes: Buffer): Buffer {
  return Buffer.from(`${bytes.toString('hex')}>`)
}

function ascii85(bytes: Buffer): Buffer {
  const groups: string[] = []
  for (let offset = 0; offset < bytes.length; offset += 4) {
    const given = bytes.subarray(offset, offset + 4)
    let value = Buffer.concat([given, Buffer.alloc(4)]).readUInt32BE(0)
    let group = ''
    for (let place = 0; place < 5; place += 1) {
      group = String.fromCharCode(33 + (value % 85)) + group
      value = Math.floor(value / 85)
    }
    groups.push(given.length < 4 ? group.slice(0, given.length + 1) : group === '!!!!!' ? 'z' : group)
  }
  return Buffer.from(`${groups.join('')}~>`)
}

/** A PDF of pages that all show the same content, in a font whose glyph A stands for this text. */
function pdfOfGlyphs(
  content: string,
  text: string,
  { pages = 1, form = deflateSync as (map: string) => Buffer, filter = '/Filter/FlateDecode' } = {},
): Uint8Array {
  const hexadecimalText = Buffer.from(text, 'utf16le').swap16().toString('hex')
  const map = form(
    [
      'begincmap /CMapName /Map def /CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange',
      `1 beginbfchar <41> <${hexadecimalText}> endbfchar endcmap`,
    ].join(' '),
  )
  const shown = deflateSync(content)
  const kids = Array.from({ length: pages }, (_, index) => `${index + 6} 0 R`).join(' ')
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages}/Kids[${kids}]/MediaBox[0 0 595 842]/Resources<</Font<</F1 4 0 R>>>>>>`,
    `<</Length ${shown.length}/Filter/FlateDecode>>stream\n${shown.toString('latin1')}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 5 0 R>>',
    `<</Length ${map.length}${filter}>>stream\n${map.toString('latin1')}\nendstream`,
    ...Array.from({ length: pages }, () => '<</Type/Page/Parent 2 0 R/Contents 3 0 R>>'),
  ])
}

/** A PDF of pages that all show the same content. */
function pdf(
  pages: number,
  content: string,
  filter = '/FlateDecode',
  form: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Uint8Array {
  const packed = form(deflateSync(content))
  const kids = Array.from({ length: pages }, (_, index) => `${index + 5} 0 R`).join(' ')
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages}/Kids[${kids}]/MediaBox[0 0 595 842]/Resources<</Font<</F1 4 0 R>>>>>>`,
    `<</Length ${packed.length}/Filter${filter}>>stream\n${packed.toString('latin1')}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...Array.from({ length: pages }, () => '<</Type/Page/Parent 2 0 R/Contents 3 0 R>>'),
  ])
}
