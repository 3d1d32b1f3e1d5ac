import {
  fullParts,
  lastParts,
  type Member,
  maxPartsToJoin,
  type NamePart,
  type ParsedName,
  type readingsOf,
} from './name-parts.ts'

export const matchLevels = ['exact', 'likely', 'possible'] as const

/** How probable it is that two names belong to one person or firm. */
export type MatchLevel = (typeof matchLevels)[number]

export type NameMatch = { match: MatchLevel; reason: string }

/**
 * Whether two names may belong to one person or firm (C10), and why, in German; undefined if they do not match.
 *
 * - `exact`: the names have the same parts and the same legal form. Titles, particles, hyphens, `Müller, Hans` for
 *   `Hans Müller`, and an addition such as `als Insolvenzverwalter …` make no difference.
 * - `likely`: the spelling differs but not the sound; the order differs; a further given name is missing or
 *   abbreviated; a part of a double name is missing; an addition or the legal form is missing or differs.
 * - `possible`: the given name is missing or abbreviated; a word of the firm is missing; the names sound similar; a
 *   firm has the name of the person; only the first given name and a part of the family name are the same.
 *
 * Some names contain the names of several people, or a name with an addition (`members`). Then the names are also
 * compared member by member. One `exact` or `likely` match of two members makes the result `likely`. If neither of the
 * two is the first member of its name, the result is only `possible`, because both may be additions. It is also only
 * `possible` if the whole names have different numbers, such as dates of birth.
 */
export function compareNames(one: ParsedName, other: ParsedName): NameMatch | undefined {
  const whole = compareWithoutMembers(one, other)
  if (whole !== undefined && whole.match !== 'possible') return whole
  if (one.members.length + other.members.length === 0) return whole
  const haveOtherNumbers = numbersDiffer(one, other)
  let possible = whole
  for (const left of namesIn(one))
    for (const right of namesIn(other)) {
      const found = compareWithoutMembers(left.name, right.name)
      if (found === undefined || found.match === 'possible') continue
      const reason = `${found.reason}, bis auf weitere Namen oder einen Zusatz`
      if ((left.isFirst || right.isFirst) && !haveOtherNumbers) return { match: 'likely', reason }
      possible ??= { match: 'possible', reason }
    }
  return possible
}

/** The members of a name; the name itself if it has none. */
function namesIn(name: ParsedName): readonly Member[] {
  return name.members.length === 0 ? [{ name, isFirst: true }] : name.members
}

function compareWithoutMembers(one: ParsedName, other: ParsedName): NameMatch | undefined {
  if (numbersDiffer(one, other)) return undefined
  // Only persons have initials, so a name with initials is not the name of a firm.
  if (one.isFirm !== other.isFirm && (hasInitials(one) || hasInitials(other))) return undefined
  if (one.whole === other.whole && one.whole !== '') return matchOfSameText(one, other)
  const [left, right] = joinedAsInOther(one.parts, other.parts)
  const found = pairsOf(left, right)
  if (found.pairs.length === 0) return undefined
  const grades = found.pairs.map(({ grade }) => grade)
  const missing = [found.leftOver, found.rightOver].map((parts) =>
    parts.filter(({ kind }) => kind === 'full'),
  )
  const [ofLeft = [], ofRight = []] = missing
  if (ofLeft.length === 0 && ofRight.length === 0) return matchOfAllParts(one, other, grades)
  if (ofLeft.length > 0 && ofRight.length > 0) return matchOfOverlap(one, other, found.pairs)
  const [short, long] = ofLeft.length === 0 ? [one, other] : [other, one]
  return matchOfShorter(short, long, found.pairs, ofLeft.length === 0 ? 'right' : 'left')
}

/**
 * Like `compareNames`, for a name that may belong to a person or a firm (`readingsOf`). Its reading as a firm is
 * compared only with firms. The result of this comparison counts only if it is `exact` or `likely`, and better than the
 * result of the apparent reading.
 */
export function compareReadings(
  [apparent, ofFirm]: ReturnType<typeof readingsOf>,
  other: ParsedName,
): NameMatch | undefined {
  const match = compareNames(apparent, other)
  if (ofFirm === undefined || !other.isFirm) return match
  const asFirm = compareNames(ofFirm, other)
  const level = ({ match = 'possible' }: Partial<NameMatch> = {}) => matchLevels.indexOf(match)
  return level(asFirm) < level(match) ? asFirm : match
}

/**
 * The similarity of two parts: equal, another spelling of the same sound, a similar sound, or an initial and a name.
 */
type Grade = 'same' | 'alike' | 'sounds' | 'initial'

type Pair = { left: NamePart; right: NamePart; grade: Grade }

