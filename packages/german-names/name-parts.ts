import { fold } from '#kernel/fold.ts'
import { colognePhonetics } from './cologne-phonetics.ts'
import {
  addition,
  articles,
  capacity,
  legalForms,
  legalPhrases,
  nameParticles,
  titles,
  weakWords,
} from './name-words.ts'

/** A part of a name that is compared. */
export type NamePart = {
  text: string
  /** Its code in the Kölner Phonetik; its text if it has no code or is a number. */
  code: string
  /** `full`: both names must have it. `weak`: it may be missing in one of them, such as `Graf` or the name at birth. */
  kind: 'full' | 'weak' | 'initial'
}

/** A name in the form for comparison: without titles, particles and legal form, given names before the family name. */
export type ParsedName = {
  parts: NamePart[]
  /** The index of the first part of the last word: the family name of a person. A double name has several parts. */
  lastFrom: number
  legalForm: string | null
  isFirm: boolean
  /** The full parts, joined without separators. */
  whole: string
  /**
   * The names of two or more words in the name of a person: of each of several people (`Karl Huber und Anna Meier`), or
   * without an addition (`Karl Huber (verstorben)`). Empty if the name is only one.
   */
  members: readonly Member[]
}

/** A name in a name. Only the first is surely a name: a later one may be an addition (`… & Partner Rechtsanwälte`). */
export type Member = { name: ParsedName; isFirst: boolean }

/** If a name has more parts than this, not counting initials, no two parts are joined. */
export const maxPartsToJoin = 4

/** Only this number of parts of a name is compared, the first ones. */
const maxParts = 8

/** Only this number of names in a name is compared by itself, the first ones. */
const maxMembers = 8

/**
 * Reads a name of a person or a firm. `Dr. Müller, Hans-Peter` has the parts `hans`, `peter`, `mueller`; `Müller &
 * Söhne GmbH & Co. KG` has `mueller`, `soehne` and the legal form `co gmbh kg` (its words sorted).
 *
 * @param type of a party. Only `organization` counts: a party without a stated type is a `person`, so a name with a
 *   legal form still belongs to a firm.
 */
export function parseName(name: string, type?: 'person' | 'organization'): ParsedName {
  const parsed = parseOne(name, type)
  return parsed.isFirm ? parsed : { ...parsed, members: membersOf(name, type) }
}

