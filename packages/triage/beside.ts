import { fold } from '#kernel/fold.ts'
import { salutations } from './layout.ts'
import { identifyingWords, isForm } from './mentioned-names.ts'
import type { FoundCase } from './ports.ts'

/** The number of lines above and below a number that are read with it, for example in a list. */
const reach = 3

/** Characters before a number that are read with it. */
const longest = 400

/**
 * The words that may name the owner of a number whose label has no owner, folded. They are pronouns, and words that begin
 * with a capital and are not plain. They come from the sentence of the number, from the lines of its block above it, and
 * from the line that introduces the block. German writes every noun and name with a capital, so these words include every
 * owner, also one that is in none of our lists.
 *
 * `isBare`: no word calls the number a file. In `Gesellschafterversammlung / 0175-26` the noun is then the subject of the
 * message. In `Mahnung, Az. 0433/26` the number may belong to the writer of the `Mahnung`.
 */
export function wordsBeside(
  lines: string[],
  at: number,
  { start, end }: { start: number; end: number },
  { isSubject, isBare }: { isSubject: boolean; isBare: boolean },
): string[] {
  const line = lines[at] ?? ''
  const before = `${above(lines, at)} ${withoutMarks(line.slice(0, start))}`.slice(-longest)
  const rest = sentenceAfter(line.slice(end))
  const below = rest.isEnded ? '' : linesBelow(lines, at)
  const text = `${before} ${rest.text} ${below}`
  const others = isSubject
    ? /(?<![\p{L}-])(?:nicht|kein\p{L}{0,2}|falsch\p{L}{0,2})(?![\p{L}-])/giu
    : pronouns
  // A sender who writes `az` and `akte` also writes names in lower case.
  const isLowerCase =
    !/\p{Lu}/u.test(text) || /(?<!\p{L})(?:az|akten?|aktenzeichen|zeichen|sache)(?!\p{L})/u.test(text)
  return possibleOwnersIn(text, others, { isLowerCase, isBare })
}

/** The nouns and names of a text, and the words of `others`, folded, without the plain ones. */
function possibleOwnersIn(
  read: string,
  others: RegExp,
  { isLowerCase, isBare }: { isLowerCase: boolean; isBare: boolean },
): string[] {
  const text = read.trim().replace(addressed, '')
  const nouns = isLowerCase ? /\p{L}{3}[\p{L}\p{N}'’]*/gu : /\p{Lu}[\p{L}\p{N}'’]*/gu
  const words = [...text.matchAll(nouns), ...text.matchAll(others)].map(([word]) => fold(word))
  const isPlain = (word: string) =>
    word.length < 2 || plain.has(word) || isEnclosure(word) || (isBare && /(?:ung|ungen)$/.test(word))
  return [...new Set(words)].filter((word) => !isPlain(word))
}

/**
 * The words that may name the owner of `Ihr Zeichen`, if the text does not say that the reader owns it. `Ihr` at the
 * beginning of a sentence means "her", "their" or "your" (`Die Stadtwerke haben geantwortet. Ihr Zeichen …`), and
 * `dortig` refers to the place that was named last.
 */
