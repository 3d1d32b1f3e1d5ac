import type { RemoteRights } from '#bea/network/gateway-ports.ts'
import { isObject } from '#kernel/is-object.ts'
import { type Members, membersOf, optionalText, optionalTime } from './fields.ts'
import { identityOf } from './identity.ts'
import { LongText } from './long-text.ts'

const maxDepth = 8
const maxEntries = 10_000

/**
 * The rights in an answer of `bea_get_accessrights`; its shape is not specified. Every object with a list of right
 * numbers (or of objects that name one) is an entry. The entry or an enclosing object names its postbox and holder.
 */
export function rightsOf(answer: Members, timeZone: string): RemoteRights[] {
  const found: RemoteRights[] = []
  const visit = (value: unknown, around: Around, depth: number) => {
    if (depth > maxDepth || found.length >= maxEntries || value instanceof LongText) return
    if (Array.isArray(value)) for (const member of value) visit(member, around, depth + 1)
    if (Array.isArray(value) || typeof value !== 'object' || value === null) return
    const members = membersOf(value)
    const here = namedBy(members, around)
    for (const member of Object.values(members)) {
      const rights = Array.isArray(member) ? numbersOf(member) : []
      if (rights.length > 0) found.push({ ...entryOf(here, timeZone), rights })
      else visit(member, here, depth + 1)
    }
  }
  visit(answer, { postbox: null, holder: {}, validUntil: null }, 0)
  return found
}

/** The data from the objects around an entry. */
type Around = { postbox: string | null; holder: Members; validUntil: unknown }

function namedBy(members: Members, around: Around): Around {
  const holder = ['identity', 'user', 'holder', 'benutzer'].map((name) => members[name]).find(isObject)
  const isIdentity = ['safeId', 'identitySafeId', 'surname', 'userName'].some((name) => name in members)
  return {
    postbox: optionalText(members.postboxSafeId) ?? around.postbox,
    holder: holder
      ? membersOf(holder)
      : isIdentity
        ? { ...members, safeId: members.safeId ?? members.identitySafeId }
        : around.holder,
    validUntil: members.validUntil ?? members.validTo ?? members.gueltigBis ?? around.validUntil,
  }
}

function entryOf({ postbox, holder, validUntil }: Around, timeZone: string): Omit<RemoteRights, 'rights'> {
  const until =
    typeof validUntil === 'string' && /^\d{4}-\d\d-\d\d$/.test(validUntil)
      ? `${validUntil}T23:59:59`
      : validUntil
  return { postbox_safe_id: postbox, holder: identityOf(holder), valid_until: optionalTime(until, timeZone) }
}

/** The numbers of rights in a list, each once: `"06"`, `6`, `"06 - Nachricht öffnen"`, `{number: "06"}`. */
function numbersOf(list: unknown[]): string[] {
  const numbers = list.map((value) => {
    const members = membersOf(value)
    const named = ['number', 'right', 'rightNumber', 'code', 'id', 'recht'].map((name) => members[name])
    return numberOf(isObject(value) ? named.find((it) => numberOf(it) !== undefined) : value)
  })
  if (numbers.some((it) => it === undefined)) return []
  return [...new Set(numbers.filter((it) => it !== undefined))].toSorted()
}

function numberOf(value: unknown): string | undefined {
  const digits =
    typeof value === 'number' ? String(value) : /^(\d{1,2})(?:$|[\s:.-])/.exec(String(value))?.[1]
  const number = Number(digits)
  return Number.isInteger(number) && number >= 1 && number <= 30 ? String(number).padStart(2, '0') : undefined
}
