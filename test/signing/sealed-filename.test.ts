import { expect, it } from 'vitest'
import { sealedFilename } from '#signing/sealing/sealed-filename.ts'

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

it.each([
  ['Vollmacht.docx', docx, 'Vollmacht (signiert).pdf'],
  ['Vollmacht', 'application/pdf', 'Vollmacht (signiert).pdf'],
  ['.pdf', 'application/pdf', '.pdf (signiert).pdf'],
  ['Scan.JPEG', 'image/jpeg', 'Scan (signiert).pdf'],
  ['Az. 3 C 12.26', 'application/pdf', 'Az. 3 C 12.26 (signiert).pdf'],
  ['Vertrag v1.2', docx, 'Vertrag v1.2 (signiert).pdf'],
  ['Vollmacht.pdf.txt', 'text/plain', 'Vollmacht.pdf (signiert).pdf'],
])('the sealed copy of %s (%s) is called %s', (filename, mime_type, expected) => {
  expect(sealedFilename({ filename, mime_type })).toBe(expected)
})

it('the name of a sealed copy has at most 255 characters', () => {
  const name = sealedFilename({ filename: `${'ü'.repeat(251)}.pdf`, mime_type: 'application/pdf' })

  expect(name).toHaveLength(255)
  expect(name).toMatch(/ü \(signiert\)\.pdf$/)
})
