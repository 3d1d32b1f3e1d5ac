import { bookkeeping } from '#kernel/changes.ts'
import { type Side, sideOf } from '#parties/side-schema.ts'
import { readAll, writeAll } from '../batch.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { partySide } from './party-entity.ts'

type OfCase = { workspace_id: string; id: string; parties: readonly { id: string; role: string }[] }

/** On which side of which cases parties are, or once were: the record of the case says whether they still are. */
export function partySides(db: Db) {
  const entities = lazily(() => partySide(db))

  return {
    /** Notes the sides that a case is about to give to its parties. Before it has them: a conflict check misses none. */
    note: async ({ workspace_id, id: case_id, parties }: OfCase, before?: OfCase): Promise<void> => {
      const noted = new Set(before?.parties.map(inRole))
      const puts = parties
        .filter((party) => !noted.has(inRole(party)))
        .flatMap(({ id: party_id, role }) => {
          const side = sideOf(role)
          return side === undefined ? [] : [{ workspace_id, party_id, side, case_id }]
        })
      // A batch holds an item once; a party may be on a side in two roles.
      const distinct = new Map(puts.map((one) => [`${one.party_id} ${one.side}`, one]))
      if (distinct.size === 0) return
      const sides = [...distinct.values()].map((one) => entities.put(one))
      await bookkeeping(() => writeAll(db, sides))
    },

    /** The ids of the newest cases after `after` in which this party is on this side. */
    newest: async (
      workspace_id: string,
      { id: party_id, side }: { id: string; side: Side },
      limit: number,
      after?: string,
    ): Promise<string[]> => {
      // The ids of cases begin with a digit, since they begin with the time.
      const { data } = await entities.query
        .cases({ workspace_id, party_id, side })
        .lt({ case_id: after ?? ':' })
        .go({ order: 'desc', limit, ...strongly })
      return data.map(({ case_id }) => case_id)
    },

    /** Those of these cases in which this party is on this side, the newest first. */
    among: async (
      workspace_id: string,
      { id: party_id, side }: { id: string; side: Side },
      caseIds: string[],
    ): Promise<string[]> => {
      const items = await readAll(
        db,
        caseIds.map((case_id) => entities.get({ workspace_id, party_id, side, case_id })),
        ['sk'],
      )
      return items.map(({ sk }) => String(sk)).toSorted((one, other) => (one < other ? 1 : -1))
    },
  }
}

function inRole({ id, role }: { id: string; role: string }): string {
  return `${id} ${role}`
}
