import { isInserted, isLabelledByAnother, possibleOwners, quotations, wordsBeside } from './beside.ts'
import { isCited, isInApposition, isOfAnotherCase } from './citations.ts'
import { type FoundReference, findCourtReferences } from './court-references.ts'
import { isDenied, isDoubted } from './denials.ts'
import { findFileNumbers } from './file-numbers.ts'
import { salutations } from './layout.ts'
import { limits } from './limits.ts'
import { type Above, isWrapped, labelOf, type NumberLabel } from './number-labels.ts'
import type { NumberSignal, Place } from './ports.ts'

/**
 * Lines of one place of the message. `isForwarded`: they belong to a mail that is forwarded. `isOfAnother`: they are a
 * letter that somebody other than the sender wrote.
 */
export type NumberText = { place: Place; lines: string[]; isForwarded: boolean; isOfAnother?: boolean }

type Span = { start: number; end: number }

/** One mention of a number. `isFull`: it is written in full, as we write ours. */
type Mention = {
  key: string
  suffix: string | null
  place: Place
  label: NumberLabel
  isFull: boolean
  mayCount: boolean
  isOwn: boolean
  /** It is not in forwarded text or an address. In an attachment, it is in the head of the letter. */
  isSeen: boolean
  isDenied: boolean
  isDoubted: boolean
  /** Of a court's reference: it is the prosecutor's part of the reference of a court (`532 Ds 12 Js 345/26`). */
  isPart: boolean
  beside: string[]
  quote: string
}

/**
 * The file numbers and court references of a message, each key once. Those that count come first; otherwise they keep
 * the order of the message. Subject and body are judged together, each attachment by itself. If the sender calls a
 * number his own in one of the two, it is his own in the other. If one calls it an invoice and the other says nothing,
 * it is an invoice in both.
 *
 * A file number counts if it is called ours, or stands directly after a word for a file (`zur Akte`). A number without
 * a label, or with a label that has no owner (`Az.`), counts only in the subject and in a reference line. A number with
 * any other label never counts. In an attachment only a number that is called ours counts, in the head of the letter. A
 * court's reference counts in the subject and in reference lines of the head, and is the sender's own (`is_own`) if it
 * has a label there, or stands alone. A number that a sentence denies counts nowhere, and neither does a number in the
 * address of a page.
 */
export function readNumbers(
  texts: NumberText[],
  form: string,
  ownCourt: RegExp | null = null,
): { file_numbers: NumberSignal[]; court_references: NumberSignal[] } {
  const written = texts
    .filter(({ place }) => place !== 'attachment')
    .map((text) => mentionsIn(text, form, ownCourt))
  const attached = texts
    .filter(({ place }) => place === 'attachment')
    .map((text) => mentionsIn(text, form, ownCourt))
  const message = {
    numbers: written.flatMap(({ numbers }) => numbers),
    references: written.flatMap(({ references }) => references),
  }
  const groups = [message, ...attached]
  return {
    file_numbers: firstOfEachKey(groups.flatMap(({ numbers }) => fileNumberSignals(numbers))).slice(
      0,
      limits.fileNumbers,
    ),
    court_references: withOneOwnPlace(
      firstOfEachKey(
        groups.flatMap(({ references }) => referenceSignals(withOneReferencePerPlace(references))),
      ),
    ).slice(0, limits.courtReferences),
  }
}

/**
 * In each place, the first reference that the sender gives as his own counts. Any other belongs to another case (`Az. 3
 * O 77/26, Beiakte 3 O 45/26`) and files nothing. A reference in the subject also files nothing if the head of the body
 * has a different one.
 */
function withOneReferencePerPlace(references: Mention[]): Mention[] {
  const ownOf = (place: Place) =>
    references.find((one) => one.place === place && one.isOwn && !one.isPart)?.key
  const own = { body: ownOf('body'), subject: ownOf('subject'), attachment: ownOf('attachment') }
  const isOther = ({ place, key, isPart }: Mention) => {
    if (place !== 'body' && place !== 'subject' && place !== 'attachment') return false
    const given = place === 'subject' ? (own.body ?? own.subject) : own[place]
    return given !== undefined && given !== key && !(isPart && given.endsWith(key))
  }
  return references.map((one) => (isOther(one) ? { ...one, mayCount: false, isOwn: false } : one))
}

/** The maximum number of mentions in one place: a list of thousands of numbers names no case. */
const maxMentions = 40

