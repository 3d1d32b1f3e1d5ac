import { compareNames, matchLevels, type NameMatch } from '#german-names/compare-names.ts'
import { type ParsedName, parseName } from '#german-names/name-parts.ts'
import { termsToFind } from '#german-names/name-terms.ts'
import type { Actor } from '#kernel/actor.ts'
import { notFound } from '#kernel/failure.ts'
import { fold } from '#kernel/fold.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import type { CaseWithRoles, ConflictStore, SimilarParty } from './conflict-ports.ts'
import type { ConflictCheckInput, ConflictMatch, ConflictReport } from './conflict-schema.ts'

export type ConflictService = ReturnType<typeof conflictService>

/** For each name, so many parties are answered: the most certain ones. */
const maxPerName = 25

/** So many names are looked up at once. */
const lookUpsAtOnce = 8

/** A party that is about to take part in a case. */
type NewParticipant = { id: string; name: string; role: string }

/** Finds conflicts of interest before a mandate is accepted (C10). It stores nothing, neither names nor results. */
export function conflictService({ store }: { store: ConflictStore }) {
  /**
   * Every party that may be one of these, the most certain first, and conflicts before others.
   *
   * @throws Failure CASE_NOT_FOUND
   */
  const check = async (
    actor: Pick<Actor, 'workspace_id'>,
    input: ConflictCheckInput,
  ): Promise<ConflictReport> => {
    const { workspace_id } = actor
    const here = input.case_id === null ? undefined : await store.caseWithRoles(workspace_id, input.case_id)
    if (input.case_id !== null && here === undefined) throw notFound('CASE_NOT_FOUND')

    const found = new Map<string, Found>()
    const more = new Set<string>()
    const note = (party: SimilarParty, searched: string, match: NameMatch) => {
      const before = found.get(party.id)
      const isBetter = before === undefined || rank(match) < rank(before.match)
      found.set(party.id, {
        party,
        match: isBetter ? match : before.match,
        searched: [...(before?.searched ?? []), searched],
      })
    }
    await inParallel(
      [...new Set(input.names)],
      async (name) => {
        const { matches, isAll } = await similarTo(workspace_id, name)
        if (!isAll) more.add(name)
        for (const { party, match } of matches) note(party, name, match)
      },
      lookUpsAtOnce,
    )
    await inParallel(
      [...new Set(input.emails)],
      async (email) => {
        const { parties, isAll } = await store.withAddress(workspace_id, email)
        if (!isAll) more.add(email)
        for (const party of parties) note(party, email, { match: 'likely', reason: 'gleiche E-Mail-Adresse' })
      },
      lookUpsAtOnce,
    )

    const cases = await store.casesOf(workspace_id, [...found.keys()])
    const isSame = sameParties()
    const data = [...found.values()].map((one) => reported(one, cases.get(one.party.id), here, isSame))
    return { data: data.toSorted(byCertainty), more: [...more] }
  }

  /** The parties with a name like this one, the most certain first. */
  const similarTo = async (workspaceId: string, name: string) => {
    const asked = parseName(name)
    const { parties, isAll } = await store.filedUnder(workspaceId, termsToFind(asked))
    const matches = parties
      .flatMap((party) => {
        const match = compareNames(asked, parseName(party.name, party.type))
        return match === undefined ? [] : [{ party, match }]
      })
      .toSorted(
        (one, other) => rank(one.match) - rank(other.match) || (one.party.id < other.party.id ? 1 : -1),
      )
    return { matches: matches.slice(0, maxPerName), isAll: isAll && matches.length <= maxPerName }
  }

  return {
    check,

    /**
     * What is to be looked at before these parties take part in a case: parties with exactly or very likely the same name.
     * Of a party itself only that it is on the other side elsewhere.
     */
    async warnings(workspaceId: string, caseId: string, added: NewParticipant[]): Promise<ConflictMatch[]> {
      if (added.length === 0) return []
      const { data } = await check(
        { workspace_id: workspaceId },
        { names: added.map(({ name }) => name), emails: [], case_id: caseId },
      )
      return data.filter(({ party, cases, match }) => {
        if (match === 'possible') return false
        const roles = added.filter(({ id }) => id === party.id).map(({ role }) => role)
        if (roles.length === 0) return true
        const elsewhere = cases.filter(({ id }) => id !== caseId).map(({ role }) => role)
        return (
          (roles.some(isClient) && elsewhere.some(isOpponent)) ||
          (roles.some(isOpponent) && elsewhere.some(isClient))
        )
      })
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

type Found = { party: SimilarParty; match: NameMatch; searched: string[] }

function reported(
  { party, match, searched }: Found,
  known: { cases: CaseWithRoles[]; isAll: boolean } | undefined,
  here: CaseWithRoles | undefined,
  isSame: (one: Named, other: Named) => boolean,
): ConflictMatch {
  const { cases, isAll } = known ?? { cases: [], isAll: true }
  const conflicts = cases.flatMap((one) => conflictIn(one, party.id, here, isSame))
  return {
    party: { id: party.id, name: party.name, type: party.type },
    cases: cases.flatMap(({ id, file_number, name, parties }) =>
      parties.filter((it) => it.id === party.id).map(({ role }) => ({ id, file_number, name, role })),
    ),
    more_cases: !isAll,
    searched,
    match: match.match,
    reason: [match.reason, ...conflicts].join('; '),
    conflict: conflicts.length > 0,
  }
}

/** What in a case of the party is a conflict, in words (§ 43a Abs. 4 BRAO). */
function conflictIn(
  one: CaseWithRoles,
  partyId: string,
  here: CaseWithRoles | undefined,
  isSame: (one: Named, other: Named) => boolean,
): string[] {
  const rolesOf = (test: (role: string) => boolean) => one.parties.filter(({ role }) => test(role))
  const isIn = (parties: { id: string }[]) => parties.some(({ id }) => id === partyId)
  const found: string[] = []
  if (isIn(rolesOf(isClient))) found.push(`Mandant in ${one.file_number}`)
  if (here === undefined || here.id === one.id) return found
  const clients = here.parties.filter(({ id, role }) => id !== partyId && isClient(role))
  const among = (parties: Named[]) => clients.find((client) => parties.some((it) => isSame(it, client)))
  const represented = isIn(rolesOf(isOpponent)) ? among(rolesOf(isClient)) : undefined
  if (represented !== undefined)
    found.push(`steht in ${one.file_number} gegen ${represented.name}, hier Mandant`)
  const opposed = isIn(rolesOf(isClient)) ? among(rolesOf(isOpponent)) : undefined
  if (opposed !== undefined)
    found.push(`${opposed.name}, hier Mandant, steht in ${one.file_number} gegen diesen Beteiligten`)
  return found
}

/** Roles are free text (C1); these are the ones that a conflict is judged by. */
function isClient(role: string): boolean {
  return ['client', 'mandant', 'mandantin'].includes(fold(role))
}

function isOpponent(role: string): boolean {
  return ['opponent', 'gegner', 'gegnerin'].includes(fold(role))
}

function rank({ match }: Pick<NameMatch, 'match'>): number {
  return matchLevels.indexOf(match)
}

function byCertainty(one: ConflictMatch, other: ConflictMatch): number {
  return (
    rank(one) - rank(other) ||
    Number(other.conflict) - Number(one.conflict) ||
    (one.party.id < other.party.id ? 1 : -1)
  )
}
