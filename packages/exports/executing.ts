import { setImmediate } from 'node:timers/promises'
import { auditEvent, externalEvent } from '#audit/schema.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import { concurrencyLimit } from '#kernel/concurrency-limit.ts'
import { required } from '#kernel/failure.ts'
import type { ExportAudit, ExportConfigRecord, ExportConfigStore } from './config-ports.ts'
import type { MakeFile } from './export-files.ts'
import { fetchedFile } from './fetched.ts'
import type { ExportRuns } from './runs.ts'
import type { RetrieveQuery } from './schema.ts'
import type { TokenHolder } from './tokens.ts'

export type ExportExecutionDeps = {
  configs: Pick<ExportConfigStore, 'find' | 'touch'>
  makeFile: MakeFile
  runs: Pick<ExportRuns, 'latestFile'>
  audit: ExportAudit
  clock: Clock
}

export type ExportExecution = ReturnType<typeof exportExecution>

/** A file in an answer: the bytes begin when `open` resolves. */
export type StreamedExport = {
  filename: string
  mimeType: string
  open: () => Promise<AsyncIterable<Uint8Array>>
}

/** Executes configurations (X3). */
export function exportExecution({ configs, makeFile, runs, audit, clock }: ExportExecutionDeps) {
  const found = async ({
    workspace_id,
    config_id,
  }: Omit<TokenHolder, 'token_id'>): Promise<ExportConfigRecord> => {
    return required(await configs.find(workspace_id, config_id), 'CONFIG_NOT_FOUND')
  }

  /** Returns the bytes. Their end waits until the execution is recorded, so that a Lambda is not frozen before that. */
  const noted = (bytes: AsyncIterable<Uint8Array>, { workspace_id, id }: ExportConfigRecord, now: Date) =>
    begun(bytes, () => configs.touch(workspace_id, id, now.toISOString()))

  const execute = async (config: ExportConfigRecord): Promise<StreamedExport> => {
    const now = clock.now()
    const { filename, mime_type, bytes } = await makeFile(config, now)
    return { filename, mimeType: mime_type, open: () => noted(bytes, config, now) }
  }

  return {
    /**
     * Streams the file of a configuration, up to 190 MB. The request is refused only before the first byte; a later
     * error truncates the file. Sets `last_executed_at`.
     *
     * @throws Failure CONFIG_NOT_FOUND, DATEV_SETTINGS_MISSING, INVALID_FILTER for bookings of several years
     */
    async execute(actor: Actor, config_id: string): Promise<StreamedExport> {
      const file = await execute(await found({ workspace_id: actor.workspace_id, config_id }))
      return fetchedFile(file, audit, auditEvent(actor, 'export.fetched', 'export_config', config_id))
    },

    /**
     * Like `execute` for the holder of a token of the configuration; with `run`, the file of the newest successful run.
     *
     * @throws Failure as `execute`; RUN_NOT_FOUND if no run has succeeded yet, or none since a change of the
     *   configuration's source, filters or columns
     */
    async retrieve(holder: TokenHolder, { run }: RetrieveQuery): Promise<StreamedExport> {
      const config = await found(holder)
      const { workspace_id, token_id } = holder
      const ref = { type: 'export_config', id: config.id }
      const fetched = externalEvent(workspace_id, 'export.fetched', ref, token_id)
      if (run === undefined) return fetchedFile(await execute(config), audit, fetched)
      const now = clock.now()
      const { filename, mimeType, open } = await runs.latestFile(config)
      const file = { filename, mimeType, open: async () => noted(await open(), config, now) }
      return fetchedFile(file, audit, fetched)
    },
  }
}

/**
 * Limits how many files a process writes at the same time, part by part. A Lambda has one request. On a laptop one
 * process serves all requests, and many exports must not delay the others. A slow reader does not occupy a turn.
 */
const inTurn = concurrencyLimit(2)

/**
 * Lambda streams at most 200 MB. A larger file is broken off before that, like a file whose export fails: it must not look
 * complete.
 */
const maxStreamedBytes = 190_000_000

/** The next part of a file. Before the turn ends, the process handles the other work that has arrived. */
async function partOf(iterator: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  const part = await iterator.next()
  await setImmediate()
  return part
}

/**
 * Returns the same bytes after reading the first part, so that an early failure is thrown here. Then `work` begins, and
 * the end of the bytes waits for it.
 */
async function begun(
  bytes: AsyncIterable<Uint8Array>,
  work: () => Promise<void>,
): Promise<AsyncIterable<Uint8Array>> {
  const iterator = bytes[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array> | undefined = await inTurn(() => partOf(iterator))
  const done = work()
  let sent = 0
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const result = first ?? (await inTurn(() => partOf(iterator)))
    first = undefined
    if (result.done) await done
    else sent += result.value.length
    if (sent <= maxStreamedBytes) return result
    await leave()
    throw new Error(`The file of an export has more than ${maxStreamedBytes} bytes.`)
  }
  // If the reader disconnects, the reading of rows ends.
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    await Promise.all([iterator.return?.(), done])
    return { done: true, value: undefined }
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
}