function matchOfSameText(one: ParsedName, other: ParsedName): NameMatch | undefined {
  if (one.isFirm || other.isFirm) {
    if (one.legalForm !== other.legalForm)
      return one.legalForm === null || other.legalForm === null
        ? { match: 'likely', reason: 'gleicher Name, die Rechtsform fehlt' }
        : { match: 'likely', reason: 'gleicher Name, andere Rechtsform' }
  }
  const [left = [], right = []] = [one, other].map(({ parts }) => parts.filter(({ kind }) => kind !== 'full'))
  if (initialsDiffer(left, right)) return undefined
  const [short] = [left, right].filter((parts) => parts.every(({ kind }) => kind !== 'initial'))
  const isSame = left.map(({ text }) => text).join() === right.map(({ text }) => text).join()
  if (!isSame && short !== undefined && fullParts(one).length === 1)
    return { match: 'possible', reason: 'der Vorname fehlt' }
  return isSame
    ? { match: 'exact', reason: 'gleicher Name' }
    : { match: 'likely', reason: 'gleicher Name bis auf einen Zusatz' }
}

function matchOfAllParts(one: ParsedName, other: ParsedName, grades: Grade[]): NameMatch {
  const initials = grades.filter((grade) => grade === 'initial').length
  if (initials > 0) {
    return grades.length - initials > 1 && !grades.includes('sounds')
      ? { match: 'likely', reason: 'ein weiterer Vorname ist abgekürzt' }
      : { match: 'possible', reason: 'der Vorname ist abgekürzt' }
  }
  if (grades.includes('sounds')) return { match: 'possible', reason: soundsAlike }
  if (grades.includes('alike')) return { match: 'likely', reason: 'andere Schreibweise, klingt gleich' }
  const isFirm = one.isFirm || other.isFirm
  if (isFirm && one.legalForm !== other.legalForm)
    return { match: 'likely', reason: 'gleicher Name, andere oder keine Rechtsform' }
  return { match: 'likely', reason: 'gleiche Namen in anderer Reihenfolge' }
}

/** The match of two names, of which the longer has all parts of the shorter. */
function matchOfShorter(
  short: ParsedName,
  long: ParsedName,
  pairs: Pair[],
  longSide: 'left' | 'right',
): NameMatch | undefined {
  const inLong = pairs.map((pair) => pair[longSide])
  const last = lastParts(long)
  const hasLast = last.some((part) => inLong.includes(part))
  if (long.isFirm || short.isFirm) return matchOfShorterFirm(short, long, pairs)
  if (!hasLast) return undefined
  const grades = pairs.map(({ grade }) => grade)
  if (initialsDiffer(short.parts, fullParts(long)) && pairs.length === 1) return undefined
  if (fullParts(short).length === 1 && !grades.includes('initial'))
    return {
      match: 'possible',
      reason: grades.includes('sounds') ? `der Vorname fehlt, ${soundsAlike}` : 'der Vorname fehlt',
    }
  if (grades.includes('initial')) return { match: 'possible', reason: 'der Vorname ist abgekürzt' }
  if (grades.includes('sounds'))
    return { match: 'possible', reason: `ein Teil des Namens fehlt, ${soundsAlike}` }
  return last.every((part) => part.kind === 'weak' || inLong.includes(part))
    ? { match: 'likely', reason: 'ein weiterer Vorname fehlt' }
    : { match: 'likely', reason: 'ein Teil des Familiennamens fehlt' }
}

function matchOfShorterFirm(short: ParsedName, long: ParsedName, pairs: Pair[]): NameMatch | undefined {
  if (short.isFirm && long.isFirm) return { match: 'possible', reason: 'ein Wort der Firma fehlt' }
  // A person and a firm that bears the person's name: the firm must have at least the family name.
  const person = short.isFirm ? long : short
  const named = lastParts(person).some((part) =>
    pairs.some(({ left, right }) => left === part || right === part),
  )
  if (!named) return undefined
  return { match: 'possible', reason: 'die Firma trägt den Namen' }
}

/**
 * The match of two names that each have a part that the other does not have. They match only if they share the first
 * given name and a part of the family name.
 */
function matchOfOverlap(one: ParsedName, other: ParsedName, pairs: Pair[]): NameMatch | undefined {
  if (one.isFirm || other.isFirm || pairs.some(({ grade }) => grade === 'initial' || grade === 'sounds'))
    return undefined
  const shared = (parts: NamePart[]) =>
    parts.some((part) => pairs.some(({ left, right }) => left === part || right === part))
  const givenOf = (name: ParsedName) => name.parts.slice(0, name.lastFrom)
  const bothLast = shared(lastParts(one)) && shared(lastParts(other))
  const bothGiven = shared(givenOf(one).slice(0, 1)) && shared(givenOf(other).slice(0, 1))
  if (!bothLast || !bothGiven || pairs.length < 2) return undefined
  return { match: 'possible', reason: 'ein Vorname und ein Familienname sind gleich' }
}

const soundsAlike = 'klingt ähnlich'

