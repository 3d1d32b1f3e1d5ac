import { describe, expect, it } from 'vitest'
import { fold } from '#kernel/fold.ts'
import { matches, searchTextOf, searchWords, termsOf, termsToFind } from '#store/fold.ts'
import fc from '#test/support/properties.ts'

const german = fc.string({ unit: fc.constantFrom(...'aäbceoöuüsßSẞmÜ ./-19é🦄\tłøæ’–'), maxLength: 40 })

/** Whether a search for `search` finds a record with this text, by its terms and by its words. */
function finds(search: string, text: string): boolean {
  const stored = searchTextOf([text])
  const words = searchWords(search)
  const terms = termsOf(stored)
  return words.flatMap(termsToFind).every((term) => terms.has(term)) && matches(stored, words)
}

/** The letters put together, with some of `between` before each but the first; digits alone may be so parted. */
function spaced(letters: string[], gaps: string[]): string {
  return letters.map((letter, at) => (at === 0 ? letter : (gaps[at] ?? '') + letter)).join('')
}

const gaps = fc.array(fc.constantFrom('', '', ' ', '  ', '\u00a0'), { minLength: 12, maxLength: 12 })

describe('a search', () => {
  it('is filed under every term of a search for any part of it', () => {
    fc.assert(
      fc.property(german, fc.nat(), fc.nat(), (name, from, length) => {
        const letters = [...name.normalize('NFC')]
        const part = letters
          .slice(from % (letters.length + 1))
          .slice(0, 3 + (length % 20))
          .join('')
        const terms = termsOf(searchTextOf([name]))
        const words = searchWords(part).filter(({ where }) => where === 'anywhere')

        for (const word of words) for (const term of termsToFind(word)) expect(terms).toContain(term)
        expect(matches(searchTextOf([name]), words)).toBe(true)
      }),
    )
  })

  it('finds words by their first one or two letters, under a term of their own', () => {
    fc.assert(
      fc.property(fc.array(german, { maxLength: 4 }), fc.integer({ min: 1, max: 2 }), (names, length) => {
        const name = names.join(' ').normalize('NFC')
        const text = searchTextOf([name])
        const terms = termsOf(text)
        for (const word of name.split(/\s+/)) {
          const words = searchWords([...word].slice(0, length).join(''))
          for (const term of words.flatMap(termsToFind)) expect(terms).toContain(term)
          expect(matches(text, words)).toBe(true)
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

  it.each([
    ['Yilmaz', 'Yılmaz'],
    ['YILMAZ', 'yılmaz'],
    ['Istanbul', 'İstanbul'],
    ['Lukasz', 'Łukasz'],
    ['Sorensen', 'Sørensen'],
    ['Dokovic', 'Đoković'],
    ['Gudmundur', 'Guðmundur'],
    ['Aegir', 'Ægir'],
    ['Agir', 'Ágir'],
    ['Coeur', 'Cœur'],
    ['Thor', 'Þór'],
    ['Ostby', 'Ǿstby'],
    ['O’Brien', "O'Brien"],
    ['O`Brien', 'OʼBrien'],
    ['4711/26', '4711-26'],
    ['4711–26', '4711/26'],
    ['Meyer‑Landrut', 'Meyer-Landrut'],
    ['12O345/26', '12 O 345/26'],
    ['12 O 345/26', '12O345-26'],
    ['12O 345 / 26', '12 O 345/26'],
    ['5AZR123/26', '5 AZR 123/26'],
    ['DE12345678', 'DE12 3456 78'],
    ['12 34 56', '123456'],
  ])('for %j finds %j, and the other way round', (one, other) => {
    expect([finds(one, other), finds(other, one)]).toEqual([true, true])
  })

  it.each([
    ['815 26', '0815/26'],
    ['345/26 12', '12 O 345/26'],
    ['12 müller', 'Müller 12 O 345/26'],
  ])('for the parts %j finds %j', (search, text) => {
    expect(finds(search, text)).toBe(true)
  })

  it('that was copied from a layout finds the plain word', () => {
    expect(finds('Ver\u00adp\ufb02ich\u200btung', 'Verpflichtung')).toBe(true)
  })

  it.each(['Anna Meier', 'Meier, Anna'])('for a family name with a comma finds %j', (name) => {
    expect([finds('Meier, Anna', name), finds('meier; an', name)]).toEqual([true, true])
  })

  it.each([
    ['Wu, Li', 'Li Wu'],
    ['Meier AG, Schulz', 'Schulz ./. Meier AG wegen Miete'],
    ['Vogt GmbH & Co. KG; Berg', 'Berg ./. Vogt GmbH & Co. KG'],
    ['Meier, A, Berg', 'Anna Meier ./. Berg'],
  ])('for %j, with a short word before a comma or semicolon, finds %j', (search, text) => {
    expect([finds(search, text), finds(search, search)]).toEqual([true, true])
  })

  it.each([
    ['12O345/26', '12 O 346/26'],
    ['4711/26', '4711 Haus 26'],
    ['1 Zimmer 2', '12 Zimmer'],
    ['O’Brien', 'OBrien'],
    ['34 12', '1234'],
  ])('for %j does not find %j', (search, text) => {
    expect(matches(searchTextOf([text]), searchWords(search))).toBe(false)
  })

  it('finds a number however it and the search are spaced', () => {
    const digits = fc.array(fc.constantFrom(...'0123456789'), { minLength: 3, maxLength: 12 })
    fc.assert(
      fc.property(
        digits,
        gaps,
        gaps,
        fc.constantFrom('', 'Wohnung ', 'wegen '),
        (letters, ofText, ofSearch, before) => {
          expect(finds(spaced(letters, ofSearch), `${before}${spaced(letters, ofText)} Vogt`)).toBe(true)
        },
      ),
    )
  })

  it('finds a court file number however it and the search are spaced, dashed and slashed', () => {
    const parts = fc.tuple(
      fc.integer({ min: 1, max: 999 }),
      fc.constantFrom('O', 'C', 'AZR', 'BvR', 'Ca', 'ZR'),
      fc.integer({ min: 1, max: 99_999 }),
      fc.integer({ min: 10, max: 99 }),
    )
    const space = fc.constantFrom('', ' ', '\u2009')
    const slash = fc.constantFrom('/', ' / ', '-', '–', ' - ', '⁄', '/ ')
    const written = fc.tuple(space, space, slash)
    fc.assert(
      fc.property(parts, written, written, ([chamber, sign, number, year], stored, searched) => {
        const write = ([before, after, between]: [string, string, string]) =>
          `${chamber}${before}${sign}${after}${number}${between}${year}`
        expect(finds(write(searched), `Müller ${write(stored)} Kaufpreis`)).toBe(true)
      }),
    )
  })

  it('takes letters with and without strokes, apostrophes and dashes for one another, both ways', () => {
    const pairs: [string, string][] = [
      ['ı', 'i'],
      ['Ł', 'l'],
      ['ø', 'o'],
      ['Đ', 'd'],
      ['ð', 'd'],
      ['Æ', 'ae'],
      ['œ', 'oe'],
      ['Þ', 'th'],
      ['’', "'"],
      ['ʼ', '`'],
      ['–', '-'],
      ['—', '/'],
      ['a', 'A'],
    ]
    const name = fc.array(fc.constantFrom(...pairs), { minLength: 3, maxLength: 20 })
    fc.assert(
      fc.property(name, (letters) => {
        const [one, other] = [0, 1].map((side) => letters.map((pair) => pair[side]).join(''))
        expect(fold(one ?? '')).toBe(fold(other ?? ''))
        expect([finds(one ?? '', other ?? ''), finds(other ?? '', one ?? '')]).toEqual([true, true])
      }),
    )
  })

  it('of many short words is compared with a long text in little time', () => {
    const text = searchTextOf(Array.from({ length: 100 }, () => 'xa '.repeat(166)))
    const words = searchWords('xa '.repeat(66))
    const before = process.cpuUsage().user

    for (let record = 0; record < 20; record += 1) expect(matches(text, words)).toBe(true)

    // A page compares hundreds of records.
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(500)
  })

  it('files a name of 500 characters under no more than a term per character and word', () => {
    expect(termsOf(searchTextOf(['Donaudampfschifffahrt '.repeat(23).slice(0, 500)])).size).toBeLessThan(40)
    expect(
      termsOf(
        searchTextOf([Array.from({ length: 500 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')]),
      ).size,
    ).toBe(500)
  })
})
