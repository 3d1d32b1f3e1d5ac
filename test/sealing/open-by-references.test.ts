import { readFileSync } from 'node:fs'
import { PDFDocument } from '@cantoo/pdf-lib'
import { describe, expect, it } from 'vitest'
import { openByReferences } from '#sealing/open-by-references.ts'
import { pageCount } from '#sealing/pdf-update.ts'
import { prepareDocument } from '#sealing/prepare-document.ts'
import { pagesOf, requireSamePages } from '#sealing/same-pages.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { pdfOf } from '#test/support/pdf-writer.ts'
import { type Random, random } from '#test/support/random.ts'
import { certificateOf } from './a-certificate.ts'
import { note } from './office-signer.ts'
import { PdfScript } from './pdf-script.ts'

const corpus = ['akte', 'gemischt', 'scan', 'scan-fax', 'schriftsatz', 'vertrag', 'vertrag-gs']
/** A form and three pages; `files/README.md` says how they are made. */
const ofQpdf = ['linearized', 'object-streams', 'linearized-object-streams']
const fileOfQpdf = (name: string) =>
  new Uint8Array(readFileSync(new URL(`files/${name}.pdf`, import.meta.url)))

const catalogue = '<</Type/Catalog/Pages 2 0 R>>'
const pages = (kids: string, count = kids.split('R').length - 1) =>
  `<</Type/Pages/Count ${count}/Kids[${kids}]>>`
const page = (width: number, more = '') => `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} 200]${more}>>`

/** A catalogue, the root of the pages, and a page of 300 points. */
const onePage = () => new PdfScript().object(1, catalogue).object(2, pages('3 0 R')).object(3, page(300))
const namesOf = (script: PdfScript, numbers = [1, 2, 3]) =>
  Object.fromEntries(numbers.map((number) => [number, script.at(number)]))

/** The script with a table of its objects, and the end. */
function withTable(script: PdfScript, numbers = [1, 2, 3], trailer = '/Size 9'): Uint8Array<ArrayBuffer> {
  const table = script.length
  return script.table({ 0: 'f', ...namesOf(script, numbers) }, trailer).end(table)
}

const ordinary: Record<string, () => Uint8Array> = {
  'with a table': () => withTable(onePage()),
  'with an older version of its page': () => {
    const script = onePage()
    const first = script.length
    script.table({ 0: 'f', ...namesOf(script) }, '/Size 4').add(`startxref\n${first}\n%%EOF\n`)
    script.object(3, page(400))
    const second = script.length
    return script.table({ 3: script.at(3) }, `/Size 4/Prev ${first}`).end(second)
  },
  'with a cross-reference stream and its page in an object stream': () => {
    const script = new PdfScript().object(1, catalogue).objectStream(4, { 2: pages('3 0 R'), 3: page(300) })
    const section = script.length
    const names = namesOf(script, [1, 4])
    return script.crossReferenceStream(5, { 0: 'f', ...names, 2: [4, 0], 3: [4, 1] }, '/Size 6').end(section)
  },
  'with a page in an object stream that an update replaced': () => {
    const script = new PdfScript().object(1, catalogue).objectStream(4, { 2: pages('3 0 R'), 3: page(300) })
    const first = script.length
    const names = namesOf(script, [1, 4])
    script.crossReferenceStream(5, { 0: 'f', ...names, 2: [4, 0], 3: [4, 1] }, '/Size 6')
    script.object(3, page(400))
    const second = script.length
    return script.crossReferenceStream(6, { 3: script.at(3) }, `/Size 7/Prev ${first}`).end(second)
  },
  'for old and new readers at once, as Word writes it': () => {
    const script = new PdfScript().object(1, catalogue).object(2, pages('3 0 R'))
    script.objectStream(4, { 3: page(300) })
    const stream = script.length
    script.crossReferenceStream(5, { 3: [4, 0] }, '/Size 6')
    const first = script.length
    script.table({ 0: 'f', 1: script.at(1), 2: script.at(2), 3: 'f', 4: script.at(4), 5: stream }, '/Size 6')
    script.add(`startxref\n${first}\n%%EOF\n`)
    const second = script.length
    return script.table({}, `/Size 6/Prev ${first}/XRefStm ${stream}`).end(second)
  },
}