function hasInitials({ parts }: ParsedName): boolean {
  return parts.some(({ kind }) => kind === 'initial')
}

/** Whether a name has an initial, and no part of the other name begins with this letter. */
function initialsDiffer(one: NamePart[], other: NamePart[]): boolean {
  const lacks = (parts: NamePart[], others: NamePart[]) =>
    others.length > 0 &&
    parts.some(({ kind, text }) => kind === 'initial' && !others.some((part) => part.text.startsWith(text)))
  return lacks(one, other) || lacks(other, one)
}

/** Numbers distinguish firms and funds: `Objekt 12` is not `Objekt 13`. */
function numbersDiffer(one: ParsedName, other: ParsedName): boolean {
  const [left, right] = [one, other].map(({ parts }) =>
    parts
      .flatMap(({ text }) => (/\p{N}/u.test(text) ? [text.replace(/^0+(?=.)/, '')] : []))
      .toSorted()
      .join(),
  )
  return left !== '' && right !== '' && left !== right
}

/** Pairs each part of one name with at most one part of the other, the most similar parts first. */
function pairsOf(
  left: NamePart[],
  right: NamePart[],
): { pairs: Pair[]; leftOver: NamePart[]; rightOver: NamePart[] } {
  const leftOver = [...left]
  const rightOver = [...right]
  const pairs: Pair[] = []
  const grades = new Map(left.map((one) => [one, new Map(right.map((part) => [part, gradeOf(one, part)]))]))
  for (const wanted of ['same', 'alike', 'sounds', 'initial'] as const) {
    for (const one of [...leftOver]) {
      const other = rightOver.find((part) => grades.get(one)?.get(part) === wanted)
      if (other === undefined) continue
      pairs.push({ left: one, right: other, grade: wanted })
      leftOver.splice(leftOver.indexOf(one), 1)
      rightOver.splice(rightOver.indexOf(other), 1)
    }
  }
  return { pairs, leftOver, rightOver }
}

function gradeOf(one: NamePart, other: NamePart): Grade | undefined {
  if (one.text === other.text) return 'same'
  if (one.kind === 'initial' || other.kind === 'initial') {
    const abbreviates = (letter: NamePart, name: NamePart) =>
      letter.kind === 'initial' && name.kind !== 'initial' && name.text.startsWith(letter.text)
    return abbreviates(one, other) || abbreviates(other, one) ? 'initial' : undefined
  }
  if (one.code !== other.code || Math.min(one.text.length, other.text.length) < 3) return undefined
  const [left, right] = [soundOf(one), soundOf(other)]
  if (left === right) return 'alike'
  return 1 - editDistance(left, right) / Math.max(left.length, right.length) > 0.5 ? 'sounds' : undefined
}

/** Replaces the usual spellings of a sound by one spelling: `Meyer` equals `Maier`, `Stephan` equals `Stefan`. */
function soundOf(part: NamePart): string {
  const known = sounds.get(part) ?? soundOfText(part.text)
  sounds.set(part, known)
  return known
}

const sounds = new WeakMap<NamePart, string>()

function soundOfText(text: string): string {
  return text
    .replace(/ph/g, 'f')
    .replace(/th/g, 't')
    .replace(/ck|qu|c(?=[aouklr]|$)/g, 'k')
    .replace(/dt|d$/g, 't')
    .replace(/tz|ts/g, 'z')
    .replace(/ss/g, 's')
    .replace(/(?<=[ae])[iyj]/g, 'i')
    .replace(/ei/g, 'ai')
    .replace(/ue/g, 'u')
    .replace(/oe/g, 'o')
    .replace(/ae/g, 'e')
    .replace(/ie/g, 'i')
    .replace(/y/g, 'i')
    .replace(/(?<=[aeiou])h/g, '')
    .replace(/v/g, 'f')
    .replace(/(.)\1+/g, '$1')
}

/** Joins two neighbouring parts of a name if the other name has them as one part: `Karl-Heinz` and `Karlheinz`. */
function joinedAsInOther(one: NamePart[], other: NamePart[]): [NamePart[], NamePart[]] {
  return [joinedAsIn(one, other), joinedAsIn(other, one)]
}

function joinedAsIn(parts: NamePart[], other: NamePart[]): NamePart[] {
  if (parts.filter(({ kind }) => kind !== 'initial').length > maxPartsToJoin) return parts
  const texts = new Map(other.map((part) => [part.text, part]))
  const joined: NamePart[] = []
  for (let at = 0; at < parts.length; at += 1) {
    const [first, second] = [parts[at], parts[at + 1]]
    const whole = first && second && texts.get(first.text + second.text)
    if (whole !== undefined) {
      joined.push(whole)
      at += 1
    } else if (first !== undefined) joined.push(first)
  }
  return joined
}

/** The number of letters to add, remove or replace to turn one text into the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1]
    for (let to = 0; to < other.length; to += 1) {
      const replaced = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1)
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
