import { auditEvent } from '#audit/schema.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import { conflict, Failure, required } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { ExportAudit, ExportConfigRecord } from './config-ports.ts'
import { fetchedFile } from './fetched.ts'
import { fileKey } from './run-keys.ts'
import type { ExportFiles, ExportRunRecord, ExportRunStore } from './run-ports.ts'
import type { ExportRun } from './run-schema.ts'
import { selectionDigest } from './selection-schema.ts'

/** The file of a run as it is downloaded. */
export type RunFile = {
  filename: string
  mimeType: string
  sizeBytes: number
  version: string
  /** All bytes, or a part of them. @throws Failure RUN_NOT_FOUND if the run was removed meanwhile */
  open: (range?: { first: number; last: number }) => Promise<AsyncIterable<Uint8Array>>
}

export type ExportRuns = ReturnType<typeof exportRuns>

/** An attempt has ended or was killed by then: the worker's time limit plus a minute. */
export const maxAttemptSeconds = 16 * 60

type Member = { workspace_id: string }

/** The runs of a configuration, as users see them (X5). */
export function exportRuns(deps: {
  runs: Pick<ExportRunStore, 'page' | 'find' | 'latest'>
  configs: { find: (workspaceId: string, id: string) => Promise<unknown> }
  files: Pick<ExportFiles, 'stream'>
  audit: ExportAudit
  clock: Clock
}) {
  const { runs, configs, files, audit, clock } = deps

  const requireConfig = async (workspaceId: string, configId: string) => {
    required(await configs.find(workspaceId, configId), 'CONFIG_NOT_FOUND')
  }

  const fileOf = (run: ExportRunRecord): RunFile => {
    const { status, filename, mime_type, size_bytes, attempt } = run
    if (status !== 'succeeded' || filename === null || mime_type === null || size_bytes === null)
      throw conflict('RUN_NOT_FINISHED', 'This run has no file: it is running, or has failed.')
    const key = fileKey(run, attempt)
    return {
      filename,
      mimeType: mime_type,
      sizeBytes: size_bytes,
      version: hexDigest(key),
      open: async (range) => {
        try {
          return await files.stream(key, range)
        } catch (error) {
          required(await runs.find(run), 'RUN_NOT_FOUND')
          throw error
        }
      },
    }
  }

  return {
    /** The runs of a configuration, newest first. @throws Failure CONFIG_NOT_FOUND */
    async list({ workspace_id }: Member, configId: string, request: PageRequest): Promise<Page<ExportRun>> {
      await requireConfig(workspace_id, configId)
      const { data, pagination } = await runs.page(workspace_id, configId, request)
      return { data: data.map((run) => shownRun(run, clock.now())), pagination }
    },

    /** The file of a run. @throws Failure CONFIG_NOT_FOUND, RUN_NOT_FOUND, RUN_NOT_FINISHED */
    async file(actor: Actor, config_id: string, id: string): Promise<RunFile> {
      const { workspace_id } = actor
      await requireConfig(workspace_id, config_id)
      const run = required(await runs.find({ workspace_id, config_id, id }), 'RUN_NOT_FOUND')
      return fetchedFile(fileOf(run), audit, auditEvent(actor, 'export.fetched', 'export_run', id))
    },

    /**
     * The file of the newest successful run, for the holder of a token of the configuration. A file that was made with
     * another source, other filters or other columns is not returned: it may contain data that the firm has removed
     * since.
     *
     * @throws Failure RUN_NOT_FOUND if no run has succeeded yet, or the selection was changed after the newest one
     */
    async latestFile(config: ExportConfigRecord): Promise<RunFile> {
      const run = await runs.latest(config.workspace_id, config.id)
      if (run === undefined)
        throw new Failure('not_found', 'RUN_NOT_FOUND', 'No run of this configuration has succeeded yet.')
      if (run.selection_sha256 !== selectionDigest(config))
        throw new Failure(
          'not_found',
          'RUN_NOT_FOUND',
          'Source, filters or columns were changed after the last run: wait for the next one, or retrieve without `run`.',
        )
      return fileOf(run)
    },
  }
}

/** A run as shown to users. An attempt whose worker was killed shows as failed; the queue tries the run again. */
export function shownRun(run: ExportRunRecord, now: Date): ExportRun {
  const { id, started_at, finished_at, status, status_reason, row_count, size_bytes } = run
  const shown = { id, started_at, finished_at, status, status_reason, row_count, size_bytes }
  const ends = Date.parse(run.attempt_started_at) + maxAttemptSeconds * 1_000
  const wasKilled = status === 'running' && ends < now.getTime()
  return wasKilled ? { ...shown, status: 'failed', status_reason: 'interrupted' } : shown
}
