import { eachToken, isLatin } from './analyse.ts'
import { dayNumber, type Entry, writeSegment } from './segment-file.ts'
import type { IndexedRecord, SegmentFacts } from './types.ts'

/**
 * Writes a segment of these records at `path`: a complete file, or none. If several records have the same id, it keeps
 * the one with the greatest sequence.
 */
export function buildSegment(
  records: Iterable<IndexedRecord> | AsyncIterable<IndexedRecord>,
  path: string,
): Promise<SegmentFacts> {
  return writeSegment(path, { keepsTerms: true }, async (writer) => {
    for await (const record of records) {
      const entry = entryOf(record, writer.wordsOf(record.access))
      if (!writer.add(entry)) writer.checkWords()
    }
  })
}

/** A term between two titles, so that no phrase spans both. No text contains this term. */
const boundary = ' \u00b7 '

function entryOf({ pages, titles, date, ...record }: IndexedRecord, words: Set<string>): Entry {
  let length = 0
  const analysed = (texts: string[], separator: string): string => {
    let all = ''
    for (const text of texts) {
      if (all !== '') all += separator
      eachToken(text, (word, term) => {
        length += 1
        all += `${term} `
        if (isListed(word)) words.add(word)
      })
    }
    return all
  }
  const body = analysed(pages, '')
  return { ...record, date: dayNumber(date), body, titles: analysed(titles, boundary), length }
}

/** Whether a word can be a part of a compound or match a prefix. */
function isListed(word: string): boolean {
  return word.length > 1 && isLatin(word)
}
