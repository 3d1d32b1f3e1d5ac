import { addressParser } from 'postal-mime'

/** In characters. Only the beginning of a longer list is read. It already contains hundreds of recipients. */
const maxLength = 50_000

/**
 * The addresses in an address list of a header, without names, including the addresses in groups. If there is no
 * address, the result is the text itself, as an unknown recipient.
 */
export function addressesIn(list: string): string[] {
  const written = list.slice(0, maxLength).trim()
  const addresses = addressParser(written, { flatten: true }).flatMap(({ address }) =>
    address?.includes('@') ? [address] : [],
  )
  return addresses.length === 0 && written !== '' ? [written] : addresses
}