function mentionsIn(
  { place, lines, isForwarded, isOfAnother = false }: NumberText,
  form: string,
  ownCourt: RegExp | null,
) {
  const numbers: Mention[] = []
  const references: Mention[] = []
  const head = headOf(lines, place)
  const isQuoted = quotations(lines)
  let [above, charactersRead, isNext, isStacked, isAboveReference] = ['', 0, false, false, true]
  for (const [at, line] of lines.entries()) {
    const isVisible = !isForwarded && (place !== 'attachment' || charactersRead < limits.letterHead)
    charactersRead += line.length + 1
    let isReference = false
    if (/\d[/.-]| [/-] ?\d/.test(line)) {
      const context: LineContext = {
        place,
        lines,
        at,
        line,
        above: { above, isNext, isStacked },
        isHead: at < head,
        isVisible,
        isAboveReference,
        isQuoted,
      }
      const spans = findCourtReferences(line)
      const ofReferences = { isOfAnother, ownCourt, limit: maxMentions - references.length }
      const foundReferences = referencesOfLine(context, spans, ofReferences)
      const foundNumbers = numbersOfLine(context, spans, { form, limit: maxMentions - numbers.length })
      references.push(...foundReferences)
      numbers.push(...foundNumbers)
      isReference = [...foundReferences, ...foundNumbers].some(({ isInPlace }) => isInPlace)
    }
    isStacked = isNext && line !== ''
    isNext = line !== ''
    isAboveReference = isReference
    if (line !== '') above = line
  }
  return { numbers, references }
}

/** A line and its surroundings. */
type LineContext = {
  place: Place
  lines: string[]
  /** The index of the line. */
  at: number
  line: string
  above: Above
  /** It belongs to the head of the letter (`headOf`). */
  isHead: boolean
  /** It is not forwarded. In an attachment, it is near the beginning. */
  isVisible: boolean
  /** The line above is a reference line, or there is no line above. */
  isAboveReference: boolean
  isQuoted: (at: number, start: number) => boolean
}

type LineMention = Mention & { isInPlace: boolean }

/** The fields that mentions of both kinds have. `isInPlace`: it stands where a letter has its references. */
function mentionOf(context: LineContext, span: Span, above: Above, labelled: string) {
  const { place, line, isHead, isVisible, isAboveReference } = context
  const { above: before, isNext } = context.above
  const text = `${before} ${line}`
  const [start, end] = [span.start + before.length + 1, span.end + before.length + 1]
  return {
    place,
    label: labelOf(labelled, span, above),
    isInPlace:
      place === 'subject' ||
      place === 'xjustiz' ||
      place === 'stated' ||
      (isReferenceLine(line, span, isHead) &&
        (!isNext || isAboveReference || !isWrapped(before) || (isHead && isLabelled(line, before)))),
    isSeen: isVisible && !isInAddress(line, span.start),
    isDenied: isDenied(text, start, end),
    isDoubted: isDoubted(text, start, end),
    quote: quoteOf(line, span.start, span.end),
  }
}

function referencesOfLine(
  context: LineContext,
  spans: FoundReference[],
  { isOfAnother, ownCourt, limit }: { isOfAnother: boolean; ownCourt: RegExp | null; limit: number },
): LineMention[] {
  const { place, line, isHead } = context
  const { above } = context.above
  const text = `${above} ${line}`
  const offset = above.length + 1
  // The sender's own court name does not say whose reference follows.
  const labelled = ownCourt === null ? line : line.replace(ownCourt, (name) => ' '.repeat(name.length))
  return spans
    .filter(({ start, end }) => !isCited(text, start + offset, end + offset))
    .slice(0, limit)
    .map((span) => {
      const isAlone = (span.start === 0 && !above.endsWith(':')) || (isHead && isLabelled(line, above))
      const nothing: Above = { above: '', isNext: false, isStacked: false }
      const mention = mentionOf(context, span, isAlone ? nothing : context.above, labelled)
      const isAtHead = mention.isInPlace && (isHead || place === 'subject') && !isOfAnother
      const isOfSender =
        givesAsOwn(mention.label) ||
        (unownedLabels.has(mention.label) && isInApposition(labelled.slice(0, span.start)))
      const mayCount = mention.isSeen && isAtHead && isOfSender && !isOfAnotherCase(line.slice(0, span.start))
      return {
        ...mention,
        key: span.key,
        suffix: null,
        isFull: false,
        mayCount,
        beside: [],
        isOwn: mayCount && givesAsOwn(mention.label),
        isPart: spans.some((it) => it !== span && it.start <= span.start && it.end >= span.end),
      }
    })
}

