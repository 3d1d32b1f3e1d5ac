import type { Email } from 'postal-mime'

/** In characters. A longer field does not clearly name a sender. */
const maxLength = 4_000

/**
 * Whether a header names exactly one sender: it has one `From` with one address. The display name may repeat this
 * address. Addresses in quoted names, encoded words and comments are ignored.
 *
 * With more than one address, the mail program and the forgery check may read different senders. Examples are two
 * `From` fields, `a@b.example, c@d.example`, and `<a@b.example> <c@d.example>`.
 */
export function hasClearSender(headers: Email['headers']): boolean {
  const [field, ...others] = headers.filter(({ key }) => key === 'from')
  if (field === undefined || others.length > 0 || field.value.length > maxLength) return false
  const written = field.value
    .replace(/"(?:[^"\\]|\\.){0,4000}"/gs, ' ')
    .replace(/=\?[^?\s]+\?[bq]\?[^?]*\?=/gi, ' ')
    .replace(/\([^()]*\)/g, ' ')
  const addresses = written.match(/(?<![^\s<>,;:"()@])[^\s<>,;:"()@]+@[^\s<>,;:"()@]+/g) ?? []
  return new Set(addresses.map((address) => address.toLowerCase())).size === 1
}
