import type { CaseParties } from '#cases/ports.ts'
import { mailboxOf } from '#correspondence/address-schema.ts'
import type { MailParties } from '#correspondence/ports.ts'
import type { DocumentParties } from '#documents/ports.ts'
import { bookkeeping } from '#kernel/changes.ts'
import type { Clock } from '#kernel/clock.ts'
import { conflict, notFound } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import type { PartyStore as Parties, PartyRecord } from '#parties/ports.ts'
import type { Party } from '#parties/schema.ts'
import { chunks, eraseEach, writeAll } from '../batch.ts'
import { changesOf, usualEvents } from '../changes.ts'
import { allPages } from '../db.ts'
import { records } from '../records.ts'
import { type Listed, recordList } from '../search.ts'
import type { StoreDeps } from '../store-deps.ts'
import { type Action, change, isMade, maxActions, put, transact } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { nameWords } from './name-words.ts'
import { partyEntity, partyReservation, partyUse } from './party-entity.ts'
import { partyNamings } from './party-namings.ts'
import { similarParties } from './similar-parties.ts'

export type PartyStore = Parties &
  CaseParties &
  DocumentParties &
  MailParties & {
    /** Adds parties that a case names. A second call with the same parties changes nothing. */
    addAll: (records: PartyRecord[], caseId: string) => Promise<void>
    /** Whether a request is about to name a party. One that reserves it later changes its version. */
    isReserved: (workspaceId: string, partyId: string) => Promise<boolean>
    /**
     * Deletes a party that is about to be erased, also one that cases name; of a deleted one only `also` is written.
     *
     * @param also what is written with it, and what must be so
     */
    beginErasure: <Answer>(
      party: PartyRecord & { deleted_at: string | null },
      removal: { deleted_at: string; answer: Answer },
      also: Action[],
    ) => Promise<Answered<Answer>>
  }

/** The time after which a reservation lapses. No request takes longer, so its request has crashed. */
const reservationMilliseconds = 60_000

/** Two actions for each party. */
const partiesPerTransaction = Math.floor(maxActions / 2)

