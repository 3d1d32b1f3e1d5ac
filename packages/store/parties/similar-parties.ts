import { baseMailboxOf } from '#correspondence/address-schema.ts'
import { parseName } from '#german-names/name-parts.ts'
import { termsOfName } from '#german-names/name-terms.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import type { SimilarParty, SomeParties } from '#parties/conflict-ports.ts'
import type { Db } from '../db.ts'
import { type Entry, sortedList } from '../sorted-list.ts'
import type { Action } from '../transact.ts'

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

  const filedUnder = async (workspaceId: string, terms: string[]): Promise<SomeParties> => {
    const parties = new Map<string, SimilarParty>()
    let isAll = true
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
