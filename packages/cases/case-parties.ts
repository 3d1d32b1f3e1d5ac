import type { Actor } from '#kernel/actor.ts'
import { invalid, requireKnown } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import type { Side } from '#parties/side-schema.ts'
import { partiesToCreate } from './jobs.ts'
import { type CaseDeps, caseLookups } from './lookups.ts'
import {
  distinct,
  enumerate,
  type Names,
  participantKey,
  refuseTooMany,
  sameParties,
  storedName,
  withoutRepeats,
  withSides,
} from './participants.ts'
import type { NewParty, PartyInCase } from './ports.ts'
import type { Case, CasePartiesAnswer, CaseParty, CasePartyInput } from './schema.ts'
import { sideWarnings } from './side-warnings.ts'

/** The parties of a case (C4). */
export function caseParties(deps: CaseDeps) {
  const { store, parties, conflicts, pageOut } = deps
  const { requireCase, partiesOf, viewOf, timelineOf, changed } = caseLookups(deps)

  return {
    /** The parties, in the order in which they were added. @throws Failure CASE_NOT_FOUND */
    async listParties(actor: Actor, id: string, request: PageRequest): Promise<Page<CaseParty>> {
      const record = await requireCase(actor, id)
      const page = await pageOut(
        [actor.workspace_id, 'case_parties', id],
        record.parties,
        request,
        participantKey,
      )
      return { ...page, data: await partiesOf({ ...record, parties: page.data }) }
    },

    /**
     * Adds existing parties by id, and new parties by name. A party that already has the role is not added again (C4),
     * but gets the given side. Warns about roles without a side (C11), about parties that may be the same as an added
     * one, and about conflicts (C10).
     *
     * @throws Failure CASE_NOT_FOUND, PARTY_NOT_FOUND; VALIDATION_ERROR for more than 100 parties, or for a party that
     *   has two sides in one role
     */
    addParties: (actor: Actor, id: string, inputs: CasePartyInput[]) =>
      setParties(actor, id, inputs, 'parties.added', (current) => current),

    /**
     * Replaces all parties of the case (C4). A party that stays in its role keeps its side.
     *
     * @throws as `addParties`; PRECONDITION_FAILED
     */
    replaceParties: (
      actor: Actor,
      id: string,
      inputs: CasePartyInput[],
      precondition: Precondition<Case> = anyState,
    ) => setParties(actor, id, inputs, 'parties.replaced', () => [], precondition),
  }

  async function setParties(
    actor: Actor,
    id: string,
    inputs: CasePartyInput[],
    type: 'parties.added' | 'parties.replaced',
    keptOf: (current: PartyInCase[]) => PartyInCase[],
    precondition: Precondition<Case> = anyState,
  ): Promise<Answered<CasePartiesAnswer>> {
    const before = await requireCase(actor, id)
    const newParties: NewParty[] = []
    const given = new Map<string, Side | null>()
    const wanted = inputs.map((input): PartyInCase => {
      const { role, side } = input
      const participantOf = (partyId: string, name: string) => {
        const key = participantKey({ id: partyId, role })
        if (side !== undefined && given.has(key) && given.get(key) !== side)
          throw invalid('A party has two sides in one role.', [
            { path: 'body', message: `One party has two sides in the role \`${role}\`. Give one side.` },
          ])
        if (side !== undefined) given.set(key, side)
        return { id: partyId, role, name, ...(side != null && { side }) }
      }
      if (typeof input.id === 'string') return participantOf(input.id, '')
      const { role: _, side: __, id: ___, ...party } = input
      const partyId = newId('party')
      newParties.push({ ...party, id: partyId })
      return participantOf(partyId, storedName(party.name))
    })
    const known = distinct(
      wanted.filter((participant) => participant.name === '').map((participant) => participant.id),
    )
    const names = await parties.names(actor.workspace_id, known)
    requireKnown(known, names, 'PARTY_NOT_FOUND', 'body.parties')
    for (const participant of wanted) participant.name ||= storedName(names.get(participant.id) ?? '')
    const newNames = newParties.map((party) => [party.id, party.name] as const)
    const allNames = new Map([...names, ...newNames])
    // Read before the change: if a read failed after the change, the caller would not learn that it was made.
    const present = new Set(before.parties.map(participantKey))
    const added = wanted
      .filter((participant) => !present.has(participantKey(participant)))
      .map((participant) => ({ ...participant, name: allNames.get(participant.id) ?? participant.name }))
    /** The parties of the case after the change. A party that stays keeps its side if the request gives none. */
    const changedFrom = (current: PartyInCase[]) => {
      const sides = new Map([
        ...current.map((one) => [participantKey(one), one.side ?? null] as const),
        ...given,
      ])
      return withSides(withoutRepeats([...keptOf(current), ...wanted]), sides)
    }
    const others = changedFrom(before.parties).filter((one) => present.has(participantKey(one)))
    const maySeeOthers = actor.scopes.includes('contacts:read') && actor.scopes.includes('cases:read')
    const sideDoubts = await sideWarnings(parties, before, added, newParties)
    const found = maySeeOthers
      ? await conflicts.warnings(actor.workspace_id, id, added, others)
      : { data: [], more: [] }
    const warnings = [...sideDoubts, ...found.data]
    const release = await parties.reserve(actor.workspace_id, known, id)

    const work = store.change(actor.workspace_id, id, async (current) => {
      if (precondition !== anyState) precondition(await viewOf(current))
      const kept = keptOf(current.parties)
      const list = changedFrom(current.parties)
      refuseTooMany(list, 'body.parties')
      const answer = {
        data: await partiesOf({ ...current, parties: list }, allNames),
        warnings,
        more: found.more,
      }
      if (sameParties(list, current.parties)) return { answer }
      const isNew = list.length > kept.length
      const summary =
        type === 'parties.replaced'
          ? `Beteiligte ersetzt: ${enumerate(list)}`
          : isNew
            ? `Beteiligte hinzugefügt: ${enumerate(list.slice(kept.length))}`
            : `Seite von Beteiligten geändert: ${enumerate(list.filter((party) => given.has(participantKey(party))))}`
      const record = changed(current, { parties: list })
      return {
        record,
        timeline: timelineOf(actor, current, type, summary),
        jobs: partiesToCreate({
          workspace_id: actor.workspace_id,
          case_id: id,
          created_at: record.updated_at,
          parties: newParties,
        }),
        answer,
      }
    })
    const answered = await work.finally(release)
    // The change is already made. If this fails, a search for the new name of a party does not find the case.
    await updateNames(actor, id, names).catch(() => undefined)
    return answered
  }

  /** Stores the current names of these parties. A change of a name that was made meanwhile has not reached the case. */
  async function updateNames({ workspace_id }: Actor, id: string, known: Names): Promise<void> {
    const names = known.size === 0 ? known : await parties.names(workspace_id, [...known.keys()])
    if ([...names].every(([party, name]) => known.get(party) === name)) return
    await store.change(workspace_id, id, (current) => {
      const list = current.parties.map((one) => ({ ...one, name: storedName(names.get(one.id) ?? one.name) }))
      // No event of the case: the party has its own event (E10).
      const record = { ...current, parties: list, version: current.version + 1 }
      return { record, events: [], answer: undefined }
    })
  }
}
