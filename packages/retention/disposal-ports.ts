import type { CaseHold } from '#cases/retention-schema.ts'
import type { DueIndex } from '#jobs/sweeping.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Change, Changing } from '#timeline/schema.ts'
import type { Disposal } from './disposal-schema.ts'

/** A disposal as it is stored. */
export type DisposalRecord = Disposal & {
  workspace_id: string
  /** `DisposableCases.state` of each case at the proposal, by case id. Null in proposals of earlier releases. */
  states: Record<string, string> | null
  /** The end of a worker's claim; null if no worker has claimed it. */
  claimed_until: string | null
  /** When all records of its cases were gone. Since then only other lists of the firm may name them. Null before. */
  forgetting_since: string | null
  /** The number of removed records, by kind. `counts`, `digest` and `certificate_sha256` are null until known. */
  counts: Record<string, number> | null
  /** The digest of the ids of the removed records. */
  digest: string | null
  /** The digest of the sealed certificate. */
  certificate_sha256: string | null
  /**
   * The day on which the first period ends of the records that are kept longer than their case. Null if there are no
   * such records.
   */
  kept_until: string | null
  /** Whether the list of the removed records is removed too. */
  is_cleaned: boolean
  version: number
}

/** A disposal with due work. */
export type DueDisposal = { workspace_id: string; id: string; shard: string; place: string }

export type DueDisposals = DueIndex<DueDisposal> & {
  /** Removes the item if the disposal has no due work any more. */
  settle: (item: DueDisposal) => Promise<void>
}

/** The fields by which a disposal judges a case. */
export type CaseToDispose = {
  id: string
  file_number: string
  status: string
  closed_at: string | null
  /** When a user deleted it; null if nobody has. */
  deleted_at: string | null
  holds: CaseHold[] | null
  version: number
}

/** Unfinished work on a case. A case with open work cannot be disposed of. */
export type OpenWork = {
  kind: 'envelope' | 'mail_draft' | 'bea_draft' | 'bea_send' | 'invoice_draft' | 'deadline'
  id: string
}

export type DisposalStore = {
  page: (workspaceId: string, request: PageRequest) => Promise<Page<DisposalRecord>>
  find: (workspaceId: string, id: string) => Promise<DisposalRecord | undefined>
  /**
   * Adds a proposal. Until it is done or withdrawn, no other disposal can have its cases.
   *
   * @throws Failure CASE_IN_DISPOSAL, naming each case that is in another disposal
   */
  add: <Answer>(change: Change<DisposalRecord, Answer>) => Promise<Answered<Answer>>
  /** Changes a disposal. If it becomes `withdrawn` or `done`, its cases are free. @throws Failure DISPOSAL_NOT_FOUND */
  change: Changing<DisposalRecord>['change']
}

export type DisposableCases = {
  /** The cases with these ids, also deleted ones, but not cases whose removal has begun. In any order. */
  findAll: (workspaceId: string, ids: readonly string[]) => Promise<CaseToDispose[]>
  /** The open work of each of these cases; cases without any are left out. */
  openWork: (workspaceId: string, caseIds: readonly string[]) => Promise<Map<string, OpenWork[]>>
  /**
   * A text that is different after a change of the case: after a new entry of the timeline (C6), or if one of the
   * numbers in `CaseCounts` is different. The deletion of the case by a user and the beginning of a disposal do not
   * change it.
   */
  state: (workspaceId: string, caseId: string) => Promise<string>
}
