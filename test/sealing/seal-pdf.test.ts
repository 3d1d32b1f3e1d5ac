import { PDFDocument } from '@cantoo/pdf-lib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Signer } from '#sealing/signer.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { pdfOf } from '#test/support/pdf-writer.ts'
import { note, officeSigner } from './office-signer.ts'
import {
  drawnPages,
  faultsOf,
  hasOpenSsl,
  hasPdfsig,
  hasQpdf,
  isValidToOpenSsl,
  isValidToPdfsig,
  qpdfFaults,
  readSeal,
} from './pades-judge.ts'
import { sealPdf } from './seal-pdf.ts'

const signers: Partial<Record<'rsa' | 'p256', Signer>> = {}
const signerOf = (kind: 'rsa' | 'p256') => signers[kind] as Signer
beforeAll(async () => {
  signers.rsa = await officeSigner('rsa')
  signers.p256 = await officeSigner('p256')
})

const pdfs = ['akte', 'gemischt', 'scan', 'scan-fax', 'schriftsatz', 'vertrag', 'vertrag-gs']

describe('the seal of a PDF (S7)', () => {
  it.each(
    pdfs.flatMap((name) => [[name, 'rsa'] as const, [name, 'p256'] as const]),
  )('%s with %s is PAdES-B-B, strictly read', async (name, kind) => {
    const sealed = await sealPdf(corpusFile(`${name}.pdf`), { signer: signerOf(kind), note })

    expect(faultsOf(sealed)).toEqual([])
    if (hasOpenSsl) expect(isValidToOpenSsl(sealed)).toBe(true)
  })

  it.each(pdfs)('%s keeps every byte of the original at its beginning', async (name) => {
    const original = corpusFile(`${name}.pdf`)

    const sealed = await sealPdf(original, { signer: signerOf('p256'), note })

    expect(Buffer.compare(sealed.subarray(0, original.length), original)).toBe(0)
  })

  it.skipIf(!hasPdfsig).each(pdfs)('%s is valid to pdfsig and drawn as before', async (name) => {
    const original = corpusFile(`${name}.pdf`)

    const sealed = await sealPdf(original, { signer: signerOf('rsa'), note })

    expect(isValidToPdfsig(sealed)).toBe(true)
    expect(drawnPages(sealed)).toEqual(drawnPages(original))
  })

  it.skipIf(!hasQpdf).each(pdfs)('%s has a sound structure to qpdf', async (name) => {
    const sealed = await sealPdf(corpusFile(`${name}.pdf`), { signer: signerOf('p256'), note })

    expect(qpdfFaults(sealed)).toBe('')
  })

  it('a changed byte anywhere breaks it', async () => {
    const sealed = await sealPdf(corpusFile('vertrag.pdf'), { signer: signerOf('p256'), note })
    const [, length = 0, second = 0] = readSeal(sealed).byteRange
    const places = [0, 10, 5_000, length - 1, length + 60, second, sealed.length - 1]

    const unnoticed = places.filter((place) => {
      const changed = sealed.slice()
      changed[place] = (changed[place] ?? 0) === 0x31 ? 0x32 : 0x31
      return isWhole(changed)
    })

    expect(isWhole(sealed)).toBe(true)
    expect(unnoticed).toEqual([])
  })

  it('a changed byte at any of two hundred places breaks it', async () => {
    const sealed = await sealPdf(corpusFile('schriftsatz.pdf'), { signer: signerOf('rsa'), note })
    const [, length = 0] = readSeal(sealed).byteRange
    // Zeros that fill the space of the signature are no part of it.
    const signatureEnd = length + 1 + readSeal(sealed).cms.length * 2
    const [, , second = 0] = readSeal(sealed).byteRange
    const places = Array.from({ length: 200 }, (_, index) =>
      Math.floor((index * sealed.length) / 200),
    ).filter((place) => place < signatureEnd || place >= second)

    const unnoticed = places.filter((place) => {
      const changed = sealed.slice()
      changed[place] = (changed[place] ?? 0) ^ 0x01
      return isWhole(changed)
    })

    expect(places.length).toBeGreaterThan(100)
    expect(unnoticed).toEqual([])
  })

  it('an incremental update after it breaks it', async () => {
    const sealed = await sealPdf(corpusFile('vertrag.pdf'), { signer: signerOf('rsa'), note })
    const update = await openUpdate(sealed)

    expect(faultsOf(update)).toContain('ByteRange is the whole file')
    if (hasPdfsig) expect(isValidToPdfsig(update)).toBe(false)
  })

  it('a file that something was appended to is not sealed as a whole', async () => {
    const sealed = await sealPdf(corpusFile('vertrag.pdf'), { signer: signerOf('p256'), note })

    const longer = Buffer.concat([sealed, Buffer.from('%')])

    expect(faultsOf(longer)).toContain('ByteRange is the whole file')
  })

  it('the same PDF, key and time give the same bytes again', async () => {
    const seal = { signer: signerOf('rsa'), note }

    const [one, other] = [
      await sealPdf(corpusFile('akte.pdf'), seal),
      await sealPdf(corpusFile('akte.pdf'), seal),
    ]

    expect(Buffer.compare(one, other)).toBe(0)
  })

  it('a form keeps its fields, and one named like the seal', async () => {
    const document = await PDFDocument.create()
    const page = document.addPage()
    for (const name of ['Seal', 'Ort']) document.getForm().createTextField(name).addToPage(page)
    const original = await document.save()

    const sealed = await sealPdf(original, { signer: signerOf('p256'), note })

    const fields = (await PDFDocument.load(sealed))
      .getForm()
      .getFields()
      .map((field) => field.getName())
    expect(fields).toEqual(['Seal', 'Ort', 'Seal2'])
    expect(faultsOf(sealed)).toEqual([])
    if (hasPdfsig) expect(isValidToPdfsig(sealed)).toBe(true)
  })
})

