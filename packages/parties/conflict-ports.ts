import type { Party } from './schema.ts'
import type { InRole, NotedSide } from './side-schema.ts'

/** A party as it is compared. */
export type SimilarParty = Pick<Party, 'id' | 'name' | 'type'>

/** Some of the parties that were asked for. `isAll`: there are no others. */
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
  /** The newest parties with this e-mail address. */
  withAddress: (workspaceId: string, email: string) => Promise<SomeParties>
  /**
   * The newest cases that name each of these parties, as many of each as there is room for: so many of one party, and of
   * all of them together.
   */
  casesOf: (
    workspaceId: string,
    partyIds: string[],
    room: { ofParty: number; inAll: number },
  ) => Promise<Map<string, CasesOfParty>>
  /**
   * The newest case but one on each of these sides in which this party is, where there is one. It looks through all its
   * cases, also those of older releases, which are not noted by sides.
   */
  newestOnEach: (
    workspaceId: string,
    partyId: string,
    sides: readonly NotedSide[],
    except?: string,
  ) => Promise<CaseWithRoles[]>
  /**
   * The newest case but one in which these two are on these sides. Of the first, the newest such cases are compared
   * (`maxCompared`).
   */
  newestOfBoth: (
    workspaceId: string,
    first: OnSides,
    second: OnSides,
    except: string,
  ) => Promise<CaseWithRoles | undefined>
  /** The case with its roles, unless it does not exist. */
  caseWithRoles: (workspaceId: string, caseId: string) => Promise<CaseWithRoles | undefined>
}

/** Cases that name a party. `isAll`: there are no others. */
export type CasesOfParty = { cases: CaseWithRoles[]; isAll: boolean }

/** A party on one of these sides of a case. */
export type OnSides = { id: string; sides: readonly NotedSide[] }
