import { namesInstitution } from './institutions.ts'

/** The label that a text gives to a number. */
export type NumberLabel =
  /** The file of the recipient (`Ihr Zeichen`, `Az. bei Ihnen`). */
  | 'ours'
  /** A file without an owner (`zur Akte`). */
  | 'file'
  /** The number of a file without an owner (`Az.`, `Aktenzeichen`), or a matter (`in der Sache`). */
  | 'reference'
  /** The sender's own file (`unser Zeichen`, `Ihr Zeichen bei uns`). */
  | 'theirs'
  /** The file of somebody else (`Az. der Polizei`), or of an owner that is not clear. */
  | 'another'
  /** Any other noun, which says nothing about the number (`Halle`). */
  | 'other'
  /** Something that is certainly not a file (`Rechnung Nr.`). */
  | 'not_a_file'
  /** No word names it. */
  | 'none'
  /** No word names it or refers to it. */
  | 'alone'

/** The line above a number's line; see `labelOf`. */
export type Above = { above: string; isNext: boolean; isStacked: boolean }

/** Characters before and after a number that are read. */
const reach = { before: 160, after: 80 }

/** Whether a line is prose that continues in the next one. */
export function isWrapped(line: string): boolean {
  return !isCaseName(line) && (line.length >= 45 || line.split(' ').length >= 5)
}

/**
 * The label that the text around the number from `start` to before `end` gives to it. `above` is the line before;
 * `isNext` says that no blank line is between them, and `isStacked` that one more line stands directly above.
 *
 * The label is the noun phrase directly before the number, with its owner. The owner may stand before the noun (`Ihr
 * Zeichen`), after it (`Az. der Polizei`), or after the number. Only a closed list of words names a file, and only
 * closed lists of words may stand around them. An unknown noun is no file, and a file of an unknown owner is not ours.
 */
