import { expect, it } from 'vitest'
import { largestReference } from '#sealing/largest-reference.ts'

const largestIn = (text: string) => largestReference(Buffer.from(text, 'latin1'))

it.each([
  ['one of several', '[3 0 R 12 0 R 7 0 R]', 12],
  ['one at the end of a text', '12 0 R', 12],
  ['one without space before the letter', '[12 0R]', 12],
  ['one with zeros before it', '[0012 00 R]', 12],
  ['one over several lines', '12\r\n0\r\nR', 12],
  ['one with comments inside', '[12 % ein % zwei\n% drei\n0 % vier\nR]', 12],
  ['one beside a word that only begins like one', '[7 0 R 12 0 Rx]', 7],
  ['none where a colour is set', '1 12 0 RG 0 0 12 rg', 0],
  ['none where there are only numbers', '[12 0 13 0]', 0],
  ['none above the objects that are processed', '[2000001 0 R 5 0 R]', 5],
])('of the references it finds %s', (_what, text, largest) => {
  expect(largestIn(text)).toBe(largest)
})

it.each([
  ['with a point', '[7.0 0 R]'],
  ['with a power of ten', '[0.7e1 0 R]'],
  ['with a sign', '[+7 0 R]'],
  ['of very many digits', `[${'0'.repeat(40)}7 0 R]`],
])('it is not sure of a number %s', (_what, text) => {
  expect(() => largestIn(text)).toThrow('unusual number')
})

it.each([
  ['letters', '\nR'],
  ['comments', '% % % % %R\nR '],
  ['references inside comments', '7 %a\n0 R\n'],
])('it gives up on a large text of nothing but %s', (_what, unit) => {
  const startedAt = process.cpuUsage()

  expect(() => largestIn(unit.repeat(8_000_000 / unit.length))).toThrow('too much text')

  expect(process.cpuUsage(startedAt).user / 1_000_000).toBeLessThan(10)
})
