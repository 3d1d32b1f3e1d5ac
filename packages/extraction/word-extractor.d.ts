/** The part of word-extractor that reads a Word stream. The package's own types cover only its main entry point. */
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

  /** Consecutive characters of the file, by their character positions (`Cp`). `bpc`: bytes per character. */
  export type Piece = {
    text: string
    length: number
    bpc: number
    size: number
    startCp: number
    endCp: number
    startFilePos: number
    endFilePos: number
  }

  export default class WordOleExtractor {
    protected _pieces: Piece[]
    protected writePieces(wordStream: Buffer, tableStream: Buffer): void
    protected writeCharacterProperties(wordStream: Buffer, tableStream: Buffer): void
    protected normalizeHeaders(wordStream: Buffer, tableStream: Buffer): void
    extractWordDocument(
      container: { stream(name: string): Readable | Promise<Readable> },
      wordStream: Buffer,
    ): Promise<WordDocument>
  }
}
