import type { LookupFunction } from 'node:net'
import type { Address } from './look-up.ts'

/**
 * How long one address of a host is tried if it has several. Node's own limit, a quarter of a second, is too short for a
 * server that is far away, and for a lost packet, which is sent again after a second. The last address has no such limit,
 * but it may be one of IPv6, which a function of AWS Lambda cannot reach.
 */
export const autoSelectFamilyAttemptTimeout = 1_500

/** A look-up that always gives the checked addresses. */
export function lookupAmong(addresses: Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, addresses)
    else if (first) callback(null, first.address, first.family)
  }
}
