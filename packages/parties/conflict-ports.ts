import type { Party } from './schema.ts'

/** A party as it is compared. */
export type SimilarParty = Pick<Party, 'id' | 'name' | 'type'>

/** Some of the parties that were asked for. `isAll`: there are no others. */
export type SomeParties = { parties: SimilarParty[]; isAll: boolean }

/** A case with the roles in it. */
export type CaseWithRoles = {
  id: string
  file_number: string
  name: string
  parties: { id: string; role: string; name: string }[]
}

export type ConflictStore = {
  /** The newest parties that are filed under at least one of these terms of names. */
  filedUnder: (workspaceId: string, terms: string[]) => Promise<SomeParties>
  /** The newest parties with this e-mail address. */
  withAddress: (workspaceId: string, email: string) => Promise<SomeParties>
  /** The newest cases that name each of these parties. `isAll`: it has no others. */
  casesOf: (
    workspaceId: string,
    partyIds: string[],
  ) => Promise<Map<string, { cases: CaseWithRoles[]; isAll: boolean }>>
  /** The case with its roles, unless it does not exist. */
  caseWithRoles: (workspaceId: string, caseId: string) => Promise<CaseWithRoles | undefined>
}
