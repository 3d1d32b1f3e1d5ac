import { BlockList, isIP, isIPv6 } from 'node:net'
import { type Address, lookUp } from './look-up.ts'

/**
 * Which addresses are allowed besides public ones. `allowPrivate`: all. `allowLoopback`: the addresses of this machine.
 */
export type AllowedAddresses = { allowPrivate?: boolean; allowLoopback?: boolean }

/** Thrown for a host to which no connection is allowed. The message does not contain the addresses of the host. */
export class RefusedAddress extends Error {}

/**
 * The addresses of a host, after a check that they are allowed. Connect only to these addresses, because a second
 * look-up of the name can return others.
 *
 * Without permissions, only public addresses are allowed. This refuses the addresses of this machine, of private and
 * shared networks, and link-local addresses, which include the metadata services of clouds. It also refuses multicast,
 * reserved ranges, and IPv6 addresses that contain an IPv4 address. If one address of a name is refused, the name is
 * refused. A public address that is routed into a private network cannot be detected.
 *
 * @param host a name, or an IP address as `URL` writes it
 *
 * @throws RefusedAddress; the error of the look-up if the name is unknown
 */
export async function addressesOf(
  host: string,
  { allowPrivate = false, allowLoopback = false }: AllowedAddresses,
): Promise<Address[]> {
  const bare = host.replace(/^\[|\]$/g, '')
  const family = isIP(bare)
  const addresses = family === 0 ? await lookUp(bare) : [{ address: bare, family: family as 4 | 6 }]
  if (addresses.length === 0) throw new RefusedAddress('The name has no address.')
  const isAllowed = ({ address }: Address) => isPublic(address) || (allowLoopback && isLoopback(address))
  if (!allowPrivate && !addresses.every(isAllowed))
    throw new RefusedAddress('The name has an address that is not public.')
  return addresses
}

/** Whether an IP address belongs to the public internet. */
export function isPublic(address: string): boolean {
  const [bare = ''] = address.split('%')
  if (isIPv6(bare)) return globalUnicast.check(bare, 'ipv6') && !reserved.check(bare, 'ipv6')
  return isIP(bare) === 4 && !reserved.check(bare, 'ipv4')
}

/** Whether an IP address is this machine's own: 127.0.0.0/8 or `::1`. */
function isLoopback(address: string): boolean {
  return loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** The only part of IPv6 with public addresses (IANA, IPv6 Global Unicast Address Assignments). */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** IANA's registries of special-purpose addresses (RFC 6890 and its updates). */
const reserved = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // The platform of Azure (metadata, DNS, health probes). The address is public, but only the host of a virtual machine
  // answers.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  reserved.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  // Protocol assignments, with Teredo, whose addresses contain an IPv4 address.
  ['2001::', 23],
  // Documentation.
  ['2001:db8::', 32],
  // 6to4, whose addresses contain an IPv4 address.
  ['2002::', 16],
  // AS112.
  ['2620:4f:8000::', 48],
  // Documentation.
  ['3fff::', 20],
] as const)
  reserved.addSubnet(network, bits, 'ipv6')
