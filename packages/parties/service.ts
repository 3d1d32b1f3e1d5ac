import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { notFound } from '#kernel/failure.ts'
import { newId, timeOf } from '#kernel/id.ts'
import type { Page } from '#kernel/page.ts'
import type { PartyStore } from './ports.ts'
import type { Party, PartyChanges, PartyInput, PartyQuery } from './schema.ts'

export type PartyService = ReturnType<typeof partyService>

/** Throws where the request was made for another state of the party. */
type Precondition = (current: Party) => void

/** The address book of a workspace (W5). */
export function partyService({ store, clock }: { store: PartyStore; clock: Clock }) {
  return {
    /** A page of parties, newest first. */
    list: (actor: Actor, query: PartyQuery): Promise<Page<Party>> => store.page(actor.workspace_id, query),

    async add(actor: Actor, input: PartyInput): Promise<Party> {
      const id = newId('party')
      // The order of ids is that of creation.
      const now = timeOf(id).toISOString()
      const record = {
        workspace_id: actor.workspace_id,
        id,
        ...input,
        created_at: now,
        updated_at: now,
        version: 1,
      }
      await store.add(record)
      return record
    },

    /** @throws Failure PARTY_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<Party> {
      const record = await store.find(actor.workspace_id, id)
      if (record === undefined) throw notFound('PARTY_NOT_FOUND')
      return record
    },

    /** Changes what is included. @throws Failure PARTY_NOT_FOUND, PRECONDITION_FAILED */
    change: (actor: Actor, id: string, changes: PartyChanges, precondition: Precondition): Promise<Party> =>
      store.change(actor.workspace_id, id, (current) => {
        precondition(current)
        const differing = fields.filter(
          (field) => changes[field] !== undefined && changes[field] !== current[field],
        )
        if (differing.length === 0) return undefined
        const values = Object.fromEntries(differing.map((field) => [field, changes[field]]))
        return { ...current, ...values, updated_at: timestamp(clock), version: current.version + 1 }
      }),

    /** Deletes a party that no case, document or invoice names. @throws Failure PARTY_NOT_FOUND, PARTY_IN_USE, PRECONDITION_FAILED */
    remove: (actor: Actor, id: string, precondition: Precondition): Promise<void> =>
      store.remove(actor.workspace_id, id, precondition, timestamp(clock)),
  }
}

const fields = ['type', 'name', 'email', 'phone', 'address'] as const
