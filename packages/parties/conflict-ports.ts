import type { Party } from './schema.ts'
import type { InRole, NotedSide } from './side-schema.ts'

/** The fields of a party that are compared. */
export type SimilarParty = Pick<Party, 'id' | 'name' | 'type'>

/** Some of the requested parties. `isAll`: there are no others. */
export type SomeParties = { parties: SimilarParty[]; isAll: boolean }

/** A case with the roles in it. */
export type CaseWithRoles = {
  id: string
  file_number: string
  name: string
  parties: (InRole & { name: string })[]
}

export type ConflictStore = {
  /** The newest parties that are filed under at least one of these terms of names. */
  filedUnder: (workspaceId: string, terms: string[]) => Promise<SomeParties>
  /** These parties, without unknown ids. */
  partiesById: (workspaceId: string, ids: string[]) => Promise<SimilarParty[]>
  /** The newest parties with this e-mail address. */
  withAddress: (workspaceId: string, email: string) => Promise<SomeParties>
  /**
   * The newest cases that name each of these parties, or once did, up to a limit per party and a limit for all of them
   * together.
   */
  casesOf: (
    workspaceId: string,
    partyIds: string[],
    room: { ofParty: number; inAll: number },
  ) => Promise<Map<string, CasesOfParty>>
  /**
   * For each of these sides, the newest case with this party on it, if there is one; the case `except` does not count. It
   * searches all cases of the party, also cases from older releases, which are not indexed by side.
   */
  newestOnEach: (
    workspaceId: string,
    partyId: string,
    sides: readonly NotedSide[],
    except?: string,
  ) => Promise<CaseWithRoles[]>
  /**
   * The newest case in which these two parties are on these sides; the case `except` does not count. Only the newest such
   * cases of the first party are compared (`maxCompared`).
   */
  newestOfBoth: (
    workspaceId: string,
    first: OnSides,
    second: OnSides,
    except: string,
  ) => Promise<CaseWithRoles | undefined>
  /** The case with its roles; undefined if it does not exist or was deleted. */
  caseWithRoles: (workspaceId: string, caseId: string) => Promise<CaseWithRoles | undefined>
}

/** Cases that name a party, or once did. `isAll`: there are no others. */
export type CasesOfParty = { cases: CaseWithRoles[]; isAll: boolean }

/** A party on one of these sides of a case. */
export type OnSides = { id: string; sides: readonly NotedSide[] }
