import { Failure } from '#kernel/failure.ts'
import { beginningOf } from '#kernel/text.ts'
import { type Side, sideOf } from '#parties/side-schema.ts'
import type { Participant, PartyInCase } from './ports.ts'
import { type CaseParty, maxParticipants, maxStoredName } from './schema.ts'

/** Names by id. */
export type Names = ReadonlyMap<string, string>

/** The participants with their current names. Names that `known` does not have are read. */
export async function withCurrentNames<Named extends Participant>(
  participants: Named[],
  readNames: (ids: string[]) => Promise<Names>,
  known: Names = new Map(),
): Promise<Named[]> {
  const unknown = distinct(participants.map(({ id }) => id)).filter((id) => !known.has(id))
  const read: Names = unknown.length === 0 ? new Map() : await readNames(unknown)
  return participants.map((one) => ({ ...one, name: known.get(one.id) ?? read.get(one.id) ?? one.name }))
}

/** A party as a case shows it, with its side (C11). */
export function partyView({ id, role, name, side }: PartyInCase): CaseParty {
  return { id, role, side: sideOf({ role, side }), name }
}

/** The parties with the sides that a request gives, by `participantKey`. Null removes a side; then the role decides. */
export function withSides(parties: PartyInCase[], given: ReadonlyMap<string, Side | null>): PartyInCase[] {
  return parties.map(({ side: before, ...party }) => {
    const now = given.get(participantKey(party))
    const side = now === undefined ? before : now
    return side == null ? party : { ...party, side }
  })
}

/** The part of a name that a case stores. */
export function storedName(name: string): string {
  return beginningOf(name, maxStoredName)
}

/** Each participant once per role, in the order of first appearance. */
export function withoutRepeats<Named extends Participant>(participants: Named[]): Named[] {
  const seen = new Set<string>()
  return participants.filter((participant) => {
    const key = participantKey(participant)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** The key of a participant in a role. A case has each key at most once. */
export function participantKey({ id, role }: Omit<Participant, 'name'>): string {
  return `${id} ${role}`
}

export function sameParties(one: PartyInCase[], other: PartyInCase[]): boolean {
  const keys = (parties: PartyInCase[]) => parties.map((party) => [participantKey(party), party.side ?? null])
  return JSON.stringify(keys(one)) === JSON.stringify(keys(other))
}

/** @throws Failure VALIDATION_ERROR if these are more participants than a case may have */
export function refuseTooMany(participants: Participant[], path: string): void {
  if (participants.length > maxParticipants) {
    throw new Failure(
      'invalid',
      'VALIDATION_ERROR',
      `A case has at most ${maxParticipants} parties, and at most ${maxParticipants} assignments of staff. With this request it would have ${participants.length}.`,
      {
        details: [{ path, message: `At most ${maxParticipants} in all.` }],
      },
    )
  }
}

export function distinct<Value>(values: Value[]): Value[] {
  return [...new Set(values)]
}

/** The first five in German: `Anna Meier (Mandantin), Müller GmbH (Gegnerin) und 3 weitere`. */
export function enumerate(participants: Participant[]): string {
  const first = participants.slice(0, 5).map(({ name, role }) => `${name} (${role})`)
  const more = participants.length - first.length
  if (first.length === 0) return 'keine'
  return first.join(', ') + (more > 0 ? ` und ${more} weitere` : '')
}
