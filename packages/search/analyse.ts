import { stemmer } from '@orama/stemmers/german'
import { composed } from '#kernel/composed.ts'
import { fold } from '#kernel/fold.ts'

/**
 * A word, number or section sign (§) of a text. `word` is folded, so that `ä`, `ae` and `a` are equal. `term` is the
 * German stem, which the index compares. The offsets are in UTF-16 units of the text.
 */
export type Token = { word: string; term: string; start: number; end: number }

/**
 * The tokens of a text. A word of more than 64 characters becomes several tokens. Spaces, dashes and full stops
 * separate words in the same way.
 */
export function analyse(text: string): Token[] {
  const tokens: Token[] = []
  eachToken(text, (word, term, start, end) => tokens.push({ word, term, start, end }))
  return tokens
}

/**
 * Calls `take` for each token of a text (see `Token`). Letters and digits are always separate tokens, so that `573c`
 * equals `573 c`. The digits of an amount or of an IBAN are one token, however they are grouped. The number of a senate
 * is a token even if the register follows without a space (`VIIZR 12/26`).
 */
export function eachToken(
  text: string,
  take: (word: string, term: string, start: number, end: number) => void,
): void {
  const takeRaw = (start: number, end: number, raw = text.slice(start, end)): void => {
    const { word, term } = normalised(raw)
    if (word !== '') take(word, term, start, end)
  }
  /** The tokens of an amount or an IBAN, without its separators. */
  const takeJoined = (start: number, end: number): void => {
    const separated = text.slice(start, end).replace(/[^a-z\d]/gi, '')
    for (const part of separated.match(/[a-z]+|\d+/gi) ?? []) takeRaw(start, end, part)
  }
  // Letters, digits or section signs, at most 64. The limits protect the stack of the regular expression.
  const pattern = /\p{L}[\p{L}\p{M}\u00ad]{0,63}|\p{N}{1,64}|§{1,64}/gu
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [raw] = match
    const start = match.index
    const end = start + raw.length
    const joinedEnd = raw[0] === '§' ? end : (joinedAt(text, start, raw) ?? end)
    if (joinedEnd > end) {
      takeJoined(start, joinedEnd)
      pattern.lastIndex = joinedEnd
      continue
    }
    const senate = senateOf(text, raw, end)
    if (senate > 0) takeRaw(start, start + senate)
    takeRaw(start + senate, end)
  }
}

/** The end of the IBAN or of the grouped amount that begins with this token. */
function joinedAt(text: string, start: number, raw: string): number | undefined {
  const first = raw.charCodeAt(0)
  if (first >= 0x30 && first <= 0x39) {
    const isGrouped = raw.length <= 3 && isDigit(text.charCodeAt(start + raw.length + 1))
    if (!isGrouped || isDigit(text.charCodeAt(start - 1))) return undefined
    return endOf(amount, text, start)
  }
  if (raw.length !== 2 || !hasDigitIn(text, start + 2, start + 5)) return undefined
  const length = ibanLengths[raw.toUpperCase()]
  const end = length === undefined ? undefined : endOf(iban, text, start)
  if (end === undefined || length === undefined) return undefined
  let at = start
  for (let count = 0; count < length; at += 1) {
    if (at >= end) return undefined
    if (/[a-z\d]/i.test(text[at] ?? '')) count += 1
  }
  if (/[\p{L}\p{N}]/u.test(text[at] ?? '')) return undefined
  return isIban(text.slice(start, at).replace(/[^a-z\d]/gi, '')) ? at : undefined
}

function hasDigitIn(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (isDigit(text.charCodeAt(at))) return true
  return false
}

/**
 * Whether these letters and digits are an IBAN (ISO 13616, ISO 7064 mod 97-10), not a text like `BE12 vom Beklagten`.
 * If only digits follow the country, the checksum may be wrong, because of a typing error.
 */
