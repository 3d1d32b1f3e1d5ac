import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { PDFDocument } from '@cantoo/pdf-lib'
import { extractText, getDocumentProxy } from 'unpdf'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkSignature } from '#sealing/png.ts'
import { prepareDocument } from '#sealing/prepare-document.ts'
import { sealer } from '#sealing/sealer.ts'
import type { Signer } from '#sealing/signer.ts'
import type { Certificate } from '#signing/ports.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { pdfOf } from '#test/support/pdf-writer.ts'
import { blackAndWhite, tiffOf } from '#test/support/tiff-writer.ts'
import { anna, certificateOf, drawn, pngChunk, pngOf, pngWith, withChunk } from './a-certificate.ts'
import { officeSigner, sealedAt } from './office-signer.ts'
import {
  drawnByPoppler,
  drawnPages,
  faultsOf,
  greysOf,
  hasPdfsig,
  hasQpdf,
  isValidToPdfsig,
  qpdfFaults,
} from './pades-judge.ts'

const signers: Signer[] = []
beforeAll(async () => {
  signers.push(await officeSigner('rsa'))
})

/** The result of the office's sealer for a document; `form` states the reason if the document is attached. */
async function sealDocument(original: Uint8Array, certificate: Certificate) {
  const { seal } = sealer({
    findSigner: async () => signers[0] as Signer,
    clock: { now: () => sealedAt },
    // The work of the process; its limits have tests of their own.
    prepare: prepareDocument,
  })
  const { pdf, form, attachedBecause } = await seal(original, certificate)
  return { pdf, form: attachedBecause ?? form }
}

const pdfType = 'application/pdf'
const docxType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const pdfs = [
  ...['akte', 'gemischt', 'scan', 'scan-fax', 'schriftsatz'],
  ...['vertrag', 'vertrag-gs', 'vertrag-linearisiert', 'vertrag-objektstroeme'],
]

