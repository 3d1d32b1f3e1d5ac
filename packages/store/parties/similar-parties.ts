import { baseMailboxOf } from '#correspondence/address-schema.ts'
import { parseName } from '#german-names/name-parts.ts'
import { termsOfName } from '#german-names/name-terms.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import type { SimilarParty, SomeParties } from '#parties/conflict-ports.ts'
import type { Db } from '../db.ts'
import { type Entry, sortedList } from '../sorted-list.ts'
import type { Action } from '../transact.ts'
import { upgradeProgress } from '../upgrades/progress.ts'

/** Of a term so many parties are read, the newest; they take about two read units. Others are `more`. */
const maxPerTerm = 60

type Data = Pick<SimilarParty, 'name' | 'type'>

type Filed = SimilarParty & { email: string | null }

/**
 * Parties by what their names sound like, for conflict checks (C10): each under the terms of its name, and under its e-mail
 * address. The entries are small and are written in the transaction of the party: a check misses no party.
 */
export function similarParties(db: Db) {
  const list = sortedList<Data>(db, 'party_names', 'descending')

  const unfiled = unfiledParties(db)

  const filedUnder = async (workspaceId: string, terms: string[]): Promise<SomeParties> => {
    const parties = new Map<string, SimilarParty>()
    let isAll = true
    const byTerm = await unfiled(workspaceId)
    for (const term of terms) for (const party of byTerm.get(term) ?? []) parties.set(party.id, party)
    await inParallel(
      [...new Set(terms)],
      async (term) => {
        const { entries, ended } = await list.read(workspaceId, term, {}, maxPerTerm)
        isAll &&= ended
        for (const { place, data } of entries) parties.set(place, { id: place, ...data })
      },
      8,
    )
    return { parties: [...parties.values()], isAll }
  }

  return {
    /** The actions, for the transaction of the party, that change its entries from `before` to `after`. */
    changes: (workspaceId: string, before: Filed | undefined, after: Filed | undefined): Action[] =>
      list.changes(workspaceId, entriesOf(before), entriesOf(after)),

    /** The newest parties under at least one of these terms of names. */
    filedUnder,

    /** The newest parties with this e-mail address. */
    withAddress: (workspaceId: string, email: string) =>
      filedUnder(workspaceId, [mailboxTerm(baseMailboxOf(email))]),
  }
}

/** For so long the parties that were read are used again. Those that change meanwhile are filed by this release. */
const rememberedMilliseconds = 30_000

/**
 * The parties of a firm by their terms as long as an upgrade files them anew: an earlier release may have filed them under
 * other terms. It reads all parties of the firm. Empty once they are filed.
 */
function unfiledParties(db: Db): (workspaceId: string) => Promise<Map<string, SimilarParty[]>> {
  const all = sortedList<{ summary: Filed }>(db, 'parties', 'descending')
  const { isUpgraded } = upgradeProgress(db)
  const nothing = new Map<string, SimilarParty[]>()
  const filed = new Set<string>()
  const remembered = new Map<string, { byTerm: Promise<Map<string, SimilarParty[]>>; until: number }>()

  const read = async (workspaceId: string) => {
    const byTerm = new Map<string, SimilarParty[]>()
    for (let after: string | undefined; ; ) {
      const { entries, ended } = await all.read(workspaceId, 'all', { after }, 1_000)
      for (const { data } of entries)
        for (const { term } of entriesOf(data.summary)) {
          const { id, name, type } = data.summary
          const parties = byTerm.get(term) ?? []
          parties.push({ id, name, type })
          byTerm.set(term, parties)
        }
      after = entries.at(-1)?.place
      if (ended) return byTerm
    }
  }

  return async (workspaceId) => {
    if (filed.has(workspaceId)) return nothing
    if (await isUpgraded(namesFiledSince, workspaceId)) {
      filed.add(workspaceId)
      remembered.delete(workspaceId)
      return nothing
    }
    const known = remembered.get(workspaceId)
    if (known !== undefined && known.until > Date.now()) return known.byTerm
    const byTerm = read(workspaceId)
    remembered.clear()
    remembered.set(workspaceId, { byTerm, until: Date.now() + rememberedMilliseconds })
    byTerm.catch(() => remembered.delete(workspaceId))
    return byTerm
  }
}

/** The layout in which every party is filed under the terms of its name, as this release makes them. */
const namesFiledSince = 10

function entriesOf(party: Filed | undefined): Entry<Data>[] {
  if (party === undefined) return []
  const { id, name, type, email } = party
  const terms = termsOfName(parseName(name, type))
  const mailbox = email === null ? [] : [mailboxTerm(baseMailboxOf(email))]
  return [...terms, ...mailbox].map((term) => ({ term, place: id, data: { name, type } }))
}

function mailboxTerm(mailbox: string): string {
  return `mail=${mailbox}`
}
