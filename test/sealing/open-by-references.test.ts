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
import { catalogue, namesOf, onePage, page, pages, withTable } from './a-small-pdf.ts'
import { doubtfulPdfs, linearizedWith } from './doubtful-pdfs.ts'
import { note } from './office-signer.ts'
import { PdfScript } from './pdf-script.ts'

const corpus = ['akte', 'gemischt', 'scan', 'scan-fax', 'schriftsatz', 'vertrag', 'vertrag-gs']
/** A form and three pages; `files/README.md` says how they are made. */
const ofQpdf = ['linearized', 'object-streams', 'linearized-object-streams']
const fileOfQpdf = (name: string) =>
  new Uint8Array(readFileSync(new URL(`files/${name}.pdf`, import.meta.url)))

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

describe('a PDF whose cross-references leave a doubt is read as a whole', () => {
  it.each(doubtfulPdfs)('%s: %s', async (_what, form, pdf) => {
    expect(await openByReferences(pdf())).toBeUndefined()
    expect((await prepared(pdf())).form).toBe(form)
  })
})

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
  const { bytes, form } = await prepared(original)
  // A change may also leave an object without an end, which is attached.
  if (form !== 'appended') return 'doubt'
  const before = await pagesOf(original)
  await requireSamePages(before, bytes, 1)
  return before.length === pageCount(update.update) ? 'same pages' : 'other pages'
}

const prepared = (original: Uint8Array) =>
  prepareDocument(original, certificateOf('v.pdf', 'application/pdf'), { note, signatureBytes: 4_096 })
