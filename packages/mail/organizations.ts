import { domainToASCII, domainToUnicode } from 'node:url'
import { getDomain } from 'tldts'

/**
 * Whether two domains belong to one organisation: they are equal, or have the same registered domain by the Public
 * Suffix List (relaxed alignment, RFC 7489, 3.1 and 3.2). Customers of one provider, for example of `github.io`, are
 * separate organisations. Both domains must be results of `domainIn`.
 */
export function areDomainsOfOneOrganization(one: string, other: string): boolean {
  if (one === other) return true
  const organization = organizationOf(one)
  return organization !== null && organization === organizationOf(other)
}

/**
 * Each subdomain belongs to a different customer of Microsoft, but the Public Suffix List does not say so. Microsoft
 * signs mail in the name of such subdomains.
 */
const domainOfTenants = 'onmicrosoft.com'

function organizationOf(domain: string): string | null {
  const organization = getDomain(domain, { allowPrivateDomains: true })
  return organization === domainOfTenants ? domain.split('.').slice(-3).join('.') : organization
}

/** Whether the domains of two addresses belong to one organisation. */
export function areAddressesOfOneOrganization(one: string, other: string): boolean {
  const [first, second] = [domainIn(one), domainIn(other)]
  return first !== undefined && second !== undefined && areDomainsOfOneOrganization(first, second)
}

const maxDomainLength = 253

/**
 * The domain of an address, in ASCII and lower case. Undefined if programs may read it differently, because it contains
 * escapes, encoded words, or characters that some programs convert into others.
 */
export function domainIn(email: string): string | undefined {
  const written = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  if (!email.includes('@') || written.length > maxDomainLength || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(written))
    return undefined
  const ascii = domainToASCII(written)
  const isUnchanged = ascii === written || domainToUnicode(ascii) === written
  const isName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(ascii)
  return isUnchanged && isName ? ascii : undefined
}
