import { namesInstitution } from './institutions.ts'

/** The label that a text gives to a number. */
export type NumberLabel =
  /** The file of the recipient (`Ihr Zeichen`, `Az. bei Ihnen`). */
  | 'ours'
  /** A file without an owner (`zur Akte`). */
  | 'file'
  /** The sign of a file without an owner (`Az.`, `Aktenzeichen`), or a matter (`in der Sache`). */
  | 'reference'
  /** The sender's own file (`unser Zeichen`, `Ihr Zeichen bei uns`). */
  | 'theirs'
  /** The file of somebody else (`Az. der Polizei`), or of an owner that is not clear. */
  | 'another'
  /** Any other noun, which says nothing about the number (`Halle`). */
  | 'other'
  /** Something that is certainly not a file (`Rechnung Nr.`). */
  | 'foreign'
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
  const behind = line.slice(end, end + reach.after)
  const here = afterOtherNumbers(line.slice(Math.max(0, start - reach.before), start))
  const isFirst = start <= reach.before && line.slice(0, start).trim() === ''
  const label =
    isNext && isWrapped(above) && start < 45
      ? labelBefore(afterOtherNumbers(`${above.slice(-reach.before)} ${line.slice(0, start)}`))
      : isFirst && above !== '' && (isNext || above.endsWith(':'))
        ? labelAbove(above, isStacked)
        : labelBefore(here)
  if (/^[\s)]{0,3}[([,;–-]?\s?bitte\b.{0,40}\bangeben\b/iu.test(behind)) return 'theirs'
  if (label !== 'foreign' && label !== 'theirs' && isOwnedBehind(behind)) return 'another'
  // `Kessler hat die Akte … an das Gericht geschickt` may be anybody's.
  return label === 'file' && namesOwner(sentenceBehind(behind)) ? 'reference' : label
}

/** Numbers in a row share the label before the first. Otherwise text before another number does not label this one. */
function afterOtherNumbers(before: string): string {
  const row = /\d{1,6} ?[/-] ?\d{2,4}(?: [A-ZÄÖÜ]{2,3})?\s?(?:,|;|\/|&|\+|und|sowie|oder|bzw\.)\s?$/u
  let text = before
  for (let count = 0; count < 4 && row.test(text); count += 1) text = text.replace(row, '')
  const behind = text.slice(text.search(/(?<!\D)\D*$/))
  return behind !== text && /^\s*:\s*$/.test(behind) ? text : behind
}

/** A label in the line above must stand there alone: columns of a table, and labels above each other, say nothing. */
function labelAbove(above: string, isStacked: boolean): NumberLabel {
  const text = above.trim().replace(/:$/, '')
  if (isCaseName(text)) return 'none'
  if ([...text.matchAll(columns)].length > 1) return 'other'
  const label = labelBefore(text)
  const isWhole = new RegExp(`^(?:\\p{L}{2,12}\\.? )?${file.source}\\.?(?: ${places.source})?$`, 'iu').test(
    text,
  )
  const isClear = isWhole && (above.endsWith(':') || !isStacked)
  return isClear || label === 'foreign' || label === 'theirs' ? label : 'other'
}

const sign =
  'akten?-?zeichen|aktz|az|a\\.z|zeichen|gesch(?:ä|ae)fts-?(?:zeichen|nummer|nr)|gesch\\.?-?(?:z|nr)|gz|akten-?nummer|akten-?nr'
const foreignSign = 'referenz|ref|reference|file'
const matter = 'sachen?|rechtssache|angelegenheit|mandat'
const file = new RegExp(`(?:${sign}|${foreignSign}|akten?|${matter})`, 'u')
const columns =
  /(?:zeichen|nummer|(?<=gesch(?:(?:ä|ae)fts|\.)?-?)nr|(?<!\p{L})(?:az|akte|gz|ref))(?!\p{L})/giu
const places =
  /(?:(?:bei|von) (?:ihnen|uns|mir)|(?:bei |in )?(?:ihre[rsm]|unsere[rsm]) (?:kanzlei|büros?|hause?s?|sozietät))/u

/** A file with what stands before it in its clause, and whose place follows. */
const phrase = new RegExp(
  `^(?<before>.*?)(?<![\\p{L}\\p{N}-])(?<noun>${file.source})\\.?(?: (?<place>${places.source}))?$`,
  'iu',
)

