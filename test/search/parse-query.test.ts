import { describe, expect, it } from 'vitest'
import { exceededLimit, parseQuery } from '#search/parse-query.ts'
import fc from '#test/support/properties.ts'
import { aRecord, found, search, segmentOf } from './an-index.ts'

const words = (count: number) =>
  Array.from(
    { length: count },
    (_, at) => `x${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}`,
  ).join(' ')

describe('a query', () => {
  it.each([
    ['Frist Termin', ['both']],
    ['Frist', ['both', 'first']],
    ['"Frist Termin"', []],
    ['"Termin und Frist"', ['both']],
    ['"Termin und Frist', ['both']],
    ['„Frist Termin“', []],
    ['„Termin und Frist“', ['both']],
    ['“Termin und Frist”', ['both']],
    ['»Termin und Frist«', ['both']],
    ['Frist -„Termin und“', ['first']],
    ['Frist -Termin', ['first']],
    ['Frist -"Termin und"', ['first']],
    ['-Frist', ['second']],
    ['Frist OR Urlaub', ['both', 'first', 'second']],
    ['Frist OR Urlaub Termin', ['both']],
    ['Termin Frist OR Urlaub', ['both']],
    ['"Termin und" OR Urlaub', ['both', 'second']],
    ['Fri*', ['both', 'first']],
    ['fris* -ter*', ['first']],
    ['Frist or Urlaub', []],
    ['Frist AND Termin', []],
    ['Frist NOT Termin', []],
    ['NEAR(Frist Termin)', []],
    ['subject:Frist', []],
    ['OR Frist', []],
    ['Frist OR', []],
    ['und', ['both']],
  ])('%s finds %j', async (text, ids) => {
    const segment = await segmentOf(
      aRecord('both', 'Termin und Frist'),
      aRecord('first', 'Frist'),
      aRecord('second', 'Urlaub'),
    )

    expect(found([segment], text).toSorted()).toEqual(ids)
  })

  it.each([
    ['NEAR(a b)', 'near a b'],
    ['AND', 'Lager and Logistik'],
    ['titles:Frist', 'Titles und Frist'],
    ['OR OR', 'entweder or'],
    ['^Frist', 'Frist'],
    ['(Frist', 'Frist'],
    ['Frist)', 'Frist'],
    ['{Frist} + Termin', 'Frist Termin'],
    ["Frist' OR 1=1", 'Frist 1'],
    ['Frist; DROP TABLE texts', 'Frist drop table texts'],
    ['*Frist*', 'Fristen'],
    ['Frist \u202eTermin', 'Frist Termin'],
    ['Frist 😀', 'Frist'],
    ['Frist\0Termin', 'Frist Termin'],
    ['---Frist', 'etwas anderes'],
  ])('is never an expression of the database: %s finds "%s"', async (text, page) => {
    expect(found([await segmentOf(aRecord('a', page))], text)).toEqual(['a'])
  })

  it.each([
    '*',
    '"',
    '""',
    '"" ""',
    '-',
    '-'.repeat(500),
    '- -',
    '😀',
    '()',
    '***',
    '\0',
    '\u0301'.repeat(400),
    '-""',
    '€',
    '"*"',
  ])('without words finds nothing: %s', async (text) => {
    expect(search([await segmentOf(aRecord('a', 'Frist'))], text)).toMatchObject({ hits: [], total: 0 })
  })

  it('of any text is answered', async () => {
    const segment = await segmentOf(
      aRecord('a', 'Frist "Termin" (Urlaub) § 5 OR'),
      aRecord('b', 'near and or not'),
    )
    const token = fc.constantFrom(
      '"',
      '(',
      ')',
      '*',
      '-',
      'OR',
      'AND',
      'NEAR',
      ':',
      '^',
      '§',
      ' ',
      'Frist',
      '5',
      '/',
      '\0',
    )
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 250 }),
      fc.array(token, { maxLength: 60 }).map((all) => all.join('')),
    )

    fc.assert(
      fc.property(texts, (text) => search([segment], text).total <= 2),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['a sentence of 64 words', words(64), undefined],
    ['65 words', words(65), 'At most 64 different words.'],
    ['65 words that are excluded', words(65).replace(/ /g, ' -'), 'At most 64 different words.'],
    ['a word 250 times', 'a '.repeat(250), undefined],
    ['four short prefixes', 'a* b* cd* "Frist e*"', undefined],
    ['many short prefixes', 'a* b* -c* d* OR e*', 'At most 4 prefixes of one or two letters.'],
    ['many long prefixes', 'abc* bcd* cde* def* efg* fgh*', undefined],
  ])('of %s (%s) exceeds: %s', (_, text, expected) => {
    expect(exceededLimit(parseQuery(text))).toBe(expected)
  })

  it('contains no part twice', () => {
    expect(parseQuery('Frist Fristen -Tag Frist* Frist* -Tage Frist OR Klage Frist OR Klagen')).toEqual(
      parseQuery('Frist -Tag Frist* Frist OR Klage'),
    )
  })

  it.each([
    ['98 765 EUR', ['98765', 'eur']],
    ['EUR 98 765', ['eur', '98765']],
    ['20 000 €', ['20000']],
    ['4 723 €', ['4723']],
    ['VIIZR 4711/26', ['vii zr 4711 26']],
    ['im 12/26', ['im', '12 26']],
    ['Vertrag 12/26', ['vertrag', '12 26']],
    ['2 026 Fälle', ['2', '026', 'falle']],
  ])('%s has the parts %j', (text, expected) => {
    const parts = parseQuery(text).groups.flat()

    const terms = parts.map((part) => (part.type === 'phrase' ? part.terms.join(' ') : part.word))
    expect(terms).toEqual(expected)
  })

  it('of 250 words is answered', async () => {
    const segment = await segmentOf(aRecord('a', 'a b c d e f'))

    expect(search([segment], 'a '.repeat(250)).total).toBe(1)
    expect(search([segment], `"${'a '.repeat(249)}"`).total).toBe(0)
    expect(parseQuery('a '.repeat(250)).groups.length).toBe(1)
  })
})