describe('a PDF with its certificate (S7)', () => {
  it.each(pdfs)('%s stays byte for byte, with the certificate after its pages', async (name) => {
    const original = corpusFile(`${name}.pdf`)

    const { pdf, form } = await sealDocument(original, certificateOf(`${name}.pdf`, pdfType))

    expect([form, faultsOf(pdf)]).toEqual(['appended', []])
    expect(Buffer.compare(pdf.subarray(0, original.length), original)).toBe(0)
    const [before, after] = [await textsOf(original), await textsOf(pdf)]
    expect(after.slice(0, -1)).toEqual(before)
    expect(after.at(-1)).toContain('Signaturzertifikat')
    if (hasQpdf) expect(qpdfFaults(pdf)).toBe('')
    if (hasPdfsig) {
      expect(isValidToPdfsig(pdf)).toBe(true)
      expect(drawnPages(pdf).slice(0, -1)).toEqual(drawnPages(original))
    }
  })

  it('the certificate says everything that S7 lists', async () => {
    const original = corpusFile('vertrag.pdf')

    const { pdf } = await sealDocument(original, certificateOf('Vollmacht.pdf', pdfType))

    const text = (await textsOf(pdf)).at(-1)?.replaceAll(/\s+/g, '')
    const said = [
      'env_0197f9d2-0000-7000-8000-000000000001',
      'Vollmacht Müller ./. Łódź GmbH',
      'Vollmacht.pdf',
      createHash('sha256').update(original).digest('hex'),
      anna.name,
      anna.email,
      'Unterzeichner',
      '2026-11-19 08:00:00 UTC',
      '2026-11-19 09:00:01 UTC',
      '2026-11-19 09:05:02 UTC',
      anna.ip,
      anna.user_agent,
      anna.consent,
      'a'.repeat(64),
      '2026-11-20 10:15:30 UTC',
    ]
    expect(said.filter((one) => !text?.includes(one.replaceAll(/\s+/g, '')))).toEqual([])
    expect(await picturesOn(pdf)).toEqual([[300, 90]])
  })

  it('fifty signers with names of 500 characters stand on several pages, each one whole with the drawing, in English', async () => {
    const signers = Array.from({ length: 50 }, (_, index) => ({
      ...anna,
      name: `Nr${index + 1}x ${'Łangęr '.repeat(35)}${'W'.repeat(240)}`,
      role: index % 2 === 0 ? ('signer' as const) : ('approver' as const),
      picture: pngOf(300 + index, 90),
    }))
    const certificate = certificateOf('vertrag.pdf', pdfType, { language: 'en', signers })

    const { pdf } = await sealDocument(corpusFile('vertrag.pdf'), certificate)

    const own = (await textsOf(pdf)).slice((await textsOf(corpusFile('vertrag.pdf'))).length)
    const text = own.join('').replaceAll(/\s+/g, '')
    expect(own.length).toBeGreaterThan(8)
    const withoutFeet = text.replaceAll(/env_[\da-f-]+·Page\d+of\d+/g, '')
    expect(signers.filter(({ name }) => !withoutFeet.includes(name.replaceAll(' ', '')))).toEqual([])
    expect(text).toContain(`Page${own.length}of${own.length}`)
    expect(await picturesOn(pdf, own.length)).toEqual(signers.map((_, index) => [300 + index, 90]))
    expect(faultsOf(pdf)).toEqual([])
  })

  it('a title longer than a page stands whole', async () => {
    const words = Array.from({ length: 2_500 }, (_, at) => `Wort${at}`)
    const title = words.join(' ')
    const envelope = { id: 'env_0197f9d2-0000-7000-8000-000000000001', title }

    const { pdf } = await sealDocument(
      corpusFile('vertrag.pdf'),
      certificateOf('vertrag.pdf', pdfType, { envelope }),
    )

    const own = (await textsOf(pdf)).slice((await textsOf(corpusFile('vertrag.pdf'))).length)
    expect(own.length).toBeGreaterThan(2)
    const said = new Set(own.join(' ').split(/\s+/))
    expect(words.filter((word) => !said.has(word))).toEqual([])
    expect(faultsOf(pdf)).toEqual([])
  })

  it('a person who only gets a copy is listed with name, address and role', async () => {
    const copied = { name: 'Kim Beispiel', email: 'kim@example.de', role: 'cc' as const }
    const certificate = certificateOf('vertrag.pdf', pdfType, { signers: [anna, copied] })

    const { pdf } = await sealDocument(corpusFile('vertrag.pdf'), certificate)

    const [, entry = ''] = (await textsOf(pdf)).at(-1)?.split('Person 2 von 2') ?? []
    expect(entry.replaceAll(/\s+/g, ' ')).toMatch(
      /^ ?Kim Beispiel E-Mail-Adresse kim@example\.de Rolle Erhält eine Kopie env_[\da-f-]+ · Seite/,
    )
  })

  it('a character that deceives or that no font has is shown as its number', async () => {
    const signers = [{ ...anna, name: 'Eva \u202efdp.\u202c <b>王</b> 😀\nZeile' }]

    const { pdf } = await sealDocument(
      corpusFile('vertrag.pdf'),
      certificateOf('vertrag.pdf', pdfType, { signers }),
    )

    const text = (await textsOf(pdf)).at(-1)
    expect(text).toContain('Eva ‹U+202E›fdp.‹U+202C› <b>‹U+738B›</b>')
  })

  it.each([
    ['in which nothing is unusual', ''],
    ['that is read as a whole', '1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n'],
  ])('a PDF %s shows nothing of the certificate on pages that refer to objects that are not there', async (_what, unnamed) => {
    const missing = Array.from({ length: 60 }, (_, index) => index + 4)
    const fonts = missing.map((number) => `/F${number} ${number} 0 R`).join('')
    const contents = missing.map((number) => `${number} 0 R`).join(' ')
    const honest = pdfOf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Count 1/Kids[3 0 R]>>',
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<<${fonts}>>>>/Contents[${contents}]>>`,
    ])
    const text = Buffer.from(honest).toString('latin1')
    const at = text.indexOf('xref\n')
    const original = Buffer.from(
      `${text.slice(0, at)}${unnamed}${text.slice(at)}`.replace(
        /startxref\n\d+/,
        `startxref\n${at + unnamed.length}`,
      ),
      'latin1',
    )

    const { pdf, form } = await sealDocument(original, certificateOf('v.pdf', pdfType))

    const [first, ...own] = await textsOf(pdf)
    expect([form, first]).toEqual(['appended', ''])
    expect(own[0]).toContain('Signaturzertifikat')
    if (hasPdfsig) expect(drawnPages(pdf)[0]).toEqual(drawnPages(original)[0])
  })

  it('the same document, certificate, key and time give the same bytes', async () => {
    const seals = [1, 2].map(() =>
      sealDocument(corpusFile('schriftsatz.pdf'), certificateOf('s.pdf', pdfType)),
    )

    const [one, other] = await Promise.all(seals)

    expect(Buffer.compare(one?.pdf ?? Buffer.alloc(0), other?.pdf ?? Buffer.alloc(1))).toBe(0)
  })
})

describe('a picture with its certificate (S7)', () => {
  it.each([
    ['scan.png', 'image/png', 1],
    ['scan.jpg', 'image/jpeg', 1],
    ['scan-group4.tif', 'image/tiff', 1],
    ['scan-lzw.tif', 'image/tiff', 1],
    ['zwei-seiten.tif', 'image/tiff', 2],
  ])('%s becomes pages, and is attached byte for byte', async (name, type, pages) => {
    const original = corpusFile(name)

    const { pdf, form } = await sealDocument(original, certificateOf(name, type))

    expect([form, faultsOf(pdf)]).toEqual(['converted', []])
    expect((await textsOf(pdf)).length).toBe(pages + 1)
    expect(await attachmentOf(pdf)).toEqual({ filename: name, isSame: true, original: digest(original) })
    if (hasQpdf) expect(qpdfFaults(pdf)).toBe('')
    if (hasPdfsig) expect(isValidToPdfsig(pdf)).toBe(true)
    if (hasPdfsig) expect(new Set(drawnPages(pdf)).size).toBe(pages + 1)

    async function attachmentOf(pdf: Uint8Array) {
      const [file] = await attachmentsOf(pdf)
      return {
        filename: file?.filename,
        isSame: Buffer.compare(file?.content ?? Buffer.alloc(0), original) === 0,
        original: digest(file?.content ?? Buffer.alloc(0)),
      }
    }
  })

  it('a TIFF of grey pixels becomes a page', async () => {
    const { form } = await sealDocument(greyTiff({}), certificateOf('bild', 'image/tiff'))

    expect(form).toBe('converted')
  })

  it
    .skipIf(!hasPdfsig)
    .each(
      ['none', 'packbits', 'lzw', 'deflate', 'jpeg'].flatMap((compression) =>
        ['rgb', 'gray', ...(compression === 'jpeg' ? [] : ['mono'])].map((colours) => [compression, colours]),
      ),
    )(
    'a TIFF that Poppler writes becomes the page that its PNG becomes: %s, %s',
    async (compression, colours) => {
      const scan = corpusFile('scan.pdf')
      const options = colours === 'rgb' ? [] : [`-${colours}`]
      const tiff = drawnByPoppler(scan, 'tif', ['-tiff', '-tiffcompression', compression ?? '', ...options])
      const png = drawnByPoppler(scan, 'png', ['-png', ...options])

      const ofTiff = await sealDocument(tiff, certificateOf('bild', 'image/tiff'))
      const ofPng = await sealDocument(png, certificateOf('bild', 'image/png'))

      const [page, expected] = [greysOf(ofTiff.pdf, 1).pixels, greysOf(ofPng.pdf, 1).pixels]
      const difference = expected.reduce((sum, grey, at) => sum + Math.abs(grey - (page[at] ?? 0)), 0)
      const ink = expected.reduce((sum, grey) => sum + 255 - grey, 0)
      expect([ofTiff.form, ofPng.form]).toEqual(['converted', 'converted'])
      expect(difference / ink).toBeLessThan(compression === 'jpeg' ? 0.5 : 0.001)
    },
  )

  it.each([
    ['damaged', 'a PNG that is cut off', 'image/png', () => pngOf(300, 90).subarray(0, 120)],
    ['damaged', 'a PNG with fewer lines than it says', 'image/png', () => pngOf(300, 90, 40)],
    ['damaged', 'a text', 'image/jpeg', () => corpusFile('brief-utf8.txt')],
    ['damaged', 'a TIFF without pixels', 'image/tiff', () => Buffer.from('II*\0\x08\0\0\0', 'latin1')],
    ['damaged', 'a TIFF without its last strips', 'image/tiff', () => greyTiff({ 278: 16 })],
    ['damaged', 'a TIFF that ends before its pixels do', 'image/tiff', () => greyTiff({}).subarray(0, -1)],
    ['too_complex', 'a TIFF of 100 megapixels', 'image/tiff', () => tiffOf(blackAndWhite(10_000, 10_000))],
    ['too_complex', 'a PNG of 100 megapixels', 'image/png', () => pngOf(10_000, 10_000, 1)],
    ['no_pages', 'a TIFF of 16 greys', 'image/tiff', () => greyTiff({ 258: 4 })],
    ['no_pages', 'a TIFF of four greys from white', 'image/tiff', () => greyTiff({ 258: 2, 262: 0 })],
    ['no_pages', 'a TIFF of greys with opacity', 'image/tiff', () => greyTiff({ 277: 2 })],
    ['no_pages', 'a TIFF of fractions', 'image/tiff', () => greyTiff({ 258: 32, 339: 3 })],
    ['no_pages', 'a TIFF of reversed bits', 'image/tiff', () => greyTiff({ 258: 1, 266: 2 })],
    ['no_pages', 'a TIFF of differences of bits', 'image/tiff', () => greyTiff({ 258: 1, 317: 2 })],
    ['no_pages', 'a TIFF of separate colours', 'image/tiff', () => greyTiff({ 262: 2, 277: 3, 284: 2 })],
    ['no_pages', 'a TIFF of colours with opacity', 'image/tiff', () => greyTiff({ 262: 2, 277: 4, 338: 1 })],
    ['no_pages', 'a TIFF without its palette', 'image/tiff', () => greyTiff({ 262: 3 })],
    ['no_pages', 'a TIFF of printing colours', 'image/tiff', () => greyTiff({ 262: 5, 277: 4 })],
    ['no_pages', 'a TIFF of YCbCr without JPEG', 'image/tiff', () => greyTiff({ 262: 6, 277: 3 })],
    ['no_pages', 'a TIFF of JPEG in its old form', 'image/tiff', () => greyTiff({ 259: 6 })],
    ['no_pages', 'a TIFF of JPEG from white', 'image/tiff', () => greyTiff({ 259: 7, 262: 0 })],
    ['no_pages', 'a TIFF of a camera', 'image/tiff', () => greyTiff({ 50885: 1 })],
  ])('%s: %s is attached', async (reason, _what, type, bytes) => {
    const { pdf, form } = await sealDocument(bytes(), certificateOf('bild', type))

    expect([form, faultsOf(pdf)]).toEqual([reason, []])
    expect((await attachmentsOf(pdf)).map(({ content }) => digest(content))).toEqual([digest(bytes())])
  })
})

describe('what cannot be altered without harm (S7)', () => {
  const page = ['<</Type/Pages/Count 1/Kids[3 0 R]>>', '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>']

  it.each([
    ['no_pages', 'vertrag.docx', docxType],
    ['no_pages', 'vertrag.doc', 'application/msword'],
    ['no_pages', 'brief-windows-1252.txt', 'text/plain'],
    ['encrypted', 'verschluesselt.pdf', pdfType],
    ['encrypted', 'nur-besitzerkennwort.pdf', pdfType],
    ['damaged', 'abgeschnitten.pdf', pdfType],
  ])('%s: %s is attached to its certificate byte for byte', async (reason, name, type) => {
    const original = corpusFile(name)

    const { pdf, form } = await sealDocument(original, certificateOf(`Anlage ä ${name}`, type))

    expect([form, faultsOf(pdf)]).toEqual([reason, []])
    const [file, ...others] = await attachmentsOf(pdf)
    expect([file?.filename, others]).toEqual([`Anlage ä ${name}`, []])
    expect(Buffer.compare(file?.content ?? Buffer.alloc(0), original)).toBe(0)
    expect((await textsOf(pdf)).at(-1)).toContain('unverändert als Anlage')
    if (hasPdfsig) expect(isValidToPdfsig(pdf)).toBe(true)
    if (hasQpdf) expect(qpdfFaults(pdf)).toBe('')
  })

  it('a PDF that is sealed already is attached, its own seal intact', async () => {
    const first = await sealDocument(corpusFile('vertrag.pdf'), certificateOf('v.pdf', pdfType))

    const { pdf, form } = await sealDocument(first.pdf, certificateOf('v.pdf', pdfType))

    const [file] = await attachmentsOf(pdf)
    expect([form, faultsOf(pdf), faultsOf(file?.content ?? pdf)]).toEqual(['signed', [], []])
  })

  it('a PDF in which readers see different pages is attached', async () => {
    // The table names the first page; a later one of the same number is found only by reading to the end.
    const honest = Buffer.from(pdfOf(['<</Type/Catalog/Pages 2 0 R>>', ...page])).toString('latin1')
    const other = '2 0 obj\n<</Type/Pages/Count 2/Kids[3 0 R 3 0 R]>>\nendobj\n'
    const at = honest.indexOf('xref\n')
    const forged = `${honest.slice(0, at)}${other}${honest.slice(at)}`.replace(
      /startxref\n\d+/,
      `startxref\n${at + other.length}`,
    )

    const { form } = await sealDocument(Buffer.from(forged, 'latin1'), certificateOf('f.pdf', pdfType))

    expect(form).toBe('damaged')
  })

  it('a PDF whose streams inflate without end is attached', async () => {
    const bomb = deflateSync(Buffer.alloc(40 * 1024 * 1024)).toString('latin1')
    const pdf = pdfOf([
      '<</Type/Catalog/Pages 2 0 R>>',
      ...page,
      `<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length ${bomb.length}>>stream\n${bomb}\nendstream`,
    ])

    const { form } = await sealDocument(pdf, certificateOf('b.pdf', pdfType))

    expect(form).toBe('too_complex')
  })

  it('a document that may only be attached is not read, and says why', async () => {
    const { seal } = sealer({
      findSigner: async () => signers[0] as Signer,
      clock: { now: () => sealedAt },
      // The work of the process; its limits have tests of their own.
      prepare: prepareDocument,
    })
    const original = corpusFile('vertrag.pdf')

    const { pdf, form, attachedBecause } = await seal(original, certificateOf('vertrag.pdf', pdfType), {
      attachOnly: true,
    })

    expect([form, attachedBecause, faultsOf(pdf)]).toEqual(['attached', 'too_complex', []])
    expect((await attachmentsOf(pdf)).map(({ content }) => digest(content))).toEqual([digest(original)])
  })

  it('a document over 50 MiB is refused', async () => {
    const large = new Uint8Array(50 * 1024 * 1024 + 1)

    await expect(sealDocument(large, certificateOf('g', 'text/plain'))).rejects.toThrow('50 MiB')
  })
})

describe('a drawn signature (S6)', () => {
  it.each([
    ['no PNG', () => corpusFile('scan.jpg')],
    ['of 10 000 pixels by 10 000', () => pngOf(10_000, 10_000, 1)],
    ['that inflates to more than it says', () => pngOf(300, 90, 100_000)],
    ['over 200 KiB', () => Buffer.concat([drawn, Buffer.alloc(200 * 1024)])],
    ['cut off', () => drawn.subarray(0, 100)],
    ['wider than 2 000 pixels', () => pngOf(2_001, 10)],
    ['higher than 1 000 pixels', () => pngOf(10, 1_001)],
    ['an animation', () => withChunk(drawn, pngChunk('acTL', Buffer.alloc(8)))],
    ['with colours from a palette that is missing', () => pngWith([headerOf(10, 8, 3), dataOf(110)])],
    ['with 3 bits a colour', () => pngWith([headerOf(10, 3, 0), dataOf(50)])],
    ['with a second header', () => withChunk(drawn, headerOf(15_000, 8, 6))],
    [
      'with a chunk that reaches beyond the end',
      () => withEnd(drawn, Buffer.from('fffffff074455874', 'hex')),
    ],
    ['without an end', () => withEnd(drawn, Buffer.alloc(0))],
    ['with a wrong checksum', () => withChunk(drawn, pngChunk('tEXt', Buffer.from('a\0b'), 1))],
    ['interlaced and cut off', () => pngWith([headerOf(10, 8, 6, 1), dataOf(419)])],
  ])('is refused if %s', (_what, png) => {
    expect(() => checkSignature(png())).toThrow()
  })

  it.each([
    ['is taken as a whole PNG', () => drawn],
    ['is taken with 2 000 by 1 000 pixels', () => pngOf(2_000, 1_000)],
    ['is taken interlaced', () => pngWith([headerOf(10, 8, 6, 1), dataOf(420)])],
  ])('%s', (_what, png) => {
    expect(() => checkSignature(png())).not.toThrow()
  })

  it('with 16 bits a colour is drawn', async () => {
    const header = Buffer.from('0000001e000000091006000000', 'hex')
    const data = deflateSync(Buffer.alloc((30 * 8 + 1) * 9))
    const picture = pngWith([pngChunk('IHDR', header), pngChunk('IDAT', data)])
    const certificate = certificateOf('v.pdf', pdfType, { signers: [{ ...anna, picture }] })

    const { pdf, form } = await sealDocument(corpusFile('vertrag.pdf'), certificate)

    expect(() => checkSignature(picture)).not.toThrow()
    expect(form).toBe('appended')
    expect(await picturesOn(pdf)).toEqual([[30, 9]])
  })

  it.each([
    'zTXt',
    'iTXt',
  ])('with a text that inflates without end (%s) is drawn without it', async (type) => {
    const bomb = deflateSync(Buffer.alloc(400 * 1024 * 1024), { level: 9 })
    const head = { zTXt: 'a\0\0', iTXt: 'a\0\x01\0\0\0' }[type] ?? ''
    const picture = withChunk(drawn, pngChunk(type, Buffer.concat([Buffer.from(head, 'latin1'), bomb])))
    const certificate = certificateOf('v.pdf', pdfType, { signers: [{ ...anna, picture }] })
    const before = process.memoryUsage().rss

    const { pdf, form } = await sealDocument(corpusFile('vertrag.pdf'), certificate)

    expect(form).toBe('appended')
    expect(await picturesOn(pdf)).toEqual([[300, 90]])
    expect(process.memoryUsage().rss - before).toBeLessThan(600 * 1024 * 1024)
  })
})

/** A TIFF of 64 by 64 grey pixels of 8 bits, with these values in other fields. */
function greyTiff(changes: Record<number, number>): Uint8Array {
  const pixels = Buffer.alloc(64 * 64)
  return tiffOf((dataAt) => {
    const usual = {
      256: 64,
      257: 64,
      258: 8,
      259: 1,
      262: 1,
      273: dataAt,
      277: 1,
      278: 64,
      279: pixels.length,
    }
    return Object.entries({ ...usual, ...changes }).map(([tag, value]) => ({ tag: Number(tag), value }))
  }, pixels)
}

/** The header of a square PNG with `side` pixels a side, its bit depth and its type of colour. */
function headerOf(side: number, depth: number, color: number, interlace = 0): Buffer {
  const content = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, color, 0, 0, interlace])
  content.writeUInt32BE(side, 0)
  content.writeUInt32BE(side, 4)
  return pngChunk('IHDR', content)
}

function dataOf(bytes: number): Buffer {
  return pngChunk('IDAT', deflateSync(Buffer.alloc(bytes)))
}

/** A PNG with this in place of its end. */
function withEnd(png: Uint8Array, end: Buffer): Uint8Array {
  return Buffer.concat([png.subarray(0, -12), end])
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** The text of each page, as pdf.js reads it. */
async function textsOf(pdf: Uint8Array): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(pdf.slice(), { verbosity: 0 }), {
    mergePages: false,
  })
  return text
}

async function attachmentsOf(pdf: Uint8Array): Promise<{ filename: string; content: Uint8Array }[]> {
  const document = await PDFDocument.load(pdf, { updateMetadata: false })
  return document.getAttachments().map(({ name, data }) => ({ filename: name, content: data }))
}

/** Width and height of the pictures on the last pages. */
async function picturesOn(pdf: Uint8Array, pages = 1): Promise<number[][]> {
  const { extractImages } = await import('unpdf')
  const document = await getDocumentProxy(pdf.slice(), { verbosity: 0 })
  const sizes: number[][] = []
  for (let page = document.numPages - pages + 1; page <= document.numPages; page += 1)
    sizes.push(...(await extractImages(document, page)).map(({ width, height }) => [width, height]))
  return sizes
}
