import { addressParser } from 'postal-mime'

/** What is longer is not read to its end: it names hundreds of recipients. */
const maxLength = 50_000

/** The addresses in a list as headers write it, without names; those of groups as well. Other text is one, of nobody. */
export function addressesIn(list: string): string[] {
  const written = list.slice(0, maxLength).trim()
  const addresses = addressParser(written, { flatten: true }).flatMap(({ address }) =>
    address?.includes('@') ? [address] : [],
  )
  return addresses.length === 0 && written !== '' ? [written] : addresses
}
