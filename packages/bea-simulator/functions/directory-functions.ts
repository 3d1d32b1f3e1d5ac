import type { WireSearch } from '#bea-wire/wire.ts'
import { courtCodes, findIdentity, identities } from '../directory/identities.ts'
import type { Identity } from '../directory/identity.ts'
import { wireIdentity } from '../directory/wire-identity.ts'
import { GatewayError } from '../gateway-error.ts'
import type { Sessions } from '../login/sessions.ts'
import type { Access } from './access.ts'
import type { Handlers } from './requests.ts'

type Names =
  | 'bea_search'
  | 'bea_get_identitydata'
  | 'bea_get_username'
  | 'bea_get_accessrights'
  | 'bex_get_gericht_codes'

/** The directory of the network, and the rights of a login in each postbox. */
export function directoryFunctions(sessions: Sessions, access: Access): Handlers<Names> {
  const identityOf = (wanted: string): Identity => {
    const found = findIdentity(wanted)
    if (found === undefined) throw new GatewayError('The identity does not exist.')
    return found
  }

  return {
    bea_search: ({ token, ...wanted }) => {
      const session = sessions.use(token)
      if (Object.values(wanted).every((value) => value.trim() === ''))
        throw new GatewayError('The search needs a value.')
      const results = identities.filter((identity) => fits(identity, wanted)).map(wireIdentity)
      return { token: sessions.rotate(session), results }
    },
    bea_get_identitydata: ({ token }) => {
      const session = sessions.use(token)
      const { userName, ...identity } = identityOf(session.safeId)
      return { token: sessions.rotate(session), ...wireIdentity({ userName, ...identity }), userName }
    },
    bea_get_username: ({ token, identitySafeId }) => {
      const session = sessions.use(token)
      const { userName } = identityOf(identitySafeId)
      return { token: sessions.rotate(session), userName }
    },
    bea_get_accessrights: ({ token }) => {
      const session = sessions.use(token)
      const { safeId, name } = identityOf(session.safeId)
      const accessRights = access
        .postboxes(session)
        .map((postboxSafeId) => ({ postboxSafeId, safeId, name, rights: ownerRights, validUntil: null }))
      return { token: sessions.rotate(session), accessRights }
    },
    bex_get_gericht_codes: ({ token }) => {
      const session = sessions.use(token)
      const gerichtCodes = courtCodes.map(({ code, name }) => ({ code, name }))
      return { token: sessions.rotate(session), gerichtCodes }
    },
  }
}

/** The owner of a postbox has all rights that persons have: 01 to 22 without 21, which needs no card. */
const ownerRights = Array.from({ length: 22 }, (_, at) => String(at + 1).padStart(2, '0'))

/** All given values must match. Parts of names match; upper and lower case are the same. */
function fits(identity: Identity, wanted: WireSearch): boolean {
  const exact: [wanted: string, value: string][] = [
    [wanted.identitySafeId, identity.safeId],
    [wanted.identityUsername, identity.userName],
    [wanted.identityPostalcode, identity.postalcode],
    [wanted.identityStatus, identity.isActive ? 'ACTIVE' : 'LOCKED'],
    [wanted.identityType, identity.kind.toUpperCase()],
    // No identity here has a chamber.
    [wanted.identityChamberType, ''],
    [wanted.identityChamberMembershipId, ''],
  ]
  const partial: [wanted: string, value: string][] = [
    [wanted.identityFirstname, identity.firstname],
    [wanted.identitySurname, identity.surname],
    [wanted.identityCity, identity.city],
    [wanted.identityOfficeName, identity.officeName],
  ]
  return (
    exact.every(([given, value]) => given.trim() === '' || folded(given) === folded(value)) &&
    partial.every(([given, value]) => folded(value).includes(folded(given)))
  )
}

function folded(text: string): string {
  return text.trim().toLocaleLowerCase('de')
}
