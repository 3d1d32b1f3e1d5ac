/** `corrupt`: the file breaks the rules of its format. `too_large`: it is valid, but exceeds one of our limits. */
type FormatFaultKind = 'corrupt' | 'too_large'

/** Why a file of a known format cannot be read. The message may be shown to users. */
export class FormatFault extends Error {
  readonly kind: FormatFaultKind

  constructor(kind: FormatFaultKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'FormatFault'
    this.kind = kind
  }
}
