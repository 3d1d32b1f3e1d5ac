import { fold } from '#kernel/fold.ts'
import type { Party } from './schema.ts'

/** Replaces the data of an erased party in texts. */
export const erasedText = '[gelöscht]'

/** The data by which texts name a party. */
export type PartyData = Pick<Party, 'type' | 'name' | 'email' | 'phone' | 'address'>

/** A shorter street, telephone number or family name would be found in texts that have nothing to do with the party. */
const minCharacters = 4

/**
 * Takes the name and data of a party out of a text: the whole name in both orders and in any spelling of a search (C3).
 * The data are its mailbox, its telephone number as it is stored, and its address or the line with street and number.
 * Longer names and mailboxes that contain these stay: `Anna Meier-Schulze`, `x.meier@example.de`.
 *
 * @param options.familyName whether the last word of a person's name is enough, if it has four letters or more, as in
 *   the name of a case: `Meier ./. Schulze`
 */
export function withoutParty(
  { type, name, email, phone, address }: PartyData,
  { familyName = false } = {},
): (text: string) => string {
  const [last, ...first] = name.split(',')
  const words = [...first, last].join(' ').trim().split(/\s+/)
  const family = words.at(-1) ?? ''
  const names = [spelled(name)]
  if (type === 'person' && words.length > 1)
    names.push(
      spelled(words.join(' ')),
      `${spelled(family)},?\\s{1,9}${spelled(words.slice(0, -1).join(' '))}`,
    )
  if (type === 'person' && familyName && family.length >= minCharacters) names.push(spelled(family))
  const lines = (address ?? '').split(/[\n,]/).map((line) => line.trim())
  const streets = lines.filter((line) => line.length >= minCharacters && isStreet(line))
  const block = lines.filter((line) => line !== '').map(exactly)
  const patterns = [
    block.length < 2 ? undefined : whole(block.join('[\\s,]{1,9}')),
    ...streets.map((line) => whole(exactly(line))),
    phone !== null && phone.trim().length >= minCharacters
      ? `(?<![\\p{L}\\p{N}+])${exactly(phone)}(?!\\p{N})`
      : undefined,
    email === null ? undefined : `(?<![\\w.+@-])${exactly(email)}(?![\\w+@-]|\\.\\w)`,
    // A name of accents alone has no letter to look for.
    ...names.filter((one) => one !== '').map((one) => `(?<![\\p{L}\\p{N}-])(?:${one})(?![\\p{L}\\p{N}-])`),
  ]
  const found = patterns.filter((one) => one !== undefined)
  const named = new RegExp(`(?:${found.join('|')})`, 'gu')
  // Most texts do not name the party: folding a whole text takes a fiftieth of the time.
  const isIn = (text: string) => found.length > 0 && fold(text).search(named) >= 0
  return (text) => (isIn(text) ? replaced(text, named) : text)
}

/**
 * Finds a party in texts by the rules of `withoutParty`: its whole name or its mailbox, but not as a part of a longer one.
 *
 * @returns whether one of these texts names it
 */
export function namesOf(
  party: Pick<Party, 'type' | 'name' | 'email'>,
): (texts: readonly (string | null | undefined)[]) => boolean {
  const without = withoutParty({ ...party, phone: null, address: null })
  return (texts) => texts.some((text) => text != null && without(text) !== text)
}

/** Replaces what a pattern finds in the folded text. */
function replaced(text: string, named: RegExp): string {
  const letters = [...text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)]
  const places: number[] = []
  let folded = ''
  for (const { 0: letter, index } of letters) {
    const plain = /^\s/.test(letter) ? ' ' : fold(letter)
    folded += plain
    for (let at = 0; at < plain.length; at += 1) places.push(index)
  }
  places.push(text.length)
  let [kept, after] = ['', 0]
  for (const { 0: found, index } of folded.matchAll(named)) {
    kept += text.slice(after, places[index]) + erasedText
    after = places[index + found.length] ?? text.length
  }
  return kept + text.slice(after)
}

/** A pattern for a name in every spelling: `Müller` is `Mueller` and `Muller`. */
function spelled(name: string): string {
  return escaped(fold(name))
    .replace(/([aou])e?/g, '$1e?')
    .replaceAll(' ', '[\\s_]{1,9}')
}

function exactly(text: string): string {
  return escaped(fold(text)).replaceAll(' ', '\\s{1,9}')
}

function whole(pattern: string): string {
  return `(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`
}

/** Whether a line of an address has a street and a number. The town alone names nobody. */
function isStreet(line: string): boolean {
  const letter = line.search(/\p{L}/u)
  return letter >= 0 && /\d/.test(line.slice(letter)) && !/^(?:\p{L}{1,3}[- ])?\d{4,5}\b/u.test(line)
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
