import { stemmer } from '@orama/stemmers/german'
import { random } from '#test/support/random.ts'

/** A query, and the ids of the records that a full scan of the texts finds. */
export type Asked = { text: string; expected: Set<string> }

/** The quality of a search: averages over the queries, and the worst query. */
export type Found = { recall: number; precision: number; worst: string }

/** Averages over all queries that find a record or should find one. */
export function compare(asked: Asked[], ask: (text: string) => string[]): Found {
  let [recall, precision, count, lowest, worst] = [0, 0, 0, 1, 'none']
  for (const { text, expected } of asked) {
    const ids = ask(text)
    const right = ids.filter((id) => expected.has(id)).length
    if (new Set(ids).size < ids.length) throw new Error(`${text} finds a record twice.`)
    if (ids.length + expected.size === 0) continue
    const ofThis = {
      recall: right / Math.max(1, expected.size),
      precision: ids.length === 0 ? 1 : right / ids.length,
    }
    if (expected.size === 0) ofThis.recall = 1
    const least = Math.min(ofThis.recall, ofThis.precision)
    if (least < lowest) [lowest, worst] = [least, `${text}: ${JSON.stringify(ofThis)}`]
    recall += ofThis.recall
    precision += ofThis.precision
    count += 1
  }
  return { recall: recall / count, precision: precision / count, worst }
}

