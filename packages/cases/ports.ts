import type { Job } from '#jobs/job.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page } from '#kernel/page.ts'
import type { Changes } from '#kernel/updated-since.ts'
import type { ConflictReport } from '#parties/conflict-schema.ts'
import type { Party, PartyInput } from '#parties/schema.ts'
import type { InRole } from '#parties/side-schema.ts'
import type { CaseTimelineEntry, Change, ChangingAsync, Removal, TimelineEntry } from '#timeline/schema.ts'
import type { CaseHold } from './retention-schema.ts'
import type { CaseLink, CaseQuery, CaseSummary } from './schema.ts'

/**
 * A party or user in a case. `name` is a copy, cut to `maxStoredName`. Answers show the current name if there is one.
 */
export type Participant = { id: string; role: string; name: string }

/** A party in a case. It has a `side` only if one was given; otherwise the role decides (C11). */
export type PartyInCase = Participant & InRole

/** A case as it is stored. `version` counts its changes. The store sets `changed_at`, which `updated_since` needs. */
export type CaseRecord = {
  workspace_id: string
  id: string
  name: string
  file_number: string
  status: 'active' | 'closed' | 'archived'
  type: string | null
  description: string | null
  dezernat: string | null
  parties: PartyInCase[]
  staff: Participant[]
  /** When it was closed (R1); read it with `closedAtOf`. */
  closed_at: string | null
  /** The holds that were not lifted, including holds whose last day is over (R2). */
  holds: CaseHold[] | null
  created_at: string
  updated_at: string
  changed_at?: string | undefined
  version: number
}

/** A new party that is created with a change of a case. */
export type NewParty = PartyInput & { id: string }

export type CaseStore = {
  /** The case of this workspace. Undefined if it does not exist or was deleted. */
  find: (workspaceId: string, id: string) => Promise<CaseRecord | undefined>
  page: (workspaceId: string, query: CaseQuery) => Promise<Page<CaseSummary>>
  /** Cases created, changed or deleted since a time, oldest change first (G16). */
  changes: (workspaceId: string, query: CaseQuery, since: string) => Promise<Changes<CaseSummary>>
  /**
   * Adds a case. If it has no file number, it gets the next number of the year (`0001/26`). There are no gaps, even if
   * many cases are opened at once. `decide` gets the record with its number.
   *
   * @throws Failure FILE_NUMBER_TAKEN
   */
  add: <Answer>(
    record: Omit<CaseRecord, 'file_number'> & { file_number: string | null },
    decide: (numbered: CaseRecord) => Change<CaseRecord, Answer>,
  ) => Promise<Answered<Answer>>
  /**
   * Replaces the case with the result of `decide`, in one transaction. If somebody else changed the case in between,
   * reads it and calls `decide` again.
   *
   * @throws Failure CASE_NOT_FOUND, FILE_NUMBER_TAKEN, and what `decide` throws
   */
  change: ChangingAsync<CaseRecord>['change']
  /** The case, also one that a user has deleted; undefined once its removal has begun. */
  findRetained: (workspaceId: string, id: string) => Promise<CaseRecord | undefined>
  /**
   * Changes the holds of a case, also of one that a user has deleted, since it is disposed of like others (R2, R3).
   *
   * @throws Failure CASE_NOT_FOUND, also once its removal has begun, and what `decide` throws
   */
  changeHolds: <Answer>(
    workspaceId: string,
    id: string,
    decide: (current: CaseRecord) => Change<CaseRecord, Answer>,
  ) => Promise<Answered<Answer>>
  /**
   * Removes the case from lists and search. A job that `decide` returns removes its links. The record stays (C8, G13).
   *
   * @throws Failure CASE_NOT_FOUND, and what `decide` throws
   */
  remove: <Answer>(
    workspaceId: string,
    id: string,
    decide: (current: CaseRecord) => Promise<Removal<Answer>>,
  ) => Promise<Answered<Answer>>
  /**
   * Writes the current name of a party into the cases of the party, so that a search finds them (C9). It starts after
   * the case `after` and runs for some seconds. Then it enqueues the job that `rest` returns, for the remaining cases.
   *
   * @returns whether no case is left
   */
  renameParty: (
    workspaceId: string,
    party: { id: string; name: string },
    after: string | null,
    rest: (after: string) => Job,
  ) => Promise<boolean>
  /** Entries of a case, newest first. */
  timeline: (
    workspaceId: string,
    caseId: string,
    page: { limit: number; cursor?: string | undefined },
  ) => Promise<Page<TimelineEntry>>
  /** Links of a case, newest first. */
  links: (
    workspaceId: string,
    caseId: string,
    page: { limit: number; cursor?: string | undefined },
  ) => Promise<Page<CaseLink>>
  /** Every link of a case. */
  allLinks: (workspaceId: string, caseId: string) => Promise<CaseLink[]>
  link: (workspaceId: string, caseId: string, linkId: string) => Promise<CaseLink | undefined>
  /** Links two cases. @throws Failure LINK_EXISTS, CASE_NOT_FOUND */
  addLink: <Answer>(
    workspaceId: string,
    change: Change<CaseLink, Answer> & { timeline: CaseTimelineEntry[] },
  ) => Promise<Answered<Answer>>
  /** Removes a link from both cases. @throws Failure LINK_NOT_FOUND */
  removeLink: (workspaceId: string, link: CaseLink, timeline: CaseTimelineEntry[]) => Promise<void>
}

