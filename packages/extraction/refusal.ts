import { FormatFault } from '#formats/format-fault.ts'

/** Why a document of an accepted type has no text (D8). Another attempt has the same result. */
export type RefusalReason =
  /** It opens only with a password. */
  | 'password_protected'
  /** It violates its format: it is damaged, incomplete or forged. */
  | 'corrupt'
  /** It has no bytes, no pages, or (Word and plain text) no words. */
  | 'empty'
  | 'too_many_pages'
  | 'too_many_pixels'
  /** It inflates to too many bytes, or has too many parts or too much text. */
  | 'too_large'
  /** It is nested too deeply, or takes too long or too much memory to read. */
  | 'too_complex'
  /** It declares a document type or entities, which only attacks need. */
  | 'unsafe'
  /** It has a version of its format that is not supported, such as Word 6 and 95. */
  | 'unsupported_version'

/** Content of a document, other than its text, that could not be read. Users see this code. */
export type Unread =
  /** Embedded files: the files of a PDF portfolio, or files of other programs in a DOCX. */
  | 'embedded_unread'
  /** An XFA form with damaged data. */
  | 'form_unread'
  /** Scanned pages that OCR refused. */
  | 'pages_unread'

/** A document that cannot be read. Users see only the reason. */
export class ExtractionRefusal extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'ExtractionRefusal'
    this.reason = reason
  }
}

/**
 * The error as a refusal: an ExtractionRefusal itself, or one made from a FormatFault; undefined for other errors.
 */
export function refusalOf(error: unknown): ExtractionRefusal | undefined {
  if (error instanceof ExtractionRefusal) return error
  if (error instanceof FormatFault) return new ExtractionRefusal(error.kind, error.message, { cause: error })
  return undefined
}
