import { localDateOf } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { invalid, required, requireKnown } from '#kernel/failure.ts'
import { newId, timeOf } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageOut, PageRequest } from '#kernel/page.ts'
import type { Precondition } from '#kernel/precondition.ts'
import { type ShownChanges, shownChanges } from '#kernel/updated-since.ts'
import type { Side } from '#parties/side-schema.ts'
import { type CaseTimelineEntry, entryOf, type TimelineEntry } from '#timeline/schema.ts'
import { describeChange, fields, maxCounted, openWarnings } from './case-texts.ts'
import { caseHolds } from './holds.ts'
import { markDeadlines, partiesToCreate, unlinkCase } from './jobs.ts'
import {
  distinct,
  enumerate,
  inRole,
  type Names,
  partyView,
  refuseTooMany,
  sameParties,
  storedName,
  withoutRepeats,
  withPresentNames,
  withSides,
} from './participants.ts'
import type {
  CaseConflicts,
  CaseDeadlines,
  CaseParties,
  CaseRecord,
  CaseStore,
  CaseUsers,
  CaseWorkspaces,
  NewParty,
  PartyInCase,
} from './ports.ts'
import { closedAtAfter, closedAtOf, refuseHeld, retentionOf } from './retention-schema.ts'
import type {
  Case,
  CaseChanges,
  CaseDeletion,
  CaseInput,
  CaseLink,
  CaseLinkInput,
  CasePartiesAnswer,
  CaseParty,
  CasePartyInput,
  CaseQuery,
  CaseStaff,
  CaseSummary,
} from './schema.ts'
import { sideWarnings } from './side-warnings.ts'

export type CaseService = ReturnType<typeof caseService>

