import type { Region } from '#german-time/regions.ts'
import type { DueIndex } from '#jobs/sweeping.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Changes } from '#kernel/updated-since.ts'
import type { Change } from '#timeline/schema.ts'
import type { Basis } from './basis-schema.ts'
import type { Category } from './category.ts'
import type { HistoryEntry } from './history-schema.ts'
import type { RegisterSignature, UnsignedRegister } from './register-schema.ts'
import type { Delegation, Evidence, Extension } from './schema.ts'
import type { FristType } from './type-schema.ts'

/**
 * The stored state of a deadline. Whether an open deadline is pending or expired depends on the time and is computed
 * when it is read (F4). So lists by state need no write when time passes.
 */
export const deadlineStates = ['open', 'verified', 'completed', 'struck'] as const

export type DeadlineState = (typeof deadlineStates)[number]

/** A deadline as it is stored. */
export type DeadlineRecord = {
  workspace_id: string
  /** `evt_<uuid>` */
  id: string
  title: string
  case_id: string
  frist_type: FristType
  /** UTC with milliseconds. */
  due_at: string
  category: Category
  /** How the due time was calculated; null if it was set by hand or the calculation was removed (F13). */
  basis: Basis | null
  assigned_to: string
  chain_id: string
  /** For a Vorfrist that moves with its Hauptfrist: how many days earlier it is due (F2). */
  follows_days: number | null
  /** For such a Vorfrist: on a day off it is due on the working day before (F17). */
  on_working_day: boolean
  created_by: string
  created_at: string
  /** When the newest entry of its history was made. */
  updated_at: string
  /** When the newest change was written, for `updated_since`. The store sets it. */
  changed_at?: string | undefined
  /** The user who last set the due time or its basis. */
  due_set_by: string
  verified_by: string | null
  verified_at: string | null
  delegation: Delegation | null
  completed_at: string | null
  completed_by: string | null
  evidence: Evidence | null
  exit_control: { by: string; at: string } | null
  struck_at: string | null
  struck_by: string | null
  struck_reason: string | null
  /**
   * The latest extension request (F18), with times in UTC. Null again if the deadline is completed or struck before
   * the court answers; reopening brings it back.
   */
  extension: Extension | null
  /** For a provisional deadline and its Vorfrist: the deadline whose extension was requested. */
  provisional_for: string | null
  /**
   * When its case was deleted (C8). It is stored right after the deletion; until then the store takes it from the case.
   */
  case_deleted_at: string | null
  /** Number and hash of the newest entry of its history. */
  history_seq: number
  history_hash: string
  /** Counts the changes. */
  version: number
}

/** The provisional deadline of a requested extension, with its Vorfrist. */
export type Provisional = { deadline: DeadlineRecord; vorfrist: DeadlineRecord | undefined }

/** A deadline as the lists hold it: without its basis, which would make them many times larger. */
export type ListedDeadline = Omit<DeadlineRecord, 'basis' | 'changed_at'> & { has_basis: boolean }

/** The ids of the deadlines of a case that belong together; null if a place is free. */
export type Chain = { id: string; case_id: string } & Record<FristType, string | null>

/**
 * One step of a deadline: the record before (undefined for a new one), the record after, and the entry of its history.
 */
export type DeadlineStep = { before: DeadlineRecord | undefined; after: DeadlineRecord; entry: HistoryEntry }

/** Steps that are made at once. The first belongs to the requested deadline. */
export type DeadlineSteps = [DeadlineStep, ...DeadlineStep[]]

/** A change of deadlines: steps instead of one record. `added` are new deadlines of a new chain. */
export type DeadlineChange<Answer> = Omit<Change<never, Answer>, 'record'> & {
  steps: DeadlineSteps
  added?: DeadlineStep[]
}

/** How a deadline changes. Without `steps` it does not. */
export type DeadlineDecision<Answer> = DeadlineChange<Answer> | { steps?: undefined; answer: Answer }

/**
 * The records related to a deadline: its chain, for a Hauptfrist its Vorfrist, and the provisional deadline of a
 * requested extension.
 */
export type RelatedRecords = {
  chain: Chain
  vorfrist: DeadlineRecord | undefined
  provisional: Provisional | undefined
}

