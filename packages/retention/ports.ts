import type { CaseHold } from '#cases/retention-schema.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { CaseCounts, DisposedCases } from './schema.ts'

/**
 * A closed or deleted case, with the fields that the rules of retention need. `ended_at`: when it was closed, or else
 * deleted. `deleted_at`: null if no user has deleted it.
 */
export type ClosedCase = {
  id: string
  file_number: string
  closed_at: string | null
  deleted_at: string | null
  ended_at: string
  holds: CaseHold[] | null
}

export type ClosedCaseStore = {
  /**
   * Cases that ended before a moment, in the order of `ended_at`, without the cases that `isWanted` refuses. A page
   * that skips many cases may have fewer than requested, or none, and still have a cursor.
   *
   * @param binding what a cursor is valid for besides the workspace
   */
  page: (
    workspaceId: string,
    wanted: { before: string; isWanted: (closed: ClosedCase) => boolean; binding: readonly unknown[] },
    request: PageRequest,
  ) => Promise<Page<ClosedCase>>
  /** How many records a case has. It reads only the entries of lists. */
  counts: (workspaceId: string, caseId: string) => Promise<CaseCounts>
}

export type DisposedCasesStore = {
  /** The counts of the cases that were disposed of, by year and then by type. There are a few thousand at most. */
  all: (workspaceId: string) => Promise<DisposedCases[]>
}

export type RetentionWorkspaces = {
  find: (workspaceId: string) => Promise<{ name: string; time_zone: string } | undefined>
}
