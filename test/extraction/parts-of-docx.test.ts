import { describe, expect, it } from 'vitest'
import { detectType } from '#documents/detect-type.ts'
import { extract } from '#extraction/extract.ts'
import { limits } from '#extraction/limits.ts'
import type { Ocr } from '#extraction/ocr.ts'
import { docxOf, paragraph, type ZipEntry, zipOf } from '#test/support/zip-writer.ts'

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const ocr: Ocr = { readPages: async () => new Map() }

async function read(bytes: Uint8Array) {
  const result = await extract(bytes, docx, { ocr })
  if ('refused' in result) throw new Error(`${result.refused}: ${result.message}`)
  return result
}

const relations = (...all: [id: string, type: string, target: string][]) =>
  `<Relationships>${all
    .map(
      ([id, type, target]) =>
        `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`

/** A DOCX that inserts a file between two paragraphs. */
const inserting = (file: ZipEntry, target = file.name.replace('word/', '')) =>
  docxOf(`${paragraph('Vorher')}<w:altChunk r:id="teil1"/>${paragraph('Nachher')}`, [
    { name: 'word/_rels/document.xml.rels', content: relations(['teil1', 'aFChunk', target]) },
    file,
  ])

const html =
  '<html><head><title>Nicht zu lesen</title><style>p {}</style></head><body><h1>Vertrag über die Miete</h1><p>Die <b>Kündigung</b> ist<br>schriftlich.</p></body></html>'

const mhtml = `MIME-Version: 1.0
Content-Type: multipart/related;
    type="text/html";
    boundary="----=mhtDocumentPart"

------=mhtDocumentPart
Content-Type: text/html;
    charset="utf-8"
Content-Transfer-Encoding: quoted-printable
Content-Location: file:///C:/fake/document.html

${html.replaceAll('=', '=3D').replaceAll('ü', '=C3=BC')}