describe('a PDF in which nothing is unusual is opened by its cross-references alone', () => {
  it.each([
    ...corpus.map((name) => [name, () => corpusFile(`${name}.pdf`)] as const),
    ...ofQpdf.map((name) => [name, () => fileOfQpdf(name)] as const),
    ...Object.entries(ordinary),
  ])('%s: pdf.js finds the same pages before the certificate', async (_name, original) => {
    expect(await outcomeOf(original())).toBe('same pages')
  })

  it('as pdf-lib writes it, with all its fields and the seal after them', async () => {
    const document = await PDFDocument.create()
    document.getForm().createTextField('Ort').addToPage(document.addPage())
    const original = await document.save()

    const sealed = await prepared(original)

    const fields = (await PDFDocument.load(sealed.bytes)).getForm().getFields()
    expect(await outcomeOf(original)).toBe('same pages')
    expect(fields.map((field) => field.getName())).toEqual(['Ort', 'Seal'])
  })
})

/** What leaves a doubt, and what becomes of the document when it is read as a whole. */
const doubtful: [what: string, form: string, pdf: () => Uint8Array][] = [
  [
    'a second root of the pages that no table names, after the first',
    'damaged',
    () => withTable(onePage().add(`2 0 obj\n${pages('3 0 R 3 0 R')}\nendobj\n`)),
  ],
  [
    'a second root of the pages that no table names, before the first',
    'appended',
    () => {
      const script = new PdfScript().add(`2 0 obj\n${pages('3 0 R 3 0 R')}\nendobj\n`)
      return withTable(script.object(1, catalogue).object(2, pages('3 0 R')).object(3, page(300)))
    },
  ],
  [
    'an entry that points to another object, which readers repair',
    'appended',
    () => {
      const script = onePage().object(5, pages('6 0 R')).object(6, page(400))
      const table = script.length
      return script.table({ 0: 'f', ...namesOf(script, [1, 3, 5, 6]), 2: script.at(5) }, '/Size 9').end(table)
    },
  ],
  [
    'an older page that stands after the newer one',
    'damaged',
    () => {
      const script = onePage()
      const newer = script.at(2)
      script.object(6, page(400)).object(2, pages('6 0 R'))
      const first = script.length
      script.table({ 0: 'f', ...namesOf(script, [1, 2, 3, 6]) }, '/Size 9')
      const second = script.length
      return script.table({ 2: newer }, `/Size 9/Prev ${first}`).end(second)
    },
  ],
  [
    'an object stream that no entry names',
    'damaged',
    () => {
      const script = onePage()
        .object(5, page(400))
        .objectStream(6, { 2: pages('5 0 R') })
      return withTable(script, [1, 2, 3, 5, 6])
    },
  ],
  [
    'an object stream with an object more than its entries',
    'damaged',
    () => {
      const script = onePage()
        .object(5, page(400))
        .objectStream(6, { 2: pages('5 0 R'), 7: '(a)' })
      const section = script.length
      const names = namesOf(script, [1, 2, 3, 5, 6])
      return script.crossReferenceStream(8, { 0: 'f', ...names, 7: [6, 1] }, '/Size 9').end(section)
    },
  ],
  [
    'objects that were appended without a table',
    'damaged',
    () => {
      const script = onePage()
      const table = script.length
      script.table({ 0: 'f', ...namesOf(script) }, '/Size 9').add(`startxref\n${table}\n%%EOF\n`)
      return script.object(5, page(400)).object(2, pages('5 0 R')).end(table)
    },
  ],
  [
    'a page that the newest table calls free',
    'damaged',
    () => {
      const script = new PdfScript().object(1, catalogue).object(2, pages('3 0 R 4 0 R'))
      script.object(3, page(300)).object(4, page(400))
      const first = script.length
      script.table({ 0: 'f', ...namesOf(script, [1, 2, 3, 4]) }, '/Size 9')
      const second = script.length
      return script.table({ 4: 'f' }, `/Size 9/Prev ${first}`).end(second)
    },
  ],
  [
    'an end that points to nowhere',
    'damaged',
    () => {
      const script = onePage()
      return script.table({ 0: 'f', ...namesOf(script) }, '/Size 9').end(7)
    },
  ],
  [
    'two sections of one update that name different roots of the pages',
    'damaged',
    () => {
      const script = onePage()
        .object(5, page(400))
        .objectStream(6, { 2: pages('5 0 R') })
      const stream = script.length
      script.crossReferenceStream(7, { 2: [6, 0] }, '/Size 9')
      return withTable(script, [1, 2, 3, 5, 6], `/Size 9/XRefStm ${stream}`)
    },
  ],
  [
    'a trailer that names another catalogue',
    'damaged',
    () => {
      const script = onePage().object(5, page(400)).object(6, pages('5 0 R'))
      script.object(7, catalogue.replace('2 0 R', '6 0 R'))
      const table = script.length
      script.table({ 0: 'f', ...namesOf(script, [1, 2, 3, 5, 6, 7]) }, '/Size 9')
      return script.add('trailer\n<</Root 7 0 R/Size 9>>\n').end(table)
    },
  ],
  [
    'a linearization that begins with another section than the end names',
    'damaged',
    () => linearizedOtherwise(),
  ],
  [
    'a size of the pages that readers and pdf-lib read in different ways',
    'damaged',
    () => {
      const root = pages('3 0 R').replace('>>', '/MediaBox[0 0 300.-0 200]>>')
      return withTable(
        new PdfScript().object(1, catalogue).object(2, root).object(3, '<</Type/Page/Parent 2 0 R>>'),
      )
    },
  ],
  ['an object stream with a newer root of the pages', 'appended', () => withPackedRoot('')],
  [
    'an object stream that two names of filters decode in different ways',
    'appended',
    () => withPackedRoot('/DP<</Predictor 12/Columns 5>>', 22),
  ],
  [
    'a trailer with a whole number that is written with a point',
    'appended',
    () => withTable(onePage(), [1, 2, 3], '/Size 9.0'),
  ],
  [
    'a cross-reference stream with a whole number that is written with a point',
    'appended',
    () => {
      const script = onePage()
      const section = script.length
      return script.crossReferenceStream(8, { 0: 'f', ...namesOf(script) }, '/Size 9.').end(section)
    },
  ],
  [
    'a signature with an escape in its name',
    'signed',
    () => {
      const catalogWithForm = catalogue.replace('>>', '/AcroForm<</Fields[6 0 R]>>>>')
      const script = new PdfScript().object(1, catalogWithForm).object(2, pages('3 0 R')).object(3, page(300))
      script.object(6, '<</FT/Sig/T(S)/V 7 0 R>>')
      script.object(7, '<</Type/Sig/Byte#52ange[0 10 20 30]/Contents<00>>>')
      return withTable(script, [1, 2, 3, 6, 7])
    },
  ],
  [
    'an end whose number stands behind what is white space in JavaScript only',
    'damaged',
    () => {
      const text = Buffer.from(withPackedRoot('')).toString('latin1')
      const end = text.lastIndexOf('startxref\n')
      const changed = `${text.slice(0, end)}startxref\xa0${text.slice(end + 'startxref\n'.length)}`
      return new Uint8Array(Buffer.from(changed, 'latin1'))
    },
  ],
  [
    'an end that stands before very much white space',
    'damaged',
    () => new Uint8Array(Buffer.concat([withTable(onePage()), Buffer.alloc(1_500, ' ')])),
  ],
  [
    'a linearization that names another first page than the tree of pages',
    'damaged',
    () => linearizedWith('/O 5/N 1', '3 0 R'),
  ],
  [
    'a linearization with fewer pages than the tree of pages',
    'damaged',
    () => linearizedWith('/O 3/N 1', '3 0 R 5 0 R'),
  ],
  [
    'a linearization whose first page is another one than it says',
    'damaged',
    () => linearizedWith('/O 3/N 2/P 1', '3 0 R 5 0 R'),
  ],
  [
    'sections that name each other',
    'appended',
    () => {
      const script = onePage()
      const table = script.length
      return script.table({ 0: 'f', ...namesOf(script) }, `/Size 9/Prev ${table}`).end(table)
    },
  ],
  [
    'a root that counts a page too few',
    'appended',
    () => withTable(onePage().object(2, pages('3 0 R 4 0 R', 1)).object(4, page(400)), [1, 2, 3, 4]),
  ],
  [
    'a page that is there twice',
    'appended',
    () =>
      withTable(new PdfScript().object(1, catalogue).object(2, pages('3 0 R 3 0 R')).object(3, page(300))),
  ],
  [
    'a page inside a stream',
    'appended',
    () => {
      const script = new PdfScript().object(1, catalogue).object(2, pages('3 0 R'))
      script.add('4 0 obj\n<</Length 110>>stream\n').object(3, page(300))
      return withTable(script.add('endstream\nendobj\n'), [1, 2, 3])
    },
  ],
  [
    'a page inside a comment',
    'appended',
    () =>
      withTable(
        new PdfScript().object(1, catalogue).object(2, pages('3 0 R')).add('% ').object(3, page(300)),
      ),
  ],
  [
    'a comment inside the beginning of an object',
    'damaged',
    () => withTable(onePage().add(`2 0 % hier\nobj\n${pages('3 0 R 3 0 R')}\nendobj\n`)),
  ],
]

