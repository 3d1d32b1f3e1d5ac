import { StillReading } from '#documents/ports.ts'
import type { DocumentType } from '#documents/schema.ts'
import { readDoc } from './doc.ts'
import { readDocx } from './docx.ts'
import { cleanText, countWords, joinBrokenWords } from './german-text.ts'
import { checkTextLength } from './limits.ts'
import type { Ocr } from './ocr.ts'
import { readPicture } from './picture.ts'
import { readPlainText } from './plain-text.ts'
import { type ReadingBudget, readPdf } from './read-pdf.ts'
import { ExtractionRefusal, type RefusalReason, refusalOf, type Unread } from './refusal.ts'

/** The dependencies of extraction. */
export type ExtractionPorts = {
  /** OCR for the pages of this document. */
  ocr: Ocr
  /** The reading time that this document shares with others; undefined if it shares none. */
  budget?: ReadingBudget | undefined
  /** If it aborts, `extract` rejects with its reason. */
  signal?: AbortSignal
}

/**
 * The text of a document. `page_count` is 1 for formats without pages; D8 defines how words are counted. `page_starts`:
 * the offset in the text, in UTF-16 units, at which each page begins. A blank page has the same offset as the next one.
 */
export type Extraction = {
  text: string
  page_count: number
  word_count: number
  page_starts: number[]
  /** Other content that could not be read. */
  unread?: Unread
}

/** Why the text of a document can never be read: a code, which users see, and a message for developers. */
export type RefusedExtraction = { refused: RefusalReason; message: string }

/**
 * Reads the text of a document. The pages of a PDF are in page order, separated by an empty line; the text of a page
 * comes from its text layer or from OCR. In a Word document headers come before the body, notes and footers after it.
 * Text boxes come after their paragraph in a DOCX, and after the body in a DOC. Nothing in the file is executed or
 * fetched.
 *
 * A picture without words has an empty text. A Word document or plain text without words is refused.
 *
 * @param mimeType the result of `detectType` for these bytes
 * @returns the text, or the reason for a refusal
 * @throws the reason of the signal if it aborts; StillReading if it aborts while OCR is running; any other error if
 *   another attempt can succeed
 */
export async function extract(
  bytes: Uint8Array,
  mimeType: DocumentType,
  ports: ExtractionPorts,
): Promise<Extraction | RefusedExtraction> {
  const signal = ports.signal ?? new AbortController().signal
  try {
    if (bytes.length === 0) throw new ExtractionRefusal('empty', 'The file is empty.')
    const { pages, page_count, unread } = await readers[mimeType](bytes, mimeType, ports, signal)
    const { text, page_starts } = joined(pages)
    checkTextLength(text.length)
    return { text, page_count, word_count: countWords(text), page_starts, ...(unread && { unread }) }
  } catch (error) {
    if (error instanceof StillReading) throw error
    signal.throwIfAborted()
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    return { refused: refusal.reason, message: refusal.message }
  }
}

type Pages = { pages: string[]; page_count: number; unread?: Unread | undefined }

/** Joins the texts of all pages that are not blank, and returns the offset at which each page begins. */
function joined(pages: string[]): Pick<Extraction, 'text' | 'page_starts'> {
  const separator = '\n\n'
  const starts: number[] = []
  let text = ''
  for (const page of pages.map((one) => one.trim())) {
    const before = text === '' ? '' : separator
    starts.push(text.length + before.length)
    if (page !== '') text += before + page
  }
  return { text, page_starts: starts.map((start) => Math.min(start, text.length)) }
}

type Reader = (
  bytes: Uint8Array,
  mimeType: DocumentType,
  ports: Pick<ExtractionPorts, 'ocr' | 'budget'>,
  signal: AbortSignal,
) => Promise<Pages>

const cleanLayout = (text: string): string => joinBrokenWords(cleanText(text)).trim()

const readPaged =
  (read: Reader): Reader =>
  async (...input) => {
    const { pages, ...rest } = await read(...input)
    return { ...rest, pages: pages.map(cleanLayout) }
  }

const readFlowing =
  (
    read: (bytes: Uint8Array, signal: AbortSignal) => Promise<{ text: string; unread?: Unread | undefined }>,
  ): Reader =>
  async (bytes, _mimeType, _ports, signal) => {
    const { text, unread } = await read(bytes, signal)
    if (countWords(text) === 0) throw new ExtractionRefusal('empty', 'The document has no words.')
    return { pages: [text], page_count: 1, unread }
  }

const readers: Record<DocumentType, Reader> = {
  'application/pdf': readPaged(readPdf),
  'image/png': readPaged(readPicture),
  'image/jpeg': readPaged(readPicture),
  'image/tiff': readPaged(readPicture),
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': readFlowing(
    async (bytes, signal) => {
      const { text, hasUnread } = await readDocx(bytes, signal)
      return { text: cleanText(text), unread: hasUnread ? 'embedded_unread' : undefined }
    },
  ),
  'application/msword': readFlowing(async (bytes) => ({ text: cleanText(await readDoc(bytes)) })),
  'text/plain': readFlowing(async (bytes) => ({ text: cleanLayout(readPlainText(bytes)) })),
}
