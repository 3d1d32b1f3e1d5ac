import { fold } from '#kernel/fold.ts'
import { once } from '#kernel/once.ts'

/** The sides of a case. Conflict checks and the triage of mail depend on them (C10, C11). */
export const sides = ['client', 'opponent', 'other'] as const

export type Side = (typeof sides)[number]

/**
 * The side of a party according to the words of its role; null if they do not say it.
 *
 * The words alone must say the side. Procedural roles do not: the Kläger is our client in one case and the opponent in
 * another. In a conflict check null counts as possible (§ 43a Abs. 4 BRAO). So a role is `opponent` or `other` only if
 * its words allow no other reading, and `client` whenever that is a likely meaning.
 *
 * @param role as people write it, in German or English: `Mandantin`, `Mandant:in (Kläger)`, `Anwalt der Gegenseite`
 */
export function sideOfRole(role: string): Side | null {
  const known = judged.get(role)
  if (known !== undefined) return known
  const side = judge(role)
  // A firm uses few different roles, and a conflict check reads each of them thousands of times.
  if (judged.size >= 1_000) judged.clear()
  judged.set(role, side)
  return side
}

const judged = new Map<string, Side | null>()

function judge(role: string): Side | null {
  const found = new Set(partsOf(role).map(sideOfPart))
  if (found.has('client')) return found.has('opponent') || found.has('denied') ? null : 'client'
  if (found.has('opponent')) return found.has('other') || found.has('denied') ? null : 'opponent'
  return found.size === 1 && found.has('other') ? 'other' : null
}

/** Words that say a side, as people write them. `form`: the forms in which they count, as a pattern. */
type Words = { words: readonly string[]; form: (words: string) => string }

const alone = (words: string) => words

/**
 * The last noun of a compound decides (`Altmandant`), unless its first part assigns it to somebody else. A procedural
 * role alone does not decide: an Antragsgegner may well be our client.
 */
const vocabulary: Record<Side, readonly Words[]> = {
  client: [
    {
      words: ['Mandant', 'Auftraggeber', 'Klient', 'Vollmachtgeber', 'Mandatgeber', 'Mandatsgeber'],
      form: (words) =>
        `(?!gegen|gegner|fremd|nicht|kein|non)[a-z]*${words}(?:e|n|s|en|in|innen|schaft|schaften)?`,
    },
    { words: ['Mandantschaft', 'Mandt.'], form: alone },
    { words: ['Mdt.'], form: (words) => `${words}(?:in|en|n)?` },
    { words: ['client'], form: (words) => `${words}s?` },
  ],
  opponent: [
    {
      words: ['Gegner', 'Hauptgegner', 'Prozessgegner', 'Verfahrensgegner', 'Unfallgegner', 'Streitgegner'],
      form: (words) => `${words}(?:n|s|in|innen|schaft)?`,
    },
    { words: ['Gegenseite', 'Gegenpart', 'Gegn.', 'Ggn.'], form: alone },
    { words: ['Gegenpartei'], form: (words) => `${words}(?:en)?` },
    { words: ['gegnerische Partei'], form: (words) => `${words}[rsnm]?` },
    { words: ['opponent'], form: (words) => `${words}s?` },
    { words: ['opposing party', 'adverse party', 'adversary'], form: alone },
  ],
  other: [
    { words: ['Zeuge'], form: (words) => `(?!fahr|werk)[a-z]*(?:${words}n?|zeugin(?:nen)?)` },
    {
      words: [
        'Sachverständige',
        'Gutachter',
        'Gericht',
        'Richter',
        'Rechtspfleger',
        'Gerichtsvollzieher',
        'Notar',
        'Anwalt',
        'Verteidiger',
        'Prozessbevollmächtigte',
        'Verfahrensbevollmächtigte',
        'Hauptbevollmächtigte',
        'Unterbevollmächtigte',
        'Zustellungsbevollmächtigte',
        'Klägervertreter',
        'Beklagtenvertreter',
        'Gegnervertreter',
        'Mandantenvertreter',
        'Parteivertreter',
        'Prozessvertreter',
        'Terminsvertreter',
        'Staatsanwaltschaft',
        'Polizei',
        'Dolmetscher',
        'Übersetzer',
        'Mediator',
        'Schlichter',
        'Steuerberater',
        'Rechtsschutzversicherer',
        'Rechtsschutzversicherung',
      ],
      form: (words) => `[a-z]*(?:${words}|anwaelte?)(?:n|r|s|es|e|in|en|innen)?`,
    },
    { words: ['expert'], form: (words) => `${words}s?` },
    {
      words: [
        'RA',
        'RAin',
        'witness',
        'court',
        'judge',
        'counsel',
        'attorney',
        'lawyer',
        'notary',
        'interpreter',
      ],
      form: alone,
    },
  ],
}

/** Nouns that say `client` after a word such as `eigene` (`ours`). */
const ownParties = ['eigene Partei', 'eigene Seite', 'our party', 'our side']

