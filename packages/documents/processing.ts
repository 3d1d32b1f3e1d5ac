import { processArrivals } from '#inbox/arrival-schema.ts'
import type { Job } from '#jobs/job.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { failureOf } from '#kernel/failure.ts'
import type { Files } from '#kernel/files.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { bytesKey, textKey } from './keys.ts'
import { type DocumentRecord, type DocumentStore, type ReadText, StillReading } from './ports.ts'
import type { DocumentToRead, StoredText } from './schema.ts'
import { readStoredText } from './stored-text.ts'

/** After this number of attempts the reading fails. */
const maxAttempts = 3

/**
 * If the message is received again after this time, the attempt has crashed: a running attempt keeps its message
 * hidden.
 */
const crashedAfterSeconds = 60

const outOfResources = 'out_of_resources'

/** The stored bytes differ from the accepted ones. This counts as an attempt; the right bytes may be there later. */
class BytesDiffer extends Error {}

/** Whether our code or a library failed, not another service: another attempt would fail in the same way. */
function isProgrammingError(error: unknown): boolean {
  return [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind)
}

/** Reads accepted documents and records the outcome. */
export function documentProcessing(deps: {
  store: DocumentStore
  files: Files
  readText: ReadText
  clock: Clock
}) {
  const { store, files, readText, clock } = deps

  const finish = (record: DocumentRecord, outcome: Partial<DocumentRecord>) =>
    store.change(record.workspace_id, record.id, (current) =>
      isUnsettled(current)
        ? {
            record: { ...current, ...outcome, updated_at: timestamp(clock), version: current.version + 1 },
            jobs: arrivalOf(current),
            answer: undefined,
          }
        : { answer: undefined },
    )

  /**
   * Records why a reading failed. If there is a text of an earlier reading, the document is processed with that text.
   */
  const fail = async (record: DocumentRecord, reason: string) => {
    const isRead = (await files.head(textKey(record))) !== undefined
    const failed = { status: 'failed', status_reason: reason } as const
    return finish(record, isRead ? processed(await readStoredText(files, record), reason) : failed)
  }

  const putText = async (
    record: DocumentRecord,
    { text, page_count, word_count, page_starts }: StoredText,
  ) => {
    const json = Buffer.from(JSON.stringify({ text, page_count, word_count, page_starts }))
    await files.put(textKey(record), json, {
      mimeType: 'application/json',
      sha256: hexDigest(json),
    })
  }

  /** Reads the text of a document from the accepted bytes. @throws BytesDiffer */
  const readAccepted = async (record: DocumentRecord, signal: AbortSignal) => {
    const key = bytesKey(record)
    const bytes = await files.read(key)
    if (hexDigest(bytes) !== record.sha256)
      throw new BytesDiffer(`The bytes of ${record.id} are not those that were accepted.`)
    return readText(bytes, { ...record, key }, signal)
  }

  const storeText = async (record: DocumentRecord, read: StoredText & { unread?: string }) => {
    await putText(record, read)
    await finish(record, processed(read, read.unread))
  }

  /**
   * Reads a processed document again if an older release stored its text without the pages (T7). If it can no longer be
   * read, the text stays as it is.
   */
  const addPages = async (record: DocumentRecord, signal: AbortSignal): Promise<void> => {
    if ((await readStoredText(files, record)).page_starts !== undefined) return
    const result = await readAccepted(record, signal)
    if ('refused' in result) return
    await putText(record, result)
    // A change is written even if the text is the same, because it fails if the document was deleted meanwhile.
    const recorded = store.change(record.workspace_id, record.id, (current) => ({
      record: {
        ...current,
        ...(current.status === 'processed' && processed(result, result.unread)),
        version: current.version + 1,
      },
      answer: undefined,
    }))
    await recorded.catch(async (error: unknown) => {
      if (failureOf(error)?.code !== 'DOCUMENT_NOT_FOUND') throw error
      await files.remove([textKey(record)])
    })
  }

  /**
   * Reads a document and records its text, or why the reading failed. Concurrent and later calls for the same document
   * do not change a recorded outcome.
   *
   * An attempt counts if the worker crashed, if the time ran out (the next attempt would take as long), if a
   * programming error occurred, or if the stored bytes differ from the accepted ones. After three attempts the reading
   * fails with `out_of_resources`, or with `bytes_damaged` if the bytes differed at the third one. If an attempt
   * ends after `out_of_resources` was recorded, its outcome replaces it.
   *
   * @throws so that the message is received again: if a service could not be reached, if the last attempt may still be
   *   running, or if this attempt counts but has no outcome yet
   */
  const process = async (message: DocumentToRead, signal: AbortSignal): Promise<void> => {
    const found = await store.find(message.workspace_id, message.document_id)
    if (found?.status === 'processed') return addPages(found, signal)
    // A worker that died, or that could not reach the table, may have stored a text after the document was deleted.
    if (found === undefined)
      return files.remove([textKey({ workspace_id: message.workspace_id, id: message.document_id })])
    if (found.status !== 'pending' || found.upload_expires_at !== null) return
    if (found.attempts >= maxAttempts) {
      if (mayBeRunning(found, clock)) throw new Error('The last attempt may still be running.')
      await fail(found, outOfResources)
      return
    }
    const record = await store.beginAttempt(found, timestamp(clock))
    if (record === undefined) return process(message, signal)
    try {
      const result = await readAccepted(record, signal)
      if ('refused' in result) await fail(record, result.refused)
      else await storeText(record, result)
    } catch (error) {
      if (failureOf(error)?.code === 'DOCUMENT_NOT_FOUND') {
        // The document was deleted meanwhile; its text must be removed like its bytes.
        await files.remove([textKey(record)])
        return
      }
      if (error instanceof BytesDiffer) {
        if (record.attempts >= maxAttempts) await fail(record, 'bytes_damaged')
        throw error
      }
      const isTimeout = signal.aborted && !(error instanceof StillReading)
      if (!isTimeout && !isProgrammingError(error)) await store.cancelAttempt(record)
      throw error
    }
  }

  return { process }
}

/** The state of a document that has this text. `reason`: what was not read, or why a later reading failed. */
function processed({ text, page_count }: StoredText, reason: string | null = null) {
  return {
    status: 'processed',
    status_reason: reason,
    extracted_text_length: text.length,
    page_count,
  } as const
}

/** The job that starts the triage of a read document, or of the mail that it came with. */
function arrivalOf({ workspace_id, id, inbox, correspondence_id }: DocumentRecord): Job[] {
  if (correspondence_id !== null) return [processArrivals.of({ workspace_id, ids: [correspondence_id] })]
  return inbox === null ? [] : [processArrivals.of({ workspace_id, ids: [id] })]
}

/** Whether an outcome may still be recorded. After `out_of_resources`, an attempt that is still running may end. */
function isUnsettled({ status, status_reason }: DocumentRecord): boolean {
  return status === 'pending' || status_reason === outOfResources
}

function mayBeRunning({ attempted_at }: DocumentRecord, clock: Clock): boolean {
  return (
    attempted_at !== null && Date.parse(attempted_at) + crashedAfterSeconds * 1_000 > clock.now().getTime()
  )
}