/** Queries made from the texts, of each kind in T2, with the records that a full scan finds. */
export function questions(texts: Map<string, string[]>, queries: number): Asked[] {
  const chance = random(12)
  const read = new Map([...texts].map(([id, pages]) => [id, wordsOf(pages.join(' '))]))
  const ids = [...read.keys()]
  const known = new Map<string, Set<string>>()
  for (const [id, words] of read)
    for (const word of words) known.set(word, (known.get(word) ?? new Set()).add(id))
  const where = (test: (word: string) => boolean): Set<string> =>
    new Set([...known].flatMap(([word, having]) => (test(word) ? [...having] : [])))
  const stems = new Map([...known.keys()].map((word) => [word, stemmer(word)]))
  const allStems = new Set(stems.values())
  const isPart = (text: string) =>
    text.length > 2 && !notParts.includes(text) && (known.has(text) || allStems.has(text))
  const parts = new Map([...known.keys()].map((word) => [word, partsOf(word, isPart)]))
  const word = (written: string) => {
    const stem = stemmer(folded(written))
    return where((one) => stems.get(one) === stem || parts.get(one)?.has(stem) === true)
  }
  const beginning = (start: string) => where((one) => one.startsWith(folded(start)))
  const stemmed = new Map([...read].map(([id, words]) => [id, words.map((one) => stems.get(one))]))
  const phrase = (written: string) => {
    const terms = wordsOf(written).map(stemmer)
    return new Set(
      ids.filter((id) => {
        const words = stemmed.get(id) ?? []
        return words.some((_, at) => terms.every((term, next) => words[at + next] === term))
      }),
    )
  }
  const anyText = () => (texts.get(chance.of(ids)) ?? []).join(' ')
  const anyWord = (): string => {
    const word = chance.of(anyText().split(/[^\p{L}]+/u))
    return word.length < 4 ? anyWord() : word
  }
  const anyPhrase = () => {
    const words = anyText().split(/\s+/)
    const at = chance.below(words.length - 4)
    return words
      .slice(at, at + 2 + chance.below(3))
      .join(' ')
      .replace(/["§]/g, '')
  }
  const kinds: (() => Asked)[] = [
    () => asking(anyWord(), word),
    () => {
      const both = [anyWord(), anyWord()] as const
      return { text: both.join(' '), expected: common(word(both[0]), word(both[1])) }
    },
    () => {
      const written = anyPhrase()
      return { text: `"${written}"`, expected: phrase(written) }
    },
    () => {
      const one = anyWord()
      const start = one.slice(0, Math.min(one.length, 3 + chance.below(4)))
      return { text: `${start}*`, expected: beginning(start) }
    },
    () => {
      const both = [anyWord(), anyWord()] as const
      return { text: `${both[0]} -${both[1]}`, expected: without(word(both[0]), word(both[1])) }
    },
    () => {
      const [one, other, third] = [anyWord(), anyWord(), anyWord()] as const
      return {
        text: `${one} OR ${other} ${third}`,
        expected: common(new Set([...word(one), ...word(other)]), word(third)),
      }
    },
  ]
  const anyReference = (): Asked => {
    const found = [...anyText().matchAll(reference)].map(([one]) => one)
    if (found.length === 0) return anyReference()
    const one = chance.of(found)
    const characters = [...one.replace(/[\s.]/g, '')]
    // After any character there may be a space, or a full stop (of an abbreviation or between thousands).
    const pattern = characters.map((character) => character.replace('/', '\\/')).join('[\\s.]*')
    const isInText = new RegExp(`(?<![\\p{L}\\p{N}])(?<!\\d[.,])${pattern}(?!\\p{N})`, 'iu')
    const written =
      chance.below(2) === 0 ? one : one.replace(/(?<=\d)\.(?=\d)|(?<=[\dA-Z/]) (?=[\dA-Z/])/g, '')
    return {
      text: written,
      expected: new Set(ids.filter((id) => isInText.test((texts.get(id) ?? []).join(' ')))),
    }
  }
  kinds.push(anyReference)
  return Array.from({ length: queries }, (_, at) => kinds[at % kinds.length]?.() ?? asking(anyWord(), word))
}

/** A section of a law, an amount, a file number of a court, or an IBAN, as they are written in the texts. */
const reference =
  /§ \d+[a-z]? Abs\. \d+ BGB|(?<!\S)\d+\.\d{3},\d\d(?= EUR)|[IVX]+ ZR \d+\/\d\d|DE\d{2}(?: ?\d{4}){4} ?\d{2}/g

const common = (one: Set<string>, other: Set<string>) => new Set([...one].filter((id) => other.has(id)))
const without = (one: Set<string>, other: Set<string>) => new Set([...one].filter((id) => !other.has(id)))

function asking(text: string, find: (text: string) => Set<string>): Asked {
  return { text, expected: find(text) }
}

/** The words and numbers of a text, by simpler rules than the search. An amount is one number. */
function wordsOf(text: string): string[] {
  return (text.replace(/(\d)\.(\d{3}),/g, '$1$2,').match(/\p{L}+|\d+|§/gu) ?? []).map(folded)
}

function folded(word: string): string {
  return word
    .toLowerCase()
    .replaceAll('ä', 'a')
    .replaceAll('ö', 'o')
    .replaceAll('ü', 'u')
    .replaceAll('ß', 'ss')
    .replaceAll('ae', 'a')
    .replaceAll('oe', 'o')
    .replace(/(^|[^aeq])ue/g, '$1u')
}

/** The parts of a compound and their stems, in all divisions into known words and linking elements. */
function partsOf(word: string, isPart: (text: string) => boolean): Set<string> {
  const found = new Set<string>()
  const seen = new Map<string, boolean>()
  /** Whether the rest can be divided. Adds the parts of every division to `found`. */
  const divide = (rest: string): boolean => {
    if (rest === '') return true
    const present = seen.get(rest)
    if (present !== undefined) return present
    let isDivided = false
    for (let end = 3; end <= rest.length; end += 1) {
      const part = rest.slice(0, end)
      if (part === word || !isPart(part)) continue
      for (const link of ['', 's', 'es', 'n', 'en', 'ens', 'er', 'e'])
        if (rest.slice(end).startsWith(link) && divide(rest.slice(end + link.length))) {
          isDivided = true
          found.add(part).add(stemmer(part))
        }
    }
    seen.set(rest, isDivided)
    return isDivided
  }
  divide(word)
  // A form of the word itself is not a compound.
  found.delete(stemmer(word))
  return found
}

/** The function words of the generated texts. */
const notParts =
  'der die und den von das mit sich des auf fur ist dem ein als auch aus hat nach wird bei einer sind noch wie einem uber zum war nur oder aber vor zur bis durch man sein gegen vom'.split(
    ' ',
  )
