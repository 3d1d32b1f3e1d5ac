/** A number of a Kostenverzeichnis (court fees). */
export type Kv = {
  name: string
  rate: string
  /** The least amount, the newest version first. */
  least?: readonly { valid_from: string; amount: string }[]
  /** The number that this one lowers: both on one value exclude each other. */
  instead?: string
}
