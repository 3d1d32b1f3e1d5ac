import type { DirectoryQuery, RemoteIdentity } from '#bea/network/gateway-ports.ts'
import { olderSafeIds } from '#bea/network/safeid-schema.ts'
import type { WireSearch } from '#bea-wire/wire.ts'
import { UnreadableAnswer } from './fields.ts'
import { identitiesOf } from './identity.ts'
import type { Answer } from './transport.ts'

/** Searches the directory once, and reads the answer. */
type Search = <Result>(request: WireSearch, read: (answer: Answer) => Result) => Promise<Result>

/**
 * Searches the directory: `q` is a SAFE-ID, a postcode of five digits, or a name. A name is tried as the surname of a
 * person and as the name of an office. Several words are also tried as given names and a surname; if a comma stands
 * between them, the surname comes first. Titles are left out. No entry appears twice.
 */
export async function searchDirectory(
  { q = '', city = '' }: DirectoryQuery,
  search: Search,
): Promise<RemoteIdentity[]> {
  const found = new Map<string, RemoteIdentity>()
  for (const fields of questionsOf(q.trim())) {
    const hits = await search({ ...everything, ...fields, identityCity: city.trim() }, (answer) => {
      if (!('results' in answer)) throw new UnreadableAnswer('The member results is missing.')
      return identitiesOf(answer.results)
    })
    for (const hit of hits) {
      const key = hit.safe_id?.toLowerCase() ?? JSON.stringify([hit.name, hit.firm, hit.city])
      if (!found.has(key)) found.set(key, hit)
    }
  }
  return [...found.values()]
}

const everything: WireSearch = {
  identitySafeId: '',
  identityStatus: '',
  identityType: '',
  identityUsername: '',
  identityFirstname: '',
  identitySurname: '',
  identityPostalcode: '',
  identityCity: '',
  identityChamberType: '',
  identityChamberMembershipId: '',
  identityOfficeName: '',
}

/** `DE.BRAK.…`, `DE.Justiz.…`, and the older forms of courts and authorities. */
const safeId = new RegExp(`^(DE\\.[\\w-]+\\.|${olderSafeIds})\\S+$`, 'i')

/** The searches for `q`, one after the other. */
function questionsOf(q: string): Partial<WireSearch>[] {
  if (q === '') return [{}]
  if (safeId.test(q)) return [{ identitySafeId: q }]
  if (/^\d{5}$/.test(q)) return [{ identityPostalcode: q }]
  const name = q.replace(/\s+/g, ' ')
  const person = name.replace(titles, '') || name
  const [surname = '', firstname] = person.split(/ ?, ?/, 2)
  if (firstname) return [personWith(firstname.replace(titles, ''), surname), { identityOfficeName: name }]
  const persons = [...new Set([name, person])].filter((one) => one.includes(' '))
  return [
    ...persons.map((one) =>
      personWith(one.slice(0, one.lastIndexOf(' ')), one.slice(one.lastIndexOf(' ') + 1)),
    ),
    { identitySurname: person },
    { identityOfficeName: name },
  ]
}

/** Titles before a name. The directory may have them in a field that cannot be searched. */
const titles = /^(?:(?:prof|dr|dres|ra(?:in)?|rechtsanw(?:alt|ältin))\b\.? ?)+/i

function personWith(identityFirstname: string, identitySurname: string): Partial<WireSearch> {
  return { identityFirstname, identitySurname }
}