export function possibleOwners(lines: string[], at: number, start: number): string[] {
  if (!isAfterOpening(lines, at)) return []
  const before = `${blockAbove(lines, at).block} ${(lines[at] ?? '').slice(0, start)}`.slice(-longest)
  const label =
    /(?:[.!?;]["“”)]?\s+ihr\p{L}{0,3}|(?<!\p{L})dort\p{L}{0,5})\.?(?: [\p{L}.-]{1,20}){0,3}[\s:(„"#]{0,4}$/iu
  const end = label.exec(before)?.index
  if (end === undefined) return []
  const earlier = before.slice(0, end).replace(toReader, '')
  const isLowerCase = !/\p{Lu}/u.test(before)
  return earlier.trim() === '' ? [] : possibleOwnersIn(earlier, thirdPersons, { isLowerCase, isBare: false })
}

/** Something that belongs to the reader: `Ihr Schreiben`. */
const toReader = /(?<!\p{L})Ihr(?:e[mnrs]?)? \p{Lu}\p{L}*/gu

const thirdPersons = /(?<![\p{L}-])(?:er|sie|man|jemand|ih[mn]|ihnen|denen|deren|dessen)(?![\p{L}-])/gu

/** A salutation in one line with what follows it. */
const addressed = new RegExp(`${salutations.source}[^,!]{0,60}[,!]`, 'iu')

/** Whether each of the words belongs to the name of the case or of one of its parties. */
export function areOfCase(words: string[], { name, parties }: FoundCase): boolean {
  if (words.length === 0) return true
  const identifying = [name, ...parties.map((party) => party.name ?? '')].flatMap((one) => [
    ...identifyingWords(one),
    ...fold(one).split(/[^\p{L}\p{N}]+/u),
  ])
  return words.every((word) => identifying.some((one) => one !== '' && isForm(word, one)))
}

/** Words for somebody else: `er hat die Akte … gezeigt`. */
const pronouns = /(?<![\p{L}-])(?:er|sie|ihr|man|jemand|mir|uns|denen|deren|dessen)(?![\p{L}-])/gu

/** The lines above that belong to the line, up to a blank line or a salutation, and the line that introduces them. */
function above(lines: string[], at: number): string {
  const { block, begin } = blockAbove(lines, at)
  if (begin === 0 || lines[begin - 1] !== '') return block
  const before = lines.slice(Math.max(0, begin - 3), begin - 1).findLast((one) => one !== '') ?? ''
  const isIntroduced = before.endsWith(':') || (!salutations.test(before) && isAfterOpening(lines, at))
  return isIntroduced ? `${before} ${block}` : block
}

/** The lines directly above, up to a blank line or a salutation, and the index of the first. */
function blockAbove(lines: string[], at: number): { block: string; begin: number } {
  let begin = at
  while (begin > 0 && at - begin < reach) {
    const line = lines[begin - 1] ?? ''
    if (line === '' || salutations.test(line)) break
    begin -= 1
  }
  return { block: lines.slice(begin, at).join(' '), begin }
}

function linesBelow(lines: string[], at: number): string {
  let text = ''
  for (let next = at + 1; next <= at + reach; next += 1) {
    const line = lines[next] ?? ''
    if (line === '' || salutations.test(line)) break
    const { text: read, isEnded } = sentenceAfter(line)
    text += ` ${read}`
    if (isEnded) break
  }
  return text
}

function sentenceBefore(text: string): string {
  return (
    text
      .slice(-longest)
      .split(/(?<=\p{L}{4}[.!?])\s+/u)
      .at(-1) ?? ''
  )
}

function sentenceAfter(text: string): { text: string; isEnded: boolean } {
  const end = /[.!?](?:\s|$)/u.exec(text)?.index
  return { text: text.slice(0, Math.min(end ?? 400, 400)), isEnded: end !== undefined }
}

/** The text without the marks of answers and of mail servers at its beginning. */
function withoutMarks(text: string): string {
  return text.replace(/^(?:(?:\[[^\]]{1,40}\]|(?:aw|re|antw|betreff|betr|eilt) ?:) ?){1,6}/i, '')
}

/** Whether the word means something that clients send, also as the end of a longer word: `Schadenfotos`. */
function isEnclosure(word: string): boolean {
  return /(?:unterlagen?|fotos?|bilder|vollmacht|bestaetigung|dokumente?|frage|fragen|formular|anlagen?|belege?|liste|termine?|entwurf|scans?|daten)$/.test(
    word,
  )
}

/** Words that begin a sentence, nouns for files, and nouns for what people write to a lawyer. They name no owner. */
const plain = new Set(
  [
    'az aktz aktenzeichen aktenz zeichen geschaeftszeichen geschaeftsnummer geschaeftsnr geschaefts gesch geschnr nr gz akte akten aktennummer sache sachen rechtssache angelegenheit mandat ref referenz reference file betreff betr betrifft bezug',
    'ihr ihre ihrem ihren ihrer ihres ihnen sie ich wir mich der die das den dem des diese dieser dieses diesem ein eine einen einem einer',
    'zu zum zur in im ins an am auf aus bei beim fuer mit von vom wegen bezueglich bzgl hinsichtlich betreffend unter ueber nach und oder aber auch noch nun bitte danke dank hier anbei hiermit beiliegend beigefuegt wie es ja nein was wann wo',
    'rueckfrage antwort nachtrag ergaenzung rueckruf schreiben mail e-mail email brief nachricht info information informationen update sachstand anfrage anhang datei dateien stellungnahme besprechung entwurf adresse vergleich gespraech telefonat rueckmeldung kopie kopien original kenntnis',
    'januar februar maerz april mai juni juli august september oktober november dezember montag dienstag mittwoch donnerstag freitag samstag sonntag uhr woche heute morgen gestern',
    'gruss gruesse gruessen viele beste liebe vg lg mfg',
  ].flatMap((row) => row.split(' ')),
)

/** Whether the line belongs to the body of the message: it follows the salutation, or there is no salutation. */
function isAfterOpening(lines: string[], at: number): boolean {
  const isSalutation = (line: string) => salutations.test(line)
  return lines.slice(0, at).some(isSalutation) || !lines.slice(at, at + farthest).some(isSalutation)
}

/** The maximum number of lines between the head of a letter and its salutation. */
const farthest = 60

/**
 * Whether a line of a message stands in a letter that is copied into it. Such a letter begins after the salutation and
 * has a salutation of its own. All text below a line that ends with a colon (`Text des Briefs:`) counts as one too,
 * unless the line is a label (`Betreff:`).
 */
export function isInserted(lines: string[], at: number): boolean {
  if (!isAfterOpening(lines, at)) return false
  const isSalutation = (line: string) => salutations.test(line)
  const opened = lines.slice(0, at).findLastIndex(isSalutation)
  if (opened !== -1 && lines.slice(at, at + farthest).some(isSalutation)) return true
  return lines
    .slice(Math.max(opened + 1, at - farthest), at)
    .some(
      (line) =>
        line.endsWith(':') &&
        /\p{L} \p{L}/u.test(line) &&
        !/(?:zeichen|az\.?|datum|vom|betr\.?|betreff) ?:$/iu.test(line),
    )
}

/**
 * Whether the text at a place of a line stands in a quotation that began before it, in this line or in an earlier one.
 * A blank line ends a quotation in straight marks (`"`), which do not show whether they open or close it.
 */
export function quotations(lines: string[]): (at: number, start: number) => boolean {
  const open: boolean[] = []
  let [isOpen, isStraight] = [false, false]
  for (const line of lines) {
    if (line === '' && isStraight) [isOpen, isStraight] = [false, false]
    open.push(isOpen)
    for (const [mark] of line.matchAll(/[„“”»«‚‘"]/g))
      [isOpen, isStraight] = stateAfter(mark, isOpen, isStraight)
  }
  return (at, start) => {
    let state: [boolean, boolean] = [open[at] ?? false, false]
    const before = (lines[at] ?? '').slice(0, start)
    // Quotation marks around the number alone are no quotation.
    for (const [mark] of before.replace(/[„“”»«‚‘"]\s?$/, '').matchAll(/[„“”»«‚‘"]/g))
      state = stateAfter(mark, ...state)
    return state[0]
  }
}

/** The state of a quotation after a mark. */
function stateAfter(
  mark: string,
  isOpen: boolean,
  isStraight: boolean,
): [isOpen: boolean, isStraight: boolean] {
  if (mark === '„' || mark === '»' || mark === '‚') return [true, false]
  if (mark === '"') return [!isOpen, !isOpen]
  return [false, isStraight]
}

/**
 * Whether somebody else gives the number its label: in `Das Finanzamt schrieb: Ihr Zeichen …` it is no file of the
 * reader. A noun before the clause of the number means somebody else, unless it belongs to the reader
 * (`Ihr Schreiben`). A sentence about the writer (`ich`) does not count, unless it quotes what the writer wrote to
 * somebody else.
 */
export function isLabelledByAnother(text: string, start: number): boolean {
  const sentence = sentenceBefore(text.slice(0, start))
  if (/(?<!\p{L})(?:steht|stand)(?: \p{Ll}{2,12}){0,3}:? Ihr(?!\p{L})/u.test(sentence)) return true
  const end = Math.max(...[...sentence.matchAll(/[:,]\s*\p{L}/gu)].map(({ index }) => index), 0)
  const clause = sentence.slice(0, end)
  const isSentence =
    /(?<![\p{L}-])(?!(?:wegen|gegen|und|von|vom|der|die|das|zum|zur|für|mit|den|dem|des|bei|beim)(?!\p{L}))\p{Ll}{3,}(?![\p{L}-])/u
  if (!isSentence.test(clause)) return false
  if (salutations.test(clause) || /(?<!\p{L})bezug/iu.test(clause)) return false
  const isQuoting = sentence.slice(end).startsWith(':')
  const isOfWriter = /(?<!\p{L})(?:ich|wir)(?!\p{L})/iu.test(clause)
  if (isOfWriter && (!isQuoting || /(?<!\p{L})(?:Sie|Ihnen)(?!\p{L})/u.test(clause))) return false
  if (isOfWriter && [...clause.matchAll(thirdPersons)].length > 0) return true
  const nouns = clause.replace(toReader, '').match(/\p{Lu}[\p{L}'’]*/gu)
  return (nouns ?? []).some((noun) => !plain.has(fold(noun)) && !isEnclosure(fold(noun)))
}
