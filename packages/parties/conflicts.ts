import { compareReadings, matchLevels, type NameMatch } from '#german-names/compare-names.ts'
import { parseName, readingsOf } from '#german-names/name-parts.ts'
import { termsToFind } from '#german-names/name-terms.ts'
import type { Actor } from '#kernel/actor.ts'
import { notFound, unknownAt } from '#kernel/failure.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import { type ConflictCases, conflictCases } from './conflict-cases.ts'
import type { CaseWithRoles, ConflictStore, SimilarParty } from './conflict-ports.ts'
import {
  type ConflictCheckInput,
  type ConflictMatch,
  type ConflictReport,
  maxCases,
  maxCasesOfParty,
  maxParties,
} from './conflict-schema.ts'
import { type InRole, type Side, sideOf } from './side-schema.ts'

export type ConflictService = ReturnType<typeof conflictService>

/** Names, addresses or parties looked up at once. */
const lookUpsAtOnce = 8

const sameName: NameMatch = { match: 'exact', reason: 'gleicher Name' }

/** A party in a case, or about to take part in it. */
type Participant = InRole & { name: string }

/** Finds conflicts of interest before a mandate is accepted (C10). It stores nothing, neither names nor results. */
export function conflictService({ store }: { store: ConflictStore }) {
  /**
   * @param participants who will take part in the case; if not given, those who do already
   * @param bearers of the names, found even if many others have the same name
   */
  const find = async (
    workspace_id: string,
    input: ConflictCheckInput,
    participants?: Participant[],
    bearers: Participant[] = [],
  ): Promise<{ reports: Reported[]; more: string[] }> => {
    const here = input.case_id === null ? undefined : await store.caseWithRoles(workspace_id, input.case_id)
    if (input.case_id !== null && here === undefined)
      throw notFound('CASE_NOT_FOUND', unknownAt('body.case_id', input.case_id))

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
    const names = [...new Set(input.names)]
    const emails = [...new Set(input.emails)]
    await inParallelUpTo(lookUpsAtOnce, names, async (name) => {
      const { matches, isAll } = await similarTo(workspace_id, name)
      if (!isAll) more.add(name)
      for (const { party, match } of matches) note(party, name, match)
    })
    const hidden = bearers.filter(({ id, name }) => more.has(name) && !found.has(id))
    for (const party of await store.partiesById(workspace_id, [...new Set(hidden.map(({ id }) => id))]))
      for (const { name } of hidden.filter(({ id }) => id === party.id)) note(party, name, sameName)
    await inParallelUpTo(lookUpsAtOnce, emails, async (email) => {
      const { parties, isAll } = await store.withAddress(workspace_id, email)
      if (!isAll || parties.length > maxParties) more.add(email)
      for (const party of parties.slice(0, maxParties))
        note(party, email, { match: 'likely', reason: 'gleiche E-Mail-Adresse' })
    })

    const room = Math.min(maxCases.inAll, maxCases.ofName * (names.length + emails.length))
    const cases = await store.casesOf(workspace_id, [...found.keys()], {
      ofParty: maxCasesOfParty,
      inAll: room,
    })
    const conflicts = conflictCases(store, workspace_id, here, participants ?? here?.parties ?? [])
    const reports: Reported[] = []
    await inParallelUpTo(lookUpsAtOnce, [...found.values()], async (one) => {
      const known = cases.get(one.party.id) ?? { cases: [], isAll: true }
      reports.push(reported(one, await conflicts.withThoseOfConflict(one.party.id, known), conflicts))
    })
    return { reports: reports.toSorted(byCertainty), more: [...more] }
  }

  /** The parties with a name like this one, the most certain first. */
  const similarTo = async (workspaceId: string, name: string) => {
    const readings = readingsOf(name)
    const { parties, isAll } = await store.filedUnder(workspaceId, readings.flatMap(termsToFind))
    const matches = parties
      .flatMap((party) => {
        const match = compareReadings(readings, parseName(party.name, party.type))
        return match === undefined ? [] : [{ party, match }]
      })
      .toSorted(
        (one, other) => rank(one.match) - rank(other.match) || (one.party.id < other.party.id ? 1 : -1),
      )
    return { matches: matches.slice(0, maxParties), isAll: isAll && matches.length <= maxParties }
  }

  return {
    /**
     * The parties that may be one of the requested people: the most certain matches first, and among them conflicts
     * first.
     *
     * @throws Failure CASE_NOT_FOUND
     */
    async check(
      { workspace_id }: Pick<Actor, 'workspace_id'>,
      input: ConflictCheckInput,
    ): Promise<ConflictReport> {
      const { reports, more } = await find(workspace_id, input)
      return { data: reports.map(({ match }) => match), more }
    },

    /**
     * The matches to check before these parties take part in a case, and the names of added parties that may match more
     * parties than were compared:
     *
     * - other parties with exactly or very likely the same name as an added one;
     * - an added party itself, if it is or may be on the other side in another case;
     * - an added party itself, if in another case it is opposed to a client of this case, and is not the opponent here;
     * - one of the `others`, which take part already, if in another case it is opposed to an added client.
     */
    async warnings(
      workspaceId: string,
      case_id: string,
      added: Participant[],
      others: Participant[],
    ): Promise<ConflictReport> {
      const matches = async (searched: Participant[], participants: Participant[]) => {
        if (searched.length === 0) return { reports: [], more: [] }
        const names = searched.map(({ name }) => name)
        const input = { names, emails: [], case_id }
        const { reports, more } = await find(workspaceId, input, participants, searched)
        return { reports: reports.filter(({ match: { match } }) => match !== 'possible'), more }
      }
      /** On which sides of this case a match stands; empty if it does not take part in it. */
      const sidesAmong = (parties: Participant[], { match }: Reported) =>
        parties.filter(({ id }) => id === match.party.id).map(sideOf)

      const { reports, more } = await matches(added, [...others, ...added])
      const needed = reports.filter((one) => {
        const here = sidesAmong(added, one)
        if (here.length === 0) return true
        if (one.isAgainstClient && here.some((side) => side !== 'opponent')) return true
        const elsewhere = one.match.cases.filter(({ id }) => id !== case_id).map(({ side }) => side)
        return here.some((side) => elsewhere.some((other) => mayOppose(side, other)))
      })
      const clients = added.filter((one) => [null, 'client'].includes(sideOf(one)))
      const concerned = clients.length === 0 ? [] : others.filter((one) => sideOf(one) !== 'opponent')
      const known = new Set(needed.map(({ match }) => match.party.id))
      const opposed = (await matches(concerned, clients)).reports.filter(
        (one) =>
          one.isAgainstClient && sidesAmong(concerned, one).length > 0 && !known.has(one.match.party.id),
      )
      return { data: [...needed, ...opposed].map(({ match }) => match), more }
    },
  }
}

