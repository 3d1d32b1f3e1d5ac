import { FormatFault } from '#formats/format-fault.ts'

/** Why a document of an accepted type has no text (D8). Another attempt has the same result. */
export type RefusalReason =
  /** It opens only with a password. */
  | 'password_protected'
  /** It breaks the rules of its format: it is damaged, incomplete or forged. */
  | 'corrupt'
  /** It has no bytes, no pages or, as a text document, no words. */
  | 'empty'
  | 'too_many_pages'
  | 'too_many_pixels'
  /** It inflates to too many bytes, has too many parts, or has too much text. */
  | 'too_large'
  /** It is nested too deeply, or takes too long or too much memory to read. */
  | 'too_complex'
  /** It declares a document type or entities, which only attacks need. */
  | 'unsafe'
  /** It has a version of its format that is not supported, such as Word 6 and 95. */
  | 'unsupported_version'

/** Something that a document shows beside its text and that could not be read. Users see it. */
export type Unread =
  /** Files in it: of a PDF portfolio, or in a DOCX files of other programs. */
  | 'embedded_unread'
  /** A form that is drawn from damaged data (XFA). */
  | 'form_unread'
  /** Scanned pages that OCR refused. */
  | 'pages_unread'

/** A document that cannot be read. Users see the reason and the message. */
export class ExtractionRefusal extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'ExtractionRefusal'
    this.reason = reason
  }
}

/**
 * The refusal for an error: an ExtractionRefusal itself, or one made from a FormatFault; undefined for other errors.
 */
export function refusalOf(error: unknown): ExtractionRefusal | undefined {
  if (error instanceof ExtractionRefusal) return error
  if (error instanceof FormatFault) return new ExtractionRefusal(error.kind, error.message, { cause: error })
  return undefined
}