/** A query of the lists by due time. Times are UTC with milliseconds. */
export type DueQuery = {
  states: readonly DeadlineState[]
  case_id?: string | undefined
  assigned_to?: string | undefined
  /** Due at this moment or later. */
  from?: string | undefined
  /** Due before this moment. */
  until?: string | undefined
}

/** A deadline's place in every list by due time: `<due_at>#<id>`. */
type DuePlace = string

export type DeadlineStore = {
  /** The deadline; a struck one only with `struckToo`. */
  find: (
    workspaceId: string,
    id: string,
    options?: { struckToo: boolean },
  ) => Promise<DeadlineRecord | undefined>
  /** These deadlines without the struck ones, in any order. */
  findAll: (workspaceId: string, ids: string[]) => Promise<DeadlineRecord[]>
  /** Chains by id. */
  chains: (workspaceId: string, ids: string[]) => Promise<Map<string, Chain>>
  /**
   * The first `limit` deadlines after a place, by due time and then by id, ascending; fewer only if there are no more.
   * Costs at most two bounded reads per state, however many deadlines exist. A deadline that is verified, completed,
   * reopened or struck meanwhile appears exactly once. `case_id` and `assigned_to` do not apply to struck ones.
   */
  due: (
    workspaceId: string,
    query: DueQuery,
    request: { after?: DuePlace | undefined; limit: number },
  ) => Promise<ListedDeadline[]>
  /**
   * The same deadlines with their complete records. Reads only the records of deadlines that have a basis. Of these,
   * one that was struck meanwhile is left out, unless it was listed as struck.
   */
  complete: (listed: readonly ListedDeadline[]) => Promise<DeadlineRecord[]>
  /**
   * The first Haupt- and Nachfristen without exit control that were completed from one moment (included) to another
   * (excluded), by the time of completion (F16). Without a limit, all of them.
   */
  withoutExitControl: (
    workspaceId: string,
    range: { from?: string; until: string },
    limit?: number,
  ) => Promise<ListedDeadline[]>
  /** A page of a list (G7). A cursor is valid for the same `list` only; `from` may move with the time. */
  page: (
    workspaceId: string,
    list: readonly unknown[],
    query: DueQuery,
    request: PageRequest,
  ) => Promise<Page<ListedDeadline>>
  /**
   * The deadlines created, changed or struck since a time, as the list with this query shows them, oldest change first
   * (G16). `fromIsNow`: `from` is the current time. Then deadlines that were due after `since` count, too: they may have
   * been in the list.
   */
  changes: (
    workspaceId: string,
    list: readonly unknown[],
    query: DueQuery & { fromIsNow: boolean },
    request: PageRequest & { since: string },
  ) => Promise<Changes<DeadlineRecord>>
  /**
   * Adds new deadlines of a new chain, all or none, with histories and an entry in the case's timeline.
   *
   * @throws Failure CASE_NOT_FOUND
   */
  add: <Answer>(change: DeadlineChange<Answer>) => Promise<Answered<Answer>>
  /**
   * Adds the new deadlines from `decide` to free places of a chain. Reads the chain and decides again if somebody else
   * changed it in between.
   *
   * @throws Failure DEADLINE_NOT_FOUND for an unknown chain, CHAIN_OCCUPIED, CASE_NOT_FOUND, and what `decide` throws
   */
  join: <Answer>(
    workspaceId: string,
    chainId: string,
    decide: (chain: Chain) => Promise<DeadlineChange<Answer>>,
  ) => Promise<Answered<Answer>>
  /**
   * Writes the decision about a deadline: all or nothing. Reads everything and decides again if somebody else changed
   * a part of it in between.
   *
   * @throws Failure DEADLINE_NOT_FOUND; CASE_NOT_FOUND for new deadlines in a case that is being removed; and what
   *   `decide` throws
   */
  change: <Answer>(
    workspaceId: string,
    id: string,
    decide: (
      current: DeadlineRecord,
      related: RelatedRecords,
    ) => Promise<DeadlineDecision<Answer>> | DeadlineDecision<Answer>,
  ) => Promise<Answered<Answer>>
  /** Those of the deadlines that somebody has pushed to an external calendar (K9). */
  pushed: (workspaceId: string, ids: string[]) => Promise<Set<string>>
  /**
   * A page of a deadline's history, oldest first, with the entry before the page (undefined for the first page).
   */
  history: (
    workspaceId: string,
    id: string,
    request: PageRequest,
  ) => Promise<Page<HistoryEntry> & { previous: HistoryEntry | undefined }>
  /** All entries of all histories of the workspace from `from` (included) to `until` (excluded), oldest first. */
  journal: (workspaceId: string, from: string, until: string) => Promise<JournalEntry[]>
  signedRegisters: SignedRegisterStore
  /** Cursors of the register of a day. `open` refuses the cursors of another day. */
  registerCursors: {
    seal: (workspaceId: string, day: string, position: string) => Promise<string>
    open: (workspaceId: string, day: string, cursor: string) => Promise<string>
  }
}