type Found = { party: SimilarParty; match: NameMatch; searched: string[] }

/** `isAgainstClient`: in a case, the party is opposed to a client of the case in which it will take part. */
type Reported = { match: ConflictMatch; isAgainstClient: boolean }

function reported(
  { party, match, searched }: Found,
  { cases, isAll }: { cases: CaseWithRoles[]; isAll: boolean },
  { groundsIn }: ConflictCases,
): Reported {
  const grounds = cases.flatMap((one) => groundsIn(one, party.id))
  const isCertain = grounds.some(({ certainty }) => certainty === 'certain')
  return {
    match: {
      party: { id: party.id, name: party.name, type: party.type },
      cases: cases.flatMap(({ id, file_number, name, parties }) =>
        parties
          .filter((it) => it.id === party.id)
          .map((it) => ({ id, file_number, name, role: it.role, side: sideOf(it) })),
      ),
      more_cases: !isAll,
      searched,
      match: match.match,
      reason: [match.reason, ...grounds.map(({ text }) => text)].join('; '),
      conflict: grounds.length > 0,
      conflict_certainty: grounds.length === 0 ? null : isCertain ? 'certain' : 'possible',
    },
    isAgainstClient: grounds.some(({ isAgainstClient }) => isAgainstClient === true),
  }
}

/** Whether a party is, or may be, the client in one of two cases and the opponent in the other. */
function mayOppose(one: Side | null, other: Side | null): boolean {
  return (one !== other || one === null) && one !== 'other' && other !== 'other'
}

function rank({ match }: Pick<NameMatch, 'match'>): number {
  return matchLevels.indexOf(match)
}

function byCertainty({ match: one }: Reported, { match: other }: Reported): number {
  return (
    rank(one) - rank(other) ||
    Number(other.conflict) - Number(one.conflict) ||
    (one.party.id < other.party.id ? 1 : -1)
  )
}
