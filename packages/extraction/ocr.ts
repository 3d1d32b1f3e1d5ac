import type { DocumentType } from '#documents/schema.ts'

/** What is to be read by machine: pages of one document. */
export type OcrRequest = {
  bytes: Uint8Array
  mimeType: DocumentType
  /** Pages the document has. */
  pageCount: number
  /** Pages to read, counted from 1, ascending. */
  pages: readonly number[]
  signal: AbortSignal
}

/**
 * Reads the text in pictures, for one document.
 *
 * `readPages` gives the text of each page asked for, line by line; a page without any is ''. It rejects with
 * an ExtractionRefusal where the document itself is at fault; when time is over with the signal's reason, or with
 * StillReading where the machine is at work all the same; and with anything else where trying again makes sense.
 */
export type Ocr = {
  readPages(request: OcrRequest): Promise<Map<number, string>>
}
