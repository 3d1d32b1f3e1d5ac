import type { CaseHold } from '#cases/retention-schema.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { CaseCounts, DisposedCases } from './schema.ts'

/**
 * A case that has ended, with the fields that the rules of retention need. `ended_at`: when it was closed, or deleted
 * if it was never closed. `deleted_at`: null if no user has deleted it.
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
   * Cases that ended before a moment and that `isWanted` accepts, in the order of `ended_at`. If `isWanted` refuses
   * many cases, a page may have fewer cases than requested, or none, and still have a cursor.
   *
   * @param wanted `binding`: a cursor is valid only for the same binding in the same workspace
   */
  page: (
    workspaceId: string,
    wanted: { before: string; isWanted: (closed: ClosedCase) => boolean; binding: readonly unknown[] },
    request: PageRequest,
  ) => Promise<Page<ClosedCase>>
  /** The number of records in a case. It reads only list entries. */
  counts: (workspaceId: string, caseId: string) => Promise<CaseCounts>
}

export type DisposedCasesStore = {
  /** The counts of the cases that were disposed of, by year and then by type: at most a few thousand. */
  all: (workspaceId: string) => Promise<DisposedCases[]>
}

export type RetentionWorkspaces = {
  find: (workspaceId: string) => Promise<{ name: string; time_zone: string } | undefined>
}
