import type { RemoteIdentity } from '#bea/network/gateway-ports.ts'
import { membersOf, optionalFlag, optionalText } from './fields.ts'

/** A sender, a recipient or a search result. Every member may be missing. */
export function identityOf(value: unknown): RemoteIdentity {
  const members = membersOf(value)
  const text = (...names: string[]) =>
    names.map((name) => optionalText(members[name])?.trim() ?? null).find((it) => it !== null) ?? null
  const person = [text('firstname', 'firstName'), text('surname', 'surName')].filter((part) => part !== null)
  return {
    safe_id: text('safeId', 'safeid', 'SAFE_ID'),
    name: text('name', 'userName') ?? (person.length > 0 ? person.join(' ') : null),
    firm: text('officeName', 'office', 'organization'),
    city: text('city'),
    is_active: isActive(members),
  }
}

/** A list of identities, or a single one; none for any other value. */
export function identitiesOf(value: unknown): RemoteIdentity[] {
  if (Array.isArray(value)) return value.map(identityOf)
  return Object.keys(membersOf(value)).length > 0 ? [identityOf(value)] : []
}

/** The member and its values are not specified. */
function isActive(members: Record<string, unknown>): boolean | null {
  for (const name of ['active', 'isActive', 'postboxActive', 'status', 'identityStatus', 'state']) {
    const value = members[name]
    const flag = optionalFlag(value)
    if (flag !== null) return flag
    const word = optionalText(value)?.trim() ?? ''
    if (
      /^(in-?active|inaktiv|deactivated|deaktiviert|locked|gesperrt|blocked|deleted|gel(ö|oe)scht)$/i.test(
        word,
      )
    )
      return false
    if (/^(active|aktiv|activated|aktiviert|open)$/i.test(word)) return true
  }
  return null
}
