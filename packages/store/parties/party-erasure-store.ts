import { notFound, required } from '#kernel/failure.ts'
import type { PartyErasureStore, StoredParty } from '#parties/erasure-ports.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { type Db, strongly } from '../db.ts'
import { dueKey } from '../due-index.ts'
import { withNulls } from '../nulls.ts'
import { type Action, demand, erase, isMade, put, retryStale, Stale, transact } from '../transact.ts'
import { casesAround, type StoredCase } from './cases-around.ts'
import { erasureOrder } from './erasure-order-entity.ts'
import { partyEntity } from './party-entity.ts'
import { partyNamings } from './party-namings.ts'
import type { PartyStore } from './party-store.ts'

/**
 * Cases whose state the beginning of an erasure requires. The other actions are at most fifty: the party and its order,
 * its 13 entries of the list, its 33 of names, its event, and a job. Each case is judged again before it is touched.
 */
const maxRequired = 49

/** The beginning and the end of erasures in the table. */
export function partyErasureStore(deps: {
  db: Db
  parties: Pick<PartyStore, 'beginErasure' | 'isReserved'>
}): PartyErasureStore {
  const { db, parties } = deps
  const items = partyEntity(db)
  const orders = erasureOrder(db)
  const records = caseEntity(db)
  const { ids } = partyNamings(db)
  const around = casesAround(db)

  const find = async (workspace_id: string, id: string): Promise<StoredParty | undefined> => {
    const { data } = await items.get({ workspace_id, id }).go(strongly)
    if (data === null) return undefined
    return { ...withNulls(data, partyEntity.nullable), deleted_at: data.deleted_at ?? null }
  }

  /** Requires that a case, which may be deleted, is as it was judged. */
  const isAsJudged = ({ workspace_id, id, version, deleted_at }: StoredCase): Action =>
    demand(
      records
        .remove({ workspace_id, id })
        .where((at, { eq, notExists }) =>
          [
            eq(at.version, version),
            deleted_at === null ? notExists(at.deleted_at) : eq(at.deleted_at, deleted_at),
          ].join(' AND '),
        ),
    )

  return {
    find,

    begin: (workspace_id, id, decide) =>
      retryStale(async () => {
        const party = required(await find(workspace_id, id), 'PARTY_NOT_FOUND')
        if (party.deleted_at !== null) {
          const { data } = await orders.get(dueKey(party.deleted_at, id)).go(strongly)
          if (data !== null) throw notFound('PARTY_NOT_FOUND')
        }
        // A record that is being written may name the party, and may be in a case that must be kept.
        if (await parties.isReserved(workspace_id, id)) throw new Stale()
        const cases = await around.all(party)
        const { user_id, key_id, ...removal } = decide(party, {
          cases,
          documents: (await ids(workspace_id, id, 'document')).length,
          invoices: (await ids(workspace_id, id, 'invoice')).length,
        })
        // Each party has one order: the time in the key is the time of the party's deletion.
        const key = dueKey(party.deleted_at ?? removal.deleted_at, id)
        return parties.beginErasure(party, removal, [
          put(orders.create({ ...key, workspace_id, id, user_id, key_id })),
          ...openFirst(cases).slice(0, maxRequired).map(isAsJudged),
        ])
      }),

    finish: async ({ workspace_id, id, shard, place }, audit) => {
      const gone = [erase(items.remove({ workspace_id, id })), erase(orders.remove({ shard, place }))]
      await isMade(transact(db, gone, { answer: undefined, audit }))
    },
  }
}

/** Deleted cases last: only a hold changes what they mean for an erasure. */
function openFirst(cases: readonly StoredCase[]): StoredCase[] {
  const isOpen = ({ deleted_at }: StoredCase) => deleted_at === null
  return [...cases.filter(isOpen), ...cases.filter((one) => !isOpen(one))]
}
