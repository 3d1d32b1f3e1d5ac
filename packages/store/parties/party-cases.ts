import type { PartyCases } from '#parties/ports.ts'
import { chunks, readById } from '../batch.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { type Cursors, pageByCursor } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { partyNamings } from './party-namings.ts'

/** Uses that one page reads at most, even if cases no longer name the party. */
const maxUsesRead = 500

/** The cases that name a party, as their records say at this moment (C9). */
export function partyCases({ db, cursors }: { db: Db; cursors: Cursors }): PartyCases {
  const namings = partyNamings(db)
  const cases = caseEntity(db)

  const read = async (workspaceId: string, partyId: string, ids: string[]) => {
    const found = (await readById(db, cases, workspaceId, ids)).flatMap((one) => {
      const { id, name, file_number, status, parties, deleted_at } = one
      const roles = parties.filter((party) => party.id === partyId).map(({ role }) => role)
      if (deleted_at !== undefined || roles.length === 0) return []
      return [{ id, name, file_number, status, role: roles.join(', ') }]
    })
    return found.toSorted((one, other) => (one.id < other.id ? 1 : -1))
  }

  return {
    page: (workspaceId, partyId, request) =>
      pageByCursor(cursors, [workspaceId, 'party_cases', partyId], request, async (after, limit) => {
        const items: Awaited<ReturnType<typeof read>> = []
        for (let last = after, seen = 0; ; ) {
          const query = namings.query(workspaceId, partyId, 'case', { to: last })
          const { data, cursor } = await query.go({ order: 'desc', limit: limit + 1, ...strongly })
          const ids = data.map(({ named_by }) => named_by).filter((id) => id !== last)
          const found = await read(workspaceId, partyId, ids)
          const rest = limit - items.length
          items.push(...found.slice(0, rest))
          if (found.length > rest) return { items, next: items.at(-1)?.id }
          if (cursor === null) return { items, next: undefined }
          last = ids.at(-1) ?? last
          seen += ids.length
          if (items.length === limit || seen >= maxUsesRead) return { items, next: last }
        }
      }),

    some: async (workspaceId, partyId, limit) => {
      const ids = (await namings.ids(workspaceId, partyId, 'case')).toReversed()
      const found: Awaited<ReturnType<typeof read>> = []
      for (const some of chunks(ids, casesAtOnce)) {
        found.push(...(await read(workspaceId, partyId, some)))
        if (found.length >= limit) break
      }
      return found.slice(0, limit)
    },
  }
}

/** How many cases one read fetches. They may be large. */
const casesAtOnce = 25
