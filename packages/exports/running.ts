import { type Clock, timestamp } from '#kernel/clock.ts'
import { failureOf } from '#kernel/failure.ts'
import type { LogOf } from '#kernel/log.ts'
import { removeRuns } from './jobs.ts'
import { fileKey, fileKeys, runKeyOf } from './run-keys.ts'
import type {
  ExportFiles,
  ExportRunRecord,
  ExportRunStore,
  MakeExportFile,
  RunOrder,
  RunResult,
} from './run-ports.ts'

/** Runs of a configuration that are kept (X5). */
export const maxRuns = 30

/**
 * Runs configurations that are due (X5).
 *
 * A run has one record and one object, even if it is requested several times, two workers run it at once, or a worker
 * was killed. Each attempt writes its own object, and only the attempt that ends the record keeps its object.
 */
export function exportRunning(deps: {
  runs: Pick<ExportRunStore, 'find' | 'latest' | 'begin' | 'end' | 'settle'>
  files: Pick<ExportFiles, 'putStream' | 'remove'>
  make: MakeExportFile
  clock: Clock
  log: LogOf<'warn'>
  /** After this number of attempts the queue gives a message up. */
  maxAttempts: number
}) {
  const { runs, files, make, clock, log, maxAttempts } = deps

  /** Ends an attempt. Removes its object if the attempt does not count, otherwise the objects of earlier attempts. */
  const end = async (record: ExportRunRecord, result: RunResult, isFinal: boolean): Promise<void> => {
    const { workspace_id, config_id } = record
    const jobs = isFinal ? [removeRuns.of({ workspace_id, config_id, kept: maxRuns })] : []
    const counts = await runs.end(record, result, { isFinal, jobs })
    if (!counts) return removeUncounted(record)
    const kept = result.status === 'succeeded' ? record.attempt : undefined
    if (record.attempt > 1) await files.remove(fileKeys(record, kept))
  }

  /** Removes the object of an attempt that did not end the record: another attempt ended it, or it no longer exists. */
  const removeUncounted = async (record: ExportRunRecord): Promise<void> => {
    const stored = await runs.find(record)
    // This attempt has ended the record, but the answer was lost or the next step failed. The object belongs to the
    // run.
    if (stored?.status === 'succeeded' && stored.attempt === record.attempt) return
    await files.remove([fileKey(record, record.attempt)])
  }

  const attempt = async (record: ExportRunRecord, signal: AbortSignal): Promise<void> => {
    const { workspace_id, config_id, scheduled_at } = record
    const before = await runs.latest(workspace_id, config_id)
    const file = await make(workspace_id, config_id, clock.now(), {
      dueAt: new Date(scheduled_at),
      before: before && new Date(before.scheduled_at),
    })
    // The configuration was deleted meanwhile, with its runs.
    if (file === undefined) return
    const { filename, mime_type, selection_sha256, bytes, rowCount } = file
    const size_bytes = await files.putStream(fileKey(record, record.attempt), bytes, {
      mimeType: mime_type,
      signal,
    })
    const finished_at = timestamp(clock)
    const about = { filename, mime_type, selection_sha256, size_bytes, row_count: rowCount() }
    await end(record, { ...about, finished_at, status: 'succeeded', status_reason: null }, true)
  }

  return {
    /**
     * Runs the current configuration, and stores its file. A fault that only the firm can fix, such as missing
     * settings, ends the run as `failed`. So does the last attempt. A message that is moved back from the dead-letter
     * queue begins another attempt, which may still succeed.
     *
     * @throws if another attempt makes sense, also after the last one; the run is `failed` until then
     */
    async run(order: RunOrder, signal: AbortSignal): Promise<void> {
      const key = runKeyOf(order)
      const record = await runs.begin(key, { scheduled_at: order.scheduled_at, at: timestamp(clock) })
      if (record === 'done' || record === 'gone') {
        // A killed worker may have left the objects of earlier attempts.
        const kept = record === 'done' ? await runs.find(key) : undefined
        await files.remove(fileKeys(kept ?? key, kept?.attempt))
        return runs.settle(key)
      }
      try {
        await attempt(record, signal)
      } catch (error) {
        const { reason, isFinal } = faultOf(error, signal)
        const nothing = {
          row_count: null,
          size_bytes: null,
          filename: null,
          mime_type: null,
          selection_sha256: null,
        }
        const failed = { ...nothing, finished_at: timestamp(clock), status_reason: reason }
        // A message that is moved back from the dead-letter queue is received as often again.
        await end(record, { ...failed, status: 'failed' }, isFinal || record.attempt % maxAttempts === 0)
        if (!isFinal) throw error
        log.warn('export run failed for good', { config_id: order.config_id, run_id: key.id, reason })
      }
    },
  }
}

/** The reason for a failure, as shown to the firm, and whether only the firm can fix it. */
function faultOf(error: unknown, signal: AbortSignal): { reason: string; isFinal: boolean } {
  if (signal.aborted) return { reason: 'too_long', isFinal: false }
  const failure = failureOf(error)
  if (failure === undefined) return { reason: 'internal_error', isFinal: false }
  if (failure.code === 'DATEV_SETTINGS_MISSING') return { reason: 'datev_settings_missing', isFinal: true }
  if (failure.kind === 'unavailable') return { reason: 'unavailable', isFinal: false }
  return { reason: 'invalid_configuration', isFinal: true }
}
