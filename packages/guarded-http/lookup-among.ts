import type { LookupFunction } from 'node:net'
import type { Address } from './look-up.ts'

/**
 * If a host has several addresses, each one except the last is tried for this number of milliseconds. Node's own limit
 * of 250 is too short for a server that is far away, and for a lost packet, which is sent again after a second. The
 * last address may be an IPv6 address, which a function of AWS Lambda cannot reach, so the others need enough time.
 */
export const autoSelectFamilyAttemptTimeout = 1_500

/** A look-up function for sockets that always returns these addresses, which were checked before. */
export function lookupAmong(addresses: Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, addresses)
    else if (first) callback(null, first.address, first.family)
  }
}
