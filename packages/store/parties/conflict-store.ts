import { inParallel } from '#kernel/in-parallel.ts'
import type { CaseWithRoles, ConflictStore } from '#parties/conflict-ports.ts'
import { readAll } from '../batch.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { partyUse } from './party-entity.ts'
import { similarParties } from './similar-parties.ts'

/** Of a party so many cases are read, the newest. Only insurers and courts have more. */
const maxCases = 200

/** What conflict checks read: parties by their names, and the cases that name them. */
export function conflictStore(db: Db): ConflictStore {
  const uses = lazily(() => partyUse(db))
  const cases = lazily(() => caseEntity(db))
  const { filedUnder, withAddress } = similarParties(db)

  const read = async (workspaceId: string, ids: string[]): Promise<Map<string, CaseWithRoles>> => {
    const items = await readAll(
      db,
      ids.map((id) => cases.get({ workspace_id: workspaceId, id })),
    )
    const found = items.flatMap((Item) => {
      const { data } = cases.parse({ Item })
      if (data === null || data.deleted_at !== undefined) return []
      const { id, file_number, name, parties } = data
      return [[id, { id, file_number, name, parties }] as const]
    })
    return new Map(found)
  }

  return {
    filedUnder,
    withAddress,

    casesOf: async (workspaceId, partyIds) => {
      const named = new Map<string, { ids: string[]; isAll: boolean }>()
      await inParallel(
        partyIds,
        async (partyId) => {
          // The ids of cases have no prefix: they begin with a digit, since they begin with the time.
          const { data, cursor } = await uses.query
            .users({ workspace_id: workspaceId, party_id: partyId })
            .between({ named_by: '0' }, { named_by: ':' })
            .go({ order: 'desc', limit: maxCases, ...strongly })
          named.set(partyId, { ids: data.map(({ named_by }) => named_by), isAll: cursor === null })
        },
        16,
      )
      const known = await read(workspaceId, [...new Set([...named.values()].flatMap(({ ids }) => ids))])
      return new Map(
        [...named].map(([partyId, { ids, isAll }]) => {
          const naming = ids
            .flatMap((id) => known.get(id) ?? [])
            .filter(({ parties }) => parties.some(({ id }) => id === partyId))
          return [partyId, { cases: naming, isAll }]
        }),
      )
    },

    caseWithRoles: async (workspaceId, caseId) => (await read(workspaceId, [caseId])).get(caseId),
  }
}
