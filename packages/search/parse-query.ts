import { analyse, isLatin, registers, type Token } from './analyse.ts'
import type { Part, Query } from './types.ts'

type Item = { part: Part; isExcluded: boolean } | 'or'

/**
 * Parses the query of a user (T2, T7). All words must match; `"…"` is a phrase, `-word` excludes, and `kündig*` is a
 * prefix. If `OR` (in capitals) is between two words or phrases, one of them must match. Other characters separate
 * words. Repeated parts count once. A query without words matches nothing. A query of only exclusions matches all other
 * records.
 */
export function parseQuery(text: string): Query {
  const items = itemsOf(text)
  const query: Query = { groups: [], excluded: [] }
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at]
    if (item === undefined) continue
    if (item !== 'or' && item.isExcluded) {
      query.excluded.push(item.part)
      continue
    }
    const group = [partOrWord(item)]
    for (;;) {
      const next = items[at + 2]
      if (items[at + 1] !== 'or' || next === undefined || (next !== 'or' && next.isExcluded)) break
      group.push(partOrWord(next))
      at += 2
    }
    query.groups.push(unique(group, keyOf))
  }
  return {
    groups: unique(query.groups, (group) => group.map(keyOf).join(' OR ')),
    excluded: unique(query.excluded, keyOf),
  }
}

/** The maximum number of different words, phrases and prefixes in a query. */
const maxParts = 64
/** The maximum number of prefixes of one or two letters. */
const maxShortPrefixes = 4
const shortLength = 2

/** The limit that a query exceeds, as a message; undefined if it exceeds none. */
export function exceededLimit({ groups, excluded }: Query): string | undefined {
  const parts = [...groups.flat(), ...excluded]
  if (parts.length > maxParts) return `At most ${maxParts} different words.`
  const short = parts.filter((part) => (prefixOf(part)?.length ?? Infinity) <= shortLength)
  return short.length > maxShortPrefixes
    ? `At most ${maxShortPrefixes} prefixes of one or two letters.`
    : undefined
}

/** The prefix that a part looks for; undefined if it looks for whole words. */
function prefixOf(part: Part): string | undefined {
  if (part.type === 'prefix') return part.word
  return part.type === 'phrase' && part.isPrefix ? part.terms.at(-1) : undefined
}

/** A key that is equal for two parts with the same matches. */
function keyOf(part: Part): string {
  if (part.type === 'word') return part.term
  if (part.type === 'prefix') return `${part.word}*`
  return `"${part.terms.join(' ')}"${part.isPrefix ? '*' : ''}`
}

function unique<One>(all: readonly One[], keyOf: (one: One) => string): One[] {
  return [...new Map(all.toReversed().map((one) => [keyOf(one), one])).values()].toReversed()
}

/** An `OR` that is not between two parts is a word. */
function partOrWord(item: Item): Part {
  return item === 'or' ? { type: 'word', word: 'or', term: 'or' } : item.part
}

/** A phrase in quotes (the closing one may be missing), characters before a word, or a word up to the next space. */
const pieces = /-?"(?<phrase>[^"]*)(?:"|$)|[^\p{L}\p{N}\s"§*-]+|[^ "()[\]{}<>|:;^~=]+/gu

function itemsOf(text: string): Item[] {
  return Array.from(joined(text).matchAll(pieces)).flatMap((match): Item[] => {
    const [piece] = match
    if (piece === 'OR') return ['or']
    const phrase = match.groups?.phrase
    const part = phrase === undefined ? partOf(piece) : phraseOf(analyse(phrase), false)
    return part === undefined ? [] : [{ part, isExcluded: piece.startsWith('-') }]
  })
}

/**
 * The text with no-break spaces inside references, and without spaces inside IBANs and amounts, so that each is one
 * part of the query. Typographic quotes, which phones and Macs type, become plain ones.
 */
function joined(text: string): string {
  const withSpaces = text.replace(/\s/g, ' ').replace(/[„“”«»]/g, '"')
  const characters = withSpaces.split('')
  const replaceSpaces = (start: number, end: number, by: string): void => {
    for (let at = start; at < end; at += 1) if (characters[at] === ' ') characters[at] = by
  }
  for (const pattern of [section, fileNumber, numberAndYear])
    for (const { index, 0: reference } of withSpaces.matchAll(pattern))
      replaceSpaces(index, index + reference.length, '\u00a0')
  // Amounts must be joined before the query is split, because `98 765 EUR` is an amount only with its currency.
  for (const { start, end } of analyse(withSpaces)) replaceSpaces(start, end, '')
  return characters.join('')
}

/** `§ 573c Abs. 2 Satz 1` */
const section =
  /§{1,2} ?\d{1,5}(?: ?[a-z](?![\p{L}\p{N}.]))?(?:,? (?:abs|absatz|s|satz|nr|nummer|alt|hs)\.? ?\d{1,3}(?: ?[a-z](?![\p{L}\p{N}.]))?)*/giu

/** `VII ZR 12/26`, `VIIZR 12/26`, `5 AZR 123/26` */
const fileNumber = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:[ivx]{1,5}(?:${registers})|(?:[ivx]{1,5}|\\d{1,3}) \\p{L}{1,6}) ?\\d{1,6} ?/ ?\\d{2}(?!\\d)`,
  'giu',
)

/** `0012 / 26` */
const numberAndYear = /\d{1,6} ?\/ ?\d{2}(?!\d)/g

function partOf(piece: string): Part | undefined {
  const tokens = analyse(piece)
  const [first] = tokens
  const isPrefix = piece[tokens.at(-1)?.end ?? 0] === '*'
  if (first === undefined || tokens.length > 1 || !isLatin(first.word)) return phraseOf(tokens, isPrefix)
  const { word, term } = first
  return isPrefix ? { type: 'prefix', word } : { type: 'word', word, term }
}

function phraseOf(tokens: Token[], isPrefix: boolean): Part | undefined {
  return tokens.length === 0 ? undefined : { type: 'phrase', terms: tokens.map(({ term }) => term), isPrefix }
}