describe('what is not sealed, since the seal would harm it or be wrong', () => {
  const page = ['<</Type/Pages/Count 1/Kids[3 0 R]>>', '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>']
  const cut = (pdf: Uint8Array, from: string, to: string) =>
    new Uint8Array(Buffer.from(Buffer.from(pdf).toString('latin1').replace(from, to), 'latin1'))
  const onePage = pdfOf(['<</Type/Catalog/Pages 2 0 R>>', ...page])

  it.each([
    ['encrypted', 'with a password to open', () => corpusFile('verschluesselt.pdf')],
    ['encrypted', 'with rights alone', () => corpusFile('nur-besitzerkennwort.pdf')],
    ['damaged', 'cut off', () => corpusFile('abgeschnitten.pdf')],
    ['damaged', 'no PDF', () => corpusFile('brief-utf8.txt')],
    ['damaged', 'pointing to no table', () => cut(onePage, 'startxref\n', 'startxref\n9')],
    ['damaged', 'without pages', () => pdfOf(['<</Type/Catalog>>'])],
    ['signed', 'with permissions', () => pdfOf(['<</Type/Catalog/Pages 2 0 R/Perms<<>>>>', ...page])],
    [
      'signed',
      'with a signature in a field',
      () =>
        pdfOf([
          '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[<</FT/Sig/V<</ByteRange[0 1 2 3]>>>>]>>>>',
          ...page,
        ]),
    ],
    ['dynamic_form', 'with XFA', () => pdfOf(['<</Type/Catalog/Pages 2 0 R/AcroForm<</XFA[]>>>>', ...page])],
    [
      'too_complex',
      'compressed twice',
      () =>
        pdfOf([
          '<</Type/Catalog/Pages 2 0 R>>',
          ...page,
          '<</Filter[/FlateDecode/FlateDecode]/Length 2>>stream\nxy\nendstream',
        ]),
    ],
  ])('%s: %s', async (reason, _what, pdf) => {
    await expect(sealPdf(pdf(), { signer: signerOf('p256'), note })).rejects.toMatchObject({ reason })
  })

  it('a sealed PDF is not sealed again', async () => {
    const sealed = await sealPdf(onePage, { signer: signerOf('p256'), note })

    await expect(sealPdf(sealed, { signer: signerOf('p256'), note })).rejects.toMatchObject({
      reason: 'signed',
    })
  })

  it('an RSA key of 2 048 bits and a certificate that has expired are refused', async () => {
    const weak = await officeSigner('rsa', { bits: 2_048 })
    const expired = await officeSigner('p256', { validTo: new Date('2026-11-19T00:00:00Z') })

    for (const signer of [weak, expired]) {
      await expect(sealPdf(onePage, { signer, note })).rejects.toMatchObject({ kind: 'certificate' })
    }
  })

  it('a signature of another key than the certificate’s is refused', async () => {
    const signer = { ...signerOf('p256'), sign: (await officeSigner('p256')).sign }

    await expect(sealPdf(onePage, { signer, note })).rejects.toMatchObject({ kind: 'signature' })
  })
})

/** A PDF with an object more, appended as an incremental update. */
async function openUpdate(pdf: Uint8Array): Promise<Uint8Array> {
  const text = Buffer.from(pdf).toString('latin1')
  const [, previous = ''] = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(text) ?? []
  const root = [...text.matchAll(/\/Root (\d+ \d+ R)/g)].at(-1)?.[1]
  const object = '9999 0 obj\n(neu)\nendobj\n'
  const at = pdf.length
  const offset = String(at).padStart(10, '0')
  const table = `xref\n9999 1\n${offset} 00000 n \ntrailer\n<</Size 10000/Root ${root}/Prev ${previous}>>\n`
  return Buffer.concat([
    pdf,
    Buffer.from(`${object}${table}startxref\n${at + object.length}\n%%EOF\n`, 'latin1'),
  ])
}

/** Whether a seal can be read and holds, and nothing of the file is outside of it. */
function isWhole(pdf: Uint8Array): boolean {
  try {
    return faultsOf(pdf).length === 0
  } catch {
    return false
  }
}
