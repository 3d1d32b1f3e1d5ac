import { addressParser } from 'postal-mime'

/** A longer list is not read to its end: it names hundreds of recipients. */
const maxLength = 50_000

/**
 * The addresses in a header's list, without names, also the ones in groups. Other text counts as one address that
 * belongs to nobody.
 */
export function addressesIn(list: string): string[] {
  const written = list.slice(0, maxLength).trim()
  const addresses = addressParser(written, { flatten: true }).flatMap(({ address }) =>
    address?.includes('@') ? [address] : [],
  )
  return addresses.length === 0 && written !== '' ? [written] : addresses
}