/** The use cases of cases, their parties, staff, links and timelines (C1 to C8). */
export function caseService(deps: {
  store: CaseStore
  parties: CaseParties
  users: CaseUsers
  conflicts: CaseConflicts
  deadlines: Pick<CaseDeadlines, 'open'>
  workspaces: CaseWorkspaces
  pageOut: PageOut
  clock: Clock
}) {
  const { store, parties, users, conflicts, deadlines, workspaces, pageOut, clock } = deps

  const requireCase = async (actor: Actor, id: string): Promise<CaseRecord> => {
    return required(await store.find(actor.workspace_id, id), 'CASE_NOT_FOUND')
  }

  const partiesOf = async (record: CaseRecord, known?: Names): Promise<CaseParty[]> => {
    const readNames = (ids: string[]) => parties.names(record.workspace_id, ids)
    return (await withPresentNames(record.parties, readNames, known)).map(partyView)
  }
  const staffOf = (record: CaseRecord, known?: Names) =>
    withPresentNames(record.staff, (ids) => users.names(record.workspace_id, ids), known)

  /** The case as the interface shows it: with the present names of parties and users. */
  const viewOf = async (record: CaseRecord): Promise<Case> => {
    const [parties, staff, retention] = await Promise.all([
      partiesOf(record),
      staffOf(record),
      retentionNow(record),
    ])
    return { ...record, parties, staff, ...retention }
  }

  /** When a case was closed, and until when it must be kept (R1). */
  const retentionNow = async (record: CaseRecord): Promise<Pick<Case, 'closed_at' | 'retention'>> => {
    const closed_at = closedAtOf(record)
    if (closed_at === null) return { closed_at, retention: null }
    const { time_zone } = await workspaceOf(record.workspace_id)
    return { closed_at, retention: retentionOf(record, time_zone, clock.now()) }
  }

  const workspaceOf = async (workspaceId: string) =>
    required(await workspaces.find(workspaceId), 'WORKSPACE_NOT_FOUND')

  const warningsOfRemoval = async (workspaceId: string, id: string): Promise<string[]> => {
    const open = await deadlines.open(workspaceId, id, maxCounted + 1)
    if (open.length === 0) return []
    return openWarnings(open, (await workspaceOf(workspaceId)).time_zone)
  }

  const entry = (
    actor: Actor,
    record: { id: string },
    type: string,
    summary: string,
    ref: TimelineEntry['ref'] = { type: 'case', id: record.id },
  ) => entryOf(clock, actor, { type, summary, ref })

  const recorded = (...args: Parameters<typeof entry>): CaseTimelineEntry[] => [
    { case_id: args[1].id, entry: entry(...args) },
  ]

  const changed = (record: CaseRecord, changes: Partial<CaseRecord>): CaseRecord => ({
    ...record,
    ...changes,
    updated_at: timestamp(clock),
    version: record.version + 1,
  })

  return {
    ...caseHolds(deps),

    /**
     * A page of cases, newest first, with the filters and the search of C3; with `updated_since` the changed ones,
     * oldest change first (G16).
     */
    async list(actor: Actor, query: CaseQuery): Promise<Page<CaseSummary> | ShownChanges<CaseSummary>> {
      const { updated_since: since } = query
      if (since === undefined) return store.page(actor.workspace_id, query)
      return shownChanges(await store.changes(actor.workspace_id, query, since), (records) => records)
    },

    /** Opens a case (C1). @throws Failure FILE_NUMBER_TAKEN */
    async open(actor: Actor, input: CaseInput): Promise<Answered<Case>> {
      const id = newId('case')
      // The time comes from the id, so that ids and creation times have the same order.
      const now = timeOf(id).toISOString()
      const record = {
        workspace_id: actor.workspace_id,
        id,
        ...input,
        status: 'active' as const,
        closed_at: null,
        holds: null,
        created_at: now,
        updated_at: now,
        version: 1,
      }
      return store.add({ ...record, parties: [], staff: [] }, (numbered) => ({
        record: numbered,
        timeline: recorded(
          actor,
          numbered,
          'case.created',
          `Akte ${numbered.file_number} „${input.name}“ angelegt`,
        ),
        answer: { ...numbered, parties: [], staff: [], retention: null },
      }))
    },

    /** @throws Failure CASE_NOT_FOUND */
    get: async (actor: Actor, id: string): Promise<Case> => viewOf(await requireCase(actor, id)),

    /** Changes the included fields (C2). @throws Failure CASE_NOT_FOUND, FILE_NUMBER_TAKEN, PRECONDITION_FAILED */
    async change(
      actor: Actor,
      id: string,
      changes: CaseChanges,
      precondition: Precondition<Case> = () => {},
    ): Promise<Case> {
      return store.change(actor.workspace_id, id, async (current) => {
        const before = await viewOf(current)
        precondition(before)
        const differing = fields.filter(
          (field) => changes[field] !== undefined && changes[field] !== current[field],
        )
        if (differing.length === 0) return { answer: before }
        const values = Object.fromEntries(differing.map((field) => [field, changes[field]]))
        const summary = `Akte geändert: ${differing.map((field) => describeChange(field, current[field], changes[field])).join(', ')}`
        const { status = current.status } = changes
        const changing = entry(actor, current, 'case.updated', summary)
        const closed_at = closedAtAfter(current, status, changing.occurred_at)
        const record = changed(current, { ...values, closed_at })
        const { parties, staff } = before
        return {
          record,
          timeline: [{ case_id: id, entry: changing }],
          answer: { ...record, parties, staff, ...(await retentionNow(record)) },
        }
      })
    },

    /**
     * Deletes a case (C8). Its deadlines stay, and show from then on that the case is gone.
     *
     * @returns a warning if some of them are open; otherwise nothing
     * @throws Failure CASE_NOT_FOUND, PRECONDITION_FAILED, LEGAL_HOLD
     */
    async remove(
      actor: Actor,
      id: string,
      precondition: Precondition<Case> = () => {},
    ): Promise<CaseDeletion | undefined> {
      return store.remove(actor.workspace_id, id, async (current) => {
        precondition(await viewOf(current))
        if (current.holds !== null) {
          const { time_zone } = await workspaceOf(actor.workspace_id)
          refuseHeld(current.holds, localDateOf(clock.now(), time_zone))
        }
        // Read before the deletion: if this read failed after it, the caller would not learn that the case is deleted.
        const warnings = await warningsOfRemoval(actor.workspace_id, id)
        const { id: _, ...unlinked } = entry(
          actor,
          current,
          'link.removed',
          `Verknüpfung mit Akte ${current.file_number} entfallen: die Akte wurde gelöscht`,
        )
        const deleted = entry(
          actor,
          current,
          'case.deleted',
          `Akte ${current.file_number} „${current.name}“ gelöscht`,
        )
        const ofCase = { workspace_id: actor.workspace_id, case_id: id }
        return {
          deleted_at: deleted.occurred_at,
          timeline: [{ case_id: id, entry: deleted }],
          jobs: [
            unlinkCase.of({ ...ofCase, entry: unlinked }),
            markDeadlines.of({ ...ofCase, deleted_at: deleted.occurred_at }),
          ],
          answer: warnings.length === 0 ? undefined : { warnings },
        }
      })
    },

    /** In the order of the case. @throws Failure CASE_NOT_FOUND */
    async listParties(actor: Actor, id: string, request: PageRequest): Promise<Page<CaseParty>> {
      const record = await requireCase(actor, id)
      const page = await pageOut([actor.workspace_id, 'case_parties', id], record.parties, request, inRole)
      return { ...page, data: await partiesOf({ ...record, parties: page.data }) }
    },

    /**
     * Adds parties, new ones by their name. A party that has the role already is not added again (C4), but gets the
     * given side. Warns about roles without a side (C11), about parties that may be the same as an added one, and about
     * conflicts (C10).
     *
     * @throws Failure CASE_NOT_FOUND, PARTY_NOT_FOUND, VALIDATION_ERROR for more than a hundred
     */
    addParties: (actor: Actor, id: string, inputs: CasePartyInput[]) =>
      setParties(actor, id, inputs, 'parties.added', (current) => current),

    /** Replaces all parties of the case (C4). A party that stays in its role keeps its side. @throws as `addParties` */
    replaceParties: (actor: Actor, id: string, inputs: CasePartyInput[]) =>
      setParties(actor, id, inputs, 'parties.replaced', () => []),

    /** In the order of the case. @throws Failure CASE_NOT_FOUND */
    async listStaff(actor: Actor, id: string, request: PageRequest): Promise<Page<CaseStaff>> {
      const record = await requireCase(actor, id)
      const page = await pageOut([actor.workspace_id, 'case_staff', id], record.staff, request, inRole)
      return { ...page, data: await staffOf({ ...record, staff: page.data }) }
    },

    /** Assigns users, each once per role (C5). @throws Failure CASE_NOT_FOUND, USER_NOT_FOUND, VALIDATION_ERROR */
    async addStaff(
      actor: Actor,
      id: string,
      inputs: { id: string; role: string }[],
    ): Promise<Answered<{ data: CaseStaff[] }>> {
      await requireCase(actor, id)
      const names = await users.names(actor.workspace_id, distinct(inputs.map((input) => input.id)))
      const ids = inputs.map((input) => input.id)
      requireKnown(ids, names, 'USER_NOT_FOUND', 'body.staff')
      const wanted = inputs.map(({ id: userId, role }) => ({
        id: userId,
        role,
        name: storedName(names.get(userId) ?? ''),
      }))
      return store.change(actor.workspace_id, id, async (current) => {
        const staff = withoutRepeats([...current.staff, ...wanted])
        const added = staff.slice(current.staff.length)
        const answer = { data: await staffOf({ ...current, staff }, names) }
        if (added.length === 0) return { answer }
        refuseTooMany(staff, 'body.staff')
        return {
          record: changed(current, { staff }),
          timeline: recorded(actor, current, 'staff.added', `Zugewiesen: ${enumerate(added)}`),
          answer,
        }
      })
    },

    /** Removes users from the case; users who are not assigned are ignored (C5). @throws Failure CASE_NOT_FOUND */
    async removeStaff(actor: Actor, id: string, userIds: string[]): Promise<CaseStaff[]> {
      return store.change(actor.workspace_id, id, async (current) => {
        const removed = current.staff.filter((member) => userIds.includes(member.id))
        const staff = current.staff.filter((member) => !userIds.includes(member.id))
        const answer = await staffOf({ ...current, staff })
        if (removed.length === 0) return { answer }
        return {
          record: changed(current, { staff }),
          timeline: recorded(actor, current, 'staff.removed', `Zuweisung aufgehoben: ${enumerate(removed)}`),
          answer,
        }
      })
    },

    /** The timeline of the case, newest first (C6). @throws Failure CASE_NOT_FOUND */
    async timeline(actor: Actor, id: string, page: PageRequest): Promise<Page<TimelineEntry>> {
      await requireCase(actor, id)
      return store.timeline(actor.workspace_id, id, page)
    },

    /** Links of the case, newest first (C7). @throws Failure CASE_NOT_FOUND */
    async links(actor: Actor, id: string, page: PageRequest): Promise<Page<CaseLink>> {
      await requireCase(actor, id)
      return store.links(actor.workspace_id, id, page)
    },

    /** Links two cases (C7). @throws Failure CASE_NOT_FOUND, LINK_EXISTS, VALIDATION_ERROR for a link to itself */
    async link(actor: Actor, id: string, input: CaseLinkInput): Promise<Answered<CaseLink>> {
      const [here, there] = await Promise.all([requireCase(actor, id), requireCase(actor, input.case_id)])
      if (input.case_id === id) {
        throw invalid('A case cannot be linked to itself.', [
          { path: 'body.case_id', message: 'Name another case.' },
        ])
      }
      const link = {
        id: newId('link'),
        case_id: id,
        linked_case_id: input.case_id,
        type: input.type,
        note: input.note,
        created_at: timestamp(clock),
      }
      const linked = (other: CaseRecord) =>
        entry(actor, other, 'link.created', `Verknüpft mit Akte ${other.file_number} „${other.name}“`, {
          type: 'link',
          id: link.id,
        })
      const timeline = [
        { case_id: id, entry: linked(there) },
        { case_id: there.id, entry: linked(here) },
      ]
      return store.addLink(actor.workspace_id, { record: link, timeline, answer: link })
    },

    /** Removes a link from both cases. @throws Failure CASE_NOT_FOUND, LINK_NOT_FOUND */
    async unlink(actor: Actor, id: string, linkId: string): Promise<void> {
      const here = await requireCase(actor, id)
      const link = required(await store.link(actor.workspace_id, id, linkId), 'LINK_NOT_FOUND')
      const there = await store.find(actor.workspace_id, link.linked_case_id)
      const unlinked = (other: { id: string; file_number: string } | undefined) =>
        entry(actor, { id }, 'link.removed', `Verknüpfung mit Akte ${other?.file_number ?? ''} aufgehoben`, {
          type: 'link',
          id: linkId,
        })
      await store.removeLink(actor.workspace_id, link, [
        { case_id: link.case_id, entry: unlinked(there) },
        { case_id: link.linked_case_id, entry: unlinked(here) },
      ])
    },
  }

  async function setParties(
    actor: Actor,
    id: string,
    inputs: CasePartyInput[],
    type: 'parties.added' | 'parties.replaced',
    base: (current: PartyInCase[]) => PartyInCase[],
  ): Promise<Answered<CasePartiesAnswer>> {
    const before = await requireCase(actor, id)
    const newParties: NewParty[] = []
    const given = new Map<string, Side | null>()
    const wanted = inputs.map((input): PartyInCase => {
      const { role, side } = input
      const place = (partyId: string, name: string) => {
        const key = inRole({ id: partyId, role })
        if (side !== undefined && given.has(key) && given.get(key) !== side)
          throw invalid('A party is named twice in one role, with two sides.', [
            { path: 'body', message: `The role \`${role}\` has two sides for one party. Give one.` },
          ])
        if (side !== undefined) given.set(key, side)
        return { id: partyId, role, name, ...(side != null && { side }) }
      }
      if (typeof input.id === 'string') return place(input.id, '')
      const { role: _, side: __, id: ___, ...party } = input
      const partyId = newId('party')
      newParties.push({ ...party, id: partyId })
      return place(partyId, storedName(party.name))
    })
    const known = distinct(
      wanted.filter((participant) => participant.name === '').map((participant) => participant.id),
    )
    const names = await parties.names(actor.workspace_id, known)
    requireKnown(known, names, 'PARTY_NOT_FOUND', 'body.parties')
    for (const participant of wanted) participant.name ||= storedName(names.get(participant.id) ?? '')
    const newNames = newParties.map((party) => [party.id, party.name] as const)
    const allNames = new Map([...names, ...newNames])
    // Read before the change: a failure after it would hide that the change was made.
    const present = new Set(before.parties.map(inRole))
    const added = wanted
      .filter((participant) => !present.has(inRole(participant)))
      .map((participant) => ({ ...participant, name: allNames.get(participant.id) ?? participant.name }))
    const maySeeOthers = actor.scopes.includes('contacts:read') && actor.scopes.includes('cases:read')
    const warnings = [
      ...(await sideWarnings(parties, before, added, newParties)),
      ...(maySeeOthers ? await conflicts.warnings(actor.workspace_id, id, added) : []),
    ]
    const release = await parties.reserve(actor.workspace_id, known, id)

    const work = store.change(actor.workspace_id, id, async (current) => {
      const kept = base(current.parties)
      // A party that stays keeps its side if the replacement does not mention a side.
      const sides = new Map([
        ...current.parties.map((one) => [inRole(one), one.side ?? null] as const),
        ...given,
      ])
      const list = withSides(withoutRepeats([...kept, ...wanted]), sides)
      refuseTooMany(list, 'body.parties')
      const answer = { data: await partiesOf({ ...current, parties: list }, allNames), warnings }
      if (sameParties(list, current.parties)) return { answer }
      const isNew = list.length > kept.length
      const summary =
        type === 'parties.replaced'
          ? `Beteiligte ersetzt: ${enumerate(list)}`
          : isNew
            ? `Beteiligte hinzugefügt: ${enumerate(list.slice(kept.length))}`
            : `Seite von Beteiligten geändert: ${enumerate(list.filter((party) => given.has(inRole(party))))}`
      const record = changed(current, { parties: list })
      return {
        record,
        timeline: recorded(actor, current, type, summary),
        jobs: partiesToCreate({
          workspace_id: actor.workspace_id,
          case_id: id,
          created_at: record.updated_at,
          parties: newParties,
        }),
        answer,
      }
    })
    return work.finally(release)
  }
}
