import {
  fullParts,
  lastParts,
  maxPartsToJoin,
  type NamePart,
  type ParsedName,
  partCode,
} from './name-parts.ts'

/** Parts of a name that are used in its terms: the first three and the last two. */
const maxParts = 5

/** The most terms of a name: a change of a party removes and adds them in one transaction. */
const maxTerms = 32

/**
 * A longer term is cut. Several names may then share it, which does no harm, because every name that is found is
 * compared.
 */
const maxTermCharacters = 120

/**
 * The terms under which a name is filed, so that `termsToFind` finds every name that may be the same. They are the
 * whole name, each pair of its parts, and the forms in which a part is missing or abbreviated. `Hans Müller` has four,
 * `Hans Peter Müller` nine; the limit is 32.
 */
export function termsOfName(name: ParsedName): string[] {
  const parts = termParts(name)
  const last = lastParts(name)
  const [sole, ...others] = fullParts(name)
  const initials = name.parts.filter(({ kind }) => kind === 'initial')
  const named = name.isFirm ? parts : last.filter(isWord)
  return distinct([
    ...whole(name),
    ...pairs(parts),
    ...(sole !== undefined && others.length === 0 ? [`sole=${sole.code}`] : []),
    ...named.map(({ code }) => `last=${code}`),
    ...abbreviated('init', last, name.isFirm ? [] : parts),
    ...abbreviated('abbr', last, initials),
  ]).slice(0, maxTerms)
}

/**
 * The terms to look up: every name that `compareNames` may match is filed under one of them. A name of several people is
 * not filed under the terms of each. So `words=…` is not a term of `termsOfName`: it asks for names with all these words.
 */
export function termsToFind(name: ParsedName): string[] {
  const parts = termParts(name)
  const last = lastParts(name)
  const full = fullParts(name)
  const initials = name.parts.filter(({ kind }) => kind === 'initial')
  return distinct([
    ...whole(name),
    ...pairs(parts),
    ...(name.isFirm ? parts : last.filter(isWord)).map(({ code }) => `sole=${code}`),
    ...(full.length === 1 && initials.length === 0 ? full.map(({ code }) => `last=${code}`) : []),
    ...abbreviated('init', last, initials),
    ...abbreviated('abbr', last, name.isFirm ? [] : name.parts),
    ...(name.isFirm || full.length < 2 || full.length > maxWords
      ? []
      : [wordsTerm + full.map(({ text }) => text).join(' ')]),
    ...name.members.flatMap((member) => termsToFind(member.name)),
  ])
}

/** The beginning of a term that asks for words. */
export const wordsTerm = 'words='

/** A longer name is not looked up by its words. */
const maxWords = 4

function whole({ whole: text }: ParsedName): string[] {
  return text === '' ? [] : [`whole=${text}`]
}

/**
 * All pairs of parts, in either order. If there are few parts, two neighbours also count as one part, so that
 * `Karl-Heinz` finds `Karlheinz`.
 */
function pairs(parts: NamePart[]): string[] {
  const joined =
    parts.length > maxPartsToJoin
      ? []
      : parts.slice(1).map(({ text }, at) => partCode((parts[at]?.text ?? '') + text))
  return [
    ...parts.flatMap((one, at) => parts.slice(at + 1).map((other) => pair(one.code, other.code))),
    ...joined.flatMap((code, at) => parts.toSpliced(at, 2).map((other) => pair(code, other.code))),
  ]
}

function pair(one: string, other: string): string {
  return `pair=${[one, other].toSorted().join('+')}`
}

/** A family name with the first letter of each other part. */
function abbreviated(kind: 'init' | 'abbr', last: NamePart[], others: NamePart[]): string[] {
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