describe('a PDF whose cross-references leave a doubt is read as a whole', () => {
  it.each(doubtful)('%s: %s', async (_what, form, pdf) => {
    expect(await openByReferences(pdf())).toBeUndefined()
    expect((await prepared(pdf())).form).toBe(form)
  })
})

/** Some readers begin with the section after the first object, which names other pages than the one at the end. */
function linearizedOtherwise(): Uint8Array {
  const numbers = [1, 2, 3, 4, 5, 6, 8]
  const write = (length: number, offsets: Record<number, number>) => {
    const script = new PdfScript().object(8, `<</Linearized 1/L ${length}/H[1 1]/O 5/E 1/N 1/T 1>>`)
    script.table({ 0: 'f', ...offsets }, '/Size 9', 6)
    script.object(1, catalogue).object(2, pages('3 0 R')).object(3, page(300))
    script.object(4, pages('5 0 R')).object(5, page(400)).object(6, catalogue.replace('2', '4'))
    return { pdf: withTable(script, numbers), offsets: namesOf(script, numbers) }
  }
  // A table is as long whatever stands in it.
  const { pdf, offsets } = write(100, Object.fromEntries(numbers.map((number) => [number, 0])))
  return write(pdf.length, offsets).pdf
}

/** An update that has the root of the pages in an object stream: number 2, or another one that nothing had before. */
function withPackedRoot(dictionary: string, root = 2): Uint8Array<ArrayBuffer> {
  const script = new PdfScript().object(1, catalogue.replace('2', `${root}`)).object(2, pages('3 0 R'))
  script.object(3, page(300)).object(5, page(400))
  const first = script.length
  script.crossReferenceStream(8, { 0: 'f', ...namesOf(script, [1, 2, 3, 5]) }, '/Size 23')
  const head = `${root} 0 `
  script.stream(6, `/Type/ObjStm/N 1/First ${head.length}${dictionary}`, head + pages('5 0 R'))
  const second = script.length
  const names = { [root]: [6, 0] as [number, number], 6: script.at(6) }
  return script.crossReferenceStream(9, names, `/Size 23/Prev ${first}`).end(second)
}

