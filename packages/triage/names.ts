import { titles } from '#german-names/name-words.ts'
import { fold } from '#kernel/fold.ts'

/** The two names of `X ./. Y`, with the part of the line where they stand. */
type Versus = { left: string; right: string; quote: string }

/** Characters on each side of `./.` in which a name stands. */
const reach = 60

const word = /[\p{Lu}\d][\p{L}\p{N}.&'’-]*/u
const stop =
  /^(w|wegen|weg|hier|unser|Unser|Ihr|Ihre|Az\.?|AZ|Aktenzeichen|Zeichen|Klage|Räumung|Scheidung|Forderung|LG|AG|OLG|BGH|Termin)$/

/**
 * The parties of the case that a line names as `Wagner ./. Brandt Bau GmbH`, `Meier gegen Autohaus Krüger` or `In Sachen
 * Fuchs / Volkmann`. Of each name only the words that begin with a capital are read, without titles: `Winter` of `Dr.
 * Winter u. a.`
 */
export function findVersus(line: string): Versus | undefined {
  const match = / ?(?:\.\/\.?|\/\.|\bgegen\b|\bgg\.|(?<=[Ss]achen .{2,40}) \/ ) ?/u.exec(line)
  if (match === null) return undefined
  const before = line.slice(Math.max(0, match.index - reach), match.index)
  const after = line.slice(match.index + match[0].length, match.index + match[0].length + reach)
  const left = nameAtEnd(before)
  const right = nameAtStart(after)
  if (left === '' || right === '') return undefined
  return { left, right, quote: `${before}${match[0]}${after}`.trim() }
}

/** The name with which a text ends: `Wagner` in `Wagner, T.`, `Anton Fuchs` in `In dem Rechtsstreit Anton Fuchs`. */
function nameAtEnd(text: string): string {
  const [clause = ''] = text
    .split(
      /[:;(–—|]|(?<!\p{L})(?:(?:Rechts|Straf|Miet|Streit)?[Ss]achen?|Rechtsstreit|Verfahren|Antragsverfahren|Klageverfahren|Verwaltungsstreitsache|Familiensache|Angelegenheit|Berufung)(?!\p{L})/u,
    )
    .slice(-1)
  const [name = '', given = ''] = clause
    .replace(/\su\.? ?a\.?\s*$/, '')
    .trim()
    .split(/, ?/)
  // `Wagner, Thomas`: the family name alone finds both spellings.
  return nameIn(given === '' || /^\p{Lu}/u.test(given) ? name : given, 'end')
}

/** The name with which a text begins. */
function nameAtStart(text: string): string {
  const [clause = ''] = text.split(/[:;,()–—|]| - | w\/|\bwegen\b/u)
  return nameIn(clause.trim(), 'start')
}

const maxWords = 4

/** The words with capitals at the start or end of a text, up to a word that is no part of a name. */
function nameIn(text: string, side: 'start' | 'end'): string {
  const words = text.split(/\s+/).filter((it) => it !== '' && !titles.has(fold(it).replace(/\.$/, '')))
  const from = side === 'start' ? words : words.toReversed()
  const end = from.findIndex(
    (it) => stop.test(it) || !(word.exec(it)?.index === 0 || /^(und|&|der|von|de|e\.|V\.|K\.)$/.test(it)),
  )
  const run = (end === -1 ? from : from.slice(0, end)).slice(0, maxWords)
  return (side === 'start' ? run : run.toReversed()).join(' ').replace(/[.,]$/, '')
}

/** `Ihres Mandanten Jonas Weber`: a full name after the word for a client, an insured or an accused. */
const called =
  /\b(?:Mandant|Mandanten|Mandantin|Versicherungsnehmer|Versicherungsnehmers|Versicherungsnehmerin|Beschuldigten|Angeklagten|Betroffenen|Mieterin|Mieter|Partei|gegen|Herrn|Herr|Frau|Betreuung|Strafsache|Insolvenzverfahren)\s(?:(?:Herrn|Herr|Frau|Dr\.)\s){0,2}(\p{Lu}[\p{L}'’-]{1,30}(?:,? \p{Lu}[\p{L}'’-]{1,30}){1,2})/gu

/** The full names of people whom a line calls client, insured, accused or the like, each with its quote. */
export function findCalled(line: string): { name: string; quote: string }[] {
  return [...line.matchAll(called)].map(([quote, name = '']) => ({ name: inOrder(name), quote }))
}

/** `Weber, Jonas` as `Jonas Weber`. */
export function inOrder(name: string): string {
  const [family = '', given] = name.split(', ')
  return given === undefined ? name : `${given} ${family}`
}

/** The name of a sender in the form of a party's name: without text in brackets and without titles. */
export function senderName(name: string): string {
  return inOrder(
    name
      .replace(/\([^)]{0,80}\)/g, '')
      .replace(/(?<!\p{L})(?:Dr|Prof|RA|RAin|Herr|Frau)(?!\p{L})\.?/gu, '')
      .trim(),
  )
}

/** Whether the party's name has all words of the name, whichever way umlauts are written. */
export function hasName(partyName: string, name: string): boolean {
  const words = new Set(wordsOf(partyName))
  const wanted = wordsOf(name)
  return wanted.length > 0 && wanted.every((word) => words.has(word))
}

function wordsOf(name: string): string[] {
  return fold(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
