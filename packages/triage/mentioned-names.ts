import { functionWords, legalForms, nameParticles, titles } from '#german-names/name-words.ts'
import { fold } from '#kernel/fold.ts'
import type { NameSignal } from './ports.ts'

/** A word of a text: `text` as it is written, `folded` in the form in which names are compared. */
type Word = { text: string; folded: string; start: number; end: number }

/** Characters of the texts in which names of known cases are looked for. */
const longest = 20_000

/** The words of a text that begin with a capital: only these can be names. */
export function capitalWords(text: string): Word[] {
  return [...text.slice(0, longest).matchAll(/\p{Lu}[\p{L}\p{N}'’-]{1,40}/gu)].map((match) => ({
    text: match[0],
    folded: fold(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/** The words of a name that identify its owner, folded and in their order: without titles, legal forms and particles. */
export function identifyingWords(name: string): string[] {
  return fold(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(
      (word) =>
        word.length > 2 && ![titles, legalForms, nameParticles, functionWords].some((set) => set.has(word)),
    )
}

/** `Krügers`, `Krauses`, `Stadtwerken` are inflected forms of a name. */
export function isForm(word: string, name: string): boolean {
  return word === name || (word.startsWith(name) && /^(?:'?s|es|n|en|ens)$/.test(word.slice(name.length)))
}

/** The maximum number of other words between the words of a name: `Krüger, geb. Meier, Alfons`. */
const between = 2

/**
 * The mention of a name in a text, in any order of its words, inflected, and with umlauts written either way. `full`:
 * all words that identify it stand close together. `part`: only its most important word is there (the family name, or
 * the first word of a firm). Undefined if the text does not have the name, or if that word has fewer than four letters.
 */
export function mentionOf(name: string, words: Word[]): { how: 'full' | 'part'; text: string } | undefined {
  const identifying = identifyingWords(name)
  const isFirm = fold(name)
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => legalForms.has(word))
  const main = isFirm || name.includes(',') ? identifying[0] : identifying.at(-1)
  if (main === undefined || main.length < 4) return undefined
  const at = words.findIndex(({ folded }) => isForm(folded, main))
  const found = words[at]
  if (found === undefined) return undefined
  for (let place = at; place < words.length && identifying.length > 1; place += 1) {
    if (!isForm(words[place]?.folded ?? '', main)) continue
    const reach = identifying.length - 1 + between
    const near = words.slice(Math.max(0, place - reach), place + reach + 1)
    if (identifying.every((word) => near.some(({ folded }) => isForm(folded, word))))
      return { how: 'full', text: words[place]?.text ?? '' }
  }
  return { how: 'part', text: found.text }
}

/** Words that introduce the name of a person, a couple or a firm. */
const introducing =
  /(?:nachlass(?:sache)?|erblassers?|erblasserin|verstorbenen?|eheleuten?|ehepaars?|familie|herrn?|frau|firma|mandant(?:in|en)?|betreuten?|kläger(?:in|s)?|beklagten?|in sachen|betreff:?|wegen|gegen|für)\s{0,3}(?:nach|des|der|von)?\s{0,3}$/iu

const couples = /(?:eheleuten?|ehepaars?|familie|geschwistern?)\s$/iu

/** Words with a capital that are no names: nouns by their endings, usual first words of letters, months, days. */
const noName =
  /(?:ung|ungen|heit|keit|schaft|tion|gericht|gerichts|amt|straße|strasse|platz|weg|allee|datum|zeichen|nummer|schreiben|vertrag|verfahren|termin|klage|damen|herren|kollege|kollegin|grüßen?|tag|uhr|euro|kanzlei|anlage|rechnung|recht|rechts)$|^(?:sehr|liebe|lieber|hallo|guten|mit|viele|ihr|ihre|ihren|ihrem|ich|wir|sie|die|der|das|den|dem|ein|eine|im|in|am|an|zu|bitte|unser|unsere|mein|meine|herr|herrn|frau|dr|prof|az|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|rechtsanwalt|rechtsanwälte|rechtsanwältin|nachlass|eheleute|familie|erblasser|firma|sachen|sache|betreff|urteil|beschluss|land|stadt|köln|berlin|münchen|hamburg)$/iu

type BareName = Pick<NameSignal, 'name' | 'quote'> & { isFamily: boolean; isIntroduced: boolean }

/**
 * Names of people anywhere in a line, in their order. A name is the last two of several adjacent words with capitals
 * (`Alfons Krüger`, `Krüger, Alfons`); if it ends with s, it is also listed without it. The family name of a couple
 * (`Eheleute Weber`) is a name, too.
 */
export function findNames(line: string): BareName[] {
  const found: BareName[] = []
  const runs = line.matchAll(
    /\p{Lu}[\p{L}'’-]{1,30}(?:(?:, |,| und | u\. | )(?:(?:von|van|de|zu|der|den) ){0,2}\p{Lu}[\p{L}'’-]{1,30}){0,4}/gu,
  )
  for (const run of runs) {
    const before = line.slice(Math.max(0, run.index - 40), run.index)
    const words = [...run[0].matchAll(/\p{Lu}[\p{L}'’-]{1,30}/gu)]
    const last = words.findLastIndex(({ 0: word }) => !noName.test(word))
    const family = words[last]?.[0]
    if (family === undefined) continue
    const first = words.slice(0, last).findLastIndex(({ 0: word }) => noName.test(word))
    const own = words.slice(first + 1, last + 1).map(([word]) => word)
    const lead = `${before}${run[0].slice(0, words[first + 1]?.index ?? 0)}`
    const quote = line.slice(Math.max(0, run.index - 40), run.index + run[0].length + 20).trim()
    if (couples.test(lead)) found.push({ name: family, quote, isFamily: true, isIntroduced: true })
    if (own.length < 2) continue
    const name = own.slice(-2).join(' ')
    const isIntroduced = introducing.test(lead)
    for (const form of [name, name.replace(/(\p{L}{3})s$/u, '$1')])
      if (!found.some((it) => it.name === form))
        found.push({ name: form, quote, isFamily: false, isIntroduced })
  }
  return found
}
