import { fold } from '#kernel/fold.ts'
import { colognePhonetics } from './cologne-phonetics.ts'
import {
  addition,
  capacity,
  functionWords,
  legalForms,
  legalPhrases,
  nameParticles,
  titles,
  weakWords,
} from './name-words.ts'

/** A part of a name as it is compared: a word, or one half of a double name. */
export type NamePart = {
  text: string
  /** Its code in the Kölner Phonetik; its text if it has no code or contains a digit. */
  code: string
  /**
   * `full`: it identifies the person or firm. If one name does not have it, the match is at most `likely`. `weak`: it
   * may be missing, such as `Graf` or the name at birth. `initial`: an abbreviated given name, such as `H.` or `Chr.`
   */
  kind: 'full' | 'weak' | 'initial'
}

/** A name as it is compared: without titles, particles and legal form, with given names before the family name. */
export type ParsedName = {
  parts: NamePart[]
  /**
   * The index in `parts` at which the last full word begins: the family name of a person. A double name has several
   * parts.
   */
  lastFrom: number
  legalForm: string | null
  isFirm: boolean
  /** The full parts, joined without separators. */
  whole: string
  /**
   * The single names in the name of a person: the name of each person in `Karl Huber und Anna Meier`, or the name
   * without its addition in `Karl Huber (verstorben)`. Each has two or more words. Empty if there is nothing to
   * separate.
   */
  members: readonly Member[]
}

/**
 * One of several names in a name. Only the first is certainly a name: a later one may be an addition, as in `… &
 * Partner Rechtsanwälte`.
 */
export type Member = { name: ParsedName; isFirst: boolean }

/** If a name has more parts than this, not counting initials, its parts are not joined in pairs. */
export const maxPartsToJoin = 4

/** The maximum number of parts of a name that are compared: the first ones. */
const maxParts = 8

/** The maximum number of `members` of a name: the first ones. */
const maxMembers = 8

/**
 * Reads a name of a person or a firm. `Dr. Müller, Hans-Peter` has the parts `hans`, `peter`, `mueller`; `Müller &
 * Söhne GmbH & Co. KG` has `mueller`, `soehne` and the legal form `co gmbh kg` (its words sorted).
 *
 * @param type the type of the party. `person` is the default of parties and proves nothing: a name with a legal form
 *   belongs to a firm anyway.
 */
export function parseName(name: string, type?: 'person' | 'organization'): ParsedName {
  const parsed = parseOne(name, type)
  return parsed.isFirm ? parsed : { ...parsed, members: membersOf(name, type) }
}

