/**
 * Text as it is compared in a search: lower case, `ä ö ü ß` as `ae oe ue ss`, other accents dropped, words
 * separated by one space (C3).
 */
export function fold(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => umlauts[letter] ?? letter)
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ')
}

const umlauts: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' }

/** Length, in characters, of the fragments under which a word is filed. */
const fragment = 3

/** One word of a search: found anywhere, or (fewer than three characters) at the beginning of a word. */
export type SearchWord = { text: string; where: 'anywhere' | 'beginning' }

/** The words of a search, folded. */
export function searchWords(search: string): SearchWord[] {
  return search
    .normalize('NFC')
    .split(/\s+/)
    .filter((word) => fold(word) !== '')
    .map((word) => {
      const text = fold(word)
      return {
        text,
        where: Math.min([...word].length, [...text].length) < fragment ? 'beginning' : 'anywhere',
      }
    })
}

/** Whether folded text has all the words of a search. */
export function matches(text: string, words: SearchWord[]): boolean {
  return words.every((word) => {
    if (word.where === 'anywhere') return text.includes(word.text)
    return [...beginnings(text)].some((at) => text.startsWith(word.text, at))
  })
}

/** The terms under which folded text is found: its fragments, and the beginnings of its words. */
export function termsOf(text: string): Set<string> {
  const terms = new Set(text.split(' ').flatMap(fragmentsOf))
  for (const at of beginnings(text)) {
    const letters = [...text.slice(at, at + 2 * fragment)]
    for (let length = 1; length < fragment; length += 1) {
      const start = letters.slice(0, length)
      if (start.length === length && !start.includes(' ')) terms.add(`begins:${start.join('')}`)
    }
  }
  return terms
}

/**
 * Terms that every record with this word is filed under. Other records may have them all as well, so what is
 * found is compared with `matches`.
 */
export function termsToFind(word: SearchWord): string[] {
  const fragments = fragmentsOf(word.text)
  return fragments.length === 0 ? [`begins:${word.text}`] : fragments
}

function fragmentsOf(word: string): string[] {
  const letters = [...word]
  return letters.slice(fragment - 1).map((_, at) => `has:${letters.slice(at, at + fragment).join('')}`)
}

/** Where words begin: after a space, and where letters or digits follow something else. */
function* beginnings(text: string): Generator<number> {
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === ' ') continue
    const before = at === 0 ? ' ' : (text[at - 1] ?? ' ')
    if (before === ' ' || (isWordCharacter(text[at] ?? '') && !isWordCharacter(before))) yield at
  }
}

function isWordCharacter(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character)
}
