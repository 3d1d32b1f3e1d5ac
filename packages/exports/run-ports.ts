import type { Job } from '#jobs/job.ts'
import type { DueIndex } from '#jobs/sweeping.ts'
import type { Files } from '#kernel/files.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { ExportRun } from './run-schema.ts'
import type { Schedule } from './schedule-schema.ts'

/**
 * The fields of the schedule in the record of a configuration.
 *
 * `next_run_at` is computed when a user sets `schedule` (`nextRunAt`), and advances whenever a run is due. Advancing is
 * not a change by a user: it affects neither `version` nor the ETag. So each write of a configuration has the condition
 * that `next_run_at` has not changed since it was read.
 */
export type ScheduledConfig = {
  workspace_id: string
  /** `exp_<uuid>` */
  id: string
  schedule: Schedule | null
  /** UTC with milliseconds; null if and only if `schedule` is null. */
  next_run_at: string | null
}

/** A run as it is stored. */
export type ExportRunRecord = ExportRun & {
  workspace_id: string
  config_id: string
  /** The scheduled time. The id of the run is derived from it and from the configuration's id. */
  scheduled_at: string
  /** Counts the attempts from 1. Each writes its own object, which `runKey` names. */
  attempt: number
  attempt_started_at: string
  /** Name and type of the file; null until the run has succeeded. */
  filename: string | null
  mime_type: string | null
  /** The digest of source, filters and columns when the file was made (`selectionDigest`). */
  selection_sha256: string | null
}

/** Identifies a run of a configuration. */
export type RunKey = { workspace_id: string; config_id: string; id: string }

/** A due run: the content of its message. */
export type RunOrder = { workspace_id: string; config_id: string; scheduled_at: string }

/** How an attempt ended. */
export type RunResult = { status: 'succeeded' | 'failed' } & Pick<
  ExportRunRecord,
  'finished_at' | 'status_reason' | 'row_count' | 'size_bytes' | 'filename' | 'mime_type' | 'selection_sha256'
>

/** The runs of configurations. They are kept until a job removes them. */
export type ExportRunStore = {
  /** The runs of a configuration, newest first (G7). */
  page: (workspaceId: string, configId: string, request: PageRequest) => Promise<Page<ExportRunRecord>>
  find: (key: RunKey) => Promise<ExportRunRecord | undefined>
  /** The newest run that succeeded. */
  latest: (workspaceId: string, configId: string) => Promise<ExportRunRecord | undefined>
  /**
   * Begins an attempt of a run: adds its record, or increments its `attempt`.
   *
   * @returns `done` if the run has succeeded; `gone` if the configuration was deleted or no longer has a schedule
   */
  begin: (
    key: RunKey,
    about: { scheduled_at: string; at: string },
  ) => Promise<ExportRunRecord | 'done' | 'gone'>
  /**
   * Ends an attempt. With `isFinal` the run no longer counts as unfinished. Enqueues the jobs.
   *
   * @returns false if the attempt does not count: another attempt has begun, or the configuration was deleted
   */
  end: (
    record: ExportRunRecord,
    result: RunResult,
    follow: { isFinal: boolean; jobs: Job[] },
  ) => Promise<boolean>
  /** Records that the run is no longer unfinished. */
  settle: (key: RunKey) => Promise<void>
  /** The runs of a configuration except the newest `kept`, at most `limit`. */
  older: (workspaceId: string, configId: string, kept: number, limit: number) => Promise<ExportRunRecord[]>
  remove: (keys: RunKey[]) => Promise<void>
}

/** A due configuration in the index. */
export type DueExport = { workspace_id: string; config_id: string; due_at: string }

/** The index of due configurations and of unfinished runs, over all workspaces. */
export type DueExports = DueIndex<DueExport> & {
  /**
   * Moves a configuration to its next time and enqueues its run with `jobs`, both or neither. Does nothing if the
   * configuration is no longer due at `one.due_at`: its schedule was changed, it was deleted, or another sweep was
   * faster.
   *
   * @returns whether it was due
   */
  advance: (one: DueExport, next_run_at: string, follow: { run: RunKey; jobs: Job[] }) => Promise<boolean>
  /** The runs that were enqueued and have not ended. */
  unended: DueIndex<RunOrder>
}

/** The files of runs. */
export type ExportFiles = Pick<Files, 'putStream' | 'stream' | 'remove'>

/** A file whose bytes are written while they are read. */
export type ExportFile = {
  filename: string
  mime_type: string
  /** The digest of source, filters and columns (`selectionDigest`). */
  selection_sha256: string
  bytes: AsyncIterable<Uint8Array>
  /** The number of rows, once all bytes were read. */
  rowCount: () => number
}

/** When a scheduled run was due, and when the newest run that has succeeded was due. */
export type RunTimes = { dueAt: Date; before: Date | undefined }

/**
 * Makes the file of the current configuration, like `execute`.
 *
 * @returns undefined if the configuration does not exist
 * @throws Failure such as DATEV_SETTINGS_MISSING or INVALID_FILTER, before the first byte
 */
export type MakeExportFile = (
  workspaceId: string,
  configId: string,
  now: Date,
  times: RunTimes,
) => Promise<ExportFile | undefined>
