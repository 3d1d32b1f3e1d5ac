/** A number of a Kostenverzeichnis (court fees). */
export type Kv = {
  name: string
  rate: string
  /** The least amount, the newest version first. */
  least?: readonly { valid_from: string; amount: string }[]
  /** The number of the full fee, if this is a reduced one. Of a full fee and its reduced ones only one can arise. */
  instead?: string
}
