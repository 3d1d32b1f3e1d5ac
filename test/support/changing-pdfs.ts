import { deflateSync } from 'node:zlib'
import type { ChangingReason } from '#formats/changing-pdf.ts'
import { pdfOf } from './pdf-writer.ts'

const stream = (dictionary: string, content: string) =>
  `<<${dictionary}/Length ${content.length}>>stream\n${content}\nendstream`
const form = (content: string, more = '') =>
  stream(
    `/Type/XObject/Subtype/Form/BBox[0 0 200 24]/Resources<</Font<</F1 5 0 R>>>>${more}`,
    `BT /F1 14 Tf 4 6 Td (${content}) Tj ET`,
  )

/** A contract over 100 euros. `objects` are numbered from 6. */
function contract({
  catalogue = '',
  page = '',
  objects = [] as string[],
  content = '',
}): Uint8Array<ArrayBuffer> {
  return pdfOf([
    `<</Type/Catalog/Pages 2 0 R${catalogue}>>`,
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>${page}>>`,
    stream('', `BT /F1 18 Tf 60 760 Td (Vertrag) Tj ET ${content}`),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    ...objects,
  ])
}

const at = '/Rect[60 700 260 724]'
const note = (more: string) => `<</Type/Annot/Subtype/FreeText/Contents(100 EUR)/DA(/F1 14 Tf)${at}${more}>>`
const noted = (more: string, drawn = form('100 EUR')) =>
  contract({ page: '/Annots[6 0 R]', objects: [note(`/AP<</N 7 0 R>>${more}`), drawn] })
const field = (more: string) => `<</Type/Annot/Subtype/Widget/FT/Tx/T(summe)/DA(/F1 14 Tf)/F 4${at}${more}>>`
const filled = (more: string, drawn = form('100 EUR'), acroForm = '') =>
  contract({
    catalogue: `/AcroForm<</Fields[6 0 R]/DR<</Font<</F1 5 0 R>>>>${acroForm}>>`,
    page: '/Annots[6 0 R]',
    objects: [field(more), drawn],
  })
const doing = (action: string, more = '') =>
  contract({ catalogue: `/OpenAction${action}`, objects: [more || 'null'] })

/** Puts objects into an object stream, compressed, under numbers from 20. */
function packed(...objects: string[]): string {
  const offsets: number[] = []
  let text = ''
  for (const object of objects) {
    offsets.push(text.length)
    text += `${object}\n`
  }
  const head = offsets.map((offset, at) => `${20 + at} ${offset}`).join(' ')
  const data = deflateSync(Buffer.from(`${head}\n${text}`, 'latin1')).toString('latin1')
  return `<</Type/ObjStm/N ${objects.length}/First ${head.length + 1}/Filter/FlateDecode/Length ${data.length}>>stream\n${data}\nendstream`
}

/** PDFs that can change, or differ between readers or between screen and paper, with what is found in them. */
export const changingPdfs: [what: string, reason: ChangingReason, pdf: () => Uint8Array<ArrayBuffer>][] = [
  ['a sum that is not printed', 'differs_on_paper', () => noted('/F 0')],
  ['a sum without flags', 'differs_on_paper', () => noted('')],
  ['a sum that is printed only (NoView)', 'differs_on_paper', () => noted('/F 36')],
  ['a hidden sum', 'differs_on_paper', () => noted('/F 6')],
  ['a sum that the mouse shows (ToggleNoView)', 'differs_on_paper', () => noted('/F 292')],
  ['flags that stand elsewhere', 'differs_on_paper', () => noted('/F 8 0 R')],
  ['flags that are there twice', 'differs_on_paper', () => noted('/F 4/F 0')],
  ['flags whose key is written with an escape', 'differs_on_paper', () => noted('/#46 32/F 4')],
  [
    'a stamp inside of the page',
    'differs_on_paper',
    () => contract({ page: `/Annots[<</Subtype/Stamp${at}/AP<</N 6 0 R>>>>]`, objects: [form('bezahlt')] }),
  ],
  [
    'a link with a drawing',
    'differs_on_paper',
    () => contract({ page: `/Annots[<</Subtype/Link${at}/AP<</N 6 0 R>>>>]`, objects: [form('1000 EUR')] }),
  ],
  [
    'a sum in an object stream',
    'differs_on_paper',
    () => contract({ page: '/Annots[20 0 R]', objects: [packed(note('/AP<</N 7 0 R>>')), form('1000 EUR')] }),
  ],
  [
    'a picture for the printer',
    'differs_on_paper',
    () =>
      contract({
        objects: [
          stream(
            '/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Alternates[<</Image 7 0 R/DefaultForPrinting true>>]',
            'x',
          ),
          'null',
        ],
      }),
  ],
  [
    'a window that is open',
    'differs_on_paper',
    () => contract({ page: `/Annots[<</Subtype/Popup${at}/Open true>>]` }),
  ],
  [
    'another box for paper',
    'differs_on_paper',
    () => contract({ catalogue: '/ViewerPreferences<</PrintArea/MediaBox>>' }),
  ],
  [
    'a note without a drawing',
    'drawn_by_reader',
    () => contract({ page: '/Annots[6 0 R]', objects: [note('/F 4')] }),
  ],
  [
    'a value that is not what is drawn',
    'drawn_by_reader',
    () => filled('/V(1000 EUR)/AP<</N 7 0 R>>', form('100 EUR'), '/NeedAppearances true'),
  ],
  ['such a value without NeedAppearances', 'drawn_by_reader', () => filled('/V(1000 EUR)/AP<</N 7 0 R>>')],
  ['a value of UTF-16', 'drawn_by_reader', () => filled('/V<FEFF0031003000300030>/AP<</N 7 0 R>>')],
  [
    'a value of the parent',
    'drawn_by_reader',
    () =>
      contract({
        page: '/Annots[6 0 R]',
        objects: [
          `<</Subtype/Widget/Parent 8 0 R/F 4${at}/AP<</N 7 0 R>>>>`,
          form('100 EUR'),
          '<</FT/Tx/T(a)/V(1000)/Kids[6 0 R]>>',
        ],
      }),
  ],
  ['a value without a drawing', 'drawn_by_reader', () => filled('/V(1000 EUR)')],
  [
    'a box that is drawn empty and is checked',
    'drawn_by_reader',
    () =>
      contract({
        page: '/Annots[6 0 R]',
        objects: [
          `<</Subtype/Widget/FT/Btn/T(a)/V/Ja/AS/Off/F 4${at}/AP<</N<</Ja 7 0 R/Off 8 0 R>>>>>>`,
          form('x'),
          form(''),
        ],
      }),
  ],
  [
    'another drawing under the mouse',
    'drawn_by_reader',
    () =>
      contract({
        page: '/Annots[6 0 R]',
        objects: [note('/F 4/AP<</N 7 0 R/R 8 0 R>>'), form('100 EUR'), form('1 EUR')],
      }),
  ],
  ['a script', 'acts', () => doing('<</S/JavaScript/JS(app.alert\\(1\\))>>')],
  [
    'a script of the document',
    'acts',
    () =>
      contract({
        catalogue: '/Names<</JavaScript<</Names[(a) 6 0 R]>>>>',
        objects: ['<</S/JavaScript/JS(1)>>'],
      }),
  ],
  ['a script whose name is written with escapes', 'acts', () => doing('<</S/J#61vaScr#69pt/#4AS(1)>>')],
  ['a script of the page', 'acts', () => contract({ page: '/AA<</O<</S/JavaScript/JS(1)>>>>' })],
  ['a program that is started', 'acts', () => doing('<</S/Launch/F(calc.exe)>>')],
  [
    'a form that sends itself',
    'acts',
    () => contract({ page: `/Annots[<</Subtype/Link${at}/A<</S/SubmitForm/F(https://example.com)>>>>]` }),
  ],
  ['parts that are hidden', 'acts', () => doing('6 0 R', '<</S/Hide/T(summe)>>')],
  ['a second action that is unknown', 'acts', () => doing('<</S/GoTo/D[3 0 R/Fit]/Next<</S/Wipe>>>>')],
  [
    'an action in an object stream',
    'acts',
    () => contract({ catalogue: '/OpenAction 20 0 R', objects: [packed('<</S/ImportData/F(a.fdf)>>')] }),
  ],
  [
    'layers',
    'layers',
    () =>
      contract({
        catalogue: '/OCProperties<</OCGs[6 0 R]/D<<>>>>',
        objects: ['<</Type/OCG/Name(Entwurf)>>'],
      }),
  ],
  ['contents of another file', 'external_parts', () => contract({ objects: [stream('/F(inhalt.bin)', '')] })],
  [
    'contents at an address',
    'external_parts',
    () => contract({ objects: [stream('/F<</FS/URL/F(https://example.com)>>', '')] }),
  ],
  [
    'a page of another file',
    'external_parts',
    () => contract({ objects: [form('x', '/Ref<</F(a.pdf)/Page 0>>')] }),
  ],
  ['a film', 'media', () => contract({ page: `/Annots[<</Subtype/Screen/F 4${at}>>]` })],
  ['a model', 'media', () => contract({ page: `/Annots[<</Subtype/3D/F 4${at}>>]` })],
  ['files in place of pages', 'media', () => contract({ catalogue: '/Collection<</View/T>>' })],
  [
    'a form that is drawn from data',
    'dynamic_form',
    () => contract({ catalogue: '/AcroForm<</Fields[]/XFA 6 0 R>>', objects: [stream('', '<xdp/>')] }),
  ],
]

/** PDFs that say the same in every reader. */
export const lastingPdfs: [what: string, pdf: () => Uint8Array<ArrayBuffer>][] = [
  ['text', () => contract({})],
  [
    'links and an outline',
    () =>
      contract({
        catalogue: '/Outlines 6 0 R/PageMode/UseOutlines/OpenAction[3 0 R/Fit]',
        page: `/Annots[<</Type/Annot/Subtype/Link/Border[0 0 0]${at}/A<</S/URI/URI(https://example.com)>>>><</Subtype/Link/Border[0 0 0]${at}/Dest[3 0 R/Fit]>>]`,
        objects: [
          '<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 1>>',
          '<</Title(Vertrag)/Parent 6 0 R/A<</S/GoTo/D[3 0 R/Fit]>>>>',
        ],
      }),
  ],
  ['a printed note', () => noted('/F 4')],
  ['a printed note that is locked', () => noted('/F 196')],
  ['a filled form', () => filled('/V(100 EUR)/AP<</N 7 0 R>>')],
  [
    'a filled form that asks for new drawings',
    () => filled('/V(100 EUR)/AP<</N 7 0 R>>', form('100 EUR'), '/NeedAppearances true'),
  ],
  [
    'a filled form with umlauts',
    () => filled('/V<FEFF004D00FC006C006C00650072>/AP<</N 7 0 R>>', form('M\\374ller')),
  ],
  ['an empty form', () => filled('')],
  [
    'an empty field for a signature',
    () =>
      contract({
        catalogue: '/AcroForm<</Fields[6 0 R]>>',
        page: '/Annots[6 0 R]',
        objects: [`<</Type/Annot/Subtype/Widget/FT/Sig/T(u)/F 132${at}>>`],
      }),
  ],
  [
    'a checked box',
    () =>
      contract({
        catalogue: '/AcroForm<</Fields[6 0 R]>>',
        page: '/Annots[6 0 R]',
        objects: [
          `<</Subtype/Widget/FT/Btn/T(a)/V/Ja/AS/Ja/F 4${at}/AP<</N<</Ja 7 0 R/Off 8 0 R>>>>>>`,
          form('x'),
          form(''),
        ],
      }),
  ],
  [
    'an attached file',
    () =>
      contract({
        catalogue: '/Names<</EmbeddedFiles<</Names[(a.xml) 6 0 R]>>>>',
        objects: ['<</Type/Filespec/F(a.xml)/EF<</F 7 0 R>>>>', stream('/Type/EmbeddedFile', '<a/>')],
      }),
  ],
  [
    'the structure of its text',
    () =>
      contract({
        catalogue: '/StructTreeRoot 6 0 R',
        objects: [
          '<</Type/StructTreeRoot/K[7 0 R]>>',
          '<</Type/StructElem/S/Trans/P 6 0 R/A<</O/Layout>>/K 0>>',
        ],
      }),
  ],
  [
    'words that only look like a script',
    () => contract({ content: 'BT /F1 9 Tf 60 700 Td (/S/JavaScript /JS 7 0 obj) Tj ET' }),
  ],
]