function parseOne(name: string, type: 'person' | 'organization' | undefined): ParsedName {
  const { text, legalForm: phrase } = withoutLegalPhrases(name)
  const written = inOrder(text, type)
    .split(' ')
    .map((word) =>
      word.split(/[^\p{L}\p{N}']+/u).map((part) => part.replaceAll("'", '').replace(/str$/, 'strasse')),
    )
    .map((group) => group.filter((part) => part !== ''))
    .filter((group) => group.length > 0)
  // A name without letters and digits is compared as it is.
  const words = written.length > 0 ? written : [[text]]
  const forms = [...phrase]
  const groups = words.map((group, at) =>
    group.filter((part) => {
      const isForm = at > 0 && legalForms.has(part)
      if (isForm) forms.push(part)
      return !isForm
    }),
  )
  const isFirm = type === 'organization' || forms.length > 0
  const isDropped = (part: string) =>
    isFirm ? functionWords.has(part) || titles.has(part) : titles.has(part) || nameParticles.has(part)
  const kept = withoutParts(groups, isDropped)
  const formerFrom = isFirm ? -1 : kept.findIndex(([part]) => part !== undefined && formerNameWords.has(part))
  const named = formerFrom > 0 ? kept.toSpliced(formerFrom, 1) : kept
  const isWeak = (part: string, at: number) =>
    (formerFrom > 0 && at >= formerFrom) || weakWords.has(part) || (isFirm && functionWords.has(part))
  const flat = named.flatMap((group, at) => group.map((part) => ({ part, at }))).slice(0, maxParts)
  const shortened = isFirm ? new Set<string>() : shortenedIn(text)
  const isInitial = (part: string, at: number) =>
    !isFirm && (/^\p{L}$/u.test(part) || (shortened.has(part) && !isWeak(part, at)))
  const strong = flat.filter(({ part, at }) => !isWeak(part, at) && !isInitial(part, at))
  const parts = flat.map(({ part, at }): NamePart => {
    const kind = isInitial(part, at) ? 'initial' : strong.length > 1 && isWeak(part, at) ? 'weak' : 'full'
    return { text: part, code: partCode(part), kind }
  })
  const hasFull = parts.some(({ kind }) => kind === 'full')
  const compared = hasFull ? parts : parts.map((part) => ({ ...part, kind: 'full' as const }))
  const last = flat.findLast((_, index) => compared[index]?.kind === 'full')?.at ?? 0
  return {
    parts: compared,
    lastFrom: Math.max(
      0,
      flat.findIndex(({ at }) => at === last),
    ),
    legalForm: forms.length === 0 ? null : [...new Set(forms)].toSorted().join(' '),
    isFirm,
    whole: compared.flatMap(({ kind, text: part }) => (kind === 'full' ? [part] : [])).join(''),
    members: [],
  }
}

/** The `members` of the name of a person. Text in brackets is ignored. */
function membersOf(name: string, type: 'person' | 'organization' | undefined): Member[] {
  const { text } = withoutLegalPhrases(name.replace(slash, ' / '))
  const parts = text
    .replace(/\([^()]*(\)|$)/g, ';')
    .replace(addition, ';')
    .split(/ - |[()&+;]| (?:und|u|u\.|sowie) /)
    .map((part) => part.trim())
  if (parts.length === 1 && text.split(',').length < 3) return []
  return parts
    .flatMap((part, at) =>
      [part, ...namesBetweenCommas(part)]
        .filter((one) => one.includes(' '))
        .map((one) => ({ name: parseOne(one, type), isFirst: at === 0 && part.startsWith(one) })),
    )
    .slice(0, maxMembers)
}

/** The names between commas in `Karl Huber, Anna Meier`; none in `Huber, Karl`. */
function namesBetweenCommas(part: string): string[] {
  const names = part.split(',').map((name) => name.trim())
  return names.length > 1 && names.every((name) => name.includes(' ')) ? names : []
}

/** A slash between words. `fold` would turn it into a hyphen, as in a double name. */
const slash = /(?<=\p{L}{2})[/⁄∕／](?=\p{L}{2})/gu

/** The folded name without `als Insolvenzverwalter …` and legal phrases, and the short forms of these phrases. */
function withoutLegalPhrases(name: string): { text: string; legalForm: string[] } {
  return withoutPhrases(joinedAbbreviations(fold(name).replace(capacity, '')))
}

/**
 * The readings of a name that may belong to a person or a firm. The first is the reading that the name itself suggests:
 * a firm if it has a legal form, otherwise a person. The second is the reading as a firm, if it differs. In the name of
 * a firm, the `M` of `M. Weber` is a word and not an initial.
 */
export function readingsOf(
  name: string,
): [apparent: ParsedName] | [apparent: ParsedName, ofFirm: ParsedName] {
  const [apparent, ofFirm] = [parseName(name), parseName(name, 'organization')]
  return JSON.stringify(apparent.parts) === JSON.stringify(ofFirm.parts) ? [apparent] : [apparent, ofFirm]
}

/** The parts of the kind `full`. */
export function fullParts({ parts }: ParsedName): NamePart[] {
  return parts.filter(({ kind }) => kind === 'full')
}

/** The parts from `lastFrom` on: the family name of a person, and the name at birth. */
export function lastParts({ parts, lastFrom }: ParsedName): NamePart[] {
  return parts.slice(lastFrom)
}

/** The words before a former name, such as the name at birth. */
const formerNameWords = new Set([
  ...['geb', 'geborene', 'geborener', 'geborenen', 'verw', 'verh', 'gesch'],
  ...['vormals', 'vorm', 'frueher'],
])

/** Joins letters with dots if they form a known word: `e. K.`, `g.m.b.H.`, `h.c.`, `LL.M.` Initials stay unchanged. */
function joinedAbbreviations(text: string): string {
  return text.replace(
    /(?<![\p{L}\p{N}])(?:ll|\p{L})\. ?(?:\p{L}\. ?)*\p{L}(?![\p{L}\p{N}])\.?/gu,
    (dotted) => {
      const joined = dotted.replace(/[. ]/g, '')
      return legalForms.has(joined) || titles.has(joined) ? `${joined} ` : dotted
    },
  )
}

/** Removes legal forms of several words, such as `Gesellschaft mit beschränkter Haftung`. */
function withoutPhrases(text: string): { text: string; legalForm: string[] } {
  const legalForm: string[] = []
  let rest = text
  for (const [phrase, form] of legalPhrases) {
    const without = rest.replace(phrase, ' ')
    if (without.trim() === '' || without === rest) continue
    legalForm.push(form)
    rest = without
  }
  return { text: rest, legalForm }
}

/** Turns `Müller, Hans` into `Hans Müller`. Firms and names with several commas keep their order. */
function inOrder(text: string, type: 'person' | 'organization' | undefined): string {
  const [family = '', given = '', ...more] = text.split(',').map((part) => part.trim())
  if (type === 'organization' || more.length > 0 || given === '') return text.replaceAll(',', ' ')
  const words = given.split(/[ .-]+/).filter((word) => word !== '')
  const isSuffix =
    formerNameWords.has(words[0] ?? '') || words.every((word) => titles.has(word) || legalForms.has(word))
  return isSuffix ? `${family} ${given}` : `${given} ${family}`
}

/** The groups without the dropped parts. If nothing would remain, all groups stay unchanged. */
function withoutParts(groups: string[][], isDropped: (part: string) => boolean): string[][] {
  const rest = groups.map((group) => group.filter((part) => !isDropped(part)))
  const isEmpty = rest.every((group) => group.length === 0)
  return (isEmpty ? groups : rest).filter((group) => group.length > 0)
}

/** Abbreviated given names of several letters, as in `Chr. Müller`. */
function shortenedIn(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(/(?<![\p{L}\p{N}])(\p{L}{2,4})\./gu), ([, word = '']) => word))
}

/** The `code` of a part. */
export function partCode(part: string): string {
  return /\p{N}/u.test(part) ? part : colognePhonetics(part) || part
}
