import { isLatin, stemOf } from './analyse.ts'
import { type WordList, wordsBeginningWith, wordsContaining } from './words.ts'

/**
 * The terms of the compounds that contain a term: `Mietvertrag` and `Vertragspartner` for `vertrag`.
 *
 * @param lists the word lists of each segment
 * @param isKnown must be true for all other parts of a compound, so that `Erbe` does not find `Werbevertrag`
 * @returns the terms in each segment
 */
export function compoundsOf(
  term: string,
  lists: WordList[][],
  isKnown: (word: string) => boolean,
): Set<string>[] {
  if (!isPart(term)) return lists.map(() => new Set())
  const forms = formsOf(term, lists.flat())
  const isSeries = seriesOf(isKnown)
  const isCompound = (word: string): boolean => {
    for (let at = word.indexOf(term); at !== -1; at = word.indexOf(term, at + 1)) {
      const before = word.slice(0, at)
      for (const form of forms) {
        if (!word.startsWith(form, at)) continue
        const after = word.slice(at + form.length)
        if (before === '' && after === '') continue
        if ((before === '' || isSeries(before)) && (links.includes(after) || isLinkedSeries(after, isSeries)))
          return true
      }
    }
    return false
  }
  const decided = new Map<string, boolean>()
  return lists.map((ofSegment) => {
    const found = new Set<string>()
    for (const word of ofSegment.flatMap((list) => wordsContaining(list, term))) {
      if (word.length < term.length + shortestPart) continue
      const result = decided.get(word) ?? isCompound(word)
      decided.set(word, result)
      if (result) found.add(stemOf(word))
    }
    found.delete(term)
    return found
  })
}

/** A shorter word is never a part of a compound. */
const shortestPart = 3
const longestEnding = 5

/** A stem, and the words in the lists that have this stem. */
function formsOf(term: string, lists: WordList[]): Set<string> {
  const words = lists.flatMap((list) => wordsBeginningWith(list, term, term.length + longestEnding))
  return new Set([term, ...words.filter((word) => stemOf(word) === term)])
}

function isPart(word: string): boolean {
  return word.length >= shortestPart && isLatin(word) && !notParts.has(word)
}

/** Linking elements: letters that may stand between two parts, or after the last one. */
const links = ['', 's', 'es', 'n', 'en', 'ens', 'er', 'e']

/** Whether a text consists of a linking element and known words. */
function isLinkedSeries(text: string, isSeries: (text: string) => boolean): boolean {
  return links.some(
    (link) => text.length > link.length && text.startsWith(link) && isSeries(text.slice(link.length)),
  )
}

/** Returns a function that tests whether a text consists of known words, each with or without a linking element. */
function seriesOf(isKnown: (word: string) => boolean): (text: string) => boolean {
  const results = new Map<string, boolean>([['', true]])
  const isSeries = (text: string): boolean => {
    const present = results.get(text)
    if (present !== undefined) return present
    let result = false
    for (let end = text.length; end >= shortestPart && !result; end -= 1) {
      const part = text.slice(0, end)
      if (notParts.has(part) || !isKnown(part)) continue
      const rest = text.slice(end)
      result = links.some((link) => rest.startsWith(link) && isSeries(rest.slice(link.length)))
    }
    results.set(text, result)
    return result
  }
  return isSeries
}

/** Function words, prefixes and suffixes. They occur in texts as words, but are not parts of compounds. */
const notParts = new Set(
  [
    'aber als also am an auf aus bei beim bin bis bist da dank dar das dass daß dem den der des dich die dir du durch ein',
    'eine einem einen einer eines er es euch fur gar gegen hab hat her hier hin ich ihm ihn ihr im in ins ist ja kann man',
    'mein mich mir mit nach nein nicht noch nun nur ob oder ohne sein seit sich sie sind so uber um und uns unter vom von',
    'vor war was wem wen wer wie wir wird wo zu zum zur zwar abs art bzw vgl etc usw ggf inkl lit nrn str sog bes ver ent',
    'erz miss abe ung ungen keit heit lich isch igkeit ion tion ier sch ste ten ter tes gen ger ges',
  ].flatMap((line) => line.split(' ')),
)
