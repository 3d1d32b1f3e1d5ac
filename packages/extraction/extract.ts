import { StillReading } from '#documents/ports.ts'
import type { DocumentType } from '#documents/schema.ts'
import { readDoc } from './doc.ts'
import { readDocx } from './docx.ts'
import { cleanText, countWords, joinBrokenWords } from './german-text.ts'
import { checkTextLength } from './limits.ts'
import type { Ocr } from './ocr.ts'
import { readPdf } from './pdf.ts'
import { readPicture } from './picture.ts'
import { readPlainText } from './plain-text.ts'
import { ExtractionRefusal, type RefusalReason, refusalOf } from './refusal.ts'

/** What extraction meets the world through. */
export type ExtractionPorts = {
  /** Reads pages without text; made for this very document. */
  ocr: Ocr
  /** Ends the work early: `extract` then rejects with the signal's reason. */
  signal?: AbortSignal
}

/** The text of a document. `page_count` is 1 where the format has no pages; words are counted as D8 says. */
export type ExtractedText = { text: string; page_count: number; word_count: number }

/** A document that gives no text, and never will: why, for programs and for people. */
export type RefusedExtraction = { refused: RefusalReason; message: string }

/**
 * Reads the text of a document. Pages of a PDF come in their order, whether a text layer or the machine gave
 * them, separated by an empty line. In a Word document headers stand before the body, notes and footers after
 * it, text boxes behind the paragraph they hang on. Nothing in the file is executed or fetched.
 *
 * A picture on which nothing is written gives the empty text; a text document without a word is refused.
 *
 * @param mimeType what `detectType` said of these bytes.
 * @returns the text, or why there is none. It rejects only where trying again makes sense; when the signal ended
 * it with its reason, or with StillReading while the machine is still at work.
 */
export async function extract(
  bytes: Uint8Array,
  mimeType: DocumentType,
  ports: ExtractionPorts,
): Promise<ExtractedText | RefusedExtraction> {
  const signal = ports.signal ?? new AbortController().signal
  try {
    if (bytes.length === 0) throw new ExtractionRefusal('empty', 'The file is empty.')
    const { pages, page_count } = await readers[mimeType](bytes, mimeType, ports.ocr, signal)
    const text = pages.join('\n\n').trim()
    checkTextLength(text.length)
    return { text, page_count, word_count: countWords(text) }
  } catch (error) {
    if (error instanceof StillReading) throw error
    signal.throwIfAborted()
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    return { refused: refusal.reason, message: refusal.message }
  }
}

type Pages = { pages: string[]; page_count: number }
type Reader = (bytes: Uint8Array, mimeType: DocumentType, ocr: Ocr, signal: AbortSignal) => Promise<Pages>

const laidOut = (text: string): string => joinBrokenWords(cleanText(text)).trim()

const readPaged =
  (read: Reader): Reader =>
  async (...input) => {
    const { pages, page_count } = await read(...input)
    return { pages: pages.map(laidOut).filter((page) => page !== ''), page_count }
  }

const readFlowing =
  (read: (bytes: Uint8Array, signal: AbortSignal) => Promise<string>): Reader =>
  async (bytes, _mimeType, _ocr, signal) => {
    const text = await read(bytes, signal)
    if (countWords(text) === 0)
      throw new ExtractionRefusal('empty', 'There is not a single word in the document.')
    return { pages: [text], page_count: 1 }
  }

const readers: Record<DocumentType, Reader> = {
  'application/pdf': readPaged(readPdf),
  'image/png': readPaged(readPicture),
  'image/jpeg': readPaged(readPicture),
  'image/tiff': readPaged(readPicture),
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': readFlowing(
    async (bytes, signal) => cleanText(await readDocx(bytes, signal)),
  ),
  'application/msword': readFlowing(async (bytes) => cleanText(await readDoc(bytes))),
  'text/plain': readFlowing(async (bytes) => laidOut(readPlainText(bytes))),
}
