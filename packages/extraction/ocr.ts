import type { DocumentType } from '#documents/schema.ts'

/** The pages of one document that need OCR. */
export type OcrRequest = {
  bytes: Uint8Array
  mimeType: DocumentType
  /** How many pages the document has. */
  pageCount: number
  /** The pages to read, counted from 1, ascending. */
  pages: readonly number[]
  signal: AbortSignal
}

/**
 * Optical character recognition (OCR) for one document.
 *
 * `readPages` returns the text of each requested page, line by line; '' for a page without text. A page that could not
 * be read is missing. It rejects with an ExtractionRefusal if no page could be read. If the signal aborts, it rejects
 * with the reason of the signal, or with StillReading if the recognition continues. It rejects with any other error if
 * another attempt can succeed.
 */
export type Ocr = {
  readPages(request: OcrRequest): Promise<Map<number, string>>
}
