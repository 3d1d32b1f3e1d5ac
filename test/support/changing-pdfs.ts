import { deflateSync } from 'node:zlib'
import type { ChangingReason } from '#formats/changing-reasons.ts'
import { pdfOf } from './pdf-writer.ts'

const stream = (dictionary: string, content: string) =>
  `<<${dictionary}/Length ${content.length}>>stream\n${content}\nendstream`
const form = (content: string, more = '') =>
  stream(
    `/Type/XObject/Subtype/Form/BBox[0 0 200 24]/Resources<</Font<</F1 5 0 R>>>>${more}`,
    `BT /F1 14 Tf 4 6 Td (${content}) Tj ET`,
  )

/** A drawing of a field, which may use the fonts F1 and F2, object 8. */
const drawing = (content: string) =>
  stream('/Type/XObject/Subtype/Form/BBox[0 0 200 24]/Resources<</Font<</F1 5 0 R/F2 8 0 R>>>>', content)

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
const filled = (more: string, drawn = form('100 EUR'), acroForm = '', objects: string[] = []) =>
  contract({
    catalogue: `/AcroForm<</Fields[6 0 R]/DR<</Font<</F1 5 0 R>>>>${acroForm}>>`,
    page: '/Annots[6 0 R]',
    objects: [field(more), drawn, ...objects],
  })
const doing = (action: string, more = '') =>
  contract({ catalogue: `/OpenAction ${action}`, objects: [more || 'null'] })

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

/** A contract with object 6, whose beginning is written in another way. The places of later objects stay right. */
function begun(object: string, beginning: string): Uint8Array<ArrayBuffer> {
  const usual = Buffer.from(contract({ page: '/Annots[6 0 R]', objects: [object] })).toString('latin1')
  const at = usual.indexOf('6 0 obj')
  const more = beginning.length - '6 0 obj'.length
  const file = `${usual.slice(0, at)}${beginning}${usual.slice(at + 7)}`
  return new Uint8Array(
    Buffer.from(
      file.replace(/startxref\n(\d+)/, (_, place) => `startxref\n${Number(place) + more}`),
      'latin1',
    ),
  )
}
const link = (more: string, ...objects: string[]) =>
  contract({ page: `/Annots[<</Subtype/Link${at}/Dest[3 0 R/Fit]${more}>>]`, objects })
const list = (more: string, ...objects: string[]) =>
  contract({
    catalogue: '/AcroForm<</Fields[6 0 R]>>',
    page: '/Annots[6 0 R]',
    objects: [`<</Subtype/Widget/FT/Ch/T(a)/DA(/F1 14 Tf)/F 4${at}${more}>>`, ...objects],
  })
const box = (more: string, ...objects: string[]) =>
  contract({
    catalogue: '/AcroForm<</Fields[6 0 R]>>',
    page: '/Annots[6 0 R]',
    objects: [`<</Subtype/Widget/FT/Btn/T(a)/F 4${at}${more}>>`, form('x'), form(''), ...objects],
  })
const named = (type: string) =>
  contract({
    page: '/Annots[6 0 R]',
    objects: [`<</Subtype 8 0 R/FT/Tx${at}/F 4/V(1000)/AP<</N 7 0 R>>>>`, form('100'), type],
  })