/** Articles, prepositions and words that point at something said before. They may stand before a file without an owner. */
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
  const { rest, isNumbered, isTold, isEnclosed } = stripped(text.replace(/(?<=^|\s)-(?=\s|$)/gu, '–'))
  const clause = lastSentence(lastClause(rest))
  const earlier = rest.slice(0, rest.length - clause.length)
  if (clause === '') return isNumbered ? 'foreign' : aloneIn(earlier)
  const label = fileLabel(clause, earlier)
  if (label !== undefined) return isTold && label !== 'theirs' ? 'another' : label
  if (!isNumbered && !isTold && !isEnclosed && referring.test(clause)) {
    const before = clause.replace(referring, '').trim()
    if (before === '' && /^(?:re|aw|antw)$/i.test(clause)) return 'alone'
    return isForeign(before) ? 'other' : 'none'
  }
  if (isCaseName(clause) && !isForeign(lastWords(clause, 1))) return 'none'
  return isNumbered || isForeign(lastWords(clause, 1)) || isNumberWord(lastWords(clause, 4))
    ? 'foreign'
    : 'other'
}

/** Nothing in its own clause names the number. The label may then stand at the end of the clause before. */
function aloneIn(earlier: string): NumberLabel {
  const before = earlier.replace(/(?<![^\p{L}\p{N}.])[^\p{L}\p{N}.]+$/u, '')
  const last = lastSentence(lastClause(before))
  const label = fileLabel(last, before.slice(0, before.length - last.length))
  if (label !== undefined) return label
  return isForeign(lastWords(last, 1)) || isNumberWord(lastWords(last, 3)) || namesOwner(last)
    ? 'other'
    : 'alone'
}

/** Undefined if the clause does not end with a word for a file. */
function fileLabel(clause: string, earlier: string): NumberLabel | undefined {
  const { before = '', noun = '', place = '' } = phrase.exec(clause)?.groups ?? {}
  return noun === '' ? undefined : ownerOf(before, noun, place, earlier)
}

/** The owner of the file. */
function ownerOf(before: string, noun: string, place: string, earlier: string): NumberLabel {
  const clause = before.trim()
  if (place !== '') return /ihne|ihre/iu.test(place) ? 'ours' : 'theirs'
  const isSign = !new RegExp(`^(?:akten?|${matter})$`, 'iu').test(noun)
  const isMatter = new RegExp(`^(?:${matter})$`, 'iu').test(noun)
  // Two labels in a row, as `Unser Zeichen / Ihr Zeichen:`, do not say which number is whose.
  if (new RegExp(`(?<![\\p{L}])${file.source}[.\\s/|]*$`, 'iu').test(earlier)) return 'another'
  // `ihr Zeichen` in a sentence is hers.
  if (yours.test(clause) || (/^ihr(?:e[rsmn]?)?$/u.test(clause) && !/\p{Lu}/u.test(noun)))
    return isMatter ? 'reference' : 'ours'
  if (mine.test(clause)) return isSign ? 'theirs' : 'another'
  const isFree = clause === '' || functionWords.test(clause)
  const isCompared = /(?<!\p{L})(?:wie|als|statt) (?:\p{Ll}{2,4} ){0,3}$/iu.test(`${clause} `)
  const said = `${earlier} ${clause}`
  // `zu meinem Unfall, Aktenzeichen …` may be the insurer's, and `wir führen Sie unter Az. …` is the sender's.
  if (/(?<!\p{L})(?:mein|unser)(?:e[rsmn]?)?(?!\p{L})/iu.test(said)) return 'another'
  if (
    !isFree ||
    isCompared ||
    namesOwner(lastClause(earlier.replace(/(?<![^\p{L}\p{N}.])[^\p{L}\p{N}.]+$/u, '')))
  )
    return 'another'
  if (isSign || isMatter)
    return /(?<!\p{L})(?:wir|uns|ich|mir)(?!\p{L})/iu.test(said) ? 'another' : 'reference'
  return clause === '' && earlier !== '' ? 'reference' : namesOwner(clause) ? 'another' : 'file'
}