------=mhtDocumentPart--`

describe('a DOCX that inserts a file', () => {
  it.each([
    ['HTML', 'word/teil.htm', html, 'teil.htm'],
    ['HTML in Windows-1252', 'word/teil.htm', Buffer.from(html, 'latin1'), '/word/teil.htm'],
    ['MHTML, as html-docx-js writes it', 'word/afchunk.mht', mhtml, '/word/afchunk.mht'],
  ])('in %s is read with its text in the right place', async (_, name, content, target) => {
    const { text, unread } = await read(inserting({ name, content }, target))

    expect(text.split(/\n+/)).toEqual([
      'Vorher',
      'Vertrag über die Miete',
      'Die Kündigung ist',
      'schriftlich.',
      'Nachher',
    ])
    expect(unread).toBeUndefined()
  })

  it('in plain text is read with its text in the right place', async () => {
    const { text } = await read(inserting({ name: 'word/teil.txt', content: 'Ein < zwei' }))

    expect(text.split(/\n+/)).toEqual(['Vorher', 'Ein < zwei', 'Nachher'])
  })

  it('that is a DOCX with the content type of a body has its text in the right place', async () => {
    const main = `ContentType="${docx}.main+xml"`
    const written = zipOf([
      {
        name: '[Content_Types].xml',
        content: `<Types><Default Extension="xml" ${main}/><Override PartName="/word/teil.docx" ${main}/></Types>`,
      },
      { name: '_rels/.rels', content: relations(['r1', 'officeDocument', 'word/document.xml']) },
      {
        name: 'word/document.xml',
        content: `<w:document>${paragraph('Rubrum')}<w:altChunk r:id="a"/></w:document>`,
      },
      { name: 'word/_rels/document.xml.rels', content: relations(['a', 'aFChunk', '/word/teil.docx']) },
      { name: 'word/teil.docx', content: docxOf(paragraph('Begründung')) },
    ])

    expect(await detectType(written)).toBe(docx)
    expect((await read(written)).text.split(/\n+/)).toEqual(['Rubrum', 'Begründung'])
  })

  it.each([
    ['is RTF', 'word/teil.rtf', '{\\rtf1 Kündigung}'],
    ['is a damaged DOCX', 'word/teil.docx', Buffer.from('PK\x03\x04 und nichts sonst')],
    ['is HTML with too many tags', 'word/teil.htm', '<p>'.repeat(limits.insertedTags + 1)],
    ['is too large', 'word/teil.htm', ' '.repeat(limits.insertedFileBytes + 1)],
  ])('that %s is read without it, and has embedded_unread', async (_, name, content) => {
    const { text, unread } = await read(inserting({ name, content }))

    expect(text.split(/\n+/)).toEqual(['Vorher', 'Nachher'])
    expect(unread).toBe('embedded_unread')
  })

  it('that inserts a file, and so on, is read to a certain depth', async () => {
    let file = docxOf(paragraph('Innerstes'))
    for (let depth = 0; depth <= limits.insertedDepth; depth += 1)
      file = inserting({ name: 'word/teil.docx', content: file })

    const { text, unread } = await read(file)

    expect(text.match(/Vorher/g)?.length).toBe(limits.insertedDepth + 1)
    expect([text.includes('Innerstes'), unread]).toEqual([false, 'embedded_unread'])
  })

  it('many times is read until the limit of tags, and has embedded_unread', async () => {
    const ids = Array.from({ length: 5 }, (_, at) => `teil${at}`)
    const { text, unread } = await read(
      docxOf(ids.map((id) => `<w:altChunk r:id="${id}"/>`).join(''), [
        {
          name: 'word/_rels/document.xml.rels',
          content: relations(...ids.map((id): [string, string, string] => [id, 'aFChunk', 'teil.htm'])),
        },
        { name: 'word/teil.htm', content: `<p>Teil</p>${'<br>'.repeat(limits.insertedTags - 2)}` },
      ]),
    )

    expect(text.match(/Teil/g)?.length).toBe(Math.floor(limits.allInsertedTags / limits.insertedTags))
    expect(unread).toBe('embedded_unread')
  })

  it('is refused if all files together inflate to too many bytes', async () => {
    const ids = ['a', 'b', 'c']
    const result = await extract(
      docxOf(paragraph('Vorher'), [
        {
          name: 'word/_rels/document.xml.rels',
          content: relations(...ids.map((id): [string, string, string] => [id, 'aFChunk', 'teil.htm'])),
        },
        { name: 'word/teil.htm', content: Buffer.alloc(limits.inflatedBytes / 2, ' ') },
      ]),
      docx,
      { ocr },
    )

    expect(result).toMatchObject({ refused: 'too_large' })
  })
})

describe('a DOCX', () => {
  it('has the texts of its SmartArt and the titles of its charts after its body', async () => {
    const type = 'application/vnd.openxmlformats-officedocument.drawingml'
    const drawn = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`
    const override = (name: string, part: string) =>
      `<Override PartName="/word/${name}.xml" ContentType="${type}.${part}+xml"/>`
    const written = zipOf([
      {
        name: '[Content_Types].xml',
        content: `<Types><Override PartName="/word/document.xml" ContentType="${docx}.main+xml"/>${override('data1', 'diagramData')}${override('layout1', 'diagramLayout')}${override('chart1', 'chart')}</Types>`,
      },
      { name: 'word/document.xml', content: `<w:document>${paragraph('Ablauf')}</w:document>` },
      {
        name: 'word/data1.xml',
        content: `<dgm:dataModel><dgm:pt><dgm:t><a:bodyPr/>${drawn('Klage')}</dgm:t></dgm:pt><dgm:pt><dgm:t>${drawn('Urteil')}</dgm:t></dgm:pt></dgm:dataModel>`,
      },
      { name: 'word/layout1.xml', content: `<dgm:layoutDef>${drawn('Nicht zu lesen')}</dgm:layoutDef>` },
      {
        name: 'word/chart1.xml',
        content: `<c:chart><c:title><c:tx><c:rich>${drawn('Umsätze')}</c:rich></c:tx></c:title></c:chart>`,
      },
    ])

    expect((await read(written)).text.split(/\n+/)).toEqual(['Ablauf', 'Klage', 'Urteil', 'Umsätze'])
  })

  it.each([
    ['an embedded spreadsheet', 'ProgID="Excel.Sheet.12" Type="Embed"', 'embedded_unread'],
    ['a formula', 'ProgID="Equation.3" Type="Embed"', undefined],
    ['a link to a file', 'ProgID="Excel.Sheet.12" Type="Link"', undefined],
  ])('with %s says whether something was not read', async (_, attributes, expected) => {
    const object = `<w:p><w:r><w:object><o:OLEObject xmlns:o="urn:o" ${attributes}/></w:object><w:t>Siehe Tabelle</w:t></w:r></w:p>`

    expect(await read(docxOf(object))).toMatchObject({ text: 'Siehe Tabelle' })
    expect((await read(docxOf(object))).unread).toBe(expected)
  })
})
