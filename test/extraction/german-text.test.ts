import { expect, test } from 'vitest'
import { cleanText, countWords, joinBrokenWords } from '#extraction/german-text.ts'
import { cpuMilliseconds } from '#test/support/cpu-time.ts'

test.each([
  ['Verfah-\nren', 'Verfahren'],
  ['Grund-  \n  stücksbewertung', 'Grundstücksbewertung'],
  ['Müller-\nLüdenscheidt', 'Müller-Lüdenscheidt'],
  ['Vor-\nund Nachteile', 'Vor- und Nachteile'],
  ['Ein-\nbzw. Ausgang', 'Ein- bzw. Ausgang'],
  ['bunt-\nunderschwer', 'buntunderschwer'],
  ['EU-\nrechtlich', 'EU-rechtlich'],
  ['§§ 12-\n15 ZPO', '§§ 12-15 ZPO'],
  ['Punkt -\nstrich', 'Punkt -\nstrich'],
  ['erste Zeile\nzweite Zeile', 'erste Zeile\nzweite Zeile'],
])('%j is joined to %j', (broken, whole) => {
  expect(joinBrokenWords(broken)).toBe(whole)
})

test('ligatures, soft hyphens and decomposed umlauts become characters that people type', () => {
  expect(cleanText('Auﬂösung häuﬁg Schiﬀ Eﬃzienz')).toBe('Auflösung häufig Schiff Effizienz')
  expect(cleanText('Ver\u00adfah\u00ad\nren')).toBe('Verfahren')
  expect(cleanText('Mu\u0308ller')).toBe('Müller')
  expect(cleanText('Müller\u2011Lüdenscheidt')).toBe('Müller-Lüdenscheidt')
})

test('quotation marks, dashes, fractions, tabs and page breaks stay', () => {
  const text = '„§ 286 Abs. 2 BGB“ – 12,50 € ½ m²\tTab\fSeite'

  expect(cleanText(text)).toBe(text)
})

test('cleaning a line of a million blanks does not hang', () => {
  const blanks = `a${' '.repeat(1_000_000)}b`
  const start = cpuMilliseconds()

  cleanText(joinBrokenWords(blanks))

  expect(cpuMilliseconds() - start).toBeLessThan(20_000)
})

test('a word with hyphens or apostrophes counts once', () => {
  expect(countWords('Müller-Lüdenscheidt hat’s: 12 O 3456/26 – §§')).toBe(6)
})

test('counting succeeds for a word of millions of letters', () => {
  expect(countWords(`„${'A'.repeat(20_000_000)}“`)).toBeGreaterThan(0)
})
