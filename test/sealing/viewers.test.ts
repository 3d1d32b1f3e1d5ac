import { spawnSync } from 'node:child_process'
import { PDFDocument } from '@cantoo/pdf-lib'
import type { Browser } from 'playwright-core'
import { getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prepareDocument } from '#sealing/prepare-document.ts'
import { sealer } from '#sealing/sealer.ts'
import type { Signer } from '#sealing/signer.ts'
import { changingPdfs, lastingPdfs } from '#test/support/changing-pdfs.ts'
import { chromiumPath, startChromium } from '#test/support/chromium.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { formPdf } from '#test/support/pdf-form.ts'
import { chromiumOf, differenceOf, pdfJs, poppler, type Viewer } from '#test/support/pdf-viewers.ts'
import { certificateOf } from './a-certificate.ts'
import { officeSigner } from './office-signer.ts'

/**
 * Checks how the viewers on this machine show a sealed document. LibreOffice is none of them: it opens PDFs with Draw,
 * which `libreoffice-calc-nogui` does not have.
 */

const chromium = chromiumPath()
const hasPoppler = spawnSync('pdftoppm', ['-v']).error === undefined
if (!hasPoppler && process.env.CI) throw new Error('Poppler is missing: apt-get install -y poppler-utils')
const names = ['pdf.js', ...(hasPoppler ? ['Poppler'] : []), ...(chromium ? ['Chromium'] : [])]

const viewers: Record<string, Viewer> = { 'pdf.js': pdfJs, Poppler: poppler }
let browser: Browser | undefined
let signer: Signer
beforeAll(async () => {
  signer = await officeSigner('p256')
  if (chromium === undefined) return
  browser = await startChromium(chromium)
  viewers.Chromium = chromiumOf(browser)
})
afterAll(() => browser?.close())

const viewerOf = (name: string) => viewers[name] as Viewer

async function sealed(original: Uint8Array, filename = 'v.pdf', type = 'application/pdf') {
  const { seal } = sealer({ findSigner: async () => signer, prepare: prepareDocument })
  const { pdf, form } = await seal(original, certificateOf(filename, type))
  const { numPages } = await getDocumentProxy(new Uint8Array(pdf), { verbosity: 0 })
  return { pdf, form, pages: numPages }
}

/** Of programs that draw the same: letters of another one are drawn by another rule, and some fonts are others. */
const [alike, alikeElsewhere] = [15, 85]

const lasting = (what: string) => lastingPdfs.find(([one]) => one === what)?.[1]() ?? new Uint8Array()
const documents: [what: string, make: () => Uint8Array | Promise<Uint8Array>][] = [
  ['of LibreOffice', () => corpusFile('vertrag.pdf')],
  ['of Ghostscript', () => corpusFile('vertrag-gs.pdf')],
  ['that is a scan', () => corpusFile('scan.pdf')],
  ['with a form of pdf-lib', () => formPdf()],
  ['with a printed note', () => lasting('a printed note')],
  ['with a checked box', () => lasting('a checked box')],
]

describe.each(documents)('a sealed PDF %s', (_, make) => {
  it.each(
    names,
  )('shows in %s what its original shows there and elsewhere, on the screen and on paper', async (name) => {
    const viewer = viewerOf(name)
    const original = await make()
    const { pdf, form } = await sealed(original)
    const [before, after] = [await viewer.screen(original, 1), await viewer.screen(pdf, 1)]
    const elsewhere = await pdfJs.screen(original, 1)
    const paper = await viewer.paper?.(pdf, 1)

    expect(form).toBe('appended')
    expect(differenceOf(before, after)).toBeLessThan(alike)
    expect(differenceOf(elsewhere, after)).toBeLessThan(alikeElsewhere)
    if (paper) expect(differenceOf(after, paper)).toBeLessThan(alikeElsewhere)
  })
})

const changing = (what: string) => changingPdfs.find(([one]) => one === what)?.[2]() ?? new Uint8Array()
const attached: [what: string, filename: string, type: string, make: () => Uint8Array][] = [
  ['that prints something else', 'v.pdf', 'application/pdf', () => changing('a sum that is not printed')],
  ['with a value that differs from what is drawn', 'v.pdf', 'application/pdf', () => changing('two values')],
  [
    'of Word',
    'v.docx',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    () => corpusFile('vertrag.docx'),
  ],
]

describe.each(attached)('the certificate of a document %s', (_, filename, type, make) => {
  it.each(names)('is the same in %s, on the screen and on paper, with the original in it', async (name) => {
    const viewer = viewerOf(name)
    const original = make()
    const { pdf, form, pages } = await sealed(original, filename, type)
    const elsewhere = await pdfJs.screen(pdf, pages)
    const here = await viewer.screen(pdf, pages)
    const paper = await viewer.paper?.(pdf, pages)

    expect(form).toBe('attached')
    expect(differenceOf(elsewhere, here)).toBeLessThan(alikeElsewhere)
    if (paper) expect(differenceOf(here, paper)).toBeLessThan(alikeElsewhere)
    const [file] = (await PDFDocument.load(pdf, { updateMetadata: false })).getAttachments()
    expect(file && Buffer.compare(file.data, original)).toBe(0)
  })
})

describe('the comparison', () => {
  it.each(names)('finds in %s a sum that is not there', async (name) => {
    const note = Buffer.from(lasting('a printed note')).toString('latin1')
    const without = new Uint8Array(Buffer.from(note.replace('(100 EUR) Tj', '(       ) Tj'), 'latin1'))

    const [one, other] = [
      await viewerOf(name).screen(lasting('a printed note'), 1),
      await viewerOf(name).screen(without, 1),
    ]

    expect(differenceOf(one, other)).toBeGreaterThan(alikeElsewhere)
  })

  it.each(names.filter((name) => name !== 'Chromium'))('finds in %s what is not printed', async (name) => {
    const pdf = changing('a sum that is not printed')

    const [screen, paper] = [await viewerOf(name).screen(pdf, 1), await viewerOf(name).paper?.(pdf, 1)]

    expect(paper && differenceOf(screen, paper)).toBeGreaterThan(alikeElsewhere)
  })
})