/** PDFs that can change, or differ between readers or between screen and paper, with the expected finding. */
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
    () =>
      contract({
        page: `/Annots[<</Subtype/Link/Border[0 0 0]${at}/AP<</N 6 0 R>>>>]`,
        objects: [form('1000 EUR')],
      }),
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
    () =>
      contract({
        page: `/Annots[<</Subtype/Link/Border[0 0 0]${at}/A<</S/SubmitForm/F(https://example.com)>>>>]`,
      }),
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
  ...[
    `6 0${' '.repeat(30)}obj`,
    `6${'\n'.repeat(70)}0 obj`,
    '6 0000000 obj',
    '6 0.0 obj',
    `6 0 %${'x'.repeat(60)}\nobj`,
    `6 %${'x'.repeat(60)}\n% 1 0 obj\r0 obj`,
  ].map((beginning, number): (typeof changingPdfs)[number] => [
    `an object that begins unusually (${number + 1})`,
    'drawn_by_reader',
    () => begun(note('/F 4'), beginning),
  ]),
  ...['0x4', '4.5', '4294967300', '-508', '4e0'].map((flags): (typeof changingPdfs)[number] => [
    `flags that readers take in different ways: ${flags}`,
    'differs_on_paper',
    () => noted(`/F ${flags}`),
  ]),
  ['a field whose type stands elsewhere', 'drawn_by_reader', () => named('/Widget')],
  ['a film whose type stands elsewhere', 'media', () => named('/M#6fvie')],
  [
    'a program whose kind stands elsewhere',
    'acts',
    () => contract({ catalogue: '/OpenAction 6 0 R', objects: ['<</S 7 0 R/F(a)>>', '/Launch'] }),
  ],
  ['a sum without a value', 'drawn_by_reader', () => filled('/AP<</N 7 0 R>>')],
  ['a sum with an empty value', 'drawn_by_reader', () => filled('/V()/AP<</N 7 0 R>>')],
  ['a rich value', 'drawn_by_reader', () => filled('/V(100 EUR)/RV(<p>1000 EUR</p>)/AP<</N 7 0 R>>')],
  [
    'a value in letters that are not to be seen',
    'drawn_by_reader',
    () => filled('/V(1000)/AP<</N 7 0 R>>', stream('', '/A Do BT 3 Tr (1000) Tj ET')),
  ],
  [
    'a value in a string that is not shown',
    'drawn_by_reader',
    () => filled('/V(1000)/AP<</N 7 0 R>>', stream('', '[(1000)] /A MP')),
  ],
  [
    'a field without a type',
    'drawn_by_reader',
    () =>
      contract({
        page: `/Annots[<</Subtype/Widget/F 4${at}/V(1000)/AP<</N 6 0 R>>>>]`,
        objects: [form('100')],
      }),
  ],
  [
    'a box whose states stand elsewhere',
    'drawn_by_reader',
    () => box('/V/Ja/AS/Off/AP 9 0 R', '<</N 10 0 R>>', '<</Ja 7 0 R/Off 8 0 R>>'),
  ],
  ['a box of two states', 'drawn_by_reader', () => box('/V/B/AS/A/AP<</N<</A 7 0 R/B 8 0 R>>>>')],
  [
    'a button whose caption stands elsewhere',
    'drawn_by_reader',
    () => box('/MK 9 0 R/AP<</N 7 0 R>>', '<</CA(1000)>>'),
  ],
  [
    'a drawing under the mouse that stands elsewhere',
    'drawn_by_reader',
    () =>
      contract({
        page: '/Annots[6 0 R]',
        objects: [note('/F 4/AP 8 0 R'), form('100'), '<</N 7 0 R/R 7 0 R>>'],
      }),
  ],
  [
    'a drawing that is empty',
    'drawn_by_reader',
    () => contract({ page: '/Annots[6 0 R]', objects: [note('/F 4/AP<<>>')] }),
  ],
  [
    'a drawing that is not there',
    'drawn_by_reader',
    () => contract({ page: '/Annots[6 0 R]', objects: [note('/F 4/AP<</N 99 0 R>>')] }),
  ],
  ['two drawings', 'drawn_by_reader', () => filled('/V(100 EUR)/AP<</N 7 0 R>>/AP<</N 4 0 R>>')],
  ['two values', 'drawn_by_reader', () => filled('/V(100 EUR)/V(1000 EUR)/AP<</N 7 0 R>>')],
  ['two types', 'drawn_by_reader', () => noted('/F 4/Subtype/Popup')],
  ['two frames around a link', 'drawn_by_reader', () => link('/Border[0 0 0]/Border[0 0 200]')],
  ['a link whose frame covers something', 'drawn_by_reader', () => link('/Border[0 0 200]')],
  ['a link whose style covers something', 'drawn_by_reader', () => link('/BS<</W 50>>')],
  ['a link with a frame that is thin', 'drawn_by_reader', () => link('/Border[0 0 0.5]')],
  ['a link with a frame by default', 'drawn_by_reader', () => link('')],
  ['a link with a style that says no width', 'drawn_by_reader', () => link('/Border[0 0 0]/BS<</S/D>>')],
  [
    'a link whose width of a frame stands elsewhere',
    'drawn_by_reader',
    () =>
      contract({
        page: `/Annots[<</Subtype/Link${at}/Dest[3 0 R/Fit]/Border[0 0 6 0 R]>>]`,
        objects: ['2'],
      }),
  ],
  [
    'a window with a drawing',
    'drawn_by_reader',
    () => contract({ page: `/Annots[<</Subtype/Popup/F 4${at}/AP<</N 6 0 R>>>>]`, objects: [form('1000')] }),
  ],
  ...(
    [
      ['white', 'BT 1 g /F1 14 Tf 4 6 Td (1000) Tj ET'],
      ['light on light', '.8 g 0 0 200 24 re f BT .9 .9 .9 rg /F1 14 Tf 4 6 Td (1000) Tj ET'],
      ['white as in print', 'BT 0 0 0 0 k /F1 14 Tf 4 6 Td (1000) Tj ET'],
      ['in a colour by another name', 'BT /C cs 1 sc /F1 14 Tf 4 6 Td (1000) Tj ET'],
      ['below its field', 'BT /F1 14 Tf 4 -60 Td (1000) Tj ET'],
      ['beside its field', '1 0 0 1 300 0 cm BT /F1 14 Tf 4 6 Td (1000) Tj ET'],
      ['very small', 'BT /F1 .1 Tf 4 6 Td (1000) Tj ET'],
      ['very small by its matrix', 'BT /F1 14 Tf .01 0 0 .01 4 6 Tm (1000) Tj ET'],
      ['upside down', 'BT /F1 14 Tf -1 0 0 -1 90 6 Tm (1000) Tj ET'],
      ['cut off', 'q 0 0 1 1 re W n BT /F1 14 Tf 4 6 Td (1000) Tj ET Q'],
      ['covered', 'BT /F1 14 Tf 4 6 Td (1000) Tj ET 1 g 4 0 200 24 re f'],
      ['with a line like a digit', '2 w 40 6 m 40 16 l S BT /F1 14 Tf 4 6 Td (1000) Tj ET'],
      ['with an area like a digit', '20 6 2 10 re f BT /F1 14 Tf 40 6 Td (1000) Tj ET'],
      ['in another order', 'BT /F1 14 Tf 60 6 Td (1) Tj -20 0 Td (0) Tj -10 0 Td (00) Tj ET'],
      ['one over the other', 'BT /F1 14 Tf 4 6 Td (10) Tj 0 0 Td (00) Tj ET'],
      ['pushed together', 'BT /F1 14 Tf 4 6 Td -9 Tc (1000) Tj ET'],
      ['pushed back', 'BT /F1 14 Tf 4 6 Td [(1)900(0)900(00)] TJ ET'],
      ['raised out of its line', 'BT /F1 14 Tf 4 6 Td 14 Ts (1000) Tj ET'],
      ['squeezed', 'BT /F1 14 Tf 4 6 Td 5 Tz (1000) Tj ET'],
      ['in a font that is not there', 'BT /F9 14 Tf 4 6 Td (1000) Tj ET'],
    ] as const
  ).map(([how, content]): (typeof changingPdfs)[number] => [
    `a value that is drawn ${how}`,
    'drawn_by_reader',
    () => filled('/V(1000)/AP<</N 7 0 R>>', drawing(content)),
  ]),
  ...(
    [
      ['that puts digits elsewhere', '/Encoding<</Differences[49/nine]>>'],
      ['that shows a letter as a digit', '/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[228/one]>>'],
      ['that is in the file', '/FontDescriptor<</FontFile2 4 0 R>>'],
      ['of symbols', '/BaseFont/ZapfDingbats'],
      ['of drawings', '/Subtype/Type3'],
    ] as const
  ).map(([how, more]): (typeof changingPdfs)[number] => [
    `a value in a font ${how}`,
    'drawn_by_reader',
    () =>
      contract({
        page: '/Annots[6 0 R]',
        objects: [
          field('/V(100 EUR)/AP<</N 7 0 R>>'),
          drawing('BT /F2 14 Tf 4 6 Td (100 EUR) Tj ET'),
          `<<${more.includes('Subtype') ? '' : '/Subtype/TrueType'}${more.includes('BaseFont') ? '' : '/BaseFont/Arial'}${more}>>`,
        ],
      }),
  ]),
  [
    'a field without a value that has lines',
    'drawn_by_reader',
    () => filled('/AP<</N 7 0 R>>', drawing('9 6 m 9 16 l S')),
  ],
  [
    'a value in a frame without a size',
    'drawn_by_reader',
    () => filled('/V(100 EUR)/AP<</N 7 0 R>>', form('100 EUR').replace('200 24', '0 0')),
  ],
  [
    'a value in a frame that is made flat',
    'drawn_by_reader',
    () => filled('/V(100 EUR)/AP<</N 7 0 R>>', form('100 EUR', '/Matrix[0 0 0 0 0 0]')),
  ],
  ['a box that is on and is drawn empty', 'drawn_by_reader', () => box('/V/Ja/AS/Ja/AP<</N<</Ja 8 0 R>>>>')],
  [
    'a box that is off and is drawn with a cross',
    'drawn_by_reader',
    () => box('/V/Off/AS/Off/AP<</N<</Ja 7 0 R/Off 9 0 R>>>>', form('x')),
  ],
  [
    'a box that looks the same on and off',
    'drawn_by_reader',
    () => box('/V/Ja/AS/Ja/AP<</N<</Ja 7 0 R/Off 7 0 R>>>>'),
  ],
  ['a box that is on with a single drawing', 'drawn_by_reader', () => box('/V/Ja/AS/Ja/AP<</N 8 0 R>>')],
  ['a choice by its place', 'drawn_by_reader', () => list('/Ff 131072/Opt[(100)(1000)]/I[1]')],
  ['a list of choices without a drawing', 'drawn_by_reader', () => list('/Opt[(100)(1000)]')],
  [
    'an open list whose choices are those of its parent',
    'drawn_by_reader',
    () => list('/Parent 7 0 R', '<</Opt[(100)(1000)]>>'),
  ],
  [
    'a layer without a type',
    'layers',
    () =>
      contract({
        page: '/Properties<</M 6 0 R>>',
        content: '/OC /M BDC BT /F1 18 Tf 60 700 Td (1000 EUR) Tj ET EMC',
        objects: ['<</Usage<</View<</ViewState/OFF>>>>>>'],
      }),
  ],
  [
    'a layer for paper whose parts stand elsewhere',
    'layers',
    () => contract({ objects: ['<</Usage 7 0 R>>', '<</Print 8 0 R>>', '<</Print#53tate/OFF>>'] }),
  ],
  ['a drawing in a layer', 'layers', () => contract({ objects: [form('1000', '/OC 7 0 R'), '<<>>'] })],
  ['a note in a layer', 'layers', () => noted('/F 4/OC<</Name(a)>>')],
  [
    'a link that is a script elsewhere',
    'acts',
    () => link('/Border[0 0 0]/A<</S/URI/URI 6 0 R>>', '(javascript:a)'),
  ],
  [
    'a link whose action is a script elsewhere',
    'acts',
    () => link('/Border[0 0 0]/A 6 0 R', '<</URI 7 0 R/S/URI>>', '<6A617661736372697074 3A>'),
  ],
  [
    'a link that is a script with a line end in its name',
    'acts',
    () => link('/Border[0 0 0]/A<</S/URI/URI(java\nscript:a)>>'),
  ],
  [
    'another black for paper',
    'differs_on_paper',
    () => contract({ objects: ['<</UCR 7 0 R>>', '<</FunctionType 2/Domain[0 1]/N 1>>'] }),
  ],
  [
    'a watermark for paper',
    'differs_on_paper',
    () =>
      contract({
        page: '/Annots[6 0 R]',
        objects: [`<</Subtype/Watermark/F 4${at}/AP<</N 7 0 R>>>>`, form('x')],
      }),
  ],
  [
    'colours that are exchanged',
    'differs_on_paper',
    () =>
      contract({
        objects: ['<</Type/ExtGState/TR 7 0 R>>', '<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N 1>>'],
      }),
  ],
  [
    'pages that are printed',
    'differs_on_paper',
    () => contract({ catalogue: '/ViewerPreferences<</PrintPageRange[0 0]>>' }),
  ],
  ['another file that is opened', 'acts', () => doing('<</S/GoToR/F(a.pdf)/D[0/Fit]>>')],
  [
    'an address that a page opens',
    'acts',
    () => contract({ page: '/AA<</O<</S/URI/URI(https://example.com)>>>>' }),
  ],
  [
    'a link that is a script',
    'acts',
    () => contract({ page: `/Annots[<</Subtype/Link/Border[0 0 0]${at}/A<</S/URI/URI(JavaScript:a)>>>>]` }),
  ],
  [
    'a layer that no list names',
    'layers',
    () => contract({ objects: ['<</Type/OCG/Usage<</Print<</PrintState/OFF>>>>>>'] }),
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

const summed = (value: string, ...more: string[]) =>
  contract({
    catalogue: '/AcroForm<</Fields[6 0 R]>>',
    page: '/Annots[6 0 R]',
    objects: [field(`/V(${value})/AP<</N 7 0 R>>`), form('100 EUR'), ...more],
  })

/** A contract with content before its cross-references that they do not name. */
function withUnnamed(pdf: Uint8Array, more: string): Uint8Array<ArrayBuffer> {
  const file = Buffer.from(pdf)
    .toString('latin1')
    .replace('xref\n', () => `${more}xref\n`)
  const moved = file.replace(/startxref\n(\d+)/, (_, place) => `startxref\n${Number(place) + more.length}`)
  return new Uint8Array(Buffer.from(moved, 'latin1'))
}

/** PDFs in which a sequential reader finds other objects than a reader that follows the references. */
export const disputedPdfs: [what: string, pdf: () => Uint8Array<ArrayBuffer>][] = [
  ['a field, or a null in a stream', () => summed('1000 EUR', stream('', 'x 6 0 obj null endobj'))],
  ['another drawing in a stream', () => summed('1000 EUR', stream('', `7 0 obj ${form('1000 EUR')}`))],
  ['another value in a comment', () => withUnnamed(summed('1000 EUR'), '% 6 0 obj null endobj\n')],
  ['a field without a name in the table', () => withUnnamed(summed('1000 EUR'), '6 0 obj null endobj\n')],
  [
    'a later drawing after an end that is none',
    () => withUnnamed(summed('1000 EUR'), `startxref\n9\n%%EOF\n7 0 obj ${form('1000 EUR')} endobj\n`),
  ],
  [
    'a program behind a percent sign in a string',
    () => withUnnamed(summed('100 EUR'), '(%) 8\n0\nobj <</S/Launch/F(calc.exe)>> endobj\n'),
  ],
]

/** PDFs that show the same in every reader. */
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
  ['a filled form with a euro sign', () => filled('/V<FEFF0031002020AC>/AP<</N 7 0 R>>', form('1 \\200'))],
  ['a filled form with a euro sign of its own', () => filled('/V(1 \\240)/AP<</N 7 0 R>>', form('1 \\200'))],
  [
    'a filled form whose parts stand elsewhere',
    () =>
      contract({
        page: '/Annots[6 0 R]',
        objects: [field('/V 9 0 R/AP 8 0 R'), form('100 EUR'), '<</N 7 0 R>>', '(100 EUR)'],
      }),
  ],
  ...(
    [
      [
        'an area, a frame and its cut, as Acrobat draws it',
        '1 g 0 0 200 24 re f 0 G .5 .5 199 23 re s /Tx BMC q 1 1 198 22 re W n BT /F1 12 Tf 0 g 2 7.548 Td (100 EUR) Tj ET Q EMC',
      ],
      ['two lines', '/Tx BMC BT 0 0 1 rg /F1 10 Tf 1 0 0 1 2 14 Tm 11 TL (100) Tj T* (EUR) Tj ET EMC'],
      [
        'gaps and a line for each letter',
        '40 0 m 40 24 l 80 0 m 80 24 l s BT /F1 12 Tf 15 6 Td (100) Tj 40 0 Td (E) Tj 40 0 Td (UR) Tj ET',
      ],
      ['pairs of letters', 'q BT /F1 12 Tf 2 6 Td [(10)-20(0 E)40(UR)] TJ ET Q'],
      ['white on black', '0 g 0 0 200 24 re f BT 1 g /F1 12 Tf 2 6 Td (100 EUR) Tj ET'],
    ] as const
  ).map(([how, content]): (typeof lastingPdfs)[number] => [
    `a filled form with ${how}`,
    () => filled('/V(100 EUR)/AP<</N 7 0 R>>', drawing(content)),
  ]),
  [
    'a filled form with the encoding of Acrobat',
    () =>
      filled('/V(100 EUR)/AP<</N 7 0 R>>', drawing('BT /F2 12 Tf 2 6 Td (100 EUR) Tj ET'), '', [
        '<</Subtype/Type1/BaseFont/Helvetica/Encoding 9 0 R>>',
        '<</Type/Encoding/Differences[24/breve/caron 39/quotesingle 96/grave 128/bullet/dagger 160/Euro]>>',
      ]),
  ],
  ['an empty form', () => filled('')],
  ['a list of choices that opens', () => list('/Ff 131072/Opt[(100)(1000)]')],
  ['a link without a frame by its style', () => link('/BS<</W 0>>')],
  [
    'a link to an address that stands elsewhere',
    () => link('/Border[0 0 0]/A<</S/URI/URI 6 0 R>>', '(https://example.com/javascript:)'),
  ],
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
