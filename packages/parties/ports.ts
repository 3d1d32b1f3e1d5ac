import type { Page } from '#kernel/page.ts'
import type { Party, PartyQuery } from './schema.ts'

/** A party as it is stored. `version` counts its changes. */
export type PartyRecord = Party & { workspace_id: string; version: number }

export type PartyStore = {
  /** The party, unless it does not exist, was deleted, or is another workspace's. */
  find: (workspaceId: string, id: string) => Promise<PartyRecord | undefined>
  page: (workspaceId: string, query: PartyQuery) => Promise<Page<Party>>
  add: (record: PartyRecord) => Promise<void>
  /**
   * Replaces the party with the result of `decide`. Reads and decides again where somebody else changed it in
   * between. Writes nothing where `decide` gives undefined.
   *
   * @throws Failure PARTY_NOT_FOUND, and what `decide` throws
   */
  change: (
    workspaceId: string,
    id: string,
    decide: (current: PartyRecord) => PartyRecord | undefined,
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
