/** The part of word-extractor that reads a Word stream; the package's own types cover its front door only. */
declare module 'word-extractor/lib/word-ole-extractor.js' {
  import type { Readable } from 'node:stream'

  export type WordDocument = {
    getBody(options: { filterUnicode: boolean }): string
    getHeaders(options: { filterUnicode: boolean; includeFooters: boolean }): string
    getFooters(options: { filterUnicode: boolean }): string
    getFootnotes(options: { filterUnicode: boolean }): string
    getEndnotes(options: { filterUnicode: boolean }): string
    getTextboxes(options: { filterUnicode: boolean }): string
  }

  export default class WordOleExtractor {
    protected _pieces: { text: string }[]
    protected writePieces(wordStream: Buffer, tableStream: Buffer): void
    extractWordDocument(
      container: { stream(name: string): Readable | Promise<Readable> },
      wordStream: Buffer,
    ): Promise<WordDocument>
  }
}
