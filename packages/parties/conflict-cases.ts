import { compareNames } from '#german-names/compare-names.ts'
import { type ParsedName, parseName, readingsOf } from '#german-names/name-parts.ts'
import { termsToFind } from '#german-names/name-terms.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { once } from '#kernel/once.ts'
import type { CasesOfParty, CaseWithRoles, ConflictStore } from './conflict-ports.ts'
import { isOn, type Side, sideOf, sides } from './side-schema.ts'

export type ConflictCases = ReturnType<typeof conflictCases>

/** So many clients of a case are looked up at once. */
const lookUpsAtOnce = 8

/**
 * Which cases of a party are a conflict (§ 43a Abs. 4 BRAO).
 *
 * @param here the case in which the party is to take part, if there is one yet
 */
export function conflictCases(store: ConflictStore, workspaceId: string, here: CaseWithRoles | undefined) {
  const isSame = sameParties()
  const clientsHere = here?.parties.filter(({ role }) => sideOf(role) === 'client') ?? []

  /** The clients of `here`, and the parties that are most likely the same as one of them. */
  const alsoClients = once(async () => {
    const ids = new Set(clientsHere.map(({ id }) => id))
    await inParallel(
      clientsHere,
      async (client) => {
        const terms = readingsOf(client.name).flatMap(termsToFind)
        const { parties } = await store.filedUnder(workspaceId, terms)
        for (const party of parties) if (isSame(party, client)) ids.add(party.id)
      },
      lookUpsAtOnce,
    )
    return [...ids]
  })

  /** The newest case in which the party is the opponent of a client of `here`, and the newest in which it is the other way round. */
  const againstClients = async (partyId: string): Promise<CaseWithRoles[]> => {
    if (here === undefined) return []
    const clients = (await alsoClients()).filter((id) => id !== partyId)
    const newest = new Map<Side, CaseWithRoles>()
    await inParallel(
      clients.flatMap((id) => sides.map((side) => ({ id, side }))),
      async (client) => {
        const side = client.side === 'client' ? 'opponent' : 'client'
        const found = await store.newestOfBoth(workspaceId, client, { id: partyId, side }, here.id)
        if (found !== undefined && found.id > (newest.get(side)?.id ?? '')) newest.set(side, found)
      },
      lookUpsAtOnce,
    )
    return [...newest.values()]
  }

  return {
    /**
     * The cases of a party that are known, with those that make it a conflict: of an insurer with thousands of cases the
     * newest ones may not show that it is a client in an old one.
     */
    async withThoseOfConflict(partyId: string, known: CasesOfParty): Promise<CasesOfParty> {
      if (known.isAll) return known
      const shown = known.cases.filter(({ id }) => id !== here?.id)
      const missing = sides.filter((side) => !shown.some(({ parties }) => isOn(side, partyId, parties)))
      const [onSides, against] = await Promise.all([
        Promise.all(missing.map((side) => store.newestOn(workspaceId, { id: partyId, side }, here?.id))),
        againstClients(partyId),
      ])
      const isNamedHere = here?.parties.some(({ id }) => id === partyId)
      const all = [...known.cases, ...onSides, ...against, isNamedHere ? here : undefined]
      const cases = new Map(all.flatMap((one) => (one === undefined ? [] : [[one.id, one] as const])))
      return {
        cases: [...cases.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1)),
        isAll: false,
      }
    },

    /** What in a case of the party is a conflict, in words. */
    groundsIn(one: CaseWithRoles, partyId: string): string[] {
      const found: string[] = []
      const isClient = isOn('client', partyId, one.parties)
      if (isClient) found.push(`Mandant in ${one.file_number}`)
      if (here === undefined || here.id === one.id) return found
      const clients = clientsHere.filter(({ id }) => id !== partyId)
      const among = (side: Side) => {
        const onSide = one.parties.filter(({ role }) => sideOf(role) === side)
        return clients.find((client) => onSide.some((it) => isSame(it, client)))
      }
      const represented = isOn('opponent', partyId, one.parties) ? among('client') : undefined
      if (represented !== undefined)
        found.push(`steht in ${one.file_number} gegen ${represented.name}, hier Mandant`)
      const opposed = isClient ? among('opponent') : undefined
      if (opposed !== undefined)
        found.push(`${opposed.name}, hier Mandant, steht in ${one.file_number} gegen diesen Beteiligten`)
      return found
    },
  }
}

/** A party as a case names it. */
type Named = { id: string; name: string }

/**
 * Whether two parties of cases are one: the same record, or another with exactly or very likely the same name, since a
 * client is often entered twice. It reads each name once.
 */
function sameParties(): (one: Named, other: Named) => boolean {
  const parsed = new Map<string, ParsedName>()
  const read = (name: string) => {
    const known = parsed.get(name) ?? parseName(name)
    parsed.set(name, known)
    return known
  }
  return (one, other) => {
    if (one.id === other.id) return true
    const found = compareNames(read(one.name), read(other.name))
    return found !== undefined && found.match !== 'possible'
  }
}
