import type { WireIdentity } from '#bea-wire/wire.ts'
import type { Identity } from './identity.ts'

/** An identity in messages and search results. */
export function wireIdentity(identity: Identity): WireIdentity {
  const { safeId, name, firstname, surname, postalcode, city, officeName, isActive } = identity
  const status = isActive ? 'ACTIVE' : 'LOCKED'
  return { safeId, name, firstname, surname, postalcode, city, officeName, status }
}
