import { expect, it } from 'vitest'
import { requireUsualSyntax } from '#sealing/usual-syntax.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')

it.each([
  '<</Type/Page/Kids[3 0 R 14 2 R]/Count 2>>',
  ' << /A (one \\( (two) \\\\) /B <48 61> /C [ -1 +2 3. .5 -0.25 ] /D true /E null >>\r\n',
  '<</Font<</Times#20New#20Roman 7 0 R/Größe 8 0 R>>>>',
  '<</Length 5>>stream\nAB\0>(\nendstream\n',
  '<</Length 5>>\nstream\r\n<</A\nendstream',
  `<</Length 70000>>stream\n${'a stream '.repeat(8_000)}\nendstream`,
  '12',
  '[]',
])('syntax that all readers see alike is usual: %j', (text) => {
  expect(() => requireUsualSyntax(bytes(text))).not.toThrow()
})

it.each([
  ['a number with a sign inside', '[0 0 300.-0 200]'],
  ['a number with two points', '[0 0 12.5.3 200]'],
  ['a number with an exponent', '[1e3]'],
  ['two signs', '[--5]'],
  ['a key that is there twice', '<</Kids[3 0 R]/Kids[5 0 R]>>'],
  ['a key that is there twice, once with an escape', '<</Kids[3 0 R]/K#69ds[5 0 R]>>'],
  ['a key that is there twice, deep inside', '[<</D<</OFF[]/OFF[7 0 R]>>>>]'],
  ['a name with an escaped escape', '<</R#236ftate 90>>'],
  ['a name with an incomplete escape', '</A#G1 1>>'],
  ['a key without a value', '<</A/B/C>>'],
  ['a key that is no name', '<<1 2>>'],
  ['a comment', '<</A 1%/B 2\n>>'],
  ['a reference with a point', '<</A 1.0 0 R>>'],
  ['a word that only begins like another', '<</A trueish>>'],
  ['white space that is none in a PDF', '<</A\xa01>>'],
  ['a string without an end', '(\\)'],
  ['an array that ends as a dictionary', '[1>>'],
  ['an object and another one', '<<>> <<>>'],
  ['an object that does not end', '<</A[1'],
  ['data after one carriage return', '<</Length 1>>stream\ra\nendstream'],
  ['many arrays inside each other', `${'['.repeat(200)}${']'.repeat(200)}`],
  ['nothing', ' '],
])('syntax that readers may see in different ways is refused: %s', (_what, text) => {
  expect(() => requireUsualSyntax(bytes(text))).toThrow()
})

it('a large text is checked in a time that grows with its size', () => {
  const text = bytes(`[${'<</A(b)/C 1 0 R>>'.repeat(300_000)}`)
  const startedAt = process.cpuUsage()

  expect(() => requireUsualSyntax(text)).toThrow('unusually')

  expect(process.cpuUsage(startedAt).user / 1_000_000).toBeLessThan(10)
})
