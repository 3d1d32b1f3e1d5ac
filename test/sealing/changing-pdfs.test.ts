import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changingReasons } from '#formats/changing-reasons.ts'
import { prepareDocument } from '#sealing/prepare-document.ts'
import { changingPdfs, disputedPdfs, lastingPdfs } from '#test/support/changing-pdfs.ts'
import { certificateOf } from './a-certificate.ts'

const note = { sealedAt: new Date('2026-03-16T10:00:00Z'), name: 'Kanzlei', reason: 'Abschluss' }
const sealed = (pdf: Uint8Array) =>
  prepareDocument(pdf, certificateOf('v.pdf', 'application/pdf'), { note, signatureBytes: 4_096 })

it.each(changingPdfs)('a PDF with %s is attached unchanged: %s', async (_, reason, make) => {
  const pdf = make()

  const { form, bytes } = await sealed(pdf)

  expect(form).toBe(reason)
  expect(Buffer.from(bytes).subarray(0, pdf.length).equals(Buffer.from(pdf))).toBe(false)
})

it.each(disputedPdfs)('a PDF in which readers may find %s is attached unchanged', async (_, make) => {
  const pdf = make()

  const { form, bytes } = await sealed(pdf)

  expect([...changingReasons, 'damaged']).toContain(form)
  expect(Buffer.from(bytes).subarray(0, pdf.length).equals(Buffer.from(pdf))).toBe(false)
})

it.each(lastingPdfs)('a PDF with %s is extended by its certificate', async (_, make) => {
  expect((await sealed(make())).form).toBe('appended')
})

const hasPoppler = spawnSync('pdftoppm', ['-v']).error === undefined
if (!hasPoppler && process.env.CI) throw new Error('Poppler is missing: apt-get install -y poppler-utils')

describe.runIf(hasPoppler)('Poppler', () => {
  it.each(
    lastingPdfs,
  )('draws %s after the seal as before, and on paper as on the screen', async (_, make) => {
    const original = make()
    const { bytes } = await sealed(original)

    expect(drawn(bytes).equals(drawn(original))).toBe(true)
    expect(textOf(printed(bytes))).toBe(textOf(bytes))
  })

  it('draws on the screen what it does not print of a PDF that is attached', () => {
    const [, , make] = changingPdfs.find(([what]) => what.includes('printed only')) ?? []
    const pdf = make?.() ?? new Uint8Array()

    expect(textOf(printed(pdf))).not.toBe(textOf(pdf))
  })
})

/** The first page as a picture, as a screen shows it. */
function drawn(pdf: Uint8Array): Buffer {
  const file = join(mkdtempSync(join(tmpdir(), 'seal-')), 'page')
  writeFileSync(`${file}.pdf`, pdf)
  const { status, stderr } = spawnSync('pdftoppm', [
    '-f',
    '1',
    '-l',
    '1',
    '-singlefile',
    '-r',
    '50',
    `${file}.pdf`,
    file,
  ])
  if (status !== 0) throw new Error(String(stderr))
  return readFileSync(`${file}.ppm`)
}

/** The PDF as it is printed: what stands on paper is part of its pages. */
function printed(pdf: Uint8Array): Uint8Array {
  const file = join(mkdtempSync(join(tmpdir(), 'seal-')), 'page')
  writeFileSync(`${file}.pdf`, pdf)
  const { status, stderr } = spawnSync('pdftocairo', [
    '-pdf',
    '-f',
    '1',
    '-l',
    '1',
    `${file}.pdf`,
    `${file}-printed.pdf`,
  ])
  if (status !== 0) throw new Error(String(stderr))
  return readFileSync(`${file}-printed.pdf`)
}

/** The words on the first page, as a screen shows it. */
function textOf(pdf: Uint8Array): string {
  const { status, stdout, stderr } = spawnSync('pdftotext', ['-l', '1', '-', '-'], { input: pdf })
  if (status !== 0) throw new Error(String(stderr))
  return stdout.toString('utf8').replace(/\s/g, '')
}
