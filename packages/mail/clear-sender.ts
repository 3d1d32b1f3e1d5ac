import type { Email } from 'postal-mime'

/** Fields that are longer name nobody clearly. */
const maxLength = 4_000

/**
 * Whether a header names one sender: one `From` with one address, which its display name may repeat. Programs disagree on
 * whom `From: a@b.example, c@d.example`, two fields, or `<a@b.example> <c@d.example>` name, and so do those that check for
 * forgery. Addresses in quoted names, encoded words and comments are not read.
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
