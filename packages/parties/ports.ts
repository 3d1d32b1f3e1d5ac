import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Changes } from '#kernel/updated-since.ts'
import type { Change, Changing, Removal } from '#timeline/schema.ts'
import type { Party, PartyCase, PartyQuery } from './schema.ts'

/** A party as it is stored. `version` counts its changes; the store sets `changed_at`, for `updated_since`. */
export type PartyRecord = Party & { workspace_id: string; version: number; changed_at?: string | undefined }

/** The cases that name a party, the newest first (C9). */
export type PartyCases = {
  page: (workspaceId: string, partyId: string, request: PageRequest) => Promise<Page<PartyCase>>
  /** The cases of a party, at most `limit`. */
  some: (workspaceId: string, partyId: string, limit: number) => Promise<PartyCase[]>
}

export type PartyStore = {
  /** The party of this workspace. Undefined if it does not exist or was deleted. */
  find: (workspaceId: string, id: string) => Promise<PartyRecord | undefined>
  /** Whether another party has the same mailbox. Deleted parties do not count. */
  sharesMailbox: (party: Pick<PartyRecord, 'workspace_id' | 'id' | 'email'>) => Promise<boolean>
  page: (workspaceId: string, query: PartyQuery) => Promise<Page<Party>>
  /** Parties created, changed or deleted since a time, oldest change first (G16). */
  changes: (workspaceId: string, query: PartyQuery, since: string) => Promise<Changes<Party>>
  add: <Answer>(change: Change<PartyRecord, Answer>) => Promise<Answered<Answer>>
  /**
   * Changes the party as `decide` says. Reads and decides again if somebody else changed it in between.
   *
   * @throws Failure PARTY_NOT_FOUND, and what `decide` throws
   */
  change: Changing<PartyRecord>['change']
  /**
   * Deletes the party, unless a case, document or invoice names it.
   *
   * @throws Failure PARTY_NOT_FOUND, PARTY_IN_USE, and what `decide` throws
   */
  remove: <Answer>(
    workspaceId: string,
    id: string,
    decide: (current: PartyRecord) => Removal<Answer>,
  ) => Promise<Answered<Answer>>
}