/** The text without words and marks that may stand between a label and its number: brackets, `Nr.`, a colon, `lautet`. */
function stripped(text: string) {
  let [rest, isNumbered, isTold] = [text.trimEnd(), false, false]
  const isEnclosed = /[\p{L}.] ?[([]$/u.test(rest)
  for (let count = 0; count < 5; count += 1) {
    const shorter = rest.replace(/(?:[\s("„“”'»«[*_=:#])$/u, '')
    const unnumbered = shorter.replace(/(?<![\p{L}\p{N}-]|gesch\.)(?:nr|no|num|nummer)\.?$/iu, '')
    const untold = unnumbered.replace(/(?<!\p{L})(?:lautet?|ist|war|is|hat)$/iu, '')
    isNumbered ||= unnumbered !== shorter
    isTold ||= untold !== unnumbered
    if (untold === rest) break
    rest = untold.trimEnd()
  }
  return { rest, isNumbered, isTold, isEnclosed }
}

/** The text since the end of the last sentence; the full stop of an abbreviation ends no sentence. */
function lastSentence(text: string): string {
  return (text.split(/(?<=\p{L}{4}[.!?])\s+/u).at(-1) ?? '').trim()
}

/** The text since the last comma, bracket or dash. */
function lastClause(text: string): string {
  return text.split(/[,;:|–—()[\]>]|(?<!\.)\/(?!\.)/u).at(-1) ?? ''
}

function sentenceBehind(text: string): string {
  return text.split(/\p{L}[.!?](?:\s|$)/u, 1)[0] ?? ''
}

/** The name of a case is no owner, though a company may be in it. */
function namesOwner(text: string): boolean {
  return !isCaseName(text) && namesInstitution(text)
}

function isCaseName(text: string): boolean {
  return /\p{L}\.? ?\.\/\. ?\p{L}/u.test(text)
}

/** Whether the text after the number names its owner: `0187/25 der Polizei`, `0187/25 (Jugendamt)`. */
function isOwnedBehind(behind: string): boolean {
  const owner =
    /^[\s")“”]{0,3}[(,]? ?(?:der|des|bei|beim|von|vom|seitens|lt\.?|laut|gemäß|of) (?!\d|Ihnen|Ihrer |Ihrem |Ihres )\p{L}/u
  if (owner.test(behind)) return true
  const apposition = /^[\s"“”]{0,3}[(,–-] ?([^,;()–]{2,50}?)\s?(?:$|[,;)–])/u.exec(behind)?.[1]
  return apposition !== undefined && apposition.split(' ').length <= 3 && namesOwner(apposition)
}

/** Words for numbers that are no file numbers, also as the end of a longer word: `Kundennummer`, `Heizkostenabrechnung`. */
const endings =
  'nummer -nr nr rechnung gutschrift versicherungsschein lieferschein flurstück flurstueck bestellung lieferung sendung drucksache verordnung richtlinie nachrichten vertrag konto'.split(
    ' ',
  )

/** The same as whole words only. */
const foreign = new Set(
  [
    'police kunde flst flur grundbuch parzelle gemarkung schaden schadenfall auftrag angebot',
    'paket ticket vorgang objekt bauvorhaben projekt wohnung zimmer haus straße weg platz',
    'heft ausgabe newsletter jahrgang band seite seiten blatt anlage position artikel norm urkundenrolle urnr urkunde gutachten',
    'miete gehalt lohn monat beitrag rate quartal kw stand version telefon tel fax mobil verhältnis quote anteil',
    'njw njw-rr nza nzm mdr zip wm bb db famrz nvwz nstz wum baur baurecht grur versr dar',
    's bl rg kd vn vs vsnr pos art iso din en eg eu',
  ].flatMap((row) => row.split(' ')),
)

function isForeign(text: string): boolean {
  return wordsOf(text).some((word) => foreign.has(word) || endings.some((ending) => word.endsWith(ending)))
}

/** Whether a word means a number: what follows `Kundennummer bei den …` is a Kundennummer, whatever stands between. */
function isNumberWord(text: string): boolean {
  return wordsOf(text).some((word) => /(?:nummer|nr)$/.test(word))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}-]+/u)
}

function lastWords(text: string, count: number): string {
  return text.trim().split(/\s+/).slice(-count).join(' ')
}
