import { Failure } from '#kernel/failure.ts'
import { beginningOf } from '#kernel/text.ts'
import type { Participant } from './ports.ts'
import { maxParties, maxStoredName } from './schema.ts'

/** Names by id. */
export type Names = ReadonlyMap<string, string>

/** Participants with their present names. Names that are not known are read. */
export async function withPresentNames<Shown extends Participant>(
  participants: Participant[],
  readNames: (ids: string[]) => Promise<Names>,
  known: Names = new Map(),
): Promise<Shown[]> {
  const unknown = distinct(participants.map(({ id }) => id)).filter((id) => !known.has(id))
  const read: Names = unknown.length === 0 ? new Map() : await readNames(unknown)
  return participants.map(({ id, role, name }) => ({
    id,
    role,
    name: known.get(id) ?? read.get(id) ?? name,
  })) as Shown[]
}

/** The part of a name that a case stores. */
export function storedName(name: string): string {
  return beginningOf(name, maxStoredName)
}

/** Each participant once per role, in the order of first appearance. */
export function withoutRepeats(participants: Participant[]): Participant[] {
  const seen = new Set<string>()
  return participants.filter((participant) => {
    const key = inRole(participant)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** Identifies a participant in a role, which a case has at most once. */
export function inRole({ id, role }: Participant): string {
  return `${id} ${role}`
}

export function sameParticipants(one: Participant[], other: Participant[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ id, role }, index) => other[index]?.id === id && other[index]?.role === role)
  )
}

/** @throws Failure VALIDATION_ERROR for more than a case may have */
export function refuseTooMany(participants: Participant[], path: string): void {
  if (participants.length > maxParties) {
    throw new Failure(
      'invalid',
      'VALIDATION_ERROR',
      `A case has at most ${maxParties} of these; this would make ${participants.length}.`,
      {
        details: [{ path, message: `At most ${maxParties} in all.` }],
      },
    )
  }
}

export function distinct<Value>(values: Value[]): Value[] {
  return [...new Set(values)]
}

/** German enumeration: `Anna Meier (Mandantin), Müller GmbH (Gegnerin) und 3 weitere`. */
export function enumerate(participants: Participant[]): string {
  const first = participants.slice(0, 5).map(({ name, role }) => `${name} (${role})`)
  const more = participants.length - first.length
  if (first.length === 0) return 'keine'
  return first.join(', ') + (more > 0 ? ` und ${more} weitere` : '')
}