function parseOne(name: string, type: 'person' | 'organization' | undefined): ParsedName {
  const { text, legalForm: phrase } = readable(name)
  const written = inOrder(text, type)
    .split(' ')
    .map((word) =>
      word.split(/[^\p{L}\p{N}']+/u).map((part) => part.replaceAll("'", '').replace(/str$/, 'strasse')),
    )
    .map((group) => group.filter((part) => part !== ''))
    .filter((group) => group.length > 0)
  // A name that consists of signs only is compared unchanged.
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
  const dropped = (part: string) =>
    isFirm ? articles.has(part) || titles.has(part) : titles.has(part) || nameParticles.has(part)
  const kept = leaving(groups, dropped)
  const born = isFirm ? -1 : kept.findIndex(([part]) => part !== undefined && atBirth.has(part))
  const named = born > 0 ? kept.toSpliced(born, 1) : kept
  const isWeak = (part: string, at: number) =>
    (born > 0 && at >= born) || weakWords.has(part) || (isFirm && articles.has(part))
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

/** Each part of a name that may be the name of a person, if the name has several. Text in brackets is no name. */
function membersOf(name: string, type: 'person' | 'organization' | undefined): Member[] {
  const { text } = readable(name.replace(slash, ' / '))
  const parts = text
    .replace(/\([^()]*(\)|$)/g, ';')
    .replace(addition, ';')
    .split(/ - |[()&+;]| (?:und|u|u\.|sowie) /)
    .map((part) => part.trim())
  if (parts.length === 1 && text.split(',').length < 3) return []
  return parts
    .flatMap((part, at) =>
      [part, ...separated(part)]
        .filter((one) => one.includes(' '))
        .map((one) => ({ name: parseOne(one, type), isFirst: at === 0 && part.startsWith(one) })),
    )
    .slice(0, maxMembers)
}

/** The names between commas: `Karl Huber, Anna Meier`. None in `Huber, Karl`. */
function separated(part: string): string[] {
  const names = part.split(',').map((name) => name.trim())
  return names.length > 1 && names.every((name) => name.includes(' ')) ? names : []
}

/** A slash between words: `fold` makes it the hyphen of a double name. */
const slash = /(?<=\p{L}{2})[/⁄∕／](?=\p{L}{2})/gu

function readable(name: string): { text: string; legalForm: string[] } {
  return withoutPhrases(joinedAbbreviations(fold(name).replace(capacity, '')))
}

/**
 * The ways to read a name that may belong to a person or a firm. They are the apparent reading and, if it differs, the
 * reading as a firm. `M. Weber` may be a firm with `M` as a word of its name.
 */
export function readingsOf(name: string): [seeming: ParsedName] | [seeming: ParsedName, ofFirm: ParsedName] {
  const [seeming, ofFirm] = [parseName(name), parseName(name, 'organization')]
  return JSON.stringify(seeming.parts) === JSON.stringify(ofFirm.parts) ? [seeming] : [seeming, ofFirm]
}

/** The parts that both names must have. */
export function fullParts({ parts }: ParsedName): NamePart[] {
  return parts.filter(({ kind }) => kind === 'full')
}

/** The parts of the family name of a person, with the name at birth. */
export function lastParts({ parts, lastFrom }: ParsedName): NamePart[] {
  return parts.slice(lastFrom)
}

const atBirth = new Set([
  ...['geb', 'geborene', 'geborener', 'geborenen', 'verw', 'verh', 'gesch'],
  ...['vormals', 'vorm', 'frueher'],
])

/** `e. K.`, `g.m.b.H.`, `h.c.`, `LL.M.`: letters with dots that form one known word. Initials stay as they are. */
function joinedAbbreviations(text: string): string {
  return text.replace(
    /(?<![\p{L}\p{N}])(?:ll|\p{L})\. ?(?:\p{L}\. ?)*\p{L}(?![\p{L}\p{N}])\.?/gu,
    (dotted) => {
      const joined = dotted.replace(/[. ]/g, '')
      return legalForms.has(joined) || titles.has(joined) ? `${joined} ` : dotted
    },
  )
}

/** Without legal forms of several words, such as `Gesellschaft mit beschränkter Haftung`. */
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

/** `Müller, Hans` as `Hans Müller`. Firms and names with several commas keep their order. */
function inOrder(text: string, type: 'person' | 'organization' | undefined): string {
  const [family = '', given = '', ...more] = text.split(',').map((part) => part.trim())
  if (type === 'organization' || more.length > 0 || given === '') return text.replaceAll(',', ' ')
  const words = given.split(/[ .-]+/).filter((word) => word !== '')
  const isSuffix =
    atBirth.has(words[0] ?? '') || words.every((word) => titles.has(word) || legalForms.has(word))
  return isSuffix ? `${family} ${given}` : `${given} ${family}`
}

/** The groups without the dropped parts; if nothing would remain, all groups unchanged. */
function leaving(groups: string[][], dropped: (part: string) => boolean): string[][] {
  const rest = groups.map((group) => group.filter((part) => !dropped(part)))
  const isEmpty = rest.every((group) => group.length === 0)
  return (isEmpty ? groups : rest).filter((group) => group.length > 0)
}

/** Abbreviated given names of several letters, as in `Chr. Müller`. */
function shortenedIn(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(/(?<![\p{L}\p{N}])(\p{L}{2,4})\./gu), ([, word = '']) => word))
}

/** The code under which a part is compared, in the Kölner Phonetik. */
export function partCode(part: string): string {
  return /\p{N}/u.test(part) ? part : colognePhonetics(part) || part
}