function numbersOfLine(
  context: LineContext,
  references: Span[],
  { form, limit }: { form: string; limit: number },
): LineMention[] {
  const { place, lines, at, line } = context
  const isQuotedOrInserted = (start: number) =>
    context.isQuoted(at, start) || (place === 'body' && isInserted(lines, at))
  return findFileNumbers(line, form)
    .filter(({ start, end }) => !references.some((it) => start < it.end && end > it.start))
    .slice(0, limit)
    .map(({ key, suffix, start, end, isWrittenInFull, isShort }) => {
      const read = mentionOf(context, { start, end }, context.above, line)
      // In a text by somebody else, `Ihr Zeichen` is the reference of the person to whom that text is addressed.
      const isByAnother =
        read.label === 'ours' && (isQuotedOrInserted(start) || isSaidByAnother(context, start))
      const label = isByAnother ? 'another' : read.label
      const isUnowned = label === 'reference' || (isUnlabelled(label) && !isShort)
      const isClear =
        label === 'ours' ||
        (place !== 'attachment' &&
          (label === 'file' || (read.isInPlace && (isUnowned || (isWrittenInFull && isUnlabelled(label))))))
      const mayCount = read.isSeen && isClear && (label === 'ours' || !isQuotedOrInserted(start))
      return {
        ...read,
        label,
        key,
        suffix,
        isFull: isWrittenInFull,
        mayCount,
        isOwn: false,
        isPart: false,
        beside: mayCount ? ownersBeside(context, { start, end }, label) : [],
      }
    })
}

/** Whether the sentence around a number in the body says that somebody else gives it its label. */
function isSaidByAnother({ place, line, above: { above, isNext } }: LineContext, start: number): boolean {
  if (place !== 'body') return false
  return isNext && isWrapped(above)
    ? isLabelledByAnother(`${above} ${line}`, start + above.length + 1)
    : isLabelledByAnother(line, start)
}

/** The words beside a number that may name its owner. */
function ownersBeside({ place, lines, at }: LineContext, span: Span, label: NumberLabel): string[] {
  if (label === 'ours') return place === 'body' ? possibleOwners(lines, at, span.start) : []
  return wordsBeside(lines, at, span, { isSubject: place === 'subject', isBare: isUnlabelled(label) })
}

function isUnlabelled(label: NumberLabel): boolean {
  return label === 'none' || label === 'alone'
}

/**
 * The number of lines of the head, in which a letter has its references: the lines above the salutation. Without a
 * salutation, the head of an attachment ends before the first sentence. The head of a mail also ends at a blank line.
 */
function headOf(lines: string[], place: Place): number {
  const isSentence = (line: string) => line.length > 100 || /\p{L}{4}[.!?]$/u.test(line)
  const first = lines.slice(0, maxHead)
  const salutation = first.findIndex((line) => salutations.test(line))
  if (salutation !== -1) return salutation
  const begin = first.findIndex((line) => line !== '')
  const end = first.findIndex(
    (line, at) => at > begin && (isSentence(line) || (line === '' && place !== 'attachment')),
  )
  return end === -1 ? first.length : end
}

const maxHead = 60

/**
 * Whether the line of a number is a reference line, not a sentence. It stands in the head of a letter, or begins with
 * its label (`Az.: 0010/26`).
 */
function isReferenceLine(line: string, { start, end }: Span, isHead: boolean): boolean {
  if (line.length > limits.quote || /[!?]$|\p{L}{4}\.$/u.test(line)) return false
  const [before, after] = [line.slice(0, start), line.slice(end)]
  const isSentence =
    /(?:^|\s)(?!(?:wegen|gegen|und|von|vom|der|die|das|zum|zur|für|mit)\s)\p{Ll}{3,}(?=\s|[.,)]|$)/u
  if (isSentence.test(after.replace(/^ ?\([^()]{0,60}\bangeben!?\)/iu, ''))) return false
  if (
    /^(?:betreff|betr|bezug|aktenzeichen|az|akte|gesch(?:ä|ae)fts-?(?:zeichen|nummer|nr)|gesch\.?-?(?:z|nr)|ihr zeichen|unser zeichen)\b/i.test(
      before,
    )
  )
    return true
  return isHead && !isSentence.test(before.replace(/(?:zu|zur|zum|wegen|in|der|sache|sachen)\s/giu, ''))
}

/** Whether the line begins with its label, and the line above is no prose that continues in it. */
function isLabelled(line: string, above: string): boolean {
  return (
    /^(?:aktenzeichen|az|gesch(?:ä|ae)fts-?(?:zeichen|nummer|nr)|gesch\.?-?(?:z|nr))(?!\p{L})/iu.test(line) &&
    !/[\p{Ll},:]$/u.test(above)
  )
}

