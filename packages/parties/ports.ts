import type { Job } from '#jobs/job.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Changes } from '#kernel/updated-since.ts'
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
  /** The party, unless it does not exist, was deleted, or is another workspace's. */
  find: (workspaceId: string, id: string) => Promise<PartyRecord | undefined>
  page: (workspaceId: string, query: PartyQuery) => Promise<Page<Party>>
  /** Parties created, changed or deleted since a time, oldest change first (G16). */
  changes: (workspaceId: string, query: PartyQuery, since: string) => Promise<Changes<Party>>
  add: (record: PartyRecord) => Promise<void>
  /**
   * Replaces the party with the result of `decide`. Reads and decides again if somebody else changed it in between.
   * Writes nothing if `decide` returns undefined. The jobs of `jobsOf` follow the change.
   *
   * @throws Failure PARTY_NOT_FOUND, and what `decide` throws
   */
  change: (
    workspaceId: string,
    id: string,
    decide: (current: PartyRecord) => PartyRecord | undefined,
    jobsOf?: (before: PartyRecord, after: PartyRecord) => Job[],
  ) => Promise<PartyRecord>
  /**
   * Deletes the party, unless a case, document or invoice names it.
   *
   * @throws Failure PARTY_NOT_FOUND, PARTY_IN_USE, and what `allow` throws
   */
  remove: (
    workspaceId: string,
    id: string,
    allow: (current: PartyRecord) => void,
    deletedAt: string,
  ) => Promise<void>
}
