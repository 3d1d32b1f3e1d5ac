import { expect, it } from 'vitest'
import { sealedFilename } from '#signing/sealed-filename.ts'

it.each([
  ['Vollmacht.docx', 'Vollmacht (signiert).pdf'],
  ['Vollmacht', 'Vollmacht (signiert).pdf'],
  ['.pdf', '.pdf (signiert).pdf'],
])('the sealed copy of %s is called %s', (filename, expected) => {
  expect(sealedFilename(filename)).toBe(expected)
})

it('the name of a sealed copy has at most 255 characters, as every name has', () => {
  const name = sealedFilename(`${'ü'.repeat(251)}.pdf`)

  expect(name).toHaveLength(255)
  expect(name).toMatch(/ü \(signiert\)\.pdf$/)
})
