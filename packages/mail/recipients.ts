import { addressParser } from 'postal-mime'

/** What is longer is not read to its end: it names hundreds of recipients. */
const maxLength = 50_000

/** The addresses in a list as headers write it, without names; those of groups as well. */
export function addressesIn(list: string): string[] {
  return addressParser(list.slice(0, maxLength), { flatten: true }).flatMap(({ address }) =>
    address?.includes('@') ? [address] : [],
  )
}
