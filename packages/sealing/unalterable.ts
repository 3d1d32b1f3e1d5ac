import { changingReasons } from '#formats/changing-reasons.ts'

/** Why pages cannot be appended to a document without harm. It is then attached to its certificate unchanged (S7). */
const unalterableReasons = [
  /** A format without pages of its own, such as DOCX, DOC or text, or a TIFF of an unusual form. */
  'no_pages',
  'encrypted',
  /** It already has a signature, which a change would break. */
  'signed',
  /** It can change, or looks different in different readers or on paper (S11). */
  ...changingReasons,
  'damaged',
  /** It has too many pages, objects or pixels, or inflates to too many bytes. */
  'too_complex',
] as const

export type UnalterableReason = (typeof unalterableReasons)[number]

/** A document that must not be altered. The message is safe to show and to log. */
export class Unalterable extends Error {
  readonly reason: UnalterableReason

  constructor(reason: UnalterableReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'Unalterable'
    this.reason = reason
  }
}
