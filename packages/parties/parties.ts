import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, required } from '#kernel/failure.ts'
import { newId, timeOf } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Precondition } from '#kernel/precondition.ts'
import { type ShownChanges, shownChanges } from '#kernel/updated-since.ts'
import { partyDeleted, partyRenamed } from './jobs.ts'
import type { PartyCases, PartyStore } from './ports.ts'
import type { Party, PartyCase, PartyChanges, PartyInput, PartyQuery } from './schema.ts'

export type PartyService = ReturnType<typeof partyService>

/** The address book of a workspace (W5). */
export function partyService(deps: { store: PartyStore; cases: PartyCases; clock: Clock }) {
  const { store, cases, clock } = deps
  return {
    /** A page of parties, newest first; with `updated_since` the changed ones, oldest change first (G16). */
    async list(actor: Actor, query: PartyQuery): Promise<Page<Party> | ShownChanges<Party>> {
      const { updated_since: since } = query
      if (since === undefined) return store.page(actor.workspace_id, query)
      return shownChanges(await store.changes(actor.workspace_id, query, since), (records) => records)
    },

    async add(actor: Actor, input: PartyInput): Promise<Answered<Party>> {
      const id = newId('party')
      // The time comes from the id, so that ids and creation times have the same order.
      const now = timeOf(id).toISOString()
      const record = {
        workspace_id: actor.workspace_id,
        id,
        ...input,
        created_at: now,
        updated_at: now,
        version: 1,
      }
      return store.add({ record, answer: record })
    },

    /** @throws Failure PARTY_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<Party> {
      return required(await store.find(actor.workspace_id, id), 'PARTY_NOT_FOUND')
    },

    /** Changes the included fields. @throws Failure PARTY_NOT_FOUND, PRECONDITION_FAILED */
    change: (
      actor: Actor,
      id: string,
      changes: PartyChanges,
      precondition: Precondition<Party>,
    ): Promise<Party> =>
      store.change(actor.workspace_id, id, (current) => {
        precondition(current)
        const differing = fields.filter(
          (field) => changes[field] !== undefined && changes[field] !== current[field],
        )
        if (differing.length === 0) return { answer: current }
        const values = Object.fromEntries(differing.map((field) => [field, changes[field]]))
        const record = { ...current, ...values, updated_at: timestamp(clock), version: current.version + 1 }
        const renamed = partyRenamed.of({ workspace_id: actor.workspace_id, party_id: id, after: null })
        return { record, jobs: differing.includes('name') ? [renamed] : [], answer: record }
      }),

    /** The cases that name a party, newest first, with its role in each (C9). @throws Failure PARTY_NOT_FOUND */
    async cases(actor: Actor, id: string, request: PageRequest): Promise<Page<PartyCase>> {
      required(await store.find(actor.workspace_id, id), 'PARTY_NOT_FOUND')
      return cases.page(actor.workspace_id, id, request)
    },

    /**
     * Deletes a party that no case, document or invoice names.
     *
     * @throws Failure PARTY_NOT_FOUND, PRECONDITION_FAILED, PARTY_IN_USE with up to ten of the cases if the caller may
     * read cases
     */
    async remove(actor: Actor, id: string, precondition: Precondition<Party>): Promise<void> {
      try {
        await store.remove(actor.workspace_id, id, (current) => {
          precondition(current)
          const deleted_at = timestamp(clock)
          // The sweeper runs it: functions for parties know no mail.
          const jobs = [
            partyDeleted.of({ workspace_id: actor.workspace_id, party_id: id }, new Date(deleted_at)),
          ]
          return { deleted_at, jobs, answer: undefined }
        })
      } catch (error) {
        const isInUse = error instanceof Failure && error.code === 'PARTY_IN_USE'
        if (!isInUse || !actor.scopes.includes('cases:read')) throw error
        const naming = await cases.some(actor.workspace_id, id, maxNamedCases)
        const { kind, code, message } = error
        throw new Failure(kind, code, message, {
          cases: naming.map((one) => ({ id: one.id, file_number: one.file_number })),
          cause: error,
        })
      }
    },
  }
}

/** The maximum number of cases that a refusal names. */
const maxNamedCases = 10

const fields = ['type', 'name', 'email', 'phone', 'address'] as const
