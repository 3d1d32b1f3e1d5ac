import type { Region } from '#german-time/regions.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { TimelineEntry } from '#timeline/schema.ts'
import type { Evidence, FristType, HistoryEntry } from './schema.ts'

/**
 * What a deadline has come to, whatever the time is. Time adds only whether an open one is still pending or
 * has expired (F4), so lists by state never have to be rewritten because time has passed.
 */
export const deadlineStates = ['open', 'verified', 'completed', 'struck'] as const

export type DeadlineState = (typeof deadlineStates)[number]

export type Delegation = { delegated_to: string; delegated_by: string; delegated_at: string }

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
  assigned_to: string
  chain_id: string
  /** A Vorfrist that moves with its Hauptfrist is due so many days before it (F2). */
  follows_days: number | null
  created_by: string
  created_at: string
  /** When the newest entry of its history was made. */
  updated_at: string
  /** Who last set the due time. */
  due_set_by: string
  verified_by: string | null
  verified_at: string | null
  delegation: Delegation | null
  completed_at: string | null
  completed_by: string | null
  evidence: Evidence | null
  struck_at: string | null
  struck_by: string | null
  /** Number and hash of the newest entry of its history. */
  history_seq: number
  history_hash: string
  /** Counts the changes. */
  version: number
}

/** The ids of the deadlines of a case that belong together; null where a place is free. */
export type Chain = { id: string; case_id: string } & Record<FristType, string | null>

/** One step of a deadline: how it was (undefined: it is new), how it is now, and the entry that tells of it. */
export type DeadlineStep = { before: DeadlineRecord | undefined; after: DeadlineRecord; entry: HistoryEntry }

/** Deadlines wanted from the lists by due time. Limits of time are UTC with milliseconds. */
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
export type DuePlace = string

export type DeadlineStore = {
  /** The deadline; a struck one only where it is asked for. */
  find: (
    workspaceId: string,
    id: string,
    options?: { struckToo: boolean },
  ) => Promise<DeadlineRecord | undefined>
  /** Those of these deadlines that are not struck, in any order. */
  findAll: (workspaceId: string, ids: string[]) => Promise<DeadlineRecord[]>
  /** Chains by id. */
  chains: (workspaceId: string, ids: string[]) => Promise<Map<string, Chain>>
  /**
   * The first `limit` deadlines after a place, by due time ascending and then by id; fewer only where there are
   * no more. One bounded read per state, whatever the number of deadlines. One that is verified, completed or
   * struck meanwhile is there all the same, once. `case_id` and `assigned_to` narrow nothing among struck ones.
   */
  due: (
    workspaceId: string,
    query: DueQuery,
    request: { after?: DuePlace | undefined; limit: number },
  ) => Promise<DeadlineRecord[]>
  /** A page of that list (G7). `list` names it, so that a cursor is good for it alone; `from` may move with the time. */
  page: (
    workspaceId: string,
    list: readonly unknown[],
    query: DueQuery,
    request: PageRequest,
  ) => Promise<Page<DeadlineRecord>>
  /**
   * Adds new deadlines of a new chain, all or none, with histories and an entry in the case's timeline.
   *
   * @throws Failure CASE_NOT_FOUND
   */
  add: (steps: DeadlineStep[], timelineEntry: TimelineEntry) => Promise<void>
  /**
   * Reads a chain, has `decide` say which new deadlines take free places of it, and adds them in the same way;
   * read anew where somebody else changed the chain in between. Gives the first of them.
   *
   * @throws Failure DEADLINE_NOT_FOUND where there is no such chain; CHAIN_OCCUPIED; CASE_NOT_FOUND; and what
   * `decide` throws
   */
  join: (
    workspaceId: string,
    chainId: string,
    decide: (chain: Chain) => Promise<DeadlineChange>,
  ) => Promise<DeadlineRecord>
  /**
   * Reads a deadline with its chain, a Hauptfrist also with its Vorfrist, has `decide` say what becomes of them, and writes
   * that, all or nothing; read anew where somebody else changed one of them in between. Where `decide` gives
   * nothing, nothing is written and the deadline is as it was.
   *
   * @throws Failure DEADLINE_NOT_FOUND, and what `decide` throws
   */
  change: (
    workspaceId: string,
    id: string,
    decide: (
      current: DeadlineRecord,
      chain: Chain,
      vorfrist: DeadlineRecord | undefined,
    ) => Promise<DeadlineChange | undefined> | DeadlineChange | undefined,
  ) => Promise<{ deadline: DeadlineRecord; chain: Chain }>
  /**
   * A page of a deadline's history, oldest first, with the entry before the page: undefined where the page
   * begins with the first.
   */
  history: (
    workspaceId: string,
    id: string,
    request: PageRequest,
  ) => Promise<Page<HistoryEntry> & { previous: HistoryEntry | undefined }>
  /** Every entry of every history of the workspace from one moment (included) to another (not), oldest first. */
  journal: (workspaceId: string, from: string, until: string) => Promise<JournalEntry[]>
  /** Cursors of the register of a day. `open` throws where this one was not given out for it. */
  registerCursors: {
    seal: (workspaceId: string, day: string, position: string) => Promise<string>
    open: (workspaceId: string, day: string, cursor: string) => Promise<string>
  }
}

/** A change of deadlines: the first step is that of the deadline asked for; the case's timeline gets one entry. */
export type DeadlineChange = { steps: [DeadlineStep, ...DeadlineStep[]]; timelineEntry: TimelineEntry }

export type JournalEntry = { deadline_id: string; entry: HistoryEntry }

/** What deadlines need of the workspace. */
export type DeadlineOffice = {
  find: (workspaceId: string) => Promise<OfficeSettings | undefined>
}

export type OfficeSettings = {
  id: string
  name: string
  time_zone: string
  holiday_region: Region
}

/** What deadlines need of users. */
export type DeadlineUsers = {
  /** Current names by id; who does not exist is missing. */
  names: (workspaceId: string, ids: string[]) => Promise<Map<string, string>>
  find: (workspaceId: string, id: string) => Promise<{ name: string; active: boolean } | undefined>
}

/** What deadlines need of cases. */
export type DeadlineCases = {
  /** Whether the case is there and not deleted. */
  exists: (workspaceId: string, id: string) => Promise<boolean>
  /** What cases are called, deleted ones included. */
  titles: (workspaceId: string, ids: string[]) => Promise<Map<string, { name: string; file_number: string }>>
}

/** Whether what is named as evidence is there (F9). */
export type EvidenceSources = {
  documentExists: (workspaceId: string, documentId: string) => Promise<boolean>
}
