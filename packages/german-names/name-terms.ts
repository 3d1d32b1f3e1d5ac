import {
  fullParts,
  lastParts,
  maxPartsToJoin,
  type NamePart,
  type ParsedName,
  partCode,
} from './name-parts.ts'

/** The maximum number of parts of a name that its terms use: the first three and the last two. */
const maxParts = 5

/** The maximum number of terms of a name. A change of a party removes and adds them in one transaction. */
const maxTerms = 32

/**
 * The maximum length of a term. A longer term is cut, so different names may share it. This is harmless, because every
 * name that is found is compared (`compareNames`).
 */
const maxTermCharacters = 120

/**
 * The terms under which a name is indexed. `termsToFind` looks names up by them. `Hans Müller` has four terms, `Hans
 * Peter Müller` nine; a name has at most 32.
 *
 * - `whole=` all full parts, joined;
 * - `pair=` two of its parts;
 * - `sole=` its only full part;
 * - `last=` a part of the family name, or any part of the name of a firm;
 * - `init=` a part of the family name, and the first letter of another part;
 * - `abbr=` a part of the family name, and a given name that is only an initial.
 *
 * Terms contain the codes of parts in the Kölner Phonetik. Only `whole=` contains their texts, and `init=` and `abbr=`
 * also first letters.
 */
export function termsOfName(name: ParsedName): string[] {
  const parts = termParts(name)
  const last = lastParts(name)
  const [sole, ...others] = fullParts(name)
  const initials = name.parts.filter(({ kind }) => kind === 'initial')
  const named = name.isFirm ? parts : last.filter(isWord)
  return distinct([
    ...wholeTerms(name),
    ...pairTerms(parts),
    ...(sole !== undefined && others.length === 0 ? [`sole=${sole.code}`] : []),
    ...named.map(({ code }) => `last=${code}`),
    ...abbreviatedTerms('init', last, name.isFirm ? [] : parts),
    ...abbreviatedTerms('abbr', last, initials),
  ]).slice(0, maxTerms)
}

/**
 * The terms by which a name is looked up. They find every name that `compareNames` may match. Names are indexed under
 * all of these terms except `words=…`, which asks for the names that contain all these words. It is needed because a
 * name of several people is not indexed under the terms of each person.
 */
export function termsToFind(name: ParsedName): string[] {
  const parts = termParts(name)
  const last = lastParts(name)
  const full = fullParts(name)
  const initials = name.parts.filter(({ kind }) => kind === 'initial')
  return distinct([
    ...wholeTerms(name),
    ...pairTerms(parts),
    ...(name.isFirm ? parts : last.filter(isWord)).map(({ code }) => `sole=${code}`),
    ...(full.length === 1 && initials.length === 0 ? full.map(({ code }) => `last=${code}`) : []),
    ...abbreviatedTerms('init', last, initials),
    ...abbreviatedTerms('abbr', last, name.isFirm ? [] : name.parts),
    ...(name.isFirm || full.length < 2 || full.length > maxWords
      ? []
      : [wordsTerm + full.map(({ text }) => text).join(' ')]),
    ...name.members.flatMap((member) => termsToFind(member.name)),
  ])
}

/** The prefix of a term that asks for the names with all these words. */
export const wordsTerm = 'words='

/** The maximum number of words in such a term. A name with more words gets no such term. */
const maxWords = 4

function wholeTerms({ whole: text }: ParsedName): string[] {
  return text === '' ? [] : [`whole=${text}`]
}

/**
 * All pairs of parts, whatever their order. If a name has few parts, two neighbouring parts also count as one part, so
 * that `Karl-Heinz` finds `Karlheinz`.
 */
function pairTerms(parts: NamePart[]): string[] {
  const joined =
    parts.length > maxPartsToJoin
      ? []
      : parts.slice(1).map(({ text }, at) => partCode((parts[at]?.text ?? '') + text))
  return [
    ...parts.flatMap((one, at) => parts.slice(at + 1).map((other) => pairTerm(one.code, other.code))),
    ...joined.flatMap((code, at) => parts.toSpliced(at, 2).map((other) => pairTerm(code, other.code))),
  ]
}

function pairTerm(one: string, other: string): string {
  return `pair=${[one, other].toSorted().join('+')}`
}

/** Each part of the family name with the first letter of each of the `others`. */
function abbreviatedTerms(kind: 'init' | 'abbr', last: NamePart[], others: NamePart[]): string[] {
  return last
    .filter(isWord)
    .flatMap(({ code }) =>
      others.flatMap((other) =>
        last.includes(other) ? [] : [`${kind}=${code} ${[...other.text][0] ?? ''}`],
      ),
    )
}

function termParts({ parts }: ParsedName): NamePart[] {
  const words = parts.filter(isWord)
  return words.length <= maxParts ? words : [...words.slice(0, maxParts - 2), ...words.slice(-2)]
}

function isWord({ kind }: NamePart): boolean {
  return kind !== 'initial'
}

function distinct(terms: string[]): string[] {
  return [...new Set(terms.map((term) => [...term].slice(0, maxTermCharacters).join('')))]
}
