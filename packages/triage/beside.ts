import { fold } from '#kernel/fold.ts'
import { salutations } from './layout.ts'
import { isForm, tellingWords } from './mentioned-names.ts'
import type { FoundCase } from './ports.ts'

/** Lines above and below a number that are read with it, as those of a list are. */
const reach = 3

/**
 * The words beside a number without an owner that may say whose it is, folded: what begins with a capital and is not plain,
 * in the sentence of the number, and in the lines that stand with its own in one block. German writes every noun and name
 * with a capital, so an owner whom nobody thought of is among them.
 *
 * `isBare`: nothing calls it a file, so that `Gesellschafterversammlung / 0175-26` is what it is about; of `Mahnung,
 * Az. 0433/26` the sign may be that of who wrote the `Mahnung`.
 */
export function wordsBeside(
  lines: string[],
  at: number,
  { start, end }: { start: number; end: number },
  { isSubject, isBare }: { isSubject: boolean; isBare: boolean },
): string[] {
  const line = lines[at] ?? ''
  const before = sentenceBefore(`${above(lines, at)} ${withoutMarks(line.slice(0, start))}`)
  const behind = sentenceBehind(line.slice(end))
  const below = behind.isEnded ? '' : linesBelow(lines, at)
  const text = `${before} ${behind.text} ${below}`
  const others = isSubject
    ? /(?<![\p{L}-])(?:nicht|kein\p{L}{0,2}|falsch\p{L}{0,2})(?![\p{L}-])/giu
    : pronouns
  // Who writes `az` and `akte` writes names so, too.
  const isLowerCase =
    !/\p{Lu}/u.test(text) || /(?<!\p{L})(?:az|akten?|aktenzeichen|zeichen|sache)(?!\p{L})/u.test(text)
  const nouns = isLowerCase ? /\p{L}{3}[\p{L}\p{N}'’]*/gu : /\p{Lu}[\p{L}\p{N}'’]*/gu
  const words = [...text.matchAll(nouns), ...text.matchAll(others)].map(([word]) => fold(word))
  const isPlain = (word: string) =>
    word.length < 2 || plain.has(word) || isSent(word) || (isBare && /(?:ung|ungen)$/.test(word))
  return [...new Set(words)].filter((word) => !isPlain(word))
}

/** Whether each of the words is one of the case's name, or of a name of its parties. */
export function areOfCase(words: string[], { name, parties }: FoundCase): boolean {
  if (words.length === 0) return true
  const telling = [name, ...parties.map((party) => party.name ?? '')].flatMap((one) => [
    ...tellingWords(one),
    ...fold(one).split(/[^\p{L}\p{N}]+/u),
  ])
  return words.every((word) => telling.some((one) => one !== '' && isForm(word, one)))
}

/** Somebody else does it: `er hat die Akte … gezeigt`. */
const pronouns = /(?<![\p{L}-])(?:er|sie|ihr|man|jemand|mir|uns|denen|deren|dessen)(?![\p{L}-])/gu

/** What stands with the line above it: up to a blank line, a salutation or the end of a sentence; and what introduces it. */
function above(lines: string[], at: number): string {
  const read: string[] = []
  for (let from = at - 1; from >= 0 && read.length < reach; from -= 1) {
    const line = lines[from] ?? ''
    if (salutations.test(line) || /\p{L}{2}[.!?]$/u.test(line)) break
    if (line === '') {
      const before = lines.slice(Math.max(0, from - 2), from).findLast((one) => one !== '') ?? ''
      if (before.endsWith(':') || (!salutations.test(before) && isBehindOpening(lines, at)))
        read.unshift(before)
      break
    }
    read.unshift(line)
  }
  return read.join(' ')
}

function linesBelow(lines: string[], at: number): string {
  let text = ''
  for (let next = at + 1; next <= at + reach; next += 1) {
    const line = lines[next] ?? ''
    if (line === '' || salutations.test(line)) break
    const { text: read, isEnded } = sentenceBehind(line)
    text += ` ${read}`
    if (isEnded) break
  }
  return text
}

function sentenceBefore(text: string): string {
  return (
    text
      .slice(-400)
      .split(/(?<=\p{L}{4}[.!?])\s+/u)
      .at(-1) ?? ''
  )
}

function sentenceBehind(text: string): { text: string; isEnded: boolean } {
  const end = /[.!?](?:\s|$)/u.exec(text)?.index
  return { text: text.slice(0, Math.min(end ?? 400, 400)), isEnded: end !== undefined }
}

/** Without the marks of answers and of mail servers. */
function withoutMarks(text: string): string {
  return text.replace(/^(?:(?:\[[^\]]{1,40}\]|(?:aw|re|antw|betreff|betr|eilt) ?:) ?){1,6}/i, '')
}

/** What people send to their lawyer, also at the end of a longer word: `Schadenfotos`. */
function isSent(word: string): boolean {
  return /(?:unterlagen?|fotos?|bilder|vollmacht|bestaetigung|dokumente?|frage|fragen|formular|anlagen?|belege?|liste|termine?|entwurf|scans?|daten)$/.test(
    word,
  )
}

