import { expect, it } from 'vitest'
import { contentDisposition } from '#http/file-output.ts'

it.each([
  ['../../etc/passwd', '.._.._etc_passwd'],
  ['..\\..\\boot.ini', '.._.._boot.ini'],
  ['..', '_'],
  ['.', '_'],
])('“%s” names no folder', (filename, expected) => {
  expect(contentDisposition(filename)).toBe(
    `attachment; filename="${expected}"; filename*=UTF-8''${expected}`,
  )
})

it('a name ends with its extension, although it has characters that turn the text around', () => {
  expect(contentDisposition('Rechnung\u202efdp.exe\u202c')).toBe(
    `attachment; filename="Rechnungfdp.exe"; filename*=UTF-8''Rechnungfdp.exe`,
  )
  expect(contentDisposition('\u202e')).toBe(`attachment; filename="_"; filename*=UTF-8''_`)
})

it('any other name is sent in ASCII and in its original form', () => {
  expect(contentDisposition('Größe "5%".pdf\r\nX: y')).toBe(
    `attachment; filename="Groesse _5__.pdf__X: y"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%225%25%22.pdf%0D%0AX%3A%20y`,
  )
})
