import { bookkeeping } from '#kernel/changes.ts'
import { type InRole, type NotedSide, notedSides, sidesIn } from '#parties/side-schema.ts'
import { writeAll } from '../batch.ts'
import { type Db, strongly } from '../db.ts'
import { partySide } from './party-entity.ts'

type OfCase = { workspace_id: string; id: string; parties: readonly InRole[] }

/** On which side of which cases parties are, or once were: the record of the case says whether they still are. */
export function partySides(db: Db) {
  const entities = partySide(db)

  /** The actions that note the sides that the parties of a case have and did not have before. */
  const puts = ({ workspace_id, id: case_id, parties }: OfCase, before?: OfCase) => {
    const noted = new Set(before?.parties.map(inRole))
    const added = new Set(parties.filter((party) => !noted.has(inRole(party))).map(({ id }) => id))
    return [...new Set(parties.map(({ id }) => id))].flatMap((party_id) => {
      const had = added.has(party_id) ? undefined : before && sidesIn(before.parties, party_id)
      return [...sidesIn(parties, party_id)]
        .filter((side) => !had?.has(side))
        .map((side) => entities.put({ workspace_id, party_id, side, case_id }))
    })
  }

  return {
    puts,

    /**
     * Notes the sides that a case is about to give to its parties. Before it has them: a conflict check misses none. Of a
     * party that is new in a role all its sides are noted: a case that is noted for a party is noted on each of its sides.
     */
    note: async (ofCase: OfCase, before?: OfCase): Promise<void> => {
      const all = puts(ofCase, before)
      if (all.length > 0) await bookkeeping(() => writeAll(db, all))
    },

    /** The ids of all cases that are noted for this party, on either side; cases of the last second may be missing. */
    all: async (workspace_id: string, party_id: string): Promise<Set<string>> => {
      const found = await Promise.all(
        notedSides.map((side) => entities.query.cases({ workspace_id, party_id, side }).go({ pages: 'all' })),
      )
      return new Set(found.flatMap(({ data }) => data.map(({ case_id }) => case_id)))
    },

    /** The ids of the newest cases after `after` in which this party is on this side. */
    newest: async (
      workspace_id: string,
      { id: party_id, side }: { id: string; side: NotedSide },
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
  }
}

function inRole({ id, role, side }: InRole): string {
  return `${id} ${side ?? ''} ${role}`
}
