import { ExtractionRefusal } from './refusal.ts'

/** How much of a file is read before it is refused. */
export const limits = {
  /** Pages of a PDF or TIFF (D8). */
  pages: 2_000,
  /** Pixels of one page of a picture, by its header: 100 megapixels are A2 at 430 dpi. */
  pixels: 100_000_000,
  /** Pixels of one side of a picture: Textract reads no more. */
  pixelsOfSide: 10_000,
  /** Points (1/72 inch) of one side of a page of a PDF that is read by machine: Textract reads no more. */
  pointsOfSide: 9_000,
  /** Entries of a DOCX. */
  zipEntries: 2_000,
  /** Everything inflated from a DOCX together, as counted while inflating. */
  inflatedBytes: 150 * 1024 * 1024,
  /** One stream of a PDF, inflated, that is no picture; the drawings of large plans stay below. */
  inflatedPdfStreamBytes: 32 * 1024 * 1024,
  /** All those streams of a PDF together. */
  inflatedPdfBytes: 1024 * 1024 * 1024,
  /** Elements of XML inside one another; Word itself stays far below 100. */
  xmlDepth: 256,
  /** Characters of the text; a thousand dense pages have about five million. */
  textCharacters: 20_000_000,
} as const

/** Refuses a text that grew past the limit. */
export function checkTextLength(characters: number): void {
  if (characters > limits.textCharacters) {
    throw new ExtractionRefusal('too_large', `The text has more than ${limits.textCharacters} characters.`)
  }
}
