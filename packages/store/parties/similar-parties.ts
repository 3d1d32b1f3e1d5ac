import { baseMailboxOf } from '#correspondence/address-schema.ts'
import { parseName } from '#german-names/name-parts.ts'
import { termsOfName, wordsTerm } from '#german-names/name-terms.ts'
import { machineMilliseconds } from '#kernel/clock.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import type { SimilarParty, SomeParties } from '#parties/conflict-ports.ts'
import { readById } from '../batch.ts'
import type { Db } from '../db.ts'
import { filterTerm } from '../search.ts'
import type { Data as Listed } from '../search-words.ts'
import { type Entry, type Found, filedList, sortedList } from '../sorted-list.ts'
import { upgradeProgress } from '../upgrades/progress.ts'
import { partyEntity } from './party-entity.ts'

/** Parties that are read of a term, the newest; they take about two read units. Others are `more`. */
const maxPerTerm = 60

/** Parties that are read of each word of a name to find the rarest word, and then of that word. */
const probed = 16
const maxPerWord = 300

type Data = Pick<SimilarParty, 'name' | 'type'>

type Filed = SimilarParty & { email: string | null }

/**
 * Parties by what their names sound like, for conflict checks (C10): each under the terms of its name, and under its e-mail
 * address. The entries are small and are written in the transaction of the party: a check misses no party.
 */
export function similarParties(db: Db) {
  const list = filedList<Filed & { workspace_id: string }, Data>(db, 'party_names', 'descending', entriesOf)
  const records = partyEntity(db)
  const unfiled = unfiledParties(db)
  const listed = sortedList<Listed>(db, 'parties', 'descending')

  /** The newest parties whose names have all these words. */
  const withWords = async (workspaceId: string, words: string[]): Promise<Found<Data>> => {
    const terms = words.map((word) => filterTerm('word', word))
    const read = (term: string, limit: number) => listed.read(workspaceId, term, {}, limit)
    const probes = await Promise.all(terms.map(async (term) => ({ term, ...(await read(term, probed)) })))
    const lowest = ({ entries, ended }: Found<Listed>) => (ended ? '' : (entries.at(-1)?.place ?? ''))
    const rarest = probes.reduce((one, other) => (lowest(other) < lowest(one) ? other : one))
    const { entries, ended } = rarest.ended ? rarest : await read(rarest.term, maxPerWord)
    const found = entries.filter(({ data }) => terms.every((term) => data.filters?.includes(term)))
    return { entries: found.map(({ place, data }) => ({ place, data: data.summary as Data })), ended }
  }

  const filedUnder = async (workspaceId: string, terms: string[]): Promise<SomeParties> => {
    const wanted = [...new Set(terms)]
    const { parties: others, isAll: isAllUnfiled } = await unfiled(workspaceId, wanted)
    const parties = new Map(others.map((party) => [party.id, party]))
    let isAll = isAllUnfiled
    await inParallelUpTo(8, wanted, async (term) => {
      const { entries, ended } = term.startsWith(wordsTerm)
        ? await withWords(workspaceId, term.slice(wordsTerm.length).split(' '))
        : await list.read(workspaceId, term, {}, maxPerTerm)
      isAll &&= ended
      for (const { place, data } of entries)
        parties.set(place, { id: place, name: data.name, type: data.type })
    })
    return { parties: [...parties.values()], isAll }
  }

  return {
    /** The actions, for the transaction of the party, that change its entries from `before` to `after`. */
    changes: list.changes,

    /** The newest parties under at least one of these terms of names. */
    filedUnder,

    /** These parties, without unknown ids. */
    byId: async (workspaceId: string, ids: string[]): Promise<SimilarParty[]> =>
      (await readById(db, records, workspaceId, ids))
        .filter(({ deleted_at }) => deleted_at === undefined)
        .map(({ id, name, type }) => ({ id, name, type })),

    /** The newest parties with this e-mail address. */
    withAddress: (workspaceId: string, email: string) =>
      filedUnder(workspaceId, [mailboxTerm(baseMailboxOf(email))]),
  }
}

/** The time for which the parties that were read are used again. New parties in this time are filed by this release. */
const rememberedMilliseconds = 30_000

/** The ids of parties by their terms, the newest first. */
type ByTerm = Map<string, string[]>

/**
 * Parties under some terms, while an upgrade files the parties of the firm anew: an earlier release may have filed them
 * under other terms. It reads all parties of the firm, and reads the parties under these terms once more, as they are
 * now. None once the upgrade of the firm is finished.
 */
function unfiledParties(db: Db): (workspaceId: string, terms: string[]) => Promise<SomeParties> {
  const list = sortedList<{ summary: Filed }>(db, 'parties', 'descending')
  const records = partyEntity(db)
  const { isUpgraded } = upgradeProgress(db)
  const filed = new Set<string>()
  const remembered = new Map<string, { byTerm: Promise<ByTerm>; until: number }>()

  const readAllOf = async (workspaceId: string): Promise<ByTerm> => {
    const byTerm: ByTerm = new Map()
    for await (const entries of list.all(workspaceId, 'all', 1_000))
      for (const { place, data } of entries)
        for (const { term } of entriesOf(data.summary)) {
          const ids = byTerm.get(term)
          if (ids === undefined) byTerm.set(term, [place])
          else ids.push(place)
        }
    return byTerm
  }

  const allOf = (workspaceId: string): Promise<ByTerm> => {
    const known = remembered.get(workspaceId)
    if (known !== undefined && known.until > machineMilliseconds()) return known.byTerm
    const byTerm = readAllOf(workspaceId)
    // One firm at a time: its terms take some hundred bytes a party.
    remembered.clear()
    remembered.set(workspaceId, { byTerm, until: machineMilliseconds() + rememberedMilliseconds })
    byTerm.catch(() => remembered.delete(workspaceId))
    return byTerm
  }

  return async (workspaceId, terms) => {
    if (filed.has(workspaceId)) return { parties: [], isAll: true }
    if (await isUpgraded(namesFiledSince, workspaceId)) {
      filed.add(workspaceId)
      remembered.delete(workspaceId)
      return { parties: [], isAll: true }
    }
    const byTerm = await allOf(workspaceId)
    const found = terms.map((term) => byTerm.get(term) ?? [])
    const ids = new Set(found.flatMap((of) => of.slice(0, maxPerTerm)))
    const items = await readById(db, records, workspaceId, [...ids])
    const parties = items.flatMap(({ id, name, type, email = null, deleted_at }) => {
      if (deleted_at !== undefined) return []
      const isStill = entriesOf({ id, name, type, email }).some(({ term }) => terms.includes(term))
      return isStill ? [{ id, name, type }] : []
    })
    return { parties, isAll: found.every((of) => of.length <= maxPerTerm) }
  }
}

/** The layout in which every party is filed under the terms of its name, as this release makes them. */
const namesFiledSince = 10

function entriesOf({ id, name, type, email }: Filed): Entry<Data>[] {
  const terms = termsOfName(parseName(name, type))
  const mailbox = email === null ? [] : [mailboxTerm(baseMailboxOf(email))]
  return [...terms, ...mailbox].map((term) => ({ term, place: id, data: { name, type } }))
}

function mailboxTerm(mailbox: string): string {
  return `mail=${mailbox}`
}