/** A linearized file of the pages 3 and 5, with these words on its first page and their number. */
function linearizedWith(words: string, kids: string): Uint8Array {
  const numbers = [1, 2, 3, 5]
  const write = (length: number, main: number, offsets: Record<number, number>) => {
    const script = new PdfScript()
    script.object(8, `<</Linearized 1/L ${String(length).padStart(6)}/H[1 1]/E 1/T 1${words}>>`)
    const first = script.length
    script.table({ ...offsets, 8: script.at(8) }, `/Size 9/Prev ${String(main).padStart(6)}`)
    script.add('startxref\n0\n%%EOF\n').object(1, catalogue).object(2, pages(kids))
    script.object(3, page(300)).object(5, page(400))
    const second = script.length
    const pdf = script.table({ 0: 'f' }, '/Size 1').end(first)
    return { pdf, second, offsets: namesOf(script, numbers) }
  }
  const { pdf, second, offsets } = write(1, 1, Object.fromEntries(numbers.map((number) => [number, 0])))
  return write(pdf.length, second, offsets).pdf
}

it('a PDF in which the pages are the fields of its form is attached', async () => {
  const script = new PdfScript().object(1, catalogue.replace('>>', '/AcroForm<</Fields 4 0 R>>>>'))
  script.object(2, '<</Type/Pages/Count 1/Kids 4 0 R>>').object(3, page(300)).object(4, '[3 0 R]')

  const { form } = await prepared(withTable(script, [1, 2, 3, 4]))

  expect(form).toBe('damaged')
})

