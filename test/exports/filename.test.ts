import { expect, it } from 'vitest'
import { documentFilename, exportFilename } from '#exports/filename.ts'

it.each([
  ['Klage.pdf', 'Klage.pdf'],
  ['CON.pdf', '_CON.pdf'],
  ['aux', '_aux'],
  ['com1.Anlage.docx', '_com1.Anlage.docx'],
  ['Konrad.pdf', 'Konrad.pdf'],
  ['Wer haftet? <neu>.pdf', 'Wer haftet_ _neu_.pdf'],
  ['rechnung\u202efdp.exe', 'rechnung_fdp.exe'],
  ['Anlage. .', 'Anlage'],
  ['.. .pdf', 'Dokument.pdf'],
  ['a\ud800.txt', 'a\ufffd.txt'],
])('the document %j is in an export as %j, a name that Windows can open', (filename, expected) => {
  expect(documentFilename(filename)).toBe(expected)
})

it('a long name of a document keeps its extension and fits into 240 bytes', () => {
  const name = documentFilename(`${'ß'.repeat(496)}.pdf`)

  expect(name).toMatch(/^ß+\.pdf$/)
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(240)
})

it.each([
  ['CON', 'csv', null, '_CON.csv'],
  ['CON', 'csv', 'datev', 'EXTF_CON.csv'],
  ['Liste.CSV', 'csv', null, 'Liste.csv'],
  ['...', 'json', null, 'Export.json'],
] as const)('the export %j as %s (%s) is the file %s', (name, format, dialect, expected) => {
  expect(exportFilename(name, format, dialect)).toBe(expected)
})
