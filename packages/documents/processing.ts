import { processArrivals } from '#inbox/arrival-schema.ts'
import type { Job } from '#jobs/job.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { failureOf } from '#kernel/failure.ts'
import type { Files } from '#kernel/files.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { bytesKey, textKey } from './keys.ts'
import { type DocumentRecord, type DocumentStore, type ReadText, StillReading } from './ports.ts'
import { type DocumentToRead, StoredText } from './schema.ts'

/** Crashes of the worker after which a document is not read again. */
const maxAttempts = 3

/**
 * If the message is received again after this time, the attempt has crashed: a running attempt keeps its message
 * hidden.
 */
const crashedAfterSeconds = 60

const outOfResources = 'out_of_resources'

/** The stored bytes differ from the accepted ones. This counts as an attempt; the right bytes may be there later. */
class OtherBytes extends Error {}

/** An error of the language, which no other service causes: reading the document again fails in the same way. */
function isFault(error: unknown): boolean {
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

  const storedText = async (record: DocumentRecord): Promise<StoredText> =>
    StoredText.parse(JSON.parse(Buffer.from(await files.read(textKey(record))).toString()))

  /** Records why a reading failed. The text of an earlier reading stays, and the document is processed as before. */
  const fail = async (record: DocumentRecord, reason: string) => {
    const isRead = (await files.head(textKey(record))) !== undefined
    const failed = { status: 'failed', status_reason: reason } as const
    return finish(record, isRead ? processed(await storedText(record), reason) : failed)
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

  /** Reads the text of a document. @throws OtherBytes */
  const readAccepted = async (record: DocumentRecord, signal: AbortSignal) => {
    const key = bytesKey(record)
    const bytes = await files.read(key)
    if (hexDigest(bytes) !== record.sha256)
      throw new OtherBytes(`The bytes of ${record.id} are not those that were accepted.`)
    return readText(bytes, { ...record, key }, signal)
  }

  const storeText = async (record: DocumentRecord, read: StoredText & { unread?: string }) => {
    await putText(record, read)
    await finish(record, processed(read, read.unread))
  }

  /**
   * Stores the text of a document with its pages, if an older release stored it without them (T7). If the document can
   * no longer be read, the text stays as it is.
   */
  const addPages = async (record: DocumentRecord, signal: AbortSignal): Promise<void> => {
    if ((await storedText(record)).page_starts !== undefined) return
    const result = await readAccepted(record, signal)
    if ('refused' in result) return
    await putText(record, result)
    // This fails if the document was deleted meanwhile, even if the text is the same.
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
   * Reads a document and records its text, or why it has none or still has an earlier one. It may be called again for
   * the same document, at the same time or later: a recorded outcome stays.
   *
   * A crash of the worker counts as an attempt. So do a timeout, because the next attempt would take as long, and a fault
   * of the code that reads.
   * After three attempts the reading fails with `out_of_resources`; if one of them still succeeds later, its text is
   * recorded. It fails with `bytes_damaged` if the third attempt found other bytes than the accepted ones.
   *
   * @throws if trying again makes sense: a service could not be reached, the last attempt may still be running, or the
   * bytes differ from the accepted ones
   */
  const process = async (message: DocumentToRead, signal: AbortSignal): Promise<void> => {
    const found = await store.find(message.workspace_id, message.document_id)
    if (found?.status === 'processed') return addPages(found, signal)
    // A worker that died, or did not reach the table, may have stored its text after the document was deleted.
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
      if (error instanceof OtherBytes) {
        if (record.attempts >= maxAttempts) await fail(record, 'bytes_damaged')
        throw error
      }
      // A timeout counts as a crash, unless Textract is still reading. So does a fault of the code that reads.
      const isTimeout = signal.aborted && !(error instanceof StillReading)
      if (!isTimeout && !isFault(error)) await store.cancelAttempt(record)
      throw error
    }
  }

  return { process }
}

/** The state of a document that has this text. `reason`: what of it was not read, or why a later reading failed. */
function processed({ text, page_count }: StoredText, reason: string | null = null) {
  return {
    status: 'processed',
    status_reason: reason,
    extracted_text_length: text.length,
    page_count,
  } as const
}

/** The job for a new triage of the document, or of the mail that it came with, once the document is read. */
function arrivalOf({ workspace_id, id, inbox, correspondence_id }: DocumentRecord): Job[] {
  if (correspondence_id !== null) return [processArrivals.of({ workspace_id, ids: [correspondence_id] })]
  return inbox === null ? [] : [processArrivals.of({ workspace_id, ids: [id] })]
}

/** Whether an outcome may still be recorded. After three attempts, one of them may still succeed late. */
function isUnsettled({ status, status_reason }: DocumentRecord): boolean {
  return status === 'pending' || status_reason === outOfResources
}

function mayBeRunning({ attempted_at }: DocumentRecord, clock: Clock): boolean {
  return (
    attempted_at !== null && Date.parse(attempted_at) + crashedAfterSeconds * 1_000 > clock.now().getTime()
  )
}