function isIban(characters: string): boolean {
  if (/^..\d+$/.test(characters)) return true
  const rotated = `${characters.slice(4)}${characters.slice(0, 4)}`
  return BigInt(rotated.replace(/[a-z]/gi, (letter) => `${Number.parseInt(letter, 36)}`)) % 97n === 1n
}

function endOf(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : undefined
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/**
 * The groups of three digits of an amount: `12.345,67`, `12,345.67`, `12’345`. Spaces join groups only if decimals
 * follow or a currency is next to them, because `2 026` may be two numbers.
 */
const amount =
  /\d{1,3}(?:(?:[.'’]\d{3}){1,5}|(?:,\d{3}){1,5}(?=\.\d{2})|(?:[ \u00a0\u202f]\d{3}){1,5}(?=,(?:\d{2}|[-–—])|[ \u00a0\u202f]?(?:€|euro?(?!\p{L})))|(?<=(?:€|euro?)[ \u00a0\u202f]?\d{1,3})(?:[ \u00a0\u202f]\d{3}){1,5})(?!\d)/iuy

const iban = /[a-z]{2}[\s.-]{0,2}\d{2}(?:[\s.-]{0,2}[a-z\d]){11,32}/iy

/** Lengths of an IBAN by country (ISO 13616 registry). */
const ibanLengths: Record<string, number> = {
  AT: 20,
  BE: 16,
  BG: 22,
  CH: 21,
  CY: 28,
  CZ: 24,
  DE: 22,
  DK: 18,
  EE: 20,
  ES: 24,
  FI: 18,
  FR: 27,
  GB: 22,
  GR: 27,
  HR: 21,
  HU: 28,
  IE: 22,
  IT: 27,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  MC: 27,
  MT: 31,
  NL: 18,
  NO: 15,
  PL: 28,
  PT: 25,
  RO: 24,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  TR: 26,
}

/** The length of the senate's number in a word like `VIIZR`, if a number and year follow; otherwise 0. */
function senateOf(text: string, raw: string, end: number): number {
  const senate = raw.length > 9 ? undefined : joinedSenate.exec(raw)?.[1]
  return senate !== undefined && endOf(numberAndYear, text, end) !== undefined ? senate.length : 0
}

/** The registers of federal courts whose senates have Roman numbers, as alternatives of a regular expression. */
export const registers = 'zr|zb|za|ze|ar|arz|str|ars|anwz|notz|r|b|k|s|e'
const joinedSenate = new RegExp(`^([ivx]{1,5})(?:${registers})$`, 'i')
const numberAndYear = /\s{0,3}\d{1,6}\s{0,3}\/\s{0,3}\d{2}(?!\d)/y

/** A cache of results. A look-up is a hundred times as fast as the analysis of a word. */
const cache = new Map<string, { word: string; term: string }>()
const maxCached = 100_000

function normalised(raw: string): { word: string; term: string } {
  const found = cache.get(raw)
  if (found !== undefined) return found
  const word = foldWord(raw)
  const result = { word, term: stemOf(word) }
  if (cache.size >= maxCached) cache.clear()
  cache.set(raw, result)
  return result
}

/**
 * Folds a word (C3), then writes `ae` as `a`, `oe` as `o`, and `ue` as `u` unless `u` belongs to the letter before it:
 * `neue`, `Bauer`, `Quelle`.
 */
function foldWord(raw: string): string {
  if (raw[0] === '§') return '§'
  const withoutUmlauts = composed(raw.replaceAll('\u00ad', ''))
    .toLowerCase()
    .replace(/[äöü]/g, (letter) => ({ ä: 'a', ö: 'o', ü: 'u' })[letter] ?? letter)
  return fold(withoutUmlauts)
    .replace(/ae/g, 'a')
    .replace(/oe/g, 'o')
    .replace(/(?<![aeq])ue|(?<=ge)ue(?=b)/g, 'u')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** The German stem (Snowball) of a folded word. */
export function stemOf(word: string): string {
  return isLatin(word) ? stemmer(word) : word
}

/** Whether a folded word has only the letters a to z. */
export function isLatin(word: string): boolean {
  return /^[a-z]+$/.test(word)
}
