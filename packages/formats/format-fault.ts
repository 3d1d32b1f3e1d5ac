/** `corrupt`: it breaks the rules of its format. `too_large`: it keeps them, but exceeds a limit of ours. */
export type FormatFaultKind = 'corrupt' | 'too_large'

/** Why a file of a known format could not be read. The message is safe to show. */
export class FormatFault extends Error {
  readonly kind: FormatFaultKind

  constructor(kind: FormatFaultKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'FormatFault'
    this.kind = kind
  }
}
