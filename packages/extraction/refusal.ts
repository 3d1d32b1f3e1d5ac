import { FormatFault } from '#formats/format-fault.ts'

/** Why a document of an accepted type gives no text (D8). None of them goes away by trying again. */
export type RefusalReason =
  /** It opens only with a password. */
  | 'password_protected'
  /** It breaks the rules of its format: damaged, cut off, or made to look like something it is not. */
  | 'corrupt'
  /** Nothing in it could carry text: no byte, no page, no word in a text document. */
  | 'empty'
  | 'too_many_pages'
  | 'too_many_pixels'
  /** It inflates to more than is read, has too many parts, or holds more text than is stored. */
  | 'too_large'
  /** Nested deeper than any real document. */
  | 'too_complex'
  /** It declares entities or a document type, which no document needs and attacks do. */
  | 'unsafe'
  /** A version of its format that nothing here reads, such as Word 6 and 95. */
  | 'unsupported_version'

/** A document that cannot be read, for a reason that its owner is told. The message is safe to show. */
export class ExtractionRefusal extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'ExtractionRefusal'
    this.reason = reason
  }
}

/** The refusal that an error means: one already, or the fault of a format. */
export function refusalOf(error: unknown): ExtractionRefusal | undefined {
  if (error instanceof ExtractionRefusal) return error
  if (error instanceof FormatFault) return new ExtractionRefusal(error.kind, error.message, { cause: error })
  return undefined
}
