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
 * `readPages` gives the text of each page in the request, line by line; '' for a page without text. It rejects with
 * an ExtractionRefusal where the document cannot be read; when the signal aborts, with its reason, or with
 * StillReading where the recognition goes on; and with any other error where another attempt can succeed.
 */
export type Ocr = {
  readPages(request: OcrRequest): Promise<Map<number, string>>
}
