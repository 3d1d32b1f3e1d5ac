import type { PartyCases } from '#parties/ports.ts'
import { readById } from '../batch.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { type Cursors, pageByCursor } from '../cursor.ts'
import { allPages, type Db, strongly } from '../db.ts'
import { partyUse } from './party-entity.ts'

/** Uses that one page reads at most, even if cases no longer name the party. */
const maxUsesRead = 500

/** The cases that name a party, as their records say at this moment (C9). */
export function partyCases({ db, cursors }: { db: Db; cursors: Cursors }): PartyCases {
  const uses = partyUse(db)
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
          // The ids of cases begin with a digit, since they begin with the time; the others have a prefix.
          const { data, cursor } = await uses.query
            .users({ workspace_id: workspaceId, party_id: partyId })
            .between({ named_by: '0' }, { named_by: last ?? ':' })
            .go({ order: 'desc', limit: limit + 1, ...strongly })
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
      const { data } = await uses.query
        .users({ workspace_id: workspaceId, party_id: partyId })
        .between({ named_by: '0' }, { named_by: ':' })
        .go({ order: 'desc', ...allPages })
      const found: Awaited<ReturnType<typeof read>> = []
      for (let at = 0; at < data.length && found.length < limit; at += usesAtOnce)
        found.push(
          ...(await read(
            workspaceId,
            partyId,
            data.slice(at, at + usesAtOnce).map(({ named_by }) => named_by),
          )),
        )
      return found.slice(0, limit)
    },
  }
}

/** How many cases one read fetches. They may be large. */
const usesAtOnce = 25
