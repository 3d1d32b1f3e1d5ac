import { describe, expect, it } from 'vitest'
import { compareReadings } from '#german-names/compare-names.ts'
import { parseName, readingsOf } from '#german-names/name-parts.ts'
import { termsOfName, termsToFind } from '#german-names/name-terms.ts'
import fc from '#test/support/properties.ts'
import { namePairs, namesOfParties } from './name-pairs.ts'

const types = [undefined, 'person', 'organization'] as const

const isFound = (filed: string, type: (typeof types)[number], asked: string) => {
  const terms = new Set(termsOfName(parseName(filed, type)))
  return readingsOf(asked)
    .flatMap(termsToFind)
    .some((term) => terms.has(term))
}

describe('the terms of names', () => {
  it.each(
    namePairs.filter(([, , match]) => match !== 'none'),
  )('“%s” and “%s” find each other', (one, other) => {
    expect([isFound(one, undefined, other), isFound(other, undefined, one)]).toEqual([true, true])
  })

  it.each(
    namesOfParties.filter(([, , , match]) => match !== 'none'),
  )('“%s” finds the party “%s” (type %s)', (asked, filed, type) => {
    expect(isFound(filed, type, asked)).toBe(true)
  })

  it('names that may belong to one person are found in either direction', () => {
    const given = fc.constantFrom(
      'Hans',
      'Hanns',
      'Peter',
      'H.',
      'P.',
      'Chr.',
      'Christian',
      'Karl-Heinz',
      'Karlheinz',
      'Anna',
      'Dr.',
    )
    const family = fc.constantFrom(
      'Müller',
      'Muller',
      'Möller',
      'Müller-Schmidt',
      'Schmitt',
      'von Berg',
      'Graf Berg',
    )
    const name = fc.oneof(
      fc.tuple(fc.array(given, { maxLength: 2 }), family).map(([first, last]) => [...first, last].join(' ')),
      fc.tuple(family, given).map((parts) => parts.join(', ')),
      fc
        .tuple(family, fc.constantFrom('Bau', '12', 'Bau 12'), fc.constantFrom('GmbH', 'AG'))
        .map((parts) => parts.join(' ')),
      fc.tuple(fc.constantFrom('H.', 'H. &', 'Bau', 'Bund für'), family).map((parts) => parts.join(' ')),
    )
    let alike = 0
    fc.assert(
      fc.property(name, name, fc.constantFrom(...types), (filed, asked, type) => {
        if (compareReadings(readingsOf(asked), parseName(filed, type)) === undefined) return
        alike += 1
        expect([filed, asked, isFound(filed, type, asked)]).toEqual([filed, asked, true])
      }),
      { numRuns: 5_000 },
    )
    expect(alike).toBeGreaterThan(200)
  })

  it('a long name has at most 32 terms', () => {
    const long = `${'Anna-Maria-Luise-'.repeat(20)}Müller`
    expect(termsOfName(parseName('Hans Müller')).length).toBeLessThanOrEqual(6)
    for (const type of types) {
      expect(termsOfName(parseName(long, type)).length).toBeLessThanOrEqual(32)
      expect(termsToFind(parseName(long, type)).length).toBeLessThanOrEqual(36)
    }
  })
})
