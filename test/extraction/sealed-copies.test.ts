import { expect, test } from 'vitest'
import { extract } from '#extraction/extract.ts'
import { prepareDocument } from '#sealing/prepare-document.ts'
import { certificateOf } from '#test/sealing/a-certificate.ts'
import { note } from '#test/sealing/office-signer.ts'

const noOcr = { readPages: () => Promise.reject(new Error('No page needs OCR.')) }

test('a sealed copy has the text of its certificate, even if its original has 50 MiB (S1)', async () => {
  const original = Buffer.alloc(50 * 1024 * 1024, 'x')
  const certificate = certificateOf('Vertrag.doc', 'application/msword')
  const { bytes } = await prepareDocument(original, certificate, { note, signatureBytes: 8_192 })

  const result = await extract(bytes, 'application/pdf', { ocr: noOcr })

  expect(result).toMatchObject({ page_count: 1, text: expect.stringContaining('Signaturzertifikat') })
})
