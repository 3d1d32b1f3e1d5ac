import type { ConflictMatch } from '#parties/conflict-schema.ts'
import { sideOf } from '#parties/side-schema.ts'
import type { CaseParties, CaseRecord, NewParty, PartyInCase } from './ports.ts'

/** The warnings about the sides of newly added parties (C11). */
export async function sideWarnings(
  parties: Pick<CaseParties, 'find'>,
  { workspace_id, id, file_number, name }: CaseRecord,
  added: PartyInCase[],
  newParties: NewParty[],
): Promise<ConflictMatch[]> {
  const unclear = added.flatMap((party) => {
    const reason = sideDoubt(party)
    return reason === undefined ? [] : [{ party, reason }]
  })
  return Promise.all(
    unclear.map(async ({ party, reason }) => {
      const { type = 'person' } =
        newParties.find((one) => one.id === party.id) ?? (await parties.find(workspace_id, party.id)) ?? {}
      const side = sideOf(party)
      return {
        party: { id: party.id, name: party.name, type },
        cases: [{ id, file_number, name, role: party.role, side }],
        more_cases: false,
        searched: [party.name],
        match: 'exact' as const,
        reason,
        conflict: side === null,
        conflict_certainty: side === null ? ('possible' as const) : null,
      }
    }),
  )
}

/**
 * In German, why somebody should check the side of a party. Undefined if its role says the side, and no other was
 * given.
 */
function sideDoubt({ role, side }: PartyInCase): string | undefined {
  const said = sideOf({ role })
  if (side == null)
    return said === null
      ? `Die Rolle „${role}“ sagt nicht, auf welcher Seite der Beteiligte steht. Bis \`side\` angegeben ist (client, opponent, other), zählt er als möglicher Mandant.`
      : undefined
  if (said === null || said === side) return undefined
  return `Die Rolle „${role}“ spricht für \`${said}\`, angegeben ist \`${side}\`. Es gilt die Angabe.`
}
