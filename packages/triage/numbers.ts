import { isCited } from './citations.ts'
import { findCourtReferences } from './court-references.ts'
import { isDenied } from './denials.ts'
import { findFileNumbers } from './file-numbers.ts'
import { limits } from './limits.ts'
import { labelOf, type NumberLabel } from './number-labels.ts'
import type { NumberSignal, Place } from './ports.ts'

/** Lines of one place of the message. `isForwarded`: what stands there belongs to a mail that is forwarded. */
export type NumberText = { place: Place; lines: string[]; isForwarded: boolean }

/** A number where it stands once. `full`: nothing names it, but it is written in full as we write ours. */
type Mention = {
  key: string
  suffix: string | null
  place: Place
  label: NumberLabel | 'full'
  mayCount: boolean
  isDenied: boolean
  quote: string
}

/**
 * The file numbers and court references of a message, each key once: what counts first, then in the order of the
 * message. Subject and body are judged together, each attachment for itself: a number that the sender calls his own in
 * one place is his own in the other, and one that is called an invoice is one where nothing is said of it.
 *
 * A number behind a word that says neither that it is a file nor that it is none, as `Halle 31/26`, counts only where it
 * is written in full. One that a sentence denies counts nowhere, and one in the address of a page does not count there. In
 * an attachment one counts only in the head of the letter, where the letter calls it ours.
 */
export function readNumbers(
  texts: NumberText[],
  form: string,
): { file_numbers: NumberSignal[]; court_references: NumberSignal[] } {
  const written = texts.filter(({ place }) => place !== 'attachment').map((text) => mentionsIn(text, form))
  const attached = texts.filter(({ place }) => place === 'attachment').map((text) => mentionsIn(text, form))
  const message = {
    numbers: written.flatMap(({ numbers }) => numbers),
    references: written.flatMap(({ references }) => references),
  }
  const groups = [message, ...attached]
  return {
    file_numbers: once(groups.flatMap(({ numbers }) => judged(numbers))).slice(0, limits.fileNumbers),
    court_references: once(groups.flatMap(({ references }) => judged(references))).slice(
      0,
      limits.courtReferences,
    ),
  }
}

/** Mentions that are collected of one place: a list of ten thousand numbers names no case. */
const maxMentions = 40

function mentionsIn({ place, lines, isForwarded }: NumberText, form: string) {
  const numbers: Mention[] = []
  const references: Mention[] = []
  let [above, read] = ['', 0]
  for (const line of lines) {
    const isHead = place !== 'attachment' || read < limits.letterHead
    read += line.length + 1
    if (/\d[/.-]| [/-] ?\d/.test(line)) {
      const found = findCourtReferences(line)
      const context = `${above} ${line}`
      const offset = above.length + 1
      for (const { key, start, end } of found) {
        if (references.length >= maxMentions || isCited(context, start + offset, end + offset)) continue
        const mayCount = isHead && !isForwarded
        references.push({
          key,
          suffix: null,
          place,
          label: 'reference',
          mayCount,
          isDenied: isDenied(context, start + offset, end + offset),
          quote: quoteOf(line, start, end),
        })
      }
      for (const number of findFileNumbers(line, form)) {
        const { key, suffix, start, end, isWrittenInFull, isShort } = number
        if (numbers.length >= maxMentions || found.some((it) => start < it.end && end > it.start)) continue
        const named = labelOf(line, start, above)
        const label = named === 'none' && isWrittenInFull ? 'full' : named
        const isAlone = /(^|[,;:(/[–—-])\s{0,9}$/.test(line.slice(Math.max(0, start - 10), start))
        const isNamed = label === 'ours' || label === 'reference'
        const isClear =
          place === 'attachment' ? label === 'ours' : isNamed || label === 'full' || (isAlone && !isShort)
        const mayCount = isHead && !isForwarded && isClear && !isInAddress(line, start)
        numbers.push({
          key,
          suffix,
          place,
          label,
          mayCount,
          isDenied: isDenied(context, start + offset, end + offset),
          quote: quoteOf(line, start, end),
        })
      }
    }
    if (line !== '') above = line
  }
  return { numbers, references }
}

/** Whether what begins at `start` stands in the address of a page: that of a link in HTML is not seen by its reader. */
function isInAddress(line: string, start: number): boolean {
  const word =
    line
      .slice(Math.max(0, start - 2_000), start)
      .split(/\s/)
      .at(-1) ?? ''
  return /:\/\/|^<?www\./i.test(word)
}

/** One signal for each key, by the best that is said of it. */
function judged(mentions: Mention[]): NumberSignal[] {
  return [...Map.groupBy(mentions, ({ key }) => key)].flatMap(([key, all]) => {
    const best =
      order.map((label) => all.filter((it) => it.label === label)).find((it) => it.length > 0) ?? []
    const mention = best.find(({ mayCount }) => mayCount) ?? best[0]
    if (mention === undefined || mention.label === 'foreign') return []
    const { suffix, place, quote, mayCount } = mention
    const label = mention.label === 'full' ? 'reference' : mention.label
    const isDenied = all.some((it) => it.isDenied)
    return [{ key, suffix, place, label, counts: mayCount && !isDenied && label !== 'theirs', quote }]
  })
}

/** What outweighs what, where several things are said of one number. */
const order = ['ours', 'theirs', 'reference', 'foreign', 'full', 'none'] as const

function once(signals: NumberSignal[]): NumberSignal[] {
  const first = new Map<string, NumberSignal>()
  for (const signal of signals) if (!first.has(signal.key)) first.set(signal.key, signal)
  return [...first.values()].toSorted((one, other) => Number(other.counts) - Number(one.counts))
}

/** The part of the line around a number. */
function quoteOf(line: string, start: number, end: number): string {
  if (line.length <= limits.quote) return line
  const from = Math.max(0, Math.min(start - 60, line.length - limits.quote))
  return line.slice(from, Math.max(end, from + limits.quote)).trim()
}
