import type { AuditEvent } from '#audit/schema.ts'
import type { Job } from '#jobs/job.ts'
import type { DueIndex } from '#jobs/sweeping.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Files } from '#kernel/files.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { ReportReason, RequestedAccessReport, reportStatuses } from './access-schema.ts'
import type { PartyRecord } from './ports.ts'

export type AccessReportKey = { workspace_id: string; party_id: string; id: string }

/** A report on a party as it is stored. It expires. */
export type AccessReportRecord = AccessReportKey & {
  status: (typeof reportStatuses)[number]
  /** Why it failed; null otherwise. */
  status_reason: ReportReason | null
  /** The user who requested it. The report contains what this user may read. */
  requested_by: string
  /** Whether the key of the request may read beA. Null in reports that an older release stored. */
  reads_bea: boolean | null
  /** The attempts that were begun; null for none. */
  attempts: number | null
  created_at: string
  expires_at: string
  /** The size of its file; null until it has succeeded. */
  size_bytes: number | null
  /** The hour in which its link was last opened, `2026-11-27T09`; null if it never was. */
  opened_hour: string | null
}

export type AccessReportStore = {
  find: (key: AccessReportKey) => Promise<AccessReportRecord | undefined>
  /** All reports on a party. */
  ofParty: (workspaceId: string, partyId: string) => Promise<AccessReportRecord[]>
  /** Stores a report, and lists it as unended. @param dueAt when it is sent again if it has not ended */
  add: (
    record: AccessReportRecord,
    jobs: Job[],
    answer: RequestedAccessReport,
    dueAt: string,
  ) => Promise<Answered<RequestedAccessReport>>
  /** Counts another attempt of a running report. `over`: it has ended or is gone. */
  begin: (key: AccessReportKey) => Promise<AccessReportRecord | 'over'>
  /**
   * Stores the result of a report and removes it from the list of unended ones. A success replaces an earlier result,
   * because its file replaced the earlier file. A failure is stored only while the report is `running`.
   *
   * @returns false if the report is gone, or a failure was not stored
   */
  end: (
    key: AccessReportKey,
    result: { status: 'succeeded'; size_bytes: number } | { status: 'failed'; status_reason: ReportReason },
  ) => Promise<boolean>
  /** Records in the audit that its link was opened, once in an hour (`2026-11-27T09`). */
  recordOpening: (key: AccessReportKey, hour: string, audit: AuditEvent) => Promise<void>
  /** Removes a report that has ended or is gone from the list of unended ones. */
  settle: (key: AccessReportKey) => Promise<void>
  remove: (keys: AccessReportKey[]) => Promise<void>
}

/** A report that has not ended, and when the sweep sends it to the worker again. */
export type UnendedReport = { workspace_id: string; party_id: string; report_id: string; due_at: string }

/** The reports of all firms that have not ended. */
export type UnendedReports = DueIndex<UnendedReport> & {
  /** Moves a report to a later time; false if it has ended meanwhile. */
  postpone: (report: UnendedReport, dueAt: string) => Promise<boolean>
}

/** The files of reports, in bounded memory. */
export type AccessReportFiles = Pick<Files, 'putStream' | 'presignGet' | 'remove'>

/** Makes tokens of links that nobody can forge or read, and reads them. */
export type AccessReportTokens = {
  seal: (binding: readonly unknown[], position: string) => Promise<string>
  open: (binding: readonly unknown[], token: string) => Promise<string>
}

/** A file of a record: `download.pdf`. */
export type AccessFile = {
  /** The end of its path. */
  path: string
  sizeBytes: number
  /** Whether compressing it again gains nothing. */
  isCompressed: boolean
  /** Its bytes; undefined if they are gone. */
  open: () => Promise<AsyncIterable<Uint8Array> | undefined>
}

/** Something that is stored about a party, as the report shows it. */
export type AccessRecord = {
  /** The path of the interface, without `/api/v1/`: `parties/pty_…`. */
  path: string
  /** For people: the subject, the file name, the number. */
  title: string
  /** The day or time of the record. */
  date: string | null
  /** The answer of the interface; undefined if it is gone meanwhile, or the user may not read it. */
  read: () => Promise<unknown>
  files?: AccessFile[]
}

/** A case that names the party. It may be deleted: its records are still stored. */
export type SubjectCase = {
  id: string
  name: string
  file_number: string
  status: string
  /** Its roles, separated by commas. */
  role: string
  isClient: boolean
  /** ISO 8601; null unless the case was deleted. */
  deleted_at: string | null
}

/** The party, its cases, and the user who asked for the report. */
export type AccessSubject = {
  party: PartyRecord
  /** Reads with the rights of the user who asked for the report (B8). */
  reader: Actor
  cases: readonly SubjectCase[]
  /** The ids of the cases in which it is a client. */
  clientOf: ReadonlySet<string>
  /** Whether another party has the same mailbox. Then an address alone does not say whose record it is. */
  sharesMailbox: boolean
  /** Whether one of these texts has the name of the party, or a mailbox that it does not share. */
  isNamedIn: (texts: readonly (string | null | undefined)[]) => boolean
}

/** One kind of records: its heading in the report, in German, and what there is about a party. */
export type AccessSection = {
  heading: string
  records: (subject: AccessSubject) => AsyncIterable<AccessRecord>
}
