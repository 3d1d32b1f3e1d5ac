import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold, matches, searchWords, termsOf, termsToFind } from '#store/fold.ts'

const german = fc.string({ unit: fc.constantFrom(...'aäbceoöuüsßSẞmÜ ./-19é🦄\t'), maxLength: 40 })

describe('a search', () => {
  it('is filed under every term by which any part of it is looked for', () => {
    fc.assert(
      fc.property(german, fc.nat(), fc.nat(), (name, from, length) => {
        const letters = [...name.normalize('NFC')]
        const part = letters
          .slice(from % (letters.length + 1))
          .slice(0, 3 + (length % 20))
          .join('')
        const terms = termsOf(fold(name))
        const words = searchWords(part).filter(({ where }) => where === 'anywhere')

        for (const word of words) for (const term of termsToFind(word)) expect(terms).toContain(term)
        expect(matches(fold(name), words)).toBe(true)
      }),
    )
  })

  it('finds words by their first one or two letters, under a term of their own', () => {
    fc.assert(
      fc.property(fc.array(german, { maxLength: 4 }), fc.integer({ min: 1, max: 2 }), (names, length) => {
        const name = names.join(' ').normalize('NFC')
        const terms = termsOf(fold(name))
        for (const word of name.split(/\s+/)) {
          const words = searchWords([...word].slice(0, length).join(''))
          for (const term of words.flatMap(termsToFind)) expect(terms).toContain(term)
          expect(matches(fold(name), words)).toBe(true)
        }
      }),
    )
  })

  it('takes umlauts and their spelling out for one another', () => {
    fc.assert(
      fc.property(german, (name) => {
        const spelledOut = name.replace(
          /[äöüßẞÜ]/g,
          (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', ẞ: 'SS', Ü: 'UE' })[letter] ?? letter,
        )
        expect(fold(spelledOut)).toBe(fold(name))
      }),
    )
  })

  it('files a name of 500 characters under no more than a term per character and word', () => {
    expect(termsOf(fold('Donaudampfschifffahrt '.repeat(23).slice(0, 500))).size).toBeLessThan(40)
    expect(
      termsOf(fold(Array.from({ length: 500 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(''))).size,
    ).toBe(500)
  })
})