/** Words that begin a sentence, and the nouns for files and what is written to a lawyer. They own nothing. */
const plain = new Set(
  [
    'az aktz aktenzeichen aktenz zeichen geschaeftszeichen geschaeftsnummer gz akte akten aktennummer sache sachen rechtssache angelegenheit mandat ref referenz reference file betreff betr betrifft bezug',
    'ihr ihre ihrem ihren ihrer ihres ihnen sie ich wir mich der die das den dem des diese dieser dieses diesem ein eine einen einem einer',
    'zu zum zur in im ins an am auf aus bei beim fuer mit von vom wegen bezueglich bzgl hinsichtlich betreffend unter ueber nach und oder aber auch noch nun bitte danke dank hier anbei hiermit beiliegend beigefuegt wie es ja nein was wann wo',
    'rueckfrage antwort nachtrag ergaenzung rueckruf schreiben mail e-mail email brief nachricht info information informationen update sachstand anfrage anhang datei dateien stellungnahme besprechung entwurf adresse vergleich gespraech telefonat rueckmeldung kopie kopien original kenntnis',
    'januar februar maerz april mai juni juli august september oktober november dezember montag dienstag mittwoch donnerstag freitag samstag sonntag uhr woche heute morgen gestern',
    'gruss gruesse gruessen viele beste liebe vg lg mfg',
  ].flatMap((row) => row.split(' ')),
)

/** Whether the message has begun before this line: behind its salutation, or anywhere where it has none. */
function isBehindOpening(lines: string[], at: number): boolean {
  const isSalutation = (line: string) => salutations.test(line)
  return lines.slice(0, at).some(isSalutation) || !lines.slice(at, at + farthest).some(isSalutation)
}

/** Lines between the head of a letter and its salutation. */
const farthest = 60

/**
 * Whether a line of a message stands in a letter that is copied into it: what begins behind the salutation and has one of
 * its own, or what a line with a colon introduces (`Text des Briefs:`), which is no label (`Betreff:`).
 */
export function isInserted(lines: string[], at: number): boolean {
  if (!isBehindOpening(lines, at)) return false
  const isSalutation = (line: string) => salutations.test(line)
  const opened = lines.slice(0, at).findLastIndex(isSalutation)
  if (opened !== -1 && lines.slice(at, at + farthest).some(isSalutation)) return true
  const before = lines.slice(Math.max(opened + 1, at - 3), at).findLast((line) => line !== '') ?? ''
  return (
    before.endsWith(':') &&
    /\p{L} \p{L}/u.test(before) &&
    !/(?:zeichen|az\.?|datum|vom|betr\.?|betreff) ?:$/iu.test(before)
  )
}

/**
 * Whether what begins at a place of a line stands in a quotation that began before it, in this line or in one before.
 * A blank line ends the quotation whose marks do not say which is the first.
 */
export function quotations(lines: string[]): (at: number, start: number) => boolean {
  const open: boolean[] = []
  let [isOpen, isStraight] = [false, false]
  for (const line of lines) {
    if (line === '' && isStraight) [isOpen, isStraight] = [false, false]
    open.push(isOpen)
    for (const [mark] of line.matchAll(/[„“”»«‚‘"]/g)) [isOpen, isStraight] = after(mark, isOpen, isStraight)
  }
  return (at, start) => {
    let state: [boolean, boolean] = [open[at] ?? false, false]
    const before = (lines[at] ?? '').slice(0, start)
    // The number alone in quotation marks is quoted by nobody.
    for (const [mark] of before.replace(/[„“”»«‚‘"]\s?$/, '').matchAll(/[„“”»«‚‘"]/g))
      state = after(mark, ...state)
    return state[0]
  }
}

function after(mark: string, isOpen: boolean, isStraight: boolean): [isOpen: boolean, isStraight: boolean] {
  if (mark === '„' || mark === '»' || mark === '‚') return [true, false]
  if (mark === '"') return [!isOpen, !isOpen]
  return [false, isStraight]
}

/**
 * Whether somebody else says what the sentence calls a number: `Das Finanzamt schrieb: Ihr Zeichen …` is no file of the
 * reader. Somebody else is a noun with a capital that is not the reader's own (`Ihr Schreiben`), in a clause before that of
 * the number which is a sentence, and not that of the writer (`ich`).
 */
export function isToldByAnother(text: string, start: number): boolean {
  const sentence = sentenceBefore(text.slice(0, start))
  if (/(?<!\p{L})(?:steht|stand)(?: \p{Ll}{2,12}){0,3}:? Ihr(?!\p{L})/u.test(sentence)) return true
  const end = Math.max(...[...sentence.matchAll(/[:,]\s*\p{L}/gu)].map(({ index }) => index), 0)
  const clause = sentence.slice(0, end)
  const isSentence =
    /(?<![\p{L}-])(?!(?:wegen|gegen|und|von|vom|der|die|das|zum|zur|für|mit|den|dem|des|bei|beim)(?!\p{L}))\p{Ll}{3,}(?![\p{L}-])/u
  if (!isSentence.test(clause)) return false
  if (/(?<!\p{L})(?:ich|wir|bezug\p{L}*)(?!\p{L})/iu.test(clause)) return false
  if (salutations.test(clause)) return false
  const nouns = clause.replace(/(?<!\p{L})Ihr(?:e[mnrs]?)? \p{Lu}\p{L}*/gu, '').match(/\p{Lu}[\p{L}'’]*/gu)
  return (nouns ?? []).some((noun) => !plain.has(fold(noun)) && !isSent(fold(noun)))
}