it('a linearized PDF that says of its pages what is so is opened by its cross-references', async () => {
  expect(await outcomeOf(linearizedWith('/O 3/N 2', '3 0 R 5 0 R'))).toBe('same pages')
})

it('a PDF with bytes changed at random is only opened by them where pdf.js finds the same pages', async () => {
  const dice = random(20_261_122)
  const originals = [
    ...Object.values(ordinary).map((make) => make()),
    ...ofQpdf.map(fileOfQpdf),
    pdfOf([catalogue]),
  ]

  const outcomes: Record<string, number> = {}
  for (let round = 0; round < 300; round += 1) {
    const outcome = await outcomeOf(changed(dice.of(originals), dice))
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }

  expect(Object.keys(outcomes).toSorted()).toEqual(['doubt', 'same pages'])
})

/** The PDF with one to three changes: a byte that is another digit or letter, or a piece that moves or is there twice. */
function changed(pdf: Uint8Array, dice: Random): Uint8Array {
  let text = Buffer.from(pdf).toString('latin1')
  for (let change = dice.below(3); change >= 0; change -= 1) {
    const at = dice.below(text.length)
    const piece = text.slice(at, at + dice.below(60))
    const to = dice.below(text.length)
    text = dice.of([
      `${text.slice(0, at)}${dice.of([...'0123456789 /R<[\n'])}${text.slice(at + 1)}`,
      `${text.slice(0, at)}${dice.of([...'0123456789'])}${text.slice(at + 1)}`,
      `${text.slice(0, to)}${piece}${text.slice(to + piece.length)}`,
    ])
  }
  return new Uint8Array(Buffer.from(text, 'latin1'))
}

/** `doubt`, or whether pdf.js finds the same pages in the original and before the certificate. */
async function outcomeOf(original: Uint8Array): Promise<string> {
  const update = await openByReferences(original)
  if (update === undefined) return 'doubt'
  const { bytes } = await prepared(original)
  const before = await pagesOf(original)
  await requireSamePages(before, bytes, 1)
  return before.length === pageCount(update) ? 'same pages' : 'other pages'
}

const prepared = (original: Uint8Array) =>
  prepareDocument(original, certificateOf('v.pdf', 'application/pdf'), { note, signatureBytes: 4_096 })
