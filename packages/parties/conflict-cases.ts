import { compareNames } from '#german-names/compare-names.ts'
import { type ParsedName, parseName, readingsOf } from '#german-names/name-parts.ts'
import { termsToFind } from '#german-names/name-terms.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import { once } from '#kernel/once.ts'
import type { CasesOfParty, CaseWithRoles, ConflictStore } from './conflict-ports.ts'
import { type NotedSide, sideOf, sidesIn } from './side-schema.ts'

export type ConflictCases = ReturnType<typeof conflictCases>

/**
 * Why a case is a conflict, in words. It is only `possible` if the role of a party does not say its side.
 * `isAgainstClient`: the party is opposed there to a client of the case in which it will take part.
 */
export type Ground = { text: string; certainty: 'certain' | 'possible'; isAgainstClient?: true }

/** Clients of a case looked up at once. */
const lookUpsAtOnce = 8

/** A party with an unknown side may be our client. */
const maybeClient: readonly NotedSide[] = ['client', 'unknown']

/**
 * Finds the cases of a party that are a conflict (§ 43a Abs. 4 BRAO).
 *
 * @param here the case in which the party will take part, if there is one yet
 * @param participants who will take part in it
 */
export function conflictCases(
  store: ConflictStore,
  workspaceId: string,
  here: CaseWithRoles | undefined,
  participants: CaseWithRoles['parties'],
) {
  const isSame = sameParties()
  const clientsHere = maybeClientsOf(participants)

  /** The parties that are, or may be, clients of `here`, and parties that are most likely the same as one of them. */
  const alsoClients = once(async () => {
    const ids = new Set(clientsHere.map(({ id }) => id))
    await inParallelUpTo(lookUpsAtOnce, clientsHere, async (client) => {
      const terms = readingsOf(client.name).flatMap(termsToFind)
      const { parties } = await store.filedUnder(workspaceId, terms)
      for (const party of parties) if (isSame(party, client)) ids.add(party.id)
    })
    return [...ids]
  })

  /**
   * The newest case in which the party is the opponent of a client of `here`, and the newest case in which the roles
   * are reversed.
   */
  const againstClients = async (partyId: string): Promise<CaseWithRoles[]> => {
    if (here === undefined) return []
    const clients = (await alsoClients()).filter((id) => id !== partyId)
    const directions = [
      { theirs: maybeClient, of: ['opponent'] },
      { theirs: ['opponent'], of: ['client'] },
    ] as const
    const newest = new Map<unknown, CaseWithRoles>()
    await inParallelUpTo(
      lookUpsAtOnce,
      clients.flatMap((id) => directions.map((direction) => ({ id, direction }))),
      async ({ id, direction }) => {
        const { theirs, of } = direction
        const found = await store.newestOfBoth(
          workspaceId,
          { id, sides: theirs },
          { id: partyId, sides: of },
          here.id,
        )
        if (found !== undefined && found.id > (newest.get(direction)?.id ?? '')) newest.set(direction, found)
      },
    )
    return [...newest.values()]
  }

  return {
    /**
     * The known cases of a party, together with the cases that make it a conflict. The newest cases of an insurer with
     * thousands of cases may not show that it is a client in an old one.
     */
    async withThoseOfConflict(partyId: string, known: CasesOfParty): Promise<CasesOfParty> {
      if (known.isAll) return known
      const shown = new Set(
        known.cases.flatMap(({ id, parties }) => (id === here?.id ? [] : [...sidesIn(parties, partyId)])),
      )
      const missing = decisive.filter(
        (side) => !shown.has(side) && !(side === 'unknown' && shown.has('client')),
      )
      const [onSides, against] = await Promise.all([
        store.newestOnEach(workspaceId, partyId, missing, here?.id),
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

    /** The grounds for a conflict in a case of the party. */
    groundsIn(one: CaseWithRoles, partyId: string): Ground[] {
      const found: Ground[] = []
      const on = sidesIn(one.parties, partyId)
      const number = one.file_number
      if (on.has('client')) found.push({ text: `Mandant in ${number}`, certainty: 'certain' })
      if (on.has('unknown')) {
        const roles = one.parties.filter((it) => it.id === partyId && sideOf(it) === null)
        const named = roles.map(({ role }) => `„${role}“`).join(', ')
        const text = `vielleicht Mandant in ${number}: die Rolle ${named} sagt nicht, auf welcher Seite`
        found.push({ text, certainty: 'possible' })
      }
      if (here === undefined || here.id === one.id) return found
      const others = clientsHere.filter(({ id }) => id !== partyId)
      if (on.has('opponent')) {
        const met = others.flatMap((client) => {
          const isCertain = maybeClientsOf(one.parties).find((it) => isSame(it, client))?.isCertain
          return isCertain === undefined ? [] : [{ client, isCertain: isCertain && client.isCertain }]
        })
        const [first] = met.toSorted((a, b) => Number(b.isCertain) - Number(a.isCertain))
        if (first !== undefined)
          found.push({
            text: `steht in ${number} gegen ${first.client.name}, hier ${first.isCertain ? '' : 'vielleicht '}Mandant`,
            certainty: first.isCertain ? 'certain' : 'possible',
            isAgainstClient: true,
          })
      }
      if (on.has('client')) {
        const opponents = one.parties.filter((it) => sideOf(it) === 'opponent')
        const opposed = others.find((client) => opponents.some((it) => isSame(it, client)))
        if (opposed !== undefined)
          found.push({
            text: `${opposed.name}, hier ${opposed.isCertain ? '' : 'vielleicht '}Mandant, steht in ${number} gegen diesen Beteiligten`,
            certainty: 'certain',
            isAgainstClient: true,
          })
      }
      return found
    },
  }
}

/** For each of these sides the party’s newest case is searched. */
const decisive: readonly NotedSide[] = ['client', 'opponent', 'unknown']

/** The parties of a case that are clients (`isCertain`), or may be clients because their side is unknown. */
function maybeClientsOf(parties: CaseWithRoles['parties']): (Named & { isCertain: boolean })[] {
  const clients = new Map<string, Named & { isCertain: boolean }>()
  for (const { id, name } of parties) {
    if (clients.has(id)) continue
    const on = sidesIn(parties, id)
    if (maybeClient.some((side) => on.has(side))) clients.set(id, { id, name, isCertain: on.has('client') })
  }
  return [...clients.values()].toSorted((one, other) => Number(other.isCertain) - Number(one.isCertain))
}

/** A party as a case names it. */
type Named = { id: string; name: string }

/**
 * Whether two parties of cases are the same: the same record, or another with exactly or very likely the same name,
 * because a client is often entered twice. It analyses each name once.
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
