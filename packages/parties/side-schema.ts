import * as z from 'zod'
import { roleWords, type Side, sideOfRole, sides } from './role-side.ts'

export { type Side, sides }

/** A side as a key of the index of parties. `unknown`: neither given nor known from the role. */
export const notedSides = [...sides, 'unknown'] as const

export type NotedSide = (typeof notedSides)[number]

/** A party in a role, as a case stores it: `side` only if it was given. */
export type InRole = { id: string; role: string; side?: Side | undefined }

const list = `If omitted or null, the words of the role decide, also with a procedural role beside them (\`Mandant (Kläger)\`). ${roleWords} German nouns count in their usual inflections and gender forms, and those for \`client\` and \`other\` also as the end of a compound (\`Rechtsanwalt\`). English words and abbreviations count as they are listed. Other roles say nothing: Kläger, Beklagter, Antragsteller, Antragsgegner, Schuldner, Streithelfer, Nebenkläger and the like may be on either side.`

/** The side of a party in a case, in an answer. */
export const ShownSide = z.lazy(() =>
  z
    .enum(sides)
    .nullable()
    .meta({
      description: `On which side the party stands: as it was given, otherwise as its role says. Null: unknown. A conflict check then counts the party as a possible client. ${list}`,
    }),
)

/** The side of a party, in an input. */
export const GivenSide = z.lazy(() =>
  z
    .enum(sides)
    .nullish()
    .meta({
      description: `On which side the party stands: \`client\` is your side. ${list}`,
    }),
)

/** The side of a party in a role: the given side, otherwise the side of the role (C11); null if neither is known. */
export function sideOf({ role, side }: { role: string; side?: Side | null | undefined }): Side | null {
  return side ?? sideOfRole(role)
}

/**
 * The sides on which a case names this party. `unknown` means that the role does not say it, unless another role of the
 * same party makes it our client or the opponent.
 */
export function sidesIn(parties: readonly InRole[], partyId: string): Set<NotedSide> {
  const found = new Set<NotedSide>(
    parties.filter(({ id }) => id === partyId).map((one) => sideOf(one) ?? 'unknown'),
  )
  if (found.has('client') || found.has('opponent')) found.delete('unknown')
  return found
}

/** Whether a case names this party on one of these sides. */
export function isOn(wanted: readonly NotedSide[], partyId: string, parties: readonly InRole[]): boolean {
  const found = sidesIn(parties, partyId)
  return wanted.some((side) => found.has(side))
}
