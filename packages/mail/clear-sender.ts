import type { Email } from 'postal-mime'

/** A longer field does not clearly name a sender. */
const maxLength = 4_000

/**
 * Whether a header names exactly one sender: one `From` with one address, which its display name may repeat. Mail
 * programs read `From: a@b.example, c@d.example`, two fields, or `<a@b.example> <c@d.example>` differently, and so do
 * the programs that check for forgery. Addresses in quoted names, encoded words and comments are not read.
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
