import { ExtractionRefusal } from './refusal.ts'

/** The limits of extraction. A file that exceeds one is refused. */
export const limits = {
  /** How long one page of a PDF may take, or another step such as opening it. */
  pageMilliseconds: 20_000,
  /** How long a whole PDF may take, without OCR. The time limit of the worker is longer. */
  pdfMilliseconds: 120_000,
  /**
   * The CPU time that an attachment may take before it uses the budget of its mail. Usual attachments take less, so
   * even many of them do not use up the budget.
   */
  unbudgetedMilliseconds: 500,
  /** The slice of time that an attachment takes from the budget of its mail. */
  budgetSliceMilliseconds: 5_000,
  /** The JavaScript heap of the thread that reads PDFs. */
  threadHeapMegabytes: 1_536,
  /** Number of PDFs that one thread reads before it is replaced, because pdf.js keeps font data in memory. */
  documentsPerThread: 100,
  /** Number of pages of a PDF or TIFF (D8). */
  pages: 2_000,
  /** Number of pixels of one page of a picture, as declared in its header: 100 megapixels are A2 at 500 dpi. */
  pixels: 100_000_000,
  /** Width and height of a picture in pixels: Textract's limit. */
  pixelsPerSide: 10_000,
  /** Width and height, in points (1/72 inch), of a PDF page that needs OCR: Textract's limit. */
  pointsPerSide: 9_000,
  /** Number of entries of a DOCX. */
  zipEntries: 2_000,
  /** Size of all inflated entries of a DOCX together, counted while inflating. */
  inflatedBytes: 150 * 1024 * 1024,
  /** Size of one HTML or text file that a DOCX inserts. */
  insertedFileBytes: 4 * 1024 * 1024,
  /** Number of tags of one inserted HTML file. The time to read it grows with the square of this number. */
  insertedTags: 30_000,
  /** Number of tags of all HTML files that a DOCX inserts. */
  allInsertedTags: 100_000,
  /** Nesting depth of DOCX files that a DOCX inserts. */
  insertedDepth: 3,
  /**
   * Size of one inflated stream of a PDF that is neither a picture nor an embedded file. Even the streams of large
   * construction drawings are smaller.
   */
  inflatedPdfStreamBytes: 32 * 1024 * 1024,
  /**
   * Size of one inflated file that is embedded in a PDF. Sealed copies embed originals of up to 50 MiB (S1, S7), which
   * are not read.
   */
  embeddedFileBytes: 64 * 1024 * 1024,
  /** Size of all inflated streams of a PDF together, without pictures. */
  inflatedPdfBytes: 1024 * 1024 * 1024,
  /** Depth of nested XML elements. Word itself stays far below 100. */
  xmlDepth: 256,
  /** Number of characters of the text. A thousand dense pages have about five million. */
  textCharacters: 20_000_000,
} as const

/** Refuses a text that is too long. @throws ExtractionRefusal `too_large` */
export function checkTextLength(characters: number): void {
  if (characters > limits.textCharacters) {
    throw new ExtractionRefusal('too_large', `The text has more than ${limits.textCharacters} characters.`)
  }
}
