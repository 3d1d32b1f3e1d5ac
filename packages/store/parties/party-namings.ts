import type { Entity, Schema } from 'electrodb'
import type { Job } from '#jobs/job.ts'
import { idPrefixes } from '#kernel/id.ts'
import { chunks, readById } from '../batch.ts'
import { invoiceEntity } from '../billing/invoice-entity.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { allPages, type Db, strongly } from '../db.ts'
import { documentEntity } from '../documents/document-entity.ts'
import type { Outbox } from '../outbox.ts'
import { sortedList } from '../sorted-list.ts'
import { partyUse } from './party-entity.ts'

/**
 * The range of the ids of each kind of records that names parties. Ids of cases have no prefix: they begin with a digit,
 * since they begin with the time.
 */
const ranges = {
  case: ['0', ':'],
  document: [idPrefixes.document, `${idPrefixes.document}~`],
  invoice: [idPrefixes.invoice, `${idPrefixes.invoice}~`],
} as const

type Kind = keyof typeof ranges

/** Records that are read at once. They may be large. */
const atOnce = 25

/** Entries of a list that are read at once. */
const listedAtOnce = 500

/** For this time records are changed within the request; the sweeper goes on with the others. */
const changeMilliseconds = 3_000

/** The cases, documents and invoices that name a party, or once did. */
export function partyNamings(db: Db) {
  const uses = partyUse(db)
  const invoices = sortedList<{ id: string }>(db, 'invoices', 'descending')

  /** The query for the ids of the records of a kind. `from`, `to`: the lowest and the highest id that is wanted. */
  const query = (
    workspace_id: string,
    party_id: string,
    kind: Kind,
    { from, to }: { from?: string | undefined; to?: string | undefined } = {},
  ) => {
    const [first, last] = ranges[kind]
    const ofParty = uses.query.users({ workspace_id, party_id })
    return ofParty.between({ named_by: from ?? first }, { named_by: to ?? last })
  }

  /** The ids of the records of a kind, in ascending order. */
  const ids = async (workspaceId: string, partyId: string, kind: Kind): Promise<string[]> => {
    const { data } = await query(workspaceId, partyId, kind).go(allPages)
    const found = new Set(data.map(({ named_by }) => named_by))
    // An invoice that cancels another one was never reserved: only the list of its recipient has it.
    if (kind === 'invoice')
      for await (const entries of invoices.all(workspaceId, `party=${partyId}`, listedAtOnce))
        for (const { data: one } of entries) found.add(one.id)
    return [...found].toSorted()
  }

  /** The records of a kind, 25 at once, deleted ones too. `upTo`: the highest id that was read. */
  const pagesOf = <Name extends string, Shape extends Schema<Name, string, string>>(
    kind: Kind,
    items: Entity<Name, string, string, Shape>,
  ) =>
    async function* (workspaceId: string, partyId: string, after: string | null = null) {
      const named = await ids(workspaceId, partyId, kind)
      const wanted = named.filter((id) => after === null || id > after)
      for (const some of chunks(wanted, atOnce))
        yield { records: await readById(db, items, workspaceId, some), upTo: some.at(-1) ?? '' }
    }

  const pages = {
    cases: pagesOf('case', caseEntity(db)),
    documents: pagesOf('document', documentEntity(db)),
    invoices: pagesOf('invoice', invoiceEntity(db)),
  }

  return {
    query,
    ids,
    pages,

    /** The cases that name it now, with all their parties. Deleted ones are among them: their records are still there. */
    async *cases(workspaceId: string, partyId: string) {
      for await (const { records } of pages.cases(workspaceId, partyId))
        yield* records.filter(({ parties }) => parties.some(({ id }) => id === partyId))
    },
  }
}

/** The change of the records that name a party, after a change of the party. */
export function changeNaming({ db, outbox }: { db: Db; outbox: Pick<Outbox, 'enqueue'> }) {
  const { query } = partyNamings(db)
  /**
   * Changes the records of a kind after an id. It stops after three seconds; a job does the rest.
   *
   * @param change is given the ids of up to 25 records that name the party, or once did
   * @param rest the job that goes on after an id
   * @returns whether all are changed
   */
  return async (
    { workspace_id, party_id, kind, after }: Naming,
    change: (ids: string[]) => Promise<void>,
    rest: (after: string) => Job,
  ): Promise<boolean> => {
    const endsAt = performance.now() + changeMilliseconds
    for (let from = after ?? undefined; ; ) {
      const found = query(workspace_id, party_id, kind, { from })
      const { data, cursor } = await found.go({ limit: atOnce, ...strongly })
      const ids = data.map(({ named_by }) => named_by)
      await change(ids)
      if (cursor === null) return true
      from = ids.at(-1) ?? from
      if (performance.now() < endsAt) continue
      if (from !== undefined) await outbox.enqueue([], [rest(from)])
      return false
    }
  }
}

type Naming = { workspace_id: string; party_id: string; kind: Kind; after: string | null }
