import { readFileSync } from 'node:fs'
import type { DocumentType } from '#documents/schema.ts'

const folder = new URL('../corpus/', import.meta.url)

type CorpusIndex = {
  texts: Record<string, string>
  files: Record<
    string,
    { mime_type: DocumentType; page_count: number; text: string; scanned_pages: number[] }
  >
  refused: Record<string, [mimeType: DocumentType, reason: string]>
  not_accepted: string[]
}

/** The entries of `test/corpus/words.json` for each file. */
export const corpus = JSON.parse(readFileSync(new URL('words.json', folder), 'utf8')) as CorpusIndex

/** The bytes of a file of the corpus. */
export function corpusFile(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(name, folder)))
}

/** The words that a text must have according to the corpus, and does not have. */
export function missingWords(text: string, list: string): string[] {
  const found = new Set(text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu))
  return (corpus.texts[list] ?? '').split(' ').filter((word) => !found.has(word))
}