/** The signed registers; a stored version never changes (F20). */
export type SignedRegisterStore = {
  /** The newest signature of a day. */
  last: (workspaceId: string, day: string) => Promise<RegisterSignature | undefined>
  /** Adds the result of `make` for the newest signature; calls `make` again if somebody else signed in between. */
  sign: <Answer>(
    workspaceId: string,
    day: string,
    make: (previous: RegisterSignature | undefined) => Promise<{
      signature: RegisterSignature
      parts: UnsignedRegister[]
      answer: Answer
    }>,
  ) => Promise<Answered<Answer>>
  /** A part of a version, counted from 1. */
  part: (
    workspaceId: string,
    day: string,
    version: number,
    part: number,
  ) => Promise<{ content: UnsignedRegister; signature: RegisterSignature; isLast: boolean } | undefined>
}

/** A deadline in the index by due time: nobody has completed or struck it. */
export type DueDeadline = { workspace_id: string; id: string; shard: string; place: DuePlace }

/** The deadlines of all workspaces that nobody has completed or struck, each until its due time has passed. */
export type DueDeadlines = DueIndex<DueDeadline> & {
  /**
   * Records that a deadline is overdue, once for each of its due times, and takes it out of the index.
   *
   * @returns false if it was recorded before, or the deadline was completed, struck or changed meanwhile
   */
  note: (one: DueDeadline) => Promise<boolean>
}

export type JournalEntry = { deadline_id: string; entry: HistoryEntry }

/** The part of workspaces that deadlines use. */
export type DeadlineWorkspaces = {
  find: (workspaceId: string) => Promise<WorkspaceSettings | undefined>
}

export type WorkspaceSettings = {
  id: string
  name: string
  time_zone: string
  holiday_region: Region
}

/** The part of users that deadlines use. */
export type DeadlineUsers = {
  /** Current names by id, and whether they are active, without unknown users. */
  known: (workspaceId: string, ids: string[]) => Promise<Map<string, { name: string; active: boolean }>>
  find: (workspaceId: string, id: string) => Promise<{ name: string; active: boolean } | undefined>
}

/** The part of cases that deadlines use. */
export type DeadlineCases = {
  /** Whether the case exists and is not deleted. */
  exists: (workspaceId: string, id: string) => Promise<boolean>
  /** Names and file numbers of cases, deleted ones included. */
  titles: (workspaceId: string, ids: string[]) => Promise<Map<string, { name: string; file_number: string }>>
}

/** Whether the given evidence exists, and its name (F9). */
export type EvidenceSources = {
  documentExists: (workspaceId: string, documentId: string) => Promise<boolean>
  /**
   * A beA message that was sent and imported (F16); undefined if there is none that the actor may read (B8).
   * `acknowledged_at`: when it reached the recipient's postbox, as the network reports; null before.
   */
  sentBeaMessage: (actor: Actor, messageId: string) => Promise<{ acknowledged_at: string | null } | undefined>
  /** The names of documents by id, of deleted ones too. */
  documentNames: (workspaceId: string, ids: string[]) => Promise<Map<string, string>>
  /**
   * The names of beA messages by id, limited to what everybody in the office may read, because the register shows them.
   */
  beaMessageNames: (workspaceId: string, ids: string[], timeZone: string) => Promise<Map<string, string>>
}