/** The words that say each side, as people write them. */
export const wordsOfSides: Record<Side, readonly string[]> = {
  client: [...vocabulary.client.flatMap(({ words }) => words), ...ownParties],
  opponent: vocabulary.opponent.flatMap(({ words }) => words),
  other: vocabulary.other.flatMap(({ words }) => words),
}

/** The words for users of the API. */
export const roleWords = `${sides.map((side) => `\`${side}\`: ${wordsOfSides[side].join(', ')}`).join('; ')}.`

/** The meaning of a part of a role. `denied`: it says who is not meant, or names the client of somebody else. */
type Said = Side | 'denied' | null

/** A role may have several parts: `Mandantin (Klägerin)`, `Kläger/Gegner`. Words joined by a hyphen are one word. */
function partsOf(role: string): string[][] {
  const plain = role.slice(0, maxRoleLength).replace(genderMark, '$<stem>').replaceAll('/', ';')
  return fold(plain)
    .replace(/(?<=[a-z])-(?=[a-z])/g, '')
    .split(/[^a-z0-9 .'?]|\b(?:und|u|and|sowie|bzw|oder|or)\b/)
    .map((part) => part.match(/[a-z]+(?:'s)?|\?/g) ?? [])
    .filter((words) => words.length > 0)
}

const maxRoleLength = 100

/** The endings of `Mandant:in`, `Mandant*innen`, `Mandant/-in`, `Mandant(in)`, `Beklagte/r`. */
const genderMark = /(?<stem>\p{L})[:*_·(/-]-?(?:innen|in|en|er|e|n|r)(?![\p{L}])\)?/giu

function sideOfPart(words: string[]): Said {
  const isDenied = words.some((word) => denials.test(word))
  const begin = words.findIndex((word) => !articles.test(word))
  const phrase = begin < 0 ? [] : words.slice(begin)
  const isOurs = words.slice(0, Math.max(begin, 0)).some((word) => ours.test(word))
  const end = phrase.findIndex((word) => attributes.test(word))
  const head = end < 0 ? phrase : phrase.slice(0, end)
  const attribute = end < 0 ? [] : phrase.slice(end)
  const says = (of: string[], side: Side) => of.some((word) => nouns()[side].test(word))

  if (isOurs && head.some((word) => ownNouns().has(word))) return isDenied ? 'denied' : 'client'
  if (says(head, 'client')) {
    const isAnothers = says(attribute, 'opponent') || says(attribute, 'other') || says(head, 'opponent')
    return isDenied || isAnothers ? 'denied' : 'client'
  }
  // A denied or doubted word, or one that another word may change, says nothing certain.
  if (isDenied || words.some((word) => doubts.test(word))) return null
  if (says(head, 'other')) return isLast(head, nouns().other) ? 'other' : null
  if (says(head, 'opponent'))
    return isLast(head, nouns().opponent) || /^gegnerisch|^opposing|^adverse/.test(head[0] ?? '')
      ? 'opponent'
      : null
  return null
}

/** Whether the phrase ends with this noun, and has only adjectives and articles before it. */
function isLast(head: readonly string[], noun: RegExp): boolean {
  return (
    noun.test(head.at(-1) ?? '') && head.slice(0, -1).every((word) => noun.test(word) || adjective.test(word))
  )
}

const articles =
  /^(?:der|die|das|den|dem|the|our|own|unser|unsere|unserer|unseren|unserem|eigene|eigener|eigenes|mein|meine|ein|eine|einer|weitere|weiterer)$/
const ours = /^(?:our|own|unser|eigen)/

/** Words that begin the attribute of a noun: the following words mean another person. */
const attributes =
  /^(?:des|der|dem|den|die|das|d|vom|von|fuer|bei|beim|gegen|of|for|against|im|in|am|an|zu|zum|zur|unseres|unserer|eines|einer|seines|seiner|ihres|ihrer|[a-z]+'s)$/

const denials = /^(?:nicht|kein|ohne$|nie$|not$|no$|non$)/
const doubts =
  /^(?:\?|vielleicht|evtl|eventuell|moeglich|potenziell|potentiell|angeblich|vermutlich|wohl|ggf|possibl|potential|maybe|ehemalig|frueher|former|ex$)/

const adjective = /(?:e|er|es|en|em|al|ive|ing|ed)$/

/** The nouns that say each side, as patterns of a folded word. */
const nouns = once(() => {
  const patternOf = (side: Side) => {
    const forms = vocabulary[side].map(({ words, form }) => form(`(?:${words.map(firstWord).join('|')})`))
    return new RegExp(`^(?:${forms.join('|')})$`)
  }
  return { client: patternOf('client'), opponent: patternOf('opponent'), other: patternOf('other') }
})

const ownNouns = once(() => new Set(ownParties.map((words) => fold(words).split(' ')[1])))

/** `gegnerische` of `gegnerische Partei`, `mdt` of `Mdt.`. */
function firstWord(words: string): string {
  return fold(words).replace(/[^a-z].*/, '')
}