/** Parties in the table. */
export function partyStore(deps: StoreDeps & { clock: Clock }): PartyStore {
  const { db, cursors, outbox, clock } = deps
  const parties = records<PartyRecord>(db, partyEntity, { missing: 'PARTY_NOT_FOUND' })
  const items = partyEntity(db)
  const uses = partyUse(db)
  const reservations = partyReservation(db)
  const namings = partyNamings(db)
  const list = recordList(db, cursors, 'parties', listed)
  const similar = similarParties(db)

  /** The entries of lists that a change of a party changes. */
  const listChanges = (before: PartyRecord | undefined, after: PartyRecord | undefined) => [
    ...list.changes(before, after),
    ...similar.changes(before, after),
  ]

  const isReserved = async (workspaceId: string, partyId: string): Promise<boolean> => {
    const key = { workspace_id: workspaceId, party_id: partyId }
    const { data: reserved } = await reservations.query.reservations(key).go(allPages)
    const lapsed = new Date(clock.now().getTime() - reservationMilliseconds).toISOString()
    return reserved.some(({ reserved_at }) => reserved_at > lapsed)
  }

  const isNamed = async (workspaceId: string, partyId: string): Promise<boolean> => {
    if (await isReserved(workspaceId, partyId)) return true
    const named = (parties: { id: string }[]) => parties.some(({ id }) => id === partyId)
    for (const pages of [namings.pages.cases, namings.pages.documents])
      for await (const { records } of pages(workspaceId, partyId))
        if (records.some((one) => one.deleted_at === undefined && named(one.parties))) return true
    for await (const { records } of namings.pages.invoices(workspaceId, partyId))
      if (records.some((one) => one.deleted_at === undefined && one.party_id === partyId)) return true
    return false
  }

  const changes = changesOf<PartyRecord>(deps, parties, {
    events: usualEvents('party', ({ id }) => ({ id, case_id: null })),
    isStamped: true,
    follow: async (before, after) => {
      // A reservation increases the version of the party. If one is made after this, the deletion fails.
      if (before !== undefined && after === undefined && (await isNamed(before.workspace_id, before.id)))
        throw conflict('PARTY_IN_USE', 'A case, document or invoice names this party. Remove it there first.')
      return { actions: listChanges(before, after), jobs: list.follow(before, after) }
    },
  })

  const withEmail: MailParties['withEmail'] = async (workspaceId, email, limit) => {
    const filters = { email: mailboxOf(email) }
    const { items } = await list.newest<Party>(workspaceId, filters, limit)
    return items.map(({ id }) => id)
  }

  return {
    find: parties.find,
    add: changes.add,
    change: changes.change,
    remove: changes.remove,

    addAll: async (records, caseId) => {
      await inParallel(records, async (record) => {
        const { workspace_id, id } = record
        const use = put(uses.create({ workspace_id, party_id: id, named_by: caseId }))
        await isMade(changes.add({ record, answer: undefined }, use))
      })
    },

    isReserved,

    beginErasure: (party, { deleted_at, answer }, also) => {
      if (party.deleted_at !== null) return outbox.commit(also, [], { answer })
      const actions = [
        parties.remove(party, deleted_at),
        ...also,
        ...listChanges(party, undefined),
        ...eventActions(db)(party.workspace_id, [
          { type: 'party.deleted', data: { id: party.id, case_id: null } },
        ]),
      ]
      return outbox.commit(actions, list.follow(party, undefined), { answer })
    },

    page: (workspaceId, { limit, cursor, search, type }) =>
      list.page<Party>(workspaceId, { filters: { type }, search }, { limit, cursor }),

    changes: (workspaceId, { limit, cursor, search, type }, since) =>
      list.pageOfChanges(
        workspaceId,
        { filters: { type }, search },
        { limit, cursor, since },
        parties.findAll,
      ),

    withEmail,

    sharesMailbox: async ({ workspace_id, id, email }) =>
      email !== null && (await withEmail(workspace_id, email, 2)).some((one) => one !== id),

    names: async (workspaceId, ids) => {
      const found = await parties.findAll(workspaceId, ids)
      return new Map(found.map(({ id, name }) => [id, name]))
    },

    reserve: async (workspaceId: string, ids: string[], namedBy: string | string[]) => {
      const naming = [namedBy].flat()
      const request = newId('job')
      const now = clock.now()
      const reserved_at = now.toISOString()
      const ttl = Math.ceil((now.getTime() + reservationMilliseconds) / 1_000)
      const key = (id: string) => ({ workspace_id: workspaceId, party_id: id, id: request })
      const release = () => eraseEach(db, ids, (id) => reservations.delete(key(id))).catch(() => undefined)
      const hold = async () => {
        for (const some of chunks(ids, partiesPerTransaction)) {
          const actions = some.flatMap((id) => [
            change(
              items
                .patch({ workspace_id: workspaceId, id })
                .add({ version: 1 })
                .where(({ deleted_at }, { notExists }) => notExists(deleted_at)),
              () => notFound('PARTY_NOT_FOUND'),
            ),
            put(reservations.put({ ...key(id), reserved_at, ttl })),
          ])
          await transact(db, actions)
        }
        // The reservation protects the party from deletion, so these can be written after it.
        await writeAll(
          db,
          naming.flatMap((named_by) =>
            ids.map((id) => uses.put({ workspace_id: workspaceId, party_id: id, named_by })),
          ),
        )
      }
      try {
        await bookkeeping(hold)
      } catch (error) {
        await release()
        throw error
      }
      return release
    },
  }
}

function listed(record: PartyRecord): Listed {
  const { workspace_id: _, version: __, changed_at, ...summary } = record
  const { id, type, name, email } = record
  const word = nameWords(name)
  const filters = { type, email: email && mailboxOf(email), name: word.join(' ') || null, word }
  return { id, summary, filters, texts: [name, email ?? ''], changed_at }
}
