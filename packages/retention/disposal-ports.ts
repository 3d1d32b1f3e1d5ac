import type { CaseHold } from '#cases/retention-schema.ts'
import type { DueIndex } from '#jobs/sweeping.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Change, Decision } from '#timeline/schema.ts'
import type { Disposal } from './disposal-schema.ts'

/** A disposal as it is stored. */
export type DisposalRecord = Disposal & {
  workspace_id: string
  /** The `state` of each case at the proposal, by the id of the case; null if an earlier release stored the proposal. */
  states: Record<string, string> | null
  /** Until when a worker has claimed it; null if none has. */
  claimed_until: string | null
  /** Since when all records of its cases are gone, and only lists of the firm may name them; null before that. */
  forgetting_since: string | null
  /** How many records were removed, by kind. This and the two digests are null until they are known. */
  counts: Record<string, number> | null
  /** The digest of the ids of the removed records. */
  digest: string | null
  /** The digest of the sealed certificate. */
  certificate_sha256: string | null
  /** The earliest last day among the records that are kept longer than their case; null if there are none. */
  kept_until: string | null
  /** Whether the list of what was removed is gone too. */
  is_cleaned: boolean
  version: number
}

/** A disposal with something to do. */
export type DueDisposal = { workspace_id: string; id: string; shard: string; place: string }

export type DueDisposals = DueIndex<DueDisposal> & {
  /** Removes an item for which there was nothing to do, unless the disposal still needs it. */
  settle: (item: DueDisposal) => Promise<void>
}

/** A case, as a disposal judges it. */
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

/** Work on a case that is not finished, and keeps it from being disposed of. */
export type OpenWork = {
  kind: 'envelope' | 'mail_draft' | 'bea_draft' | 'bea_send' | 'invoice_draft'
  id: string
}

export type DisposalStore = {
  page: (workspaceId: string, request: PageRequest) => Promise<Page<DisposalRecord>>
  find: (workspaceId: string, id: string) => Promise<DisposalRecord | undefined>
  /**
   * Adds a proposal. Its cases are in no other disposal from then on, until it is done or withdrawn.
   *
   * @throws Failure CASE_IN_DISPOSAL naming each case that is in another one
   */
  add: <Answer>(change: Change<DisposalRecord, Answer>) => Promise<Answered<Answer>>
  /** Changes a disposal. One that becomes `withdrawn` or `done` frees its cases. @throws Failure DISPOSAL_NOT_FOUND */
  change: <Answer>(
    workspaceId: string,
    id: string,
    decide: (current: DisposalRecord) => Decision<DisposalRecord, Answer>,
  ) => Promise<Answered<Answer>>
}

export type DisposableCases = {
  /** The stored cases with these ids, deleted ones too, but none whose removal has begun; in no particular order. */
  findAll: (workspaceId: string, ids: readonly string[]) => Promise<CaseToDispose[]>
  /** The open work of each of these cases; cases without any are left out. */
  openWork: (workspaceId: string, caseIds: readonly string[]) => Promise<Map<string, OpenWork[]>>
  /**
   * The state of a case as a text. It changes with each new entry of the timeline (C6), and with the number of records
   * in a list that `CaseCounts` counts. The deletion of the case by a user, and the beginning of a disposal, do not
   * change it.
   */
  state: (workspaceId: string, caseId: string) => Promise<string>
}