/** Whether the label has no owner or is the sender's, or the reference stands alone without a label. */
function givesAsOwn(label: NumberLabel): boolean {
  return label === 'reference' || label === 'theirs' || label === 'alone'
}

/** Labels that say nothing about an owner. */
const unownedLabels = new Set<NumberLabel>(['file', 'other', 'none'])

/**
 * Whether the text that begins at `start` stands in the address of a page: the reader of HTML does not see the address
 * of a link.
 */
function isInAddress(line: string, start: number): boolean {
  const word =
    line
      .slice(Math.max(0, start - 2_000), start)
      .split(/\s/)
      .at(-1) ?? ''
  return /:\/\/|^<?www\./i.test(word)
}

/** One signal for each key, made of the mentions with the label of the highest precedence. */
function fileNumberSignals(mentions: Mention[]): NumberSignal[] {
  return [...Map.groupBy(mentions, ({ key }) => key)].flatMap(([key, all]) => {
    const best =
      labelPrecedence.map((label) => all.filter((it) => it.label === label)).find((it) => it.length > 0) ?? []
    const counting = best.filter(({ mayCount }) => mayCount)
    const mention = counting.find(({ beside }) => beside.length === 0) ?? counting[0] ?? best[0]
    if (mention === undefined || mention.label === 'not_a_file') return []
    const { suffix, place, quote, label, beside } = mention
    const isMeant = all.some((it) => it.isSeen) && !all.some((it) => it.isDenied)
    return [
      {
        key,
        suffix,
        place,
        label: shownLabel(mention),
        counts: mention.mayCount && isMeant && label !== 'theirs' && !all.some((it) => it.isDoubted),
        is_own: false,
        is_meant: isMeant && label !== 'theirs',
        beside,
        quote,
      },
    ]
  })
}

function referenceSignals(mentions: Mention[]): NumberSignal[] {
  return [...Map.groupBy(mentions, ({ key }) => key)].flatMap(([key, all]) => {
    const mention = all.find(({ isOwn }) => isOwn) ?? all.find(({ mayCount }) => mayCount) ?? all[0]
    if (mention === undefined) return []
    const { suffix, place, quote, mayCount } = mention
    const is_meant = all.some((it) => it.isSeen) && !all.some((it) => it.isDenied)
    const [counts, is_own] = [mayCount && is_meant, mention.isOwn && is_meant]
    return [{ key, suffix, place, label: 'reference', counts, is_own, is_meant, beside: [], quote }]
  })
}

function shownLabel({ label, isFull }: Mention): NumberSignal['label'] {
  if (label === 'ours' || label === 'theirs') return label
  return label === 'file' || label === 'reference' || (isFull && isUnlabelled(label)) ? 'reference' : 'none'
}

/** The order of precedence if a number has several labels. */
const labelPrecedence: NumberLabel[] = [
  'ours',
  'theirs',
  'another',
  'file',
  'not_a_file',
  'reference',
  'other',
  'none',
  'alone',
]

function firstOfEachKey(signals: NumberSignal[]): NumberSignal[] {
  const first = new Map<string, NumberSignal>()
  for (const signal of signals) if (!first.has(signal.key)) first.set(signal.key, signal)
  return [...first.values()].toSorted((one, other) => Number(other.counts) - Number(one.counts))
}

/**
 * The sender's own reference is taken from the subject, otherwise from the body, otherwise from one attached letter.
 */
function withOneOwnPlace(signals: NumberSignal[]): NumberSignal[] {
  const own = signals.filter(({ is_own }) => is_own)
  const place = (['subject', 'body', 'attachment'] as const).find((one) => own.some((it) => it.place === one))
  const letters = new Set(own.filter((it) => it.place === 'attachment').map(({ key }) => key))
  // If letters name several cases, or another case than the message does, it is unclear which is meant.
  const isClear = (it: NumberSignal) =>
    it.place !== 'attachment' || place === undefined || (place === 'attachment' && letters.size === 1)
  return signals.map((it) => ({
    ...it,
    counts: it.counts && isClear(it),
    is_own: it.is_own && it.place === place,
  }))
}

/** The part of the line around a number. */
function quoteOf(line: string, start: number, end: number): string {
  if (line.length <= limits.quote) return line
  const from = Math.max(0, Math.min(start - 60, line.length - limits.quote))
  return line.slice(from, Math.max(end, from + limits.quote)).trim()
}
