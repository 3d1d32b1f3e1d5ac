import { composed } from '#kernel/composed.ts'
import { fold } from '#kernel/fold.ts'
import { withoutLayout } from '#kernel/text.ts'

/**
 * The searchable text of a record: its folded texts. Each number with spaces is repeated without them, so that
 * `12O345/26` finds `12 O 345/26`.
 */
export function searchTextOf(texts: string[]): string {
  return texts
    .map(fold)
    .flatMap((text) => {
      const words = text.split(' ')
      return [text, ...spacedNumbers(words).map(([start, end]) => words.slice(start, end).join(''))]
    })
    .filter((text) => text !== '')
    .join(' ')
}

/**
 * Finds numbers that are written with spaces: for each, the index of its first word and of the word after its last.
 * Each part of such a number has a digit. A dash or up to four letters may be between two parts, as in `5 AZR 123/26`.
 */
function spacedNumbers(words: string[]): [start: number, end: number][] {
  const found: [number, number][] = []
  const hasDigit = (at: number) => /\p{Nd}/u.test(words[at] ?? '')
  const isLink = (at: number) => /^(-|\p{L}{1,4})$/u.test(words[at] ?? '')
  for (let start = 0, end = 1; start < words.length; start = end, end += 1) {
    if (!hasDigit(start)) continue
    for (;;) {
      if (hasDigit(end)) end += 1
      else if (isLink(end) && hasDigit(end + 1)) end += 2
      else break
    }
    if (end - start > 1) found.push([start, end])
  }
  return found
}

/** Length, in characters, of the fragments under which a word is filed. */
const fragment = 3

/**
 * A word of a search. It matches anywhere in a text. With fewer than three characters it matches only at the beginning
 * of a word.
 */
export type SearchWord = {
  text: string
  where: 'anywhere' | 'beginning'
  /** The parts of a number with spaces. The word also matches if all of its parts match. */
  parts?: SearchWord[]
}

/**
 * The words of a search, folded. A number that is written with spaces is one word. A comma or semicolon after a word is
 * left out, as in `Meier, Anna`, and so is what a layout adds to words.
 */
export function searchWords(search: string): SearchWord[] {
  const words = composed(withoutLayout(search))
    .split(/\s+/)
    .map((word) => word.replace(/(?<=.)[,;]$/, ''))
    .filter((word) => fold(word) !== '')
    .map(searchWord)
  const numbers = new Map(spacedNumbers(words.map(({ text }) => text)))
  const joined: SearchWord[] = []
  for (let at = 0; at < words.length; ) {
    const end = numbers.get(at) ?? at + 1
    const parts = words.slice(at, end)
    const [first] = parts
    if (first !== undefined)
      joined.push(
        parts.length > 1 ? { ...first, text: parts.map(({ text }) => text).join(''), parts } : first,
      )
    at = end
  }
  return joined
}

function searchWord(word: string): SearchWord {
  const text = fold(word)
  const length = Math.min([...word].length, [...text].length)
  return { text, where: length < fragment ? 'beginning' : 'anywhere' }
}

/** Whether all words of a search match the searchable text of a record. */
export function matches(text: string, words: SearchWord[]): boolean {
  return words.every(
    (word) => stands(text, word) || (word.parts?.every((part) => stands(text, part)) ?? false),
  )
}

function stands(text: string, word: SearchWord): boolean {
  if (word.where === 'anywhere') return text.includes(word.text)
  for (let at = text.indexOf(word.text); at !== -1; at = text.indexOf(word.text, at + 1))
    if (isBeginning(text, at)) return true
  return false
}

/** The terms under which a record with this searchable text is filed: its fragments, and the beginnings of its words. */
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
 * The terms under which every record with this word is filed. Other records can be filed under the same terms, so the
 * caller must check the results with `matches`.
 */
export function termsToFind({ text, parts }: SearchWord): string[] {
  if (parts !== undefined) {
    // Both kinds of records are filed under these terms: those with the number, and those with its parts.
    const [first, ...others] = parts
    const fragments = others.flatMap((part) => (part.where === 'anywhere' ? fragmentsOf(part.text) : []))
    return [...(first === undefined ? [] : termsToFind(first)), ...fragments]
  }
  const fragments = fragmentsOf(text)
  return fragments.length === 0 ? [`begins:${text}`] : fragments
}

function fragmentsOf(word: string): string[] {
  const letters = [...word]
  return letters.slice(fragment - 1).map((_, at) => `has:${letters.slice(at, at + fragment).join('')}`)
}

/** The positions at which words begin. */
function* beginnings(text: string): Generator<number> {
  for (let at = 0; at < text.length; at += 1) if (text[at] !== ' ' && isBeginning(text, at)) yield at
}

/** Whether a word begins here: after a space, or where letters or digits follow something else. */
function isBeginning(text: string, at: number): boolean {
  const before = text[at - 1] ?? ' '
  return before === ' ' || (!isWordCharacter(before) && isWordCharacter(text[at] ?? ''))
}

function isWordCharacter(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character)
}