/** Creates the new parties of a case. */
export type NewParties = {
  /** Adds these parties. A party that exists already stays as it is. */
  addAll: (
    records: (NewParty & { workspace_id: string; created_at: string; updated_at: string; version: number })[],
    caseId: string,
  ) => Promise<void>
}

/** The part of parties that cases use. */
export type CaseParties = {
  /** Current names by id, without unknown ids. */
  names: (workspaceId: string, ids: string[]) => Promise<Map<string, string>>
  find: (workspaceId: string, id: string) => Promise<Pick<Party, 'type'> | undefined>
  /**
   * Prevents the deletion of these parties while the case is changed to name them.
   *
   * @returns a function that allows the deletion again; it never fails
   * @throws Failure PARTY_NOT_FOUND if one does not exist
   */
  reserve: (workspaceId: string, ids: string[], caseId: string) => Promise<() => Promise<void>>
}

/** The part of deadlines that cases use. */
export type CaseDeadlines = {
  /** The first deadlines of a case that are neither completed nor struck, by due time (UTC); at most `limit`. */
  open: (workspaceId: string, caseId: string, limit: number) => Promise<{ due_at: string }[]>
  /**
   * Sets `case_deleted_at` of every deadline of the case that was not struck. Null: the case exists again. A second
   * call changes nothing.
   */
  markCaseDeleted: (workspaceId: string, caseId: string, deletedAt: string | null) => Promise<void>
}

/** The part of workspaces that cases use. */
export type CaseWorkspaces = {
  find: (workspaceId: string) => Promise<{ time_zone: string } | undefined>
}

/** The part of conflict checks that cases use (C10). */
export type CaseConflicts = {
  /**
   * The matches that somebody should check because these parties are added to the case, and the names of added parties
   * that may match more parties than were compared.
   *
   * @param others the other parties of the case
   */
  warnings: (
    workspaceId: string,
    caseId: string,
    added: PartyInCase[],
    others: PartyInCase[],
  ) => Promise<ConflictReport>
}

/** The part of users that cases use. */
export type CaseUsers = {
  /** Current names by id, without unknown ids. */
  names: (workspaceId: string, ids: string[]) => Promise<Map<string, string>>
  /** Users by id, without unknown ids. */
  known: (workspaceId: string, ids: string[]) => Promise<Map<string, { name: string; active: boolean }>>
}
