import { inParallelUpTo } from '#kernel/in-parallel.ts'
import type { CaseWithRoles, ConflictStore, OnSides } from '#parties/conflict-ports.ts'
import { maxCompared } from '#parties/conflict-schema.ts'
import { isOn, type NotedSide } from '#parties/side-schema.ts'
import { chunks, readById, readEach } from '../batch.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { type Db, strongly } from '../db.ts'
import { partyUse } from './party-entity.ts'
import { partyNamings } from './party-namings.ts'
import { partySides } from './party-sides.ts'
import { similarParties } from './similar-parties.ts'

/** Cases read at once, if the newest one was not enough. */
const readAtOnce = 25

/** Cases of an older release read at once. */
const unnotedAtOnce = 100

/** The reads of conflict checks: parties by their names, and the cases that name them. */
export function conflictStore(db: Db): ConflictStore {
  const uses = partyUse(db)
  const namings = partyNamings(db)
  const cases = caseEntity(db)
  const sides = partySides(db)
  const { filedUnder, withAddress, byId } = similarParties(db)

  const read = async (workspaceId: string, ids: string[]): Promise<Map<string, CaseWithRoles>> => {
    const found = (await readById(db, cases, workspaceId, ids))
      .filter(({ deleted_at }) => deleted_at === undefined)
      .map(({ id, file_number, name, parties }) => [id, { id, file_number, name, parties }] as const)
    return new Map(found)
  }

  /** The first of these cases but one in which each of these parties is on one of its sides, at this moment. */
  const firstOf = async (
    workspaceId: string,
    ids: string[],
    parties: OnSides[],
    except: string | undefined,
  ): Promise<CaseWithRoles | undefined> => {
    const others = ids.filter((id) => id !== except)
    for (const some of [others.slice(0, 1), ...chunks(others.slice(1), readAtOnce)]) {
      const known = await read(workspaceId, some)
      const found = some
        .flatMap((id) => known.get(id) ?? [])
        .find((one) => parties.every(({ id, sides }) => isOn(sides, id, one.parties)))
      if (found !== undefined) return found
    }
    return undefined
  }

  /**
   * The ids of all cases that name this party, or once did, the newest first; cases of the last second may be missing.
   */
  const naming = async (workspaceId: string, partyId: string): Promise<string[]> => {
    const query = namings.query(workspaceId, partyId, 'case')
    const { data } = await query.go({ order: 'desc', pages: 'all' })
    return data.map(({ named_by }) => named_by)
  }

  /** Those of them whose sides an older release has not noted: they are old, so these reads need not be consistent. */
  const unnoted = async (workspaceId: string, partyId: string): Promise<string[]> => {
    const [ids, noted] = await Promise.all([naming(workspaceId, partyId), sides.all(workspaceId, partyId)])
    return ids.filter((id) => !noted.has(id))
  }

  /** The newest case but one that is noted for this party on this side, and in which it is so now. */
  const newestNoted = async (
    workspaceId: string,
    { id, side }: { id: string; side: NotedSide },
    except: string | undefined,
  ): Promise<CaseWithRoles | undefined> => {
    for (let after: string | undefined, limit = 2; ; limit = readAtOnce) {
      const ids = await sides.newest(workspaceId, { id, side }, limit, after)
      const found = await firstOf(workspaceId, ids, [{ id, sides: [side] }], except)
      if (found !== undefined || ids.length < limit) return found
      after = ids.at(-1)
    }
  }

  return {
    filedUnder,
    withAddress,
    partiesById: byId,

    casesOf: async (workspaceId, partyIds, room) => {
      const named = new Map<string, { ids: string[]; isAll: boolean }>()
      await inParallelUpTo(16, partyIds, async (partyId) => {
        const query = namings.query(workspaceId, partyId, 'case')
        const { data } = await query.go({ order: 'desc', limit: room.ofParty + 1, ...strongly })
        const ids = data.slice(0, room.ofParty).map(({ named_by }) => named_by)
        named.set(partyId, { ids, isAll: data.length === ids.length })
      })
      const shares = inTurns(
        [...named.values()].map(({ ids }) => ids.length),
        room.inAll,
      )
      const shown = [...named].map(([partyId, { ids, isAll }], at) => {
        const newest = ids.slice(0, shares[at])
        return { partyId, ids: newest, isAll: isAll && newest.length === ids.length }
      })
      const known = await read(workspaceId, [...new Set(shown.flatMap(({ ids }) => ids))])
      return new Map(
        shown.map(({ partyId, ids, isAll }) => [
          partyId,
          { cases: ids.flatMap((id) => known.get(id) ?? []), isAll },
        ]),
      )
    },

    newestOnEach: async (workspaceId, partyId, wanted, except) => {
      const found = new Map<NotedSide, CaseWithRoles>()
      await inParallelUpTo(wanted.length, [...wanted], async (side) => {
        const newest = await newestNoted(workspaceId, { id: partyId, side }, except)
        if (newest !== undefined) found.set(side, newest)
      })
      const missing = wanted.filter((side) => !found.has(side))
      let others = missing.length === 0 ? [] : await unnoted(workspaceId, partyId)
      for (; others.length > 0 && missing.length > 0; others = others.slice(unnotedAtOnce)) {
        const some = others.slice(0, unnotedAtOnce)
        const known = await read(
          workspaceId,
          some.filter((id) => id !== except),
        )
        for (const one of some.flatMap((id) => known.get(id) ?? []))
          for (const side of missing.filter((it) => isOn([it], partyId, one.parties))) {
            found.set(side, one)
            missing.splice(missing.indexOf(side), 1)
          }
      }
      return [...found.values()]
    },

    newestOfBoth: async (workspaceId, first, second, except) => {
      const [noted, others] = await Promise.all([
        Promise.all(
          first.sides.map((side) => sides.newest(workspaceId, { id: first.id, side }, maxCompared)),
        ),
        unnoted(workspaceId, first.id),
      ])
      const ids = [...new Set([...noted.flat(), ...others])].toSorted().toReversed().slice(0, maxCompared)
      const items = await readEach(
        db,
        ids,
        (named_by) => uses.get({ workspace_id: workspaceId, party_id: second.id, named_by }),
        ['sk'],
      )
      const ofBoth = items
        .map(({ sk }) => String(sk))
        .toSorted()
        .toReversed()
      return firstOf(workspaceId, ofBoth, [first, second], except)
    },

    caseWithRoles: async (workspaceId, caseId) => (await read(workspaceId, [caseId])).get(caseId),
  }
}

/** Divides the room among lists of these lengths, one place at a time in turns. No list gets more than its length. */
function inTurns(lengths: number[], room: number): number[] {
  const shares = lengths.map(() => 0)
  for (let turn = 0, left = room; left > 0 && lengths.some((length) => length > turn); turn += 1)
    for (const [at, length] of lengths.entries()) {
      if (length <= turn || left === 0) continue
      shares[at] = turn + 1
      left -= 1
    }
  return shares
}