export function labelOf(
  line: string,
  { start, end }: { start: number; end: number },
  { above, isNext, isStacked }: Above,
): NumberLabel {
  const after = line.slice(end, end + reach.after)
  const here = afterOtherNumbers(line.slice(Math.max(0, start - reach.before), start))
  const isFirst = start <= reach.before && line.slice(0, start).trim() === ''
  const label =
    isNext && isWrapped(above) && start < 45
      ? labelBefore(afterOtherNumbers(`${above.slice(-reach.before)} ${line.slice(0, start)}`))
      : isFirst && above !== '' && (isNext || above.endsWith(':'))
        ? labelAbove(above, isStacked)
        : labelBefore(here)
  if (/^[\s)]{0,3}[([,;–-]?\s?bitte\b.{0,40}\bangeben\b/iu.test(after)) return 'theirs'
  if (label !== 'not_a_file' && label !== 'theirs' && isOwnerAfter(after)) return 'another'
  // `Kessler hat die Akte … an das Gericht geschickt` may be anybody's.
  return label === 'file' && namesOwner(sentenceAfter(after)) ? 'reference' : label
}

/**
 * The text that may label a number. Numbers in a row share the label before the first one. Otherwise a label before
 * another number does not count.
 */
function afterOtherNumbers(before: string): string {
  const row = /\d{1,6} ?[/-] ?\d{2,4}(?: [A-ZÄÖÜ]{2,3})?\s?(?:,|;|\/|&|\+|und|sowie|oder|bzw\.)\s?$/u
  let text = before
  for (let count = 0; count < 4 && row.test(text); count += 1) text = text.replace(row, '')
  const after = text.slice(text.search(/(?<!\D)\D*$/))
  return after !== text && /^\s*:\s*$/.test(after) ? text : after
}

/** A label in the line above must be the whole line: columns of a table, and labels one below the other, say nothing. */
function labelAbove(above: string, isStacked: boolean): NumberLabel {
  const text = above.trim().replace(/:$/, '')
  if (isCaseName(text)) return 'none'
  if ([...text.matchAll(columns)].length > 1) return 'other'
  const label = labelBefore(text)
  const isWhole = new RegExp(`^(?:\\p{L}{2,12}\\.? )?${file.source}\\.?(?: ${places.source})?$`, 'iu').test(
    text,
  )
  const isClear = isWhole && (above.endsWith(':') || !isStacked)
  return isClear || label === 'not_a_file' || label === 'theirs' ? label : 'other'
}

const sign =
  'akten?-?zeichen|aktz|az|a\\.z|zeichen|gesch(?:ä|ae)fts-?(?:zeichen|nummer|nr)|gesch\\.?-?(?:z|nr)|gz|akten-?nummer|akten-?nr'
const englishSign = 'referenz|ref|reference|file'
const matter = 'sachen?|rechtssache|angelegenheit|mandat'
const file = new RegExp(`(?:${sign}|${englishSign}|akten?|${matter})`, 'u')
const columns =
  /(?:zeichen|nummer|(?<=gesch(?:(?:ä|ae)fts|\.)?-?)nr|(?<!\p{L})(?:az|akte|gz|ref))(?!\p{L})/giu
const places =
  /(?:(?:bei|von) (?:ihnen|uns|mir)|(?:bei |in )?(?:ihre[rsm]|unsere[rsm]) (?:kanzlei|büros?|hause?s?|sozietät))/u

/** A word for a file, with the text before it in its clause and the place after it. */
const phrase = new RegExp(
  `^(?<before>.*?)(?<![\\p{L}\\p{N}-])(?<noun>${file.source})\\.?(?: (?<place>${places.source}))?$`,
  'iu',
)

/** Articles, prepositions and words such as `genannt`. They may stand before a word for a file without an owner. */
const functionWords =
  /(?<![\p{L}\p{N}.-])(?:zu|zur|zum|in|im|um|an|am|auf|aus|unter|mit|wegen|für|betreffend|betreff|betr|betrifft|bezüglich|bzgl|hinsichtlich|re|aw|antw|i\.? ?s|der|die|das|den|dem|des|diese[rsmn]?|oben|genannten?|o\.? ?g|obige[rsmn]?|the|to|regarding|concerning)\.?$/iu

const yours =
  /(?<![\p{L}\p{N}])(?:Ihr(?:e[rsmn]?)?|IHR(?:E[RSMN]?)?|[Yy]our|[Dd]ortige[rsmn]?|[Dd]ort\.)(?: (?:o\.? ?g\.|obige[snmr]?|genannte[snmr]?|werte[snmr]?))?$/u
const mine =
  /(?<![\p{L}\p{N}])(?:mein(?:e[rsmn]?)?|unser(?:e[rsmn]?)?|unsre[rsmn]?|my|our|hiesige[rsmn]?|hies\.)(?: \p{Ll}{2,20})?$/iu

/** Words that refer to a number without naming it. */
const referring =
  /(?<![\p{L}\p{N}])(?:zu|wegen|betreffend|betreff|betr|betrifft|betreffs|bezüglich|bzgl|in sachen|i\.? ?s|re|aw|antw|regarding|subject)\.?$/iu

/** The label from the text that ends directly before a number. */
function labelBefore(text: string): NumberLabel {
  const { rest, isNumbered, hasVerb, isEnclosed } = stripped(text.replace(/(?<=^|\s)-(?=\s|$)/gu, '–'))
  const clause = lastSentence(lastClause(rest))
  const earlier = rest.slice(0, rest.length - clause.length)
  if (clause === '') return isNumbered ? 'not_a_file' : aloneIn(earlier)
  const label = fileLabel(clause, earlier)
  if (label !== undefined) return hasVerb && label !== 'theirs' ? 'another' : label
  if (!isNumbered && !hasVerb && !isEnclosed && referring.test(clause)) {
    const before = clause.replace(referring, '').trim()
    if (before === '' && /^(?:re|aw|antw)$/i.test(clause)) return 'alone'
    return isNoFile(before) ? 'other' : 'none'
  }
  if (isCaseName(clause) && !isNoFile(lastWords(clause, 1))) return 'none'
  return isNumbered || isNoFile(lastWords(clause, 1)) || isNumberWord(lastWords(clause, 4))
    ? 'not_a_file'
    : 'other'
}

/** The label of a number whose own clause does not name it: the label may stand at the end of the clause before. */
function aloneIn(earlier: string): NumberLabel {
  const before = earlier.replace(/(?<![^\p{L}\p{N}.])[^\p{L}\p{N}.]+$/u, '')
  const last = lastSentence(lastClause(before))
  const label = fileLabel(last, before.slice(0, before.length - last.length))
  if (label !== undefined) return label
  return isNoFile(lastWords(last, 1)) || isNumberWord(lastWords(last, 3)) || namesOwner(last)
    ? 'other'
    : 'alone'
}

/** Undefined if the clause does not end with a word for a file. */
function fileLabel(clause: string, earlier: string): NumberLabel | undefined {
  const { before = '', noun = '', place = '' } = phrase.exec(clause)?.groups ?? {}
  return noun === '' ? undefined : labelOfFile(before, noun, place, earlier)
}

/** The label of a number after a word for a file, by the owner of the file. */
function labelOfFile(before: string, noun: string, place: string, earlier: string): NumberLabel {
  const clause = before.trim()
  if (place !== '') return /ihne|ihre/iu.test(place) ? 'ours' : 'theirs'
  const isSign = !new RegExp(`^(?:akten?|${matter})$`, 'iu').test(noun)
  const isMatter = new RegExp(`^(?:${matter})$`, 'iu').test(noun)
  // Two labels in a row, as in `Unser Zeichen / Ihr Zeichen:`, do not say whose number follows.
  if (new RegExp(`(?<![\\p{L}])${file.source}[.\\s/|]*$`, 'iu').test(earlier)) return 'another'
  // In a sentence, `ihr Zeichen` means "her number".
  if (yours.test(clause) || (/^ihr(?:e[rsmn]?)?$/u.test(clause) && !/\p{Lu}/u.test(noun)))
    return isMatter ? 'reference' : 'ours'
  if (mine.test(clause)) return isSign ? 'theirs' : 'another'
  const isFree = clause === '' || functionWords.test(clause)
  const isCompared = /(?<!\p{L})(?:wie|als|statt) (?:\p{Ll}{2,4} ){0,3}$/iu.test(`${clause} `)
  const context = `${earlier} ${clause}`
  // `zu meinem Unfall, Aktenzeichen …` may be the insurer's number, and `wir führen Sie unter Az. …` is the sender's.
  if (/(?<!\p{L})(?:mein|unser)(?:e[rsmn]?)?(?!\p{L})/iu.test(context)) return 'another'
  if (
    !isFree ||
    isCompared ||
    namesOwner(lastClause(earlier.replace(/(?<![^\p{L}\p{N}.])[^\p{L}\p{N}.]+$/u, '')))
  )
    return 'another'
  if (isSign || isMatter)
    return /(?<!\p{L})(?:wir|uns|ich|mir)(?!\p{L})/iu.test(context) ? 'another' : 'reference'
  return clause === '' && earlier !== '' ? 'reference' : namesOwner(clause) ? 'another' : 'file'
}

/** The text without words and marks that may stand between a label and its number: brackets, `Nr.`, a colon, `lautet`. */
function stripped(text: string) {
  let [rest, isNumbered, hasVerb] = [text.trimEnd(), false, false]
  const isEnclosed = /[\p{L}.] ?[([]$/u.test(rest)
  for (let count = 0; count < 5; count += 1) {
    const shorter = rest.replace(/(?:[\s("„“”'»«[*_=:#])$/u, '')
    const withoutNumberWord = shorter.replace(/(?<![\p{L}\p{N}-]|gesch\.)(?:nr|no|num|nummer)\.?$/iu, '')
    const withoutVerb = withoutNumberWord.replace(/(?<!\p{L})(?:lautet?|ist|war|is|hat)$/iu, '')
    isNumbered ||= withoutNumberWord !== shorter
    hasVerb ||= withoutVerb !== withoutNumberWord
    if (withoutVerb === rest) break
    rest = withoutVerb.trimEnd()
  }
  return { rest, isNumbered, hasVerb, isEnclosed }
}

/** The text since the end of the last sentence; the full stop of an abbreviation ends no sentence. */
function lastSentence(text: string): string {
  return (text.split(/(?<=\p{L}{4}[.!?])\s+/u).at(-1) ?? '').trim()
}

/** The text since the last comma, bracket or dash. */
function lastClause(text: string): string {
  return text.split(/[,;:|–—()[\]>]|(?<!\.)\/(?!\.)/u).at(-1) ?? ''
}

function sentenceAfter(text: string): string {
  return text.split(/\p{L}[.!?](?:\s|$)/u, 1)[0] ?? ''
}

/** Whether the text names an institution that may own a file. A company in the name of a case does not count. */
function namesOwner(text: string): boolean {
  return !isCaseName(text) && namesInstitution(text)
}

function isCaseName(text: string): boolean {
  return /\p{L}\.? ?\.\/\. ?\p{L}/u.test(text)
}

/** Whether the text after the number names its owner: `0187/25 der Polizei`, `0187/25 (Jugendamt)`. */
function isOwnerAfter(after: string): boolean {
  const owner =
    /^[\s")“”]{0,3}[(,]? ?(?:der|des|bei|beim|von|vom|seitens|lt\.?|laut|gemäß|of) (?!\d|Ihnen|Ihrer |Ihrem |Ihres )\p{L}/u
  if (owner.test(after)) return true
  const apposition = /^[\s"“”]{0,3}[(,–-] ?([^,;()–]{2,50}?)\s?(?:$|[,;)–])/u.exec(after)?.[1]
  return apposition !== undefined && apposition.split(' ').length <= 3 && namesOwner(apposition)
}

/**
 * Words for numbers that are no file numbers, also as the end of a longer word: `Kundennummer`, `Heizkostenabrechnung`.
 */
const endings =
  'nummer -nr nr rechnung gutschrift versicherungsschein lieferschein flurstück flurstueck bestellung lieferung sendung drucksache verordnung richtlinie nachrichten vertrag konto'.split(
    ' ',
  )

/** The same as whole words only. */
const noFileWords = new Set(
  [
    'police kunde flst flur grundbuch parzelle gemarkung schaden schadenfall auftrag angebot',
    'paket ticket vorgang objekt bauvorhaben projekt wohnung zimmer haus straße weg platz',
    'heft ausgabe newsletter jahrgang band seite seiten blatt anlage position artikel norm urkundenrolle urnr urkunde gutachten',
    'miete gehalt lohn monat beitrag rate quartal kw stand version telefon tel fax mobil verhältnis quote anteil',
    'njw njw-rr nza nzm mdr zip wm bb db famrz nvwz nstz wum baur baurecht grur versr dar',
    's bl rg kd vn vs vsnr pos art iso din en eg eu',
  ].flatMap((row) => row.split(' ')),
)

function isNoFile(text: string): boolean {
  return wordsOf(text).some(
    (word) => noFileWords.has(word) || endings.some((ending) => word.endsWith(ending)),
  )
}

/** Whether a word means a number: `Kundennummer bei den …` introduces a Kundennummer, whatever stands in between. */
function isNumberWord(text: string): boolean {
  return wordsOf(text).some((word) => /(?:nummer|nr)$/.test(word))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}-]+/u)
}

function lastWords(text: string, count: number): string {
  return text.trim().split(/\s+/).slice(-count).join(' ')
}
