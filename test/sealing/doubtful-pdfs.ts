import { catalogue, namesOf, onePage, page, pages, withTable } from './a-small-pdf.ts'
import { PdfScript } from './pdf-script.ts'

/** PDFs that leave a doubt, and the result when the document is read as a whole. */
export const doubtfulPdfs: [what: string, form: string, pdf: () => Uint8Array][] = [
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
export function linearizedWith(words: string, kids: string): Uint8Array {
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
